"""Which columns determine which: columns as nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from gramian._support.extras import require
from gramian._support.types import Array
from gramian._support.words import counted
from gramian.plots._style import BLUE, GREY, ORANGE, Display, legend_above, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GraphLayout = Literal["auto", "columns", "spring", "circular"]
WeightedEdge = tuple[str, str, float]
Positions = dict[str, tuple[float, float]]

LEFT: dict[str, Any] = {"xytext": (-8, 0), "ha": "right", "va": "center"}
RIGHT: dict[str, Any] = {"xytext": (8, 0), "ha": "left", "va": "center"}
ABOVE: dict[str, Any] = {
    "xytext": (0, 7),
    "ha": "center",
    "va": "bottom",
    "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
}
"""Where names stand: beside a node in columns, above it anywhere else."""


class RedundancyGraphDisplay(Display):
    """Columns as nodes, and arrows from kept columns to those that they determine.

    Parameters
    ----------
    nodes : sequence of str
        The names of the columns.
    edges : sequence of (source, target, weight)
        The name of a column, the name of one that it helps to determine, and how much: a share
        from 0 to 1.
    kept : sequence of str, optional
        The names of the columns that are kept, in the order from top to bottom; by default all
        that have no edge towards them.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure.
    positions_ : dict of str to pair of float
        The positions of the nodes that are drawn.
    edges_ : list of (str, str, float)
        The edges that are drawn.
    texts_ : dict of str to Text
        The names.

    Examples
    --------
    >>> from gramian.plots import RedundancyGraphDisplay
    >>> edges = [("voltage", "power", 0.5), ("current", "power", 0.5), ("voltage", "volts", 1.0)]
    >>> nodes = ["voltage", "current", "power", "volts"]
    >>> display = RedundancyGraphDisplay(nodes, edges).plot()
    >>> display.kept
    ['voltage', 'current']
    """

    def __init__(
        self,
        nodes: Sequence[str],
        edges: Sequence[WeightedEdge],
        *,
        kept: Sequence[str] | None = None,
    ) -> None:
        self.nodes = [str(node) for node in nodes]
        self.edges = [(str(a), str(b), float(weight)) for a, b, weight in edges]
        known = set(self.nodes)
        unknown = {end for a, b, _ in self.edges for end in (a, b)} - known
        if unknown:
            raise ValueError(f"Edges name {sorted(unknown)}, which are not among the nodes.")
        targets = {b for _, b, _ in self.edges}
        self.kept = (
            [node for node in self.nodes if node not in targets]
            if kept is None
            else [str(node) for node in kept if str(node) in known]
        )

    @classmethod
    def from_graph(cls, graph: Any, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the graph of an explanation.

        Parameters
        ----------
        graph : Graph
            As in the attribute `graph` of what :func:`gramian.explain` returns: its `nodes` have
            `name` and `kept`, its `edges` `source`, `target` and `weight`.
        ax : Axes, optional
            The axes to draw on.
        **kwargs
            Passed to :meth:`plot`.
        """
        display = cls(
            [node.name for node in graph.nodes],
            [(edge.source, edge.target, edge.weight) for edge in graph.edges],
            kept=[node.name for node in graph.nodes if node.kept],
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        layout: GraphLayout | Mapping[str, tuple[float, float]] = "auto",
        min_weight: float = 0.02,
        max_nodes: int = 40,
        seed: int = 0,
    ) -> Self:
        """Draw the graph.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on.
        layout : {"auto", "columns", "spring", "circular"} or mapping, default="auto"
            "columns" has the kept columns on the left and the others on the right. "auto" is
            "columns" if all edges go from left to right, and "spring" otherwise. A mapping gives
            the position of each node.
        min_weight : float, default=0.02
            Edges of less weight are not drawn.
        max_nodes : int, default=40
            The largest number of nodes; of a larger graph, the ends of the heaviest edges.
        seed : int, default=0
            The seed of the "spring" layout.
        """
        networkx = require("networkx", "This plot")
        graph = self._graph(networkx, min_weight, max_nodes)
        kept = [node for node in self.kept if node in graph]
        others = [node for node in graph if node not in set(kept)]
        if layout == "auto":
            apart = all(a in set(kept) and b not in set(kept) for a, b in graph.edges)
            layout = "columns" if apart else "spring"
        in_columns = layout == "columns"
        own = ax is None
        rows = max(len(kept), len(others), 2) if in_columns else 12
        ax = self._begin(ax, 5.6, 0.8 + 0.28 * rows if in_columns else 4.6)
        if isinstance(layout, Mapping):
            missing = [node for node in graph if node not in layout]
            if missing:
                raise ValueError(f"layout has no place for {missing}.")
            self.positions_: Positions = {node: layout[node] for node in graph}
        elif layout == "columns":
            self.positions_ = _columns(graph, kept, others)
        else:
            if layout == "circular":
                found = networkx.circular_layout(graph)
            else:
                found = networkx.spring_layout(graph, seed=seed, k=2.5 / np.sqrt(len(graph) or 1))
            places = np.reshape([found[node] for node in graph], (-1, 2))
            if layout == "spring":
                widths = np.array([0.045 * (len(short(node)) + 2) for node in graph])
                places = _spread(places, widths)
            self.positions_ = dict(zip(graph, map(tuple, places.tolist()), strict=True))
        self.edges_: list[WeightedEdge] = sorted(
            graph.edges(data="weight"), key=lambda edge: edge[2]
        )
        shares = np.clip([weight for _, _, weight in self.edges_], 0, 1)
        networkx.draw_networkx_edges(
            graph,
            self.positions_,
            edgelist=[(source, target) for source, target, _ in self.edges_],
            ax=ax,
            width=0.6 + 2.6 * shares,
            alpha=0.25 + 0.65 * shares,
            edge_color=GREY,
            arrowstyle="-|>",
            arrowsize=[*(9 + 5 * shares)],
            node_size=110,
            connectionstyle="arc3" if in_columns else "arc3,rad=0.08",
            hide_ticks=False,
        )
        self._draw_nodes(kept, others, in_columns)
        if self.positions_:
            (left, bottom), (right, top) = (
                f(list(self.positions_.values()), axis=0) for f in (np.min, np.max)
            )
            # In a new figure, the layout makes room for the names beside the columns.
            side = (0.05 if own else 0.9) if in_columns else 0.2 * (right - left)
            above = 0.6 if in_columns else 0.12 * (top - bottom)
            ax.set(xlim=(left - side, right + side), ylim=(bottom - above, top + above))
        hidden = len(self.nodes) - len(graph)
        if hidden:
            ax.set_xlabel(
                f"{counted(hidden, 'more column')} not shown", color=GREY, fontsize="small"
            )
        return self

    def _graph(self, networkx: Any, min_weight: float, max_nodes: int) -> Any:
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_weighted_edges_from(edge for edge in self.edges if edge[2] >= min_weight)
        if len(graph) > max_nodes:
            heaviest = sorted(graph.edges(data="weight"), key=lambda edge: -edge[2])
            shown: set[str] = set()
            for source, target, _ in heaviest:
                if len(shown | {source, target}) <= max_nodes:
                    shown |= {source, target}
            shown |= set(
                [node for node in self.nodes if node not in shown][: max_nodes - len(shown)]
            )
            graph = graph.subgraph([node for node in self.nodes if node in shown])
        return graph

    def _draw_nodes(self, kept: list[str], others: list[str], in_columns: bool) -> None:
        ax = self.ax_
        self.texts_ = {}
        groups = [
            (kept, BLUE, "o", "kept", LEFT),
            (others, ORANGE, "s", "determined by others", RIGHT),
        ]
        for group, colour, marker, label, side in groups:
            if not group:
                continue
            x, y = np.array([self.positions_[node] for node in group]).T
            ax.scatter(x, y, s=70, color=colour, marker=marker, label=label, zorder=3)
            for node in group:
                self.texts_[node] = ax.annotate(
                    short(node),
                    self.positions_[node],
                    textcoords="offset points",
                    zorder=4,
                    **(side if in_columns else ABOVE),
                )
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        if self.positions_:
            legend_above(ax, "lower center", 2)


