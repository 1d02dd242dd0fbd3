"""Family of functions that the user supplies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gramian.families._expansion import Calls, Rule
from gramian.families._family import Family
from gramian.families._products import Multilinear


class Custom(Family):
    """Functions that the user supplies, each with its arity (number of arguments).

    A function of arity k is applied to every choice of k chosen variables. It is called with k
    arrays, which have one value per row, and returns one array of the same length. The variables
    have mean 0 and variance 1. The variables themselves always belong to the family.

    Parameters
    ----------
    functions : sequence of (callable, int)
        Pairs of a function and its arity.
    any_order : bool, default=False
        True to apply functions of several variables to their arguments in every order. By default,
        the arguments are in the order in which the variables were chosen, which is sufficient for
        symmetric functions.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.families import Custom
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.choice([-1, 1], (2, 500)) * rng.uniform(1, 2, (2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, np.hypot(a, b)])
    >>> def squared_radius(u, v):
    ...     return np.log(9 + u**2 + v**2)
    >>> family = Custom([(np.abs, 1), (squared_radius, 2)])
    >>> GFS(threshold=0.01, family=family).fit(X).selected_features_
    array([0, 1])
    """

    def __init__(
        self,
        functions: Sequence[tuple[Callable[..., Any], int]],
        *,
        any_order: bool = False,
    ) -> None:
        self.functions = functions
        self.any_order = any_order

    def rules(self) -> tuple[Rule, ...]:
        """Check the parameters; return the rules for the variables and for the user's functions."""
        functions = tuple(self.functions) if isinstance(self.functions, Iterable) else ()
        if not functions or not all(map(_is_pair, functions)):
            raise ValueError(
                "functions of Custom must be pairs of a callable and its arity, a positive integer "
                f"as in Custom([(np.abs, 1), (np.hypot, 2)]); got {self.functions!r}."
            )
        return (*Multilinear(1).rules(), Calls(functions, self.any_order))


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, Sequence)
        and len(pair) == 2
        and callable(pair[0])
        and isinstance(pair[1], int | np.integer)
        and int(pair[1]) >= 1
    )
