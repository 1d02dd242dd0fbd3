"""Factors of a term that are not powers: sines, indicators, the user's functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._types import Array
from gramian.explanations._text import MINUS, latex_name, latex_number, number
from gramian.families._expansion import Basis
from gramian.families._products import Z


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

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> x = np.linspace(-3, 3, 301)
    >>> X = np.column_stack([x, np.sin(x / x.std()) / 2])
    >>> gfa = GFA(threshold=0.01, relative=True, family="fourier", degree=1).fit(X)
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
    """The values, given those of the scaled columns."""

    def __call__(self, *columns: Array) -> Array:
        """Return the values, given those of the columns."""
        scaled = [
            (np.atleast_1d(np.asarray(column, dtype=np.float64)) - mean) / deviation
            for column, mean, deviation in zip(columns, self.means, self.deviations, strict=True)
        ]
        return self.evaluate(*scaled)

    def text(self, names: Sequence[str]) -> str:
        """Write the function of columns whose names are ready for a text."""
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
        """Write the function in LaTeX, of columns whose names are ready for it."""
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
        """Return an expression of SymPy; functions that SymPy does not know stay undefined."""
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
    means, deviations = (scaled.mean,), (scaled.deviation,)
    if key == Z:
        return Function("z", None, means, deviations, evaluate)
    if isinstance(key, tuple) and len(key) == 2 and key[0] in ("sin", "cos", "level"):
        parameter = float(key[1])
        if key[0] == "level":
            parameter = _tidy(scaled.mean + scaled.deviation * parameter, scaled)
        return Function(key[0], parameter, means, deviations, evaluate)
    name = "".join(map(str, key)) if isinstance(key, tuple) else str(key)
    return Function(name, None, means, deviations, evaluate)


def called_function(
    name: str, scalings: Sequence[Scaled], evaluate: Callable[..., Array]
) -> Function:
    """Describe a user's function."""
    return Function(
        name,
        None,
        tuple(each.mean for each in scalings),
        tuple(each.deviation for each in scalings),
        evaluate,
    )


@dataclass(frozen=True)
class Atom:
    """One of the functions of a basis, as a callable that can be stored."""

    basis: Basis
    index: int

    def __call__(self, z: Array) -> Array:
        """Return the values for a scaled variable."""
        values: NDArray[np.float64] = self.basis.evaluate(z)[self.index]
        return values


@dataclass(frozen=True)
class Applied:
    """A user's function of scaled variables, as a callable that can be stored."""

    function: Callable[..., Array]

    def __call__(self, *z: Array) -> Array:
        """Return the values for scaled variables."""
        return np.asarray(self.function(*z), dtype=np.float64)


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
