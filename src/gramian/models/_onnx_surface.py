"""ONNX graph that finds the nearest point of a surface for each row, as `NearestSearch` does."""

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
"""Names of three values in the graph, each with one row per row of data: terms of lower degree (for
derivatives), residuals, and the objective of the search."""


def encode(graph: OnnxGraph, model: FittedManifold) -> int:
    """Add the operations that compute the codes "Z" (coordinates on the surface) of the rows "X".

    Return the number of codes of each row.

    Parameters
    ----------
    graph : OnnxGraph
        An empty graph.
    model : FittedManifold
        The fitted model with the surface.
    """
    if type(model.family) not in (Multilinear, Polynomial):
        raise ValueError(
            f"Only surfaces of products of codes are exported to ONNX, and {model.family} has "
            "other functions. Fit with family='polynomial' or 'multilinear'."
        )
    manifold = model.manifold
    # `unit` is an array, not one number: some runtimes round single numbers to float32.
    unit = manifold.unit * (np.ones_like(model.mean) if model.scale is None else model.scale)
    x = graph("Div", graph("Sub", "X", model.mean), unit)
    centred = graph("Sub", _Search(graph, manifold, x).run(), manifold.offset)
    graph("MatMul", centred, np.linalg.inv(manifold.mixing), out="Z")
    return len(manifold.lines)


class _Products:
    """Products of variables in the formula of a surface, ready to be evaluated degree by degree.

    Each product of degree n is a product of degree n - 1 (its parent) times one variable.
    """

    def __init__(self, terms: Terms) -> None:
        keys = [_variables(key) for key in terms.keys]
        self.order = sorted(range(len(keys)), key=lambda i: len(keys[i]))
        """Indices of the products in `terms`, sorted by degree."""
        self.levels: list[tuple[list[int], list[int]]] = []
        """For each degree from 1 on: for each product, the index of its parent among the products
        of one degree less, and the index of the variable that multiplies the parent."""
        before: dict[tuple[int, ...], int] = {(): 0}
        for degree in range(1, 1 + max(map(len, keys))):
            level = [keys[i] for i in self.order if len(keys[i]) == degree]
            self.levels.append(([before[key[:-1]] for key in level], [key[-1] for key in level]))
            before = {key: i for i, key in enumerate(level)}

    def __call__(self, graph: OnnxGraph, u: str) -> str:
        """Add the values of all products at the coordinates `u`; return the name of the values.

        The values have one column per product, sorted by degree.
        """
        first = graph.take(u, [0], axis=1)
        levels = [graph.ones(first)]
        for parents, variables in self.levels:
            factors = graph.take(u, variables, axis=1)
            levels.append(graph("Mul", graph.take(levels[-1], parents, axis=1), factors))
        return graph("Concat", *levels, axis=1)


def _variables(key: Sequence[tuple[int, object]]) -> tuple[int, ...]:
    """Return the indices of the variables in a product, sorted; x₀²x₁ becomes (0, 0, 1)."""
    powers: Counter[int] = Counter()
    for variable, atom in key:
        assert isinstance(atom, tuple)
        powers[variable] += atom[1] if len(atom) > 1 else 1
    return tuple(sorted(powers.elements()))


class _Search:
    """Search for the nearest points of all rows at once by Levenberg-Marquardt steps.

    The loop ends when all rows have converged; rows that have converged earlier do not change.
    """

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
        # Squared length of the part of each row orthogonal to the axes, constant in the search.
        self._rest = graph("Max", graph("Sub", whole, graph.squares(self._x)), 0.0)

    def run(self) -> str:
        """Add the whole search; return the name of the coordinates of the nearest points."""
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
        """Add the evaluation of the surface at the coordinates `u`; return the names of results."""
        values = self._products(graph, u)
        miss = graph("Sub", self._x, graph("MatMul", values, self._b))
        away = graph("Sub", u, self._home)
        penalty = graph("Mul", self._tether, graph.squares(away))
        objective = graph("Add", graph.squares(miss), penalty)
        return graph.take(values, self._lower, axis=1), miss, objective

    def _better(self, graph: OnnxGraph, after: str, before: str) -> str:
        """Add a mask of rows: True where `after` is less than `before`, or only `after` is finite.

        Return the name of the mask.
        """
        largest = graph.constant(float(np.finfo(graph.dtype).max))
        finite, was = (graph("LessOrEqual", graph("Abs", one), largest) for one in (after, before))
        rescued = graph("And", finite, graph("Not", was))
        return graph("Or", graph("Less", after, before), rescued)

    def _take(
        self, graph: OnnxGraph, better: str, new: Sequence[str], old: Sequence[str]
    ) -> list[str]:
        """Replace coordinates, terms, residuals and objectives by new ones where `better` is True.

        Return the names of the four results.
        """
        column = graph.column(better)
        masks = (column, column, column, better)
        return [graph("Where", *each) for each in zip(masks, new, old, strict=True)]

    def _begin(self) -> list[str]:
        """Add the start of the search, at linear estimates of the coordinates.

        Rows whose estimates are far from zero also try shorter estimates, and zero; the best of
        the three is taken. Return the names of coordinates, terms, residuals and objectives.
        """
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
        """Add one step for all rows that have not converged: the body of the loop.

        Return the names of the new states, and of the truth value that continues the loop.
        """
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
        """Add the damped Gauss-Newton step of each row; return its name.

        It solves (JᵀJ + tether I + damping D) step = Jᵀ miss - tether (u - home), where D is a
        diagonal matrix, `miss` are the residuals, and `home` are the linear estimates.
        """
        shape = graph.constant(np.array([0, self._k, -1]))
        slopes = graph("Reshape", graph("MatMul", lower, self._tangents), shape)
        # Einsum, because older onnxruntime fuses MatMul with a transpose, which fails for float64.
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
        """Add the solution of one positive definite system per row; return its name.

        The method is Gauss-Jordan elimination without pivoting.
        """
        system = graph("Concat", matrix, right, axis=2)
        for j in range(self._k):
            row = graph.take(system, [j], axis=1)
            row = graph("Div", row, graph.take(row, [j], axis=2))
            unit = np.eye(self._k)[np.newaxis, :, j : j + 1]
            factors = graph("Sub", graph.take(system, [j], axis=2), unit)
            system = graph("Sub", system, graph("Mul", factors, row))
        return graph("Squeeze", graph.take(system, [self._k], axis=2), np.array([2]))
