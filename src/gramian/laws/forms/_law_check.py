"""Law check: a law with the error that it allows, which tells the rows that break the law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.columns import is_finite_number, numbers_of
from gramian.laws.forms._balance import Balance
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._law_documents import law_from_json

KEYS = ("law", "tolerance", "relative_tolerance", "allowed_share", "form")
"""The keys of a stored check."""


class Outcome(NamedTuple):
    """What a check finds in some rows.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> U, I = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> (check,) = gramian.relations({"U": U, "I": I, "P": U * I}).checks
    >>> check.outcome({"U": [2.0, 3.0], "I": [1.0, np.nan], "P": [2.0, 3.0]}).tested
    array([ True, False])
    """

    tested: NDArray[np.bool_]
    """True for each row in which no cell is missing and the law gives a value."""
    broken: NDArray[np.bool_]
    """True for each tested row that breaks the law."""
    error: Array
    """The error of the law in each row; NaN where it is not tested, infinite for a wrong text."""
    made: NDArray[Any]
    """The value that the law gives in each row; for an equation, `error`."""

    def taken(self, rows: IntArray) -> Outcome:
        """Return the outcome in some of the rows.

        Parameters
        ----------
        rows : array of int
            The positions of the rows.
        """
        return Outcome(self.tested[rows], self.broken[rows], self.error[rows], self.made[rows])


@dataclass(frozen=True)
class LawCheck:
    """A law with the error that it allows, which tells the rows that break the law.

    Attributes
    ----------
    law : ColumnLaw or Balance
        The law, solved for a column; or terms that add up to zero.
    text : str
        The law as people read it.
    tolerance, relative_tolerance : float
        A number may miss the value that the law gives by `tolerance + relative_tolerance · |value|`
        . The terms of an equation may miss zero by `relative_tolerance` times the largest term.
    allowed_share : float
        The share of the rows that may break the law: the share that broke it when it was found.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> (check,) = gramian.relations(table).checks
    >>> print(check.text, check.tolerance < 0.01)
    gross = net + vat True
    >>> check.outcome({"net": [10.0, 20.0], "vat": [1.0, 2.0], "gross": [11.0, 99.0]}).broken
    array([False,  True])
    """

    law: ColumnLaw | Balance
    text: str
    tolerance: float = 0.0
    relative_tolerance: float = 0.0
    allowed_share: float = 0.0

    @property
    def column(self) -> str | None:
        """The column that the law gives; None for an equation."""
        return self.law.column if isinstance(self.law, ColumnLaw) else None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the law; the column that it gives is the last."""
        given = self.column
        return self.law.columns if given is None else (*self.law.columns, given)

    def allowed(self, made: Array) -> Array:
        """Return the error that the law allows in each row.

        Parameters
        ----------
        made : array of shape (n_rows,)
            The numbers that the law gives; for an equation, its errors.
        """
        if self.column is None:
            return np.full(len(made), self.relative_tolerance)
        found: Array = self.tolerance + self.relative_tolerance * np.abs(made)
        return found

    def outcome(self, table: Mapping[str, Any], made: NDArray[Any] | None = None) -> Outcome:
        """Test the law in each row of a table.

        Parameters
        ----------
        table : mapping or data frame
            All columns of the law, by name.
        made : array of shape (n_rows,), optional
            The values that the law gives, if they are known.
        """
        missing = np.logical_or.reduce([is_missing(table[name]) for name in self.columns])
        infinite = np.logical_or.reduce([_is_infinite(table[name]) for name in self.columns])
        if isinstance(self.law, ColumnLaw):
            concerned = self.law.concerned(table)
            infinite = infinite if concerned is None else infinite & concerned
        if made is None:
            with np.errstate(all="ignore"):
                made = self.law(table)
        given = self.column
        if given is None:
            error = np.abs(np.asarray(made, dtype=np.float64))
            allowed = self.allowed(error)
        else:
            cells = np.asarray(table[given])
            if made.dtype.kind in "OMU":
                cells = cells if made.dtype.kind == "O" else cells.astype(made.dtype)
                error, allowed = np.where(made == cells, 0.0, np.inf), np.zeros(len(made))
            else:
                clock = getattr(self.law, "clocks", {}).get(given)
                numbers = numbers_of(cells, clock)
                with np.errstate(all="ignore"):
                    error = np.abs(made - numbers)
                    error[made == numbers] = 0.0  # also where both are infinite
                    allowed = self.allowed(made)
                made = np.where(infinite & np.isinf(numbers) & np.isnan(made), np.inf, made)
                error[infinite & np.isinf(numbers) & ~(made == numbers)] = np.inf
        tested = ~missing & (~is_missing(made) | infinite)
        error = np.where(tested, np.where(np.isnan(error), np.inf, error), np.nan)
        with np.errstate(all="ignore"):
            broken = tested & ~(error <= np.where(np.isfinite(allowed), allowed, 0.0))
        return Outcome(tested, broken, error, made)

    def to_json(self) -> dict[str, Any]:
        """Return the check as a dictionary that can be stored as JSON."""
        values = (self.text, self.tolerance, self.relative_tolerance, self.allowed_share)
        return dict(zip(KEYS, (*values, self.law.to_json()), strict=True))

    @classmethod
    def from_json(cls, document: Any) -> LawCheck:
        """Read a stored check; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        if not isinstance(document, dict) or set(document) != set(KEYS):
            raise ValueError(f"it must have the keys {', '.join(KEYS)}")
        text, tolerance, relative, share, form = (document[key] for key in KEYS)
        if not isinstance(text, str):
            raise ValueError(f"'law' must be a text; got {text!r:.60}")
        for key, value in zip(KEYS[1:4], (tolerance, relative, share), strict=True):
            if not is_finite_number(value) or value < 0:
                raise ValueError(
                    f"{key!r} must be a number that is not negative; got {value!r:.60}"
                )
        if share > 1:
            raise ValueError(f"'allowed_share' must be at most 1; got {share!r}")
        law: ColumnLaw | Balance
        if isinstance(form, dict) and "terms" in form:
            law = Balance.from_json(form)
        else:
            law = law_from_json(form)
        return cls(law, text, float(tolerance), float(relative), float(share))


def is_missing(values: Any) -> NDArray[np.bool_]:
    """Return a mask of the missing cells of a column: NaN, NaT or None."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        return np.array([each is None or each != each for each in array.tolist()], dtype=bool)
    return np.asarray(np.isnat(array) if array.dtype.kind in "Mm" else array != array)


def _is_infinite(values: Any) -> NDArray[np.bool_]:
    array = np.asarray(values)
    return np.isinf(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)
