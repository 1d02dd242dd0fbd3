"""Search for nearest points as an ONNX graph: a loop with the steps of `NearestSearch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gramian.core.manifold import (
    EASE,
    FAR,
    FIRST_DAMPING,
    FLOOR,
    LEAST_DAMPING,
    MOST_DAMPING,
    TIGHTEN,
    Manifold,
    Terms,
)
from gramian.families import Multilinear, Polynomial
from gramian.fitting import FittedManifold
from gramian.models._onnx_graph import OnnxGraph

Point = tuple[str, str, str]
"""Names of three values for all rows: terms of lower degree, residuals, and the objective."""


def encode(graph: OnnxGraph, model: FittedManifold) -> int:
    """Add the operations from "X" to "Z", and return the number of codes.

    Parameters
    ----------
    graph : OnnxGraph
        An empty graph.
    model : FittedManifold
        The model.
    """
    if type(model.family) not in (Multilinear, Polynomial):
        raise ValueError(
            f"Only surfaces of products of codes are exported to ONNX, and {model.family} has "
            "other functions. Fit with family='polynomial' or 'multilinear'."
        )
    manifold = model.manifold
    # One unit for each column: runtimes may round a single number to float32.
    unit = manifold.unit * (np.ones_like(model.mean) if model.scale is None else model.scale)
    x = graph("Div", graph("Sub", "X", model.mean), unit)
    centred = graph("Sub", _Search(graph, manifold, x).run(), manifold.offset)
    graph("MatMul", centred, np.linalg.inv(manifold.mixing), out="Z")
    return len(manifold.lines)


class _Products:
    """Terms of a surface. Each term is a term of one degree less, times a variable."""

    def __init__(self, terms: Terms) -> None:
        keys = [_variables(key) for key in terms.keys]
        self.order = sorted(range(len(keys)), key=lambda i: len(keys[i]))
        """Terms by degree."""
        self.levels: list[tuple[list[int], list[int]]] = []
        """For each degree from 1 on: indices of the factors of one degree less, and variables."""
        before: dict[tuple[int, ...], int] = {(): 0}
        for degree in range(1, 1 + max(map(len, keys))):
            level = [keys[i] for i in self.order if len(keys[i]) == degree]
            self.levels.append(([before[key[:-1]] for key in level], [key[-1] for key in level]))
            before = {key: i for i, key in enumerate(level)}

    def __call__(self, graph: OnnxGraph, u: str) -> str:
        """Evaluate all terms, sorted by degree, one column for each term."""
        first = graph.take(u, [0], axis=1)
        levels = [graph.ones(first)]
        for parents, variables in self.levels:
            factors = graph.take(u, variables, axis=1)
            levels.append(graph("Mul", graph.take(levels[-1], parents, axis=1), factors))
        return graph("Concat", *levels, axis=1)


def _variables(key: Sequence[tuple[int, object]]) -> tuple[int, ...]:
    """Return the variables of a product, each repeated by its power."""
    powers: Counter[int] = Counter()
    for variable, atom in key:
        assert isinstance(atom, tuple)
        powers[variable] += atom[1] if len(atom) > 1 else 1
    return tuple(sorted(powers.elements()))


class _Search:
    """Levenberg-Marquardt steps for all rows at once. Rows that have converged do not move."""

    def __init__(self, graph: OnnxGraph, manifold: Manifold, x: str) -> None:
        surface, start = manifold.surface, manifold.start.linear
        self._graph, self._search = graph, manifold.search
        self._k = surface.terms.n_variables
        self._products = _Products(surface.terms)
        order = self._products.order
        self._b = graph.constant(surface.along_axes[order])
        self._lower = [order.index(i) for i in surface.terms.lower]
        self._tangents = graph.constant(surface.tangents)
        self._tether = graph.constant(self._search.tether * surface.unit)
        whole = graph.squares(x)
        self._home = graph("Add", graph("MatMul", x, start.matrix), start.offset)
        self._x = x if surface.axes is None else graph("MatMul", x, surface.axes)
        # The part of a row that is orthogonal to the axes is constant during the search.
        self._rest = graph("Max", graph("Sub", whole, graph.squares(self._x)), 0.0)

    def run(self) -> str:
        """Return the coordinates of the nearest points."""
        graph = self._graph
        u, lower, miss, objective = self._begin()
        ones = graph.ones(objective)
        damping = graph("Mul", ones, FIRST_DAMPING)
        body = OnnxGraph(graph.dtype, graph)
        first = [u, lower, miss, objective, damping, ones]
        names = [body.name() for _ in first]
        then, go_on = self._turn(body, names)
        return graph.repeat(body, self._search.max_steps, names, first, then, go_on)[0]

    def _at(self, graph: OnnxGraph, u: str) -> Point:
        """Evaluate the surface at the coordinates `u`."""
        values = self._products(graph, u)
        miss = graph("Sub", self._x, graph("MatMul", values, self._b))
        away = graph("Sub", u, self._home)
        penalty = graph("Mul", self._tether, graph.squares(away))
        objective = graph("Add", graph.squares(miss), penalty)
        return graph.take(values, self._lower, axis=1), miss, objective

    def _better(self, graph: OnnxGraph, after: str, before: str) -> str:
        """Return True for rows where `after` is less than `before`, or alone is finite."""
        largest = graph.constant(float(np.finfo(graph.dtype).max))
        finite, was = (graph("LessOrEqual", graph("Abs", one), largest) for one in (after, before))
        rescued = graph("And", finite, graph("Not", was))
        return graph("Or", graph("Less", after, before), rescued)

    def _take(
        self, graph: OnnxGraph, better: str, new: Sequence[str], old: Sequence[str]
    ) -> list[str]:
        """Take new coordinates, terms, residuals and objectives in the rows that are better."""
        column = graph.column(better)
        masks = (column, column, column, better)
        return [graph("Where", *each) for each in zip(masks, new, old, strict=True)]

    def _begin(self) -> list[str]:
        """Begin at the linear estimates, or closer to zero if the estimates are far from zero."""
        graph, u = self._graph, self._home
        state = [u, *self._at(graph, u)]
        size = graph("Sqrt", graph.squares(u))
        limit = graph.constant(FAR * self._k**0.5)
        far = graph("Greater", size, limit)
        shrink = graph("Where", far, graph("Div", limit, size), graph.ones(size))
        for factor in (shrink, graph("Mul", shrink, 0.0)):
            there = graph("Mul", u, graph.column(factor))
            point = self._at(graph, there)
            better = graph("And", far, self._better(graph, point[2], state[3]))
            state = self._take(graph, better, [there, *point], state)
        return state

    def _turn(self, graph: OnnxGraph, names: Sequence[str]) -> tuple[list[str], str]:
        """Make a step for all rows that have not converged."""
        u, lower, miss, objective, damping, active = names
        zero, one = graph.constant(0.0), graph.constant(1.0)
        there = graph("Add", u, self._step(graph, u, lower, miss, damping))
        point = self._at(graph, there)
        going = graph("Greater", active, zero)
        better = graph("And", going, self._better(graph, point[2], objective))
        state = self._take(graph, better, [there, *point], names[:4])
        whole = graph("Add", objective, self._rest)
        whole = graph("Where", graph("Greater", whole, zero), whole, one)
        gain = graph("Div", graph("Sub", objective, point[2]), whole)
        gain = graph("Where", better, gain, -1.0)
        good = graph("GreaterOrEqual", gain, zero)
        reached = graph("Mul", gain, graph("Add", damping, one))
        spent = graph("Less", reached, self._search.tol)
        factor = graph("Where", good, EASE, TIGHTEN)
        damped = graph("Max", graph("Mul", damping, factor), LEAST_DAMPING)
        damped = graph("Where", going, damped, damping)
        stuck = graph("Greater", damped, MOST_DAMPING)
        done = graph("Or", graph("And", good, spent), graph("And", graph("Not", good), stuck))
        active = graph("Where", done, zero, active)
        most = graph("ReduceMax", active, keepdims=0)
        return [*state, damped, active], graph("Greater", most, zero)

    def _step(self, graph: OnnxGraph, u: str, lower: str, miss: str, damping: str) -> str:
        """Return the damped Gauss-Newton step: (JᵀJ + tether + damping) step = Jᵀ miss."""
        shape = graph.constant(np.array([0, self._k, -1]))
        slopes = graph("Reshape", graph("MatMul", lower, self._tangents), shape)
        # Older versions of onnxruntime fuse MatMul with a transpose, and not for float64.
        curvature = graph("Einsum", slopes, slopes, equation="nij,nkj->nik")
        pull = graph("MatMul", slopes, graph.column(miss, 2))
        away = graph.column(graph("Sub", u, self._home), 2)
        pull = graph("Sub", pull, graph("Mul", self._tether, away))
        unit = np.eye(self._k)[np.newaxis]
        own = graph.total(graph("Mul", curvature, unit), 2)
        diagonal = graph("Add", own, self._tether)
        mean = graph("ReduceMean", diagonal, axes=[1], keepdims=1)
        floor = graph("Where", graph("Greater", mean, 0.0), graph("Mul", mean, FLOOR), 1.0)
        more = graph("Mul", graph.column(damping), graph("Add", diagonal, floor))
        tiny = graph("Mul", floor, float(np.finfo(graph.dtype).eps))
        diagonal = graph("Add", graph("Add", diagonal, more), tiny)
        aside = graph("Mul", curvature, 1 - unit)
        along = graph("Mul", graph.column(diagonal, 2), unit)
        return self._solve(graph, graph("Add", aside, along), pull)

    def _solve(self, graph: OnnxGraph, matrix: str, right: str) -> str:
        """Solve one positive definite system for each row by Gauss-Jordan elimination."""
        system = graph("Concat", matrix, right, axis=2)
        for j in range(self._k):
            row = graph.take(system, [j], axis=1)
            row = graph("Div", row, graph.take(row, [j], axis=2))
            unit = np.eye(self._k)[np.newaxis, :, j : j + 1]
            factors = graph("Sub", graph.take(system, [j], axis=2), unit)
            system = graph("Sub", system, graph("Mul", factors, row))
        return graph("Squeeze", graph.take(system, [self._k], axis=2), np.array([2]))