def _columns(graph: Any, kept: list[str], others: list[str]) -> Positions:
    """Place kept columns on the left, and each other one on the right, next to its sources."""
    height = max(len(kept), len(others), 2) - 1

    def column(x: float, nodes: list[str]) -> Positions:
        n = len(nodes)
        places = np.linspace(0, -height, n) if n > 1 else np.full(n, -height / 2)
        return {node: (x, float(y)) for node, y in zip(nodes, places, strict=True)}

    positions = column(0.0, kept)

    def centre(node: str) -> float:
        sources = [(positions[a][1], w) for a, _, w in graph.in_edges(node, data="weight")]
        total = sum(w for _, w in sources)
        return sum(y * w for y, w in sources) / total if total else -float(height)

    return positions | column(1.0, sorted(others, key=lambda node: -centre(node)))


def _spread(places: Array, widths: Array, height: float = 0.16, n_rounds: int = 200) -> Array:
    """Move nodes apart if their names would overlap; positions are from -1 to 1."""
    places = places.copy()
    for _ in range(n_rounds):
        moved = False
        for i in range(len(places)):
            for j in range(i):
                apart = places[i] - places[j]
                overlap = np.array([(widths[i] + widths[j]) / 2, height]) - np.abs(apart)
                if (overlap > 0).all():
                    axis = int(np.argmin(overlap / [2.0, 1.0]))
                    push = 0.51 * overlap[axis] * (1 if apart[axis] >= 0 else -1)
                    places[i, axis] += push
                    places[j, axis] -= push
                    moved = True
        if not moved:
            break
    return places
