"""The map of laws as an SVG image: base columns on the left, computed columns on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gramian._support.words import cut, listed, one_line
from gramian.formulas import quote
from gramian.reports.table_page._column_choice import ColumnChoice, ComputedColumn

WIDTH, ROW, TOP = 360, 24, 22
"""Width of the image, height of a column in it, and height of the titles, in SVG units."""
BOX = 132
"""Width of a column's box."""
MAX_LETTERS = 19
"""Largest number of letters of a name in a box."""
MAX_COMPUTED = 40
"""Largest number of computed columns on the map."""
BULGE = 26
"""How far an arc between two computed columns bends to the left."""


@dataclass(frozen=True)
class LawMap:
    """The drawn map."""

    svg: str
    n_hidden: int
    """The number of computed columns that are not drawn."""
    n_alone: int
    """The number of base columns from which no column of the map is computed."""


def law_map(choice: ColumnChoice) -> LawMap | None:
    """Draw the map of laws; return None if no column is computed.

    Parameters
    ----------
    choice : ColumnChoice
        The base columns and the computed columns.
    """
    shown = list(choice.computed[:MAX_COMPUTED])
    if not shown:
        return None
    names = {each.name for each in shown}
    used = {cause for each in shown for cause in each.causes}
    base = [name for name in choice.base if name in used]
    base += sorted(used - {*base} - names)  # computed columns that are not drawn on the right
    left = {name: _height(i) for i, name in enumerate(base)}
    right = {each.name: _height(i) for i, each in enumerate(_sorted(shown, left))}
    edges = [_edge(cause, each.name, left, right) for each in shown for cause in each.causes]
    nodes = [_node(name, 2, left[name], "base", _helps(name, shown)) for name in base]
    nodes += [
        _node(each.name, WIDTH - BOX - 2, right[each.name], each.status, each.law)
        for each in sorted(shown, key=lambda each: right[each.name])
    ]
    height = TOP + ROW * max(len(left), len(right)) + 4
    titles = (
        f'<text class="title" x="2" y="12">base</text>'
        f'<text class="title" x="{WIDTH - 2}" y="12" text-anchor="end">computed</text>'
    )
    svg = (
        f'<svg class="map" viewBox="0 0 {WIDTH} {height}" role="group" '
        f'aria-label="Map of the laws">{titles}{"".join(edges)}{"".join(nodes)}</svg>'
    )
    n_alone = len(choice.base) - sum(name in left for name in choice.base)
    return LawMap(svg, len(choice.computed) - len(shown), n_alone)


def _height(i: int) -> float:
    """Return the height of the middle of box number `i`."""
    return TOP + ROW * (i + 0.5)


def _sorted(shown: Sequence[ComputedColumn], left: dict[str, float]) -> list[ComputedColumn]:
    """Return computed columns in an order in which lines cross little: by their mean cause."""
    means = dict[str, float]()
    for each in shown:  # causes that are computed columns come before
        heights = [left.get(cause, means.get(cause)) for cause in each.causes]
        known = [height for height in heights if height is not None]
        means[each.name] = sum(known) / len(known) if known else 0.0
    return sorted(shown, key=lambda each: means[each.name])


def _edge(cause: str, name: str, left: dict[str, float], right: dict[str, float]) -> str:
    end, x = right[name], WIDTH - BOX - 2
    if cause in right:
        start, bend = right[cause], x - BULGE
        path = f"M{x} {start:g}C{bend} {start:g} {bend} {end:g} {x} {end:g}"
    else:
        start, middle = left[cause], WIDTH / 2
        path = f"M{BOX + 2} {start:g}C{middle:g} {start:g} {middle:g} {end:g} {x} {end:g}"
    keys = f'data-source="{_text(cause)}" data-target="{_text(name)}"'
    return f'<path {keys} d="{path}"/>'


def _node(name: str, x: float, y: float, kind: str, says: str) -> str:
    return (
        f'<g class="node {kind}" tabindex="0" role="img" data-key="{_text(name)}" '
        f'data-says="{_text(says)}" aria-label="{_text(f"{name}: {says}")}">'
        f"<title>{_text(says)}</title>"
        f'<rect x="{x}" y="{y - ROW / 2 + 2:g}" width="{BOX}" height="{ROW - 4}" rx="4"/>'
        f'<text x="{x + 7}" y="{y + 4:g}">{_text(cut(name, MAX_LETTERS))}</text></g>'
    )


def _helps(name: str, shown: Sequence[ComputedColumn]) -> str:
    computed = [each.name for each in shown if name in each.causes]
    return f"{quote(name)} helps to compute {listed(computed, len(computed), quote)}."


def _text(text: str) -> str:
    return escape(one_line(cut(text, 400)))
