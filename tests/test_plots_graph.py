"""The display of a redundancy graph."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from plot_cases import FEW_EDGES, close_figures, drawn  # noqa: F401

from gramian.plots import RedundancyGraphDisplay

pytest.importorskip("networkx", reason="the graph is laid out by networkx")
pytestmark = pytest.mark.usefixtures("close_figures")


def test_kept_columns_are_drawn_on_the_left():
    display = RedundancyGraphDisplay("abcd", FEW_EDGES).plot()
    drawn(display)
    assert display.kept == ["a", "b"]
    assert [display.positions_[node][0] for node in "abcd"] == [0, 0, 1, 1]
    assert display.edges_ == [("b", "c", 0.1), ("a", "c", 0.9)]  # the least weight is left out
    widths = [arrow.get_linewidth() for arrow in display.ax_.patches]
    assert widths == sorted(widths)
    assert [text.get_text() for text in display.texts_.values()] == list("abcd")


def test_chains_are_laid_out():
    display = RedundancyGraphDisplay("abcd", [*FEW_EDGES, ("c", "d", 0.5)]).plot()
    drawn(display)
    assert len({x for x, _ in display.positions_.values()}) == 4
    again = RedundancyGraphDisplay("abcd", [*FEW_EDGES, ("c", "d", 0.5)]).plot()
    assert again.positions_ == display.positions_


def test_names_of_many_nodes_do_not_overlap():
    rng = np.random.default_rng(0)
    names = [f"column {i}" for i in range(20)]
    edges = [(names[a], names[b], 0.5) for a, b in rng.integers(0, 20, (40, 2)) if a != b]
    display = RedundancyGraphDisplay(names, edges).plot(layout="spring")
    drawn(display)
    boxes = [text.get_window_extent() for text in display.texts_.values()]
    for one, other in itertools.combinations(boxes, 2):
        width = min(one.x1, other.x1) - max(one.x0, other.x0)
        height = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(width, height) <= 1


@pytest.mark.parametrize("layout", ["columns", "spring", "circular"])
def test_layouts_have_a_place_for_every_node(layout):
    display = RedundancyGraphDisplay("abcd", FEW_EDGES).plot(layout=layout)
    drawn(display)
    assert set(display.positions_) == set("abcd")


def test_places_can_be_given():
    places = {node: (i, i**2) for i, node in enumerate("abcd")}
    display = RedundancyGraphDisplay("abcd", FEW_EDGES).plot(layout=places)
    assert display.positions_ == places
    with pytest.raises(ValueError, match=r"no place for \['d'\]"):
        RedundancyGraphDisplay("abcd", FEW_EDGES).plot(layout=dict.fromkeys("abc", (0, 0)))


def test_only_the_heaviest_edges_of_a_large_graph_are_drawn():
    names = [f"x{i}" for i in range(300)]
    edges = [(f"x{i % 60}", f"x{i}", i / 300) for i in range(60, 300)]
    display = RedundancyGraphDisplay(names, edges).plot(max_nodes=40)
    drawn(display)
    assert len(display.positions_) == 40
    assert ("x59", "x299", 299 / 300) in display.edges_
    assert display.ax_.get_xlabel() == "260 more columns not shown"


def test_the_graph_of_an_explanation_is_drawn():
    graph = SimpleNamespace(
        nodes=[SimpleNamespace(name=name, kept=name in "ab") for name in "bacd"],
        edges=[SimpleNamespace(source=a, target=b, weight=w) for a, b, w in FEW_EDGES],
    )
    display = RedundancyGraphDisplay.from_graph(graph)
    drawn(display)
    assert display.kept == ["b", "a"]
    assert display.edges == FEW_EDGES


def test_nodes_without_edges_and_no_nodes_are_drawn():
    drawn(RedundancyGraphDisplay("abc", []).plot())
    drawn(RedundancyGraphDisplay([], []).plot())


def test_edges_of_unknown_nodes_are_refused():
    with pytest.raises(ValueError, match=r"Edges name \['z'\]"):
        RedundancyGraphDisplay("ab", [("a", "z", 1.0)])
