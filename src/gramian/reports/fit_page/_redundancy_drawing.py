"""Drawing of the redundancy graph: kept columns on the left, computed columns on the right."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._support.words import listed
from gramian.explanations import Redundancy
from gramian.reports.fit_page._selection_tables import ShownSelection

MAX_TARGETS = 40
"""Largest number of computed columns in the graph; the columns with the highest R² are drawn."""
MIN_WEIGHT = 0.02
"""Smallest weight of an edge in the graph. The weight is the decrease of R² without the source. If
all edges of a column weigh less, only the heaviest of them is drawn."""


@dataclass(frozen=True)
class GraphDrawing:
    """Columns and edges of the redundancy graph, with positions from 0 to 100."""

    sources: dict[str, str]
    """Names of the columns on the left, from which other columns are computed; kept columns come
    first. The value is the text that the page shows when the reader chooses the column."""
    targets: list[Redundancy]
    """Computed columns on the right, from top to bottom."""
    edges: list[tuple[int, int, str, float]]
    """Edges: index of the source, index of the target, SVG path between them, width of the path."""
    n_hidden: int
    """Number of computed columns that are not drawn."""

    @property
    def rows(self) -> int:
        """Height of the graph, as a number of lines of text."""
        return max(len(self.sources), len(self.targets))


def draw_graph(selection: ShownSelection) -> GraphDrawing | None:
    """Place the columns and edges of the graph; return None if no column is computed from others.

    Parameters
    ----------
    selection : ShownSelection
        The kept columns, and the dropped columns with their formulas.
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
    # A source may be a dropped column: laws also compute columns from computed columns.
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
    """Return the kept columns from which a dropped column is computed, with weights of edges.

    Only edges that the graph shows are returned.
    """
    heavy = {name: weight for name, weight in dropped.sources.items() if weight >= MIN_WEIGHT}
    if heavy:
        return heavy
    name, weight = max(dropped.sources.items(), key=lambda item: item[1])
    return {name: max(weight, 1e-6)}


def _says(name: str, shown: list[Redundancy], weights: dict[str, dict[str, float]]) -> str:
    """Return the text that the page shows when the reader chooses the kept column `name`.

    Parameters
    ----------
    name : str
        The kept column.
    shown : list of Redundancy
        The dropped columns in the graph.
    weights : dict
        For each dropped column, the weights of the edges from kept columns.
    """
    helped = [each.feature for each in shown if name in weights[each.feature]]
    return f"{name} helps to compute {listed(helped)}."
