"""Redundancy graph: kept columns on the left, and columns computed from them on the right."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._support.words import listed
from gramian.explanations import Redundancy
from gramian.reports._selection_tables import ShownSelection

MAX_TARGETS = 40
"""Largest number of computed columns that are drawn; columns of the highest R² come first."""
MIN_WEIGHT = 0.02
"""Smallest weight of an edge that is drawn; a column without heavier edges keeps its heaviest."""


@dataclass(frozen=True)
class GraphDrawing:
    """Columns and edges of the graph; heights are from 0 to 100."""

    sources: dict[str, str]
    """Columns that others are computed from, each with the text that is shown when the reader
    chooses it. Kept columns come first."""
    targets: list[Redundancy]
    edges: list[tuple[int, int, str, float]]
    """Index of a source, index of a target, SVG path between them, and width of the path."""
    n_hidden: int
    """Number of computed columns that are not drawn."""

    @property
    def rows(self) -> int:
        """Number of lines of names."""
        return max(len(self.sources), len(self.targets))


def draw_graph(selection: ShownSelection) -> GraphDrawing | None:
    """Lay out the graph; return None if no column is computed from others.

    Parameters
    ----------
    selection : ShownSelection
        The columns that are kept and dropped.
    """
    related = sorted(
        (each for each in selection.dropped if each.sources), key=lambda each: -each.r2
    )
    shown = related[:MAX_TARGETS]
    if not shown:
        return None
    weights = {each.feature: _drawn(each) for each in shown}
    used = {source for sources in weights.values() for source in sources}
    assert selection.explanation is not None
    order = [kept.feature for kept in selection.explanation.kept if kept.feature in used]
    # A law may compute a column from a column that another law has computed.
    order += sorted(used.difference(order))
    heights = {name: 100 * (i + 0.5) / len(order) for i, name in enumerate(order)}

    def centre(dropped: Redundancy) -> float:
        sources = weights[dropped.feature]
        return sum(heights[name] * w for name, w in sources.items()) / sum(sources.values())

    shown = sorted(shown, key=centre)
    edges = []
    for i, each in enumerate(shown):
        end = 100 * (i + 0.5) / len(shown)
        for source, weight in weights[each.feature].items():
            start = heights[source]
            path = f"M0 {start:.2f}C45 {start:.2f} 55 {end:.2f} 100 {end:.2f}"
            width = round(1 + 3 * min(weight, 1.0), 2)
            edges.append((order.index(source), i, path, width))
    return GraphDrawing(
        {name: _says(name, shown, weights) for name in order},
        shown,
        edges,
        len(related) - len(shown),
    )


def _drawn(dropped: Redundancy) -> dict[str, float]:
    """Return the sources of a column that are drawn, with their weights."""
    heavy = {name: weight for name, weight in dropped.sources.items() if weight >= MIN_WEIGHT}
    if heavy:
        return heavy
    name, weight = max(dropped.sources.items(), key=lambda item: item[1])
    return {name: max(weight, 1e-6)}


def _says(name: str, shown: list[Redundancy], weights: dict[str, dict[str, float]]) -> str:
    """Return the text that is shown when the reader chooses a source."""
    helped = [each.feature for each in shown if name in weights[each.feature]]
    return f"{name} helps to compute {listed(helped)}."
