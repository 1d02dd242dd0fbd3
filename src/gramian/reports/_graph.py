"""The redundancy graph: kept columns on the left, and on the right what is computed from them."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._words import listed
from gramian.explanations._text import r_squared
from gramian.reports._selection import DroppedEntry, Selection

MAX_TARGETS = 40
"""The largest number of computed columns that are drawn: those of the highest R²."""
MIN_WEIGHT = 0.02
"""Sources that explain less of R² are not drawn, unless there are no others."""


@dataclass(frozen=True)
class DrawnColumn:
    """A column in the graph."""

    key: str
    name: str
    says: str
    """The text that is shown when the reader chooses it."""
    r2: str


@dataclass(frozen=True)
class DrawnEdge:
    """From a column to one that is computed from it."""

    source: str
    target: str
    path: str
    width: float


@dataclass(frozen=True)
class GraphDrawing:
    """The positions of all columns and edges; heights are from 0 to 100."""

    sources: list[DrawnColumn]
    targets: list[DrawnColumn]
    edges: list[DrawnEdge]
    n_hidden: int

    @property
    def rows(self) -> int:
        """The number of rows of names."""
        return max(len(self.sources), len(self.targets))


def draw(selection: Selection) -> GraphDrawing | None:
    """Compute the positions in the graph; None if nothing is related.

    Parameters
    ----------
    selection : Selection
        What was kept and dropped.
    """
    related = sorted(
        (each for each in selection.dropped if each.sources), key=lambda each: -each.r2
    )
    shown = related[:MAX_TARGETS]
    if not shown:
        return None
    weights = {each.name: _drawn(each) for each in shown}
    used = {source for sources in weights.values() for source in sources}
    order = (
        [kept.feature for kept in selection.explanation.kept if kept.feature in used]
        if (selection.explanation)
        else []
    )
    heights = {name: 100 * (i + 0.5) / len(order) for i, name in enumerate(order)}

    def centre(dropped: DroppedEntry) -> float:
        sources = weights[dropped.name]
        return sum(heights[name] * w for name, w in sources.items()) / sum(sources.values())

    shown = sorted(shown, key=centre)
    keys = {name: f"s{i}" for i, name in enumerate(order)}
    edges = []
    for i, each in enumerate(shown):
        end = 100 * (i + 0.5) / len(shown)
        for source, weight in weights[each.name].items():
            start = heights[source]
            path = f"M0 {start:.2f}C45 {start:.2f} 55 {end:.2f} 100 {end:.2f}"
            edges.append(DrawnEdge(keys[source], f"t{i}", path, round(1 + 3 * min(weight, 1.0), 2)))
    return GraphDrawing(
        [DrawnColumn(keys[name], name, _says(name, shown, weights), "") for name in order],
        [
            DrawnColumn(
                f"t{i}",
                each.name,
                f"{each.name} = {each.formula} (R² {r_squared(each.r2)})",
                r_squared(each.r2),
            )
            for i, each in enumerate(shown)
        ],
        edges,
        len(related) - len(shown),
    )


def _drawn(dropped: DroppedEntry) -> dict[str, float]:
    heavy = {name: weight for name, weight in dropped.sources.items() if weight >= MIN_WEIGHT}
    if heavy:
        return heavy
    name, weight = max(dropped.sources.items(), key=lambda item: item[1])
    return {name: max(weight, 1e-6)}


def _says(name: str, shown: list[DroppedEntry], weights: dict[str, dict[str, float]]) -> str:
    helped = [each.name for each in shown if name in weights[each.name]]
    return f"{name} helps to compute {listed(helped)}."
