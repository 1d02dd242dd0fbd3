"""Factors of a term that are not powers: sines, indicators, the user's functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.families import AtomBasis, Z
from gramian.formulas._notation import MINUS, latex_name, latex_number, number


@dataclass(frozen=True)
class Function:
    """A function of one or more columns, each centred and divided by its standard deviation.

    Attributes
    ----------
    kind : str
        "sin", "cos", "level" (1 where the column has a value, else 0), "z" for the scaled column
        itself, or the name of any other function.
    parameter : float or None
        The frequency of a sine or cosine of the scaled column; the value of a level, in the units
        of the column.
    means, deviations : tuples of float
        What the columns are shifted and divided by.
    evaluate : callable
        Computes the values, given those of the scaled columns. To give columns in the units of the
        table, call the function itself.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> x = np.linspace(-3, 3, 301)
    >>> X = np.column_stack([x, np.sin(x / x.std()) / 2])
    >>> gfa = GFA(threshold=0.01, relative=True, family="fourier", degree=1, laws=False).fit(X)
    >>> function = gfa.explain()[0].terms[0].factors["x0"]
    >>> function.kind, function.parameter
    ('sin', 1.0)
    >>> function(np.array([0.0]))
    array([0.])
    """

    kind: str
    parameter: float | None
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    evaluate: Callable[..., Array] = field(repr=False, compare=False)

    def __call__(self, *columns: Array) -> Array:
        """Return the values, given those of the columns.

        Parameters
        ----------
        *columns : arrays of shape (n_samples,)
            The columns, in the units of the table.
        """
        scaled = [
            (np.atleast_1d(np.asarray(column, dtype=np.float64)) - mean) / deviation
            for column, mean, deviation in zip(columns, self.means, self.deviations, strict=True)
        ]
        return self.evaluate(*scaled)

    def text(self, names: Sequence[str]) -> str:
        """Write the function as text.

        Parameters
        ----------
        names : sequence of str
            The names of its columns, as they are to be written.
        """
        if self.kind == "level":
            assert self.parameter is not None
            return f"[{names[0]} = {number(self.parameter, 6)}]"
        arguments = [
            name if not mean and deviation == 1 else _scaled(name, mean, deviation)
            for name, mean, deviation in zip(names, self.means, self.deviations, strict=True)
        ]
        if self.kind == "z":
            return arguments[0]
        frequency = "" if self.parameter in (None, 1.0) else f"{number(self.parameter or 0.0)} · "
        return f"{self.kind}({frequency}{', '.join(arguments)})"

    def latex(self, names: Sequence[str]) -> str:
        """Write the function in LaTeX's math mode.

        Parameters
        ----------
        names : sequence of str
            The names of its columns, as LaTeX is to show them.
        """
        if self.kind == "level":
            assert self.parameter is not None
            return rf"\left[{names[0]} = {latex_number(self.parameter, 6)}\right]"
        arguments = [
            rf"\frac{{{_shifted_latex(name, mean)}}}{{{latex_number(deviation)}}}"
            for name, mean, deviation in zip(names, self.means, self.deviations, strict=True)
        ]
        if self.kind == "z":
            return arguments[0]
        called = rf"\{self.kind}" if self.kind in ("sin", "cos") else latex_name(self.kind)
        frequency = "" if self.parameter in (None, 1.0) else latex_number(self.parameter or 0.0)
        return rf"{called}\left({frequency}{', '.join(arguments)}\right)"

    def sympy(self, symbols: Sequence[Any]) -> Any:
        """Return an expression of SymPy; functions that SymPy does not know stay undefined.

        Parameters
        ----------
        symbols : sequence of SymPy symbols
            One for each of its columns.
        """
        import sympy

        if self.kind == "level":
            return sympy.Piecewise((1, sympy.Eq(symbols[0], self.parameter)), (0, True))
        arguments = [
            (symbol - mean) / deviation
            for symbol, mean, deviation in zip(symbols, self.means, self.deviations, strict=True)
        ]
        if self.kind == "z":
            return arguments[0]
        if self.kind in ("sin", "cos"):
            return getattr(sympy, self.kind)(self.parameter * arguments[0])
        return sympy.Function(self.kind)(*arguments)


@dataclass(frozen=True)
class Scaled:
    """The mean and the deviation by which a variable is scaled."""

    mean: float
    deviation: float


def atom_function(key: Hashable, scaled: Scaled, evaluate: Callable[[Array], Array]) -> Function:
    """Describe a univariate function by its key in the family."""
    kind, parameter = str(key), None
    if key == Z:
        kind = "z"
    elif isinstance(key, tuple) and len(key) == 2 and key[0] in ("sin", "cos", "level"):
        kind, parameter = key[0], float(key[1])
        if kind == "level":
            parameter = _tidy(scaled.mean + scaled.deviation * parameter, scaled)
    elif isinstance(key, tuple):
        kind = "".join(map(str, key))
    return Function(kind, parameter, (scaled.mean,), (scaled.deviation,), evaluate)


def called_function(
    name: str, scalings: Sequence[Scaled], function: Callable[..., Array]
) -> Function:
    """Describe a user's function of scaled variables."""
    means = tuple(each.mean for each in scalings)
    deviations = tuple(each.deviation for each in scalings)
    return Function(name, None, means, deviations, partial(_values_of, function))


def values_of_atom(basis: AtomBasis, index: int, z: Array) -> Array:
    """Return the values of one of the functions of a basis, for a scaled variable."""
    values: Array = basis.evaluate(z)[index]
    return values


def _values_of(function: Callable[..., Array], *z: Array) -> Array:
    return np.asarray(function(*z), dtype=np.float64)


def _tidy(level: float, scaled: Scaled) -> float:
    """Undo the rounding errors of scaling a level to variance 1 and back."""
    size = max(abs(scaled.mean), scaled.deviation)
    rounded = round(level, int(9 - np.floor(np.log10(size))))
    return rounded if abs(rounded - level) < 1e-9 * size else level


def _scaled(name: str, mean: float, deviation: float) -> str:
    divisor = number(deviation)
    if "·" in divisor:
        divisor = f"({divisor})"
    if not mean:
        return f"{name}/{divisor}"
    sign = MINUS if mean > 0 else "+"
    return f"({name} {sign} {number(abs(mean))})/{divisor}"


def _shifted_latex(name: str, mean: float) -> str:
    if not mean:
        return name
    return f"{name} {'-' if mean > 0 else '+'} {latex_number(abs(mean))}"
