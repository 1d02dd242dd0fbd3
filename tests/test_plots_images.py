"""Plots compared with images that a person has looked at.

The images are in baseline_images/; plot_cases.py says how to make them again.
"""

from __future__ import annotations

import itertools

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text
from plot_cases import BASELINE, CASES, draw

TOLERANCE = 4
"""Limit of the root mean square difference, from 0 to 255. Among Matplotlib 3.9, 3.10 and 3.11
there are differences of up to 3.4 in images, and hardly any elsewhere."""


@pytest.mark.parametrize("name", CASES)
def test_the_plot_equals_its_baseline_image(name, tmp_path):
    actual = tmp_path / f"{name}.png"
    draw(CASES[name], actual)
    difference = compare_images(str(BASELINE / f"{name}.png"), str(actual), tol=TOLERANCE)
    assert difference is None, difference


@pytest.mark.parametrize("name", CASES)
def test_the_comparison_notices_a_missing_mark(name, tmp_path):
    def without_the_last(ax):
        CASES[name](ax)
        [*ax.images, *ax.lines, *ax.collections, *ax.patches][-1].remove()

    draw(without_the_last, tmp_path / "without.png")
    path = str(tmp_path / "without.png")
    assert compare_images(str(BASELINE / f"{name}.png"), path, tol=TOLERANCE) is not None


@pytest.mark.parametrize("name", CASES)
def test_no_text_overlaps_another_or_leaves_the_figure(name):
    figure = draw(CASES[name], text=True)
    shown = {
        text: text.get_window_extent()
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in beyond(figure)
    }
    for text, box in shown.items():
        assert box.x0 > -1, text
        assert box.y0 > -1, text
        assert box.x1 < figure.bbox.x1 + 1, text
        assert box.y1 < figure.bbox.y1 + 1, text
    for (one, a), (other, b) in itertools.combinations(shown.items(), 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(overlap) <= 1, (one, other)


def beyond(figure: Figure) -> set[Text]:
    """Labels that Matplotlib keeps but does not draw: outside the axes, or of hidden axes."""
    labels = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not (ax.axison and low <= tick.get_loc() <= high):
                    labels |= {tick.label1, tick.label2}
    return labels


def test_baseline_images_are_small():
    images = list(BASELINE.glob("*.png"))
    assert {path.stem for path in images} == set(CASES)
    assert sum(path.stat().st_size for path in images) < 300_000


def test_drawing_does_not_change_the_style(tmp_path):
    before = dict(mpl.rcParams)
    draw(CASES["parity"], tmp_path / "parity.png")
    assert dict(mpl.rcParams) == before
