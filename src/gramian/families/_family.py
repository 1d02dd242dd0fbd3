"""Base class of function families, and the union of several families."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

from gramian._support.types import Array
from gramian.families._expansion import Expansion, Rule


class Family(ABC):
    """Base class of families of functions F(z) of the chosen variables z.

    Two families are equal if their types and parameters are equal. The sum of two families, as in
    ``Multilinear(3) + Fourier(2)``, has the functions of both. Families have scikit-learn's methods
    ``get_params`` and ``set_params``, so that they work with ``clone`` and with grid search (as
    ``family__degree``). Parameters are checked when a fit starts.

    Examples
    --------
    >>> from gramian.families import Family, Multilinear
    >>> isinstance(Multilinear(2), Family)
    True
    >>> Multilinear(2).count(10)  # ten variables and their 45 products
    55
    >>> Multilinear(2) == Multilinear(2).set_params(degree=3)
    False
    """

    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """Check the parameters, and return the rules that produce the functions of the family.

        Estimators call this method; the rules are objects of private classes.
        """

    def expand(self) -> Expansion:
        """Return an expansion of the family without variables: it has only the constant function.

        Estimators call this method, and add variables to the expansion, an object of a private
        class.
        """
        return Expansion(self.rules())

    def count(self, n_variables: int) -> int:
        """Return the number of functions of `n_variables` variables, without the constant function.

        Parameters
        ----------
        n_variables : int
            The number of variables.
        """
        expansion = self.expand()
        return sum(expansion.grow(no_levels).n_functions for _ in range(n_variables))

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the family as a dictionary from name to value.

        Parameters
        ----------
        deep : bool, default=True
            Has no effect, because families have no nested parameters; scikit-learn requires it.
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the family by name.

        Parameters
        ----------
        **params : dict
            The parameters to change and their new values; other parameters do not change.

        Returns
        -------
        self
            The family with the new parameters.
        """
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}; "
                    f"its parameters are {self._names()}."
                )
            setattr(self, name, value)
        return self

    def __add__(self, other: Family) -> Union:
        if not isinstance(other, Family):
            return NotImplemented
        return Union([*_members(self), *_members(other)])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # parameters can change

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = []
        for name, value in self.get_params().items():
            parameter = signature[name]
            if parameter.kind is not parameter.KEYWORD_ONLY:
                shown.append(repr(value))
            elif value != parameter.default:
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


class Union(Family):
    """All functions of several families; the sum of families is such a union.

    A function that belongs to several families is counted once.

    Parameters
    ----------
    members : iterable of Family
        The families whose functions belong to the union.

    Examples
    --------
    >>> from gramian.families import Fourier, Multilinear
    >>> Multilinear(3) + Fourier(2)
    Multilinear(3) + Fourier(2)
    """

    def __init__(self, members: Iterable[Family]) -> None:
        self.members = members

    def rules(self) -> tuple[Rule, ...]:
        """Check the parameters, and return the rules of all member families."""
        members = list(self.members) if isinstance(self.members, Iterable) else []
        if not members or not all(isinstance(member, Family) for member in members):
            raise ValueError(
                "members of Union must be one or more families, as in Union([Multilinear(3), "
                f"Fourier(2)]); got {self.members!r}."
            )
        return tuple(rule for member in members for rule in member.rules())

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.members))


def at_most(family: Family, n_variables: int, most: float) -> bool:
    """Return True if a family has at most `most` functions, without the constant function.

    Also return True if the number depends on the data, as for indicators.

    Parameters
    ----------
    family : Family
        The family of functions.
    n_variables : int
        The number of variables.
    most : float
        The limit of the number of functions.
    """
    expansion, n_functions = family.expand(), 0
    try:
        for _ in range(n_variables):
            n_functions += expansion.grow(no_levels).n_functions
            if n_functions > most:
                return False
    except ValueError:
        pass
    return True


def no_levels(limit: int) -> Array:
    """Raise ValueError: without data, the distinct values of a variable are not known."""
    raise ValueError(
        "The number of indicators depends on the data, so it is not known before the fit."
    )


def _members(family: Family) -> Iterable[Family]:
    return family.members if isinstance(family, Union) else [family]


def check_count(family: Family, name: str, *, none: str | None = None) -> None:
    """Raise ValueError unless the parameter `name` of a family is a positive integer.

    None is also allowed if the text `none` is passed; it says in the message what None means.
    """
    value = getattr(family, name)
    if value is None and none is not None:
        return
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 1:
        allowed = "a positive integer" + (f", or None for {none}" if none is not None else "")
        raise ValueError(f"{name} of {type(family).__name__} must be {allowed}; got {value!r}.")
