"""The user's own functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gramian._types import Array
from gramian.families._base import Family
from gramian.families._expansion import Calls, Rule
from gramian.families._products import Multilinear


class Custom(Family):
    """The user's own functions, each with the number of variables it takes.

    A function of arity k is applied to every k of the chosen variables. It gets k arrays, one value
    a row, and returns one array of that length. The variables have mean 0 and variance 1. The
    variables themselves always belong to the family.

    Parameters
    ----------
    functions : sequence of (callable, int)
        Functions and their arities.
    any_order : bool, default=False
        Whether functions of several variables are applied to all orders of them. By default the
        arguments come in the order in which the variables were chosen, which is enough for
        symmetric functions.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.families import Custom, Multilinear
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 500))
    >>> X = np.column_stack([2 * a, 2 * b, np.abs(a / a.std() - a.mean()), a * b])
    >>> family = Custom([(np.abs, 1), (np.multiply, 2)])
    >>> family.count(3)
    9
    """

    def __init__(
        self,
        functions: Sequence[tuple[Callable[..., Array], int]],
        *,
        any_order: bool = False,
    ) -> None:
        self.functions = functions
        self.any_order = any_order

    def rules(self) -> tuple[Rule, ...]:
        """Check the parameters and return the rules for z itself and for the functions."""
        try:
            functions = tuple((function, int(arity)) for function, arity in self.functions)
        except (TypeError, ValueError):
            functions = ()
        if not functions or any(not callable(f) or arity < 1 for f, arity in functions):
            raise ValueError(
                "functions of Custom must be pairs of a callable and its arity, a positive "
                f"integer, as in Custom([(np.abs, 1), (np.hypot, 2)]); got {self.functions!r}."
            )
        return (*Multilinear(1).rules(), Calls(functions, self.any_order))
