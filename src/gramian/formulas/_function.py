"""Functions of columns in formulas: sines, cosines, indicators of a value, user functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.formulas._notation import MINUS, latex_name, latex_number, number


@dataclass(frozen=True)
class Function:
    """A factor of a term: a function of one or more columns.

    Each column is centred and divided by its standard deviation before the function is applied.

    Attributes
    ----------
    kind : str
        "sin", "cos", "level" (1 where the column equals `parameter`, else 0), "z" for the scaled
        column itself, or the name of any other function.
    parameter : float or None
        The frequency of a sine or cosine of the scaled column; the value of a level, in the units
        of the column.
    means, deviations : tuples of float
        The means that are subtracted from the columns, and the standard deviations that the columns
        are divided by.
    evaluate : callable
        Computes the values of the function from scaled columns. Call the `Function` itself with
        columns in the units of the table.

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
        """Return the values of the function in each row.

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
        """Return the function as text.

        Parameters
        ----------
        names : sequence of str
            The names of the columns as they are printed, with backquotes if necessary.
        """
        if self.kind == "level":
            assert self.parameter is not None
            return f"[{names[0]} = {number(self.parameter, 6)}]"
        arguments = [
            name if not mean and deviation == 1 else _scaled_text(name, mean, deviation)
            for name, mean, deviation in zip(names, self.means, self.deviations, strict=True)
        ]
        if self.kind == "z":
            return arguments[0]
        frequency = "" if self.parameter in (None, 1.0) else f"{number(self.parameter or 0.0)} · "
        return f"{self.kind}({frequency}{', '.join(arguments)})"

    def latex(self, names: Sequence[str]) -> str:
        """Return the function in LaTeX's math mode.

        Parameters
        ----------
        names : sequence of str
            The names of the columns in LaTeX.
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
        """Return the function as an expression of SymPy; user functions become undefined functions.

        Parameters
        ----------
        symbols : sequence of SymPy symbols
            One symbol for each column.
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


def _scaled_text(name: str, mean: float, deviation: float) -> str:
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
