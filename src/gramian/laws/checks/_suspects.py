"""Suspect cells: in a row that breaks laws, the cell whose replacement mends most of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.laws.checks._fixed_values import fixed_values
from gramian.laws.checks._new_labels import new_labels
from gramian.laws.checks._replaced_column import Replaced
from gramian.laws.columns import ColumnFacts, Rounding, TableRows
from gramian.laws.forms import Balance, LawCheck, Lookup, Outcome, is_missing

UNDECIDED = -1
"""Index in place of a column where several cells are as likely wrong."""


NEW_LEVEL = 0.5
"""What the score of a key loses if it would need a level that the lookup does not have."""


class SuspectRows(NamedTuple):
    """Rows that break laws, each with the cell that is likely wrong."""

    places: IntArray
    """For each row the index of the column in `names`, or `UNDECIDED`."""
    values: NDArray[Any]
    """The value that laws give for the cell; None where there is none."""
    mends: NDArray[np.bool_]
    """True where the value mends all broken laws of the row and breaks none, and no other cell may.

    Another cell may if it is a key with a level that the lookup does not have. One of these laws
    must fix the value, see `fixed_values`.
    """
    likely: NDArray[np.bool_]
    """For each column (one row each), the rows in which no other column is more likely."""
    given: NDArray[Any]
    """For each column (one row each), the values that laws give; None where there is none."""
    new: NDArray[np.bool_]
    """True where the cell is a label that no row had when the laws were found."""
    about: NDArray[np.bool_]
    """True where the laws give the value up to the rounding of other columns only."""
    names: list[str]
    """The columns of the laws."""

    def cells(self, rows: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Return the cells that are likely wrong, None where a row is undecided."""
        found = np.empty(len(self.places), dtype=object)
        for k in np.unique(self.places[self.places != UNDECIDED]).tolist():
            at = self.places == k
            found[at] = rows[self.names[k]][at]
        return found


def suspects(
    checks: Sequence[LawCheck],
    outcomes: Sequence[Outcome],
    rows: TableRows,
    facts: Mapping[str, ColumnFacts],
    n_known: int,
) -> SuspectRows:
    """Return for each row the column that is likely wrong, and the value that laws give for it.

    A cell is replaced by the value that one of its laws gives. The score of the cell is the number
    of broken laws that then hold, minus the number of laws that then break. The cell with the
    highest score is likely wrong; if two cells have it, the row is undecided. A cell of which no
    law gives a value, such as the key of a lookup, has the highest score that it may have; it is
    lower by `NEW_LEVEL` if none of the known levels gives the value in the row.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    outcomes : sequence of Outcome
        The outcome of each law in these rows.
    rows : TableRows
        The rows; each breaks a law.
    facts : mapping from str to ColumnFacts
        The columns of the table in which the laws were found, by name.
    n_known : int
        The number of rows of this table.
    """
    names = list(dict.fromkeys(name for each in checks for name in each.columns))
    broken = np.array([each.broken for each in outcomes])
    tested = np.array([each.tested for each in outcomes])
    n_rows = rows.n_rows
    scores = np.full((len(names), n_rows), -np.inf)
    values = np.empty((len(names), n_rows), dtype=object)
    for k, name in enumerate(names):
        concerned = [i for i, each in enumerate(checks) if name in each.columns]
        at = np.flatnonzero(broken[concerned].any(axis=0))
        if not len(at):
            continue
        here = rows.taken(at)
        hurt, fine = broken[concerned][:, at], (tested & ~broken)[concerned][:, at]
        solved = np.zeros(len(at), dtype=bool)
        best = np.full(len(at), -np.inf)
        best_values = np.empty(len(at), dtype=object)
        for j, i in enumerate(concerned):
            made = _value(checks[i], name, here, outcomes[i].made[at], facts.get(name))
            if made is None:
                continue
            there = hurt[j] & ~is_missing(made)
            if not there.any():
                continue
            changed = Replaced(here, name, np.where(there, made, here[name]))
            score = np.zeros(len(at))
            for each, was_hurt, was_fine in zip(concerned, hurt, fine, strict=True):
                holds = _holds(checks[each], name, changed, outcomes[each].made[at])
                if holds is not None:
                    score += was_hurt & holds
                    score -= was_fine & ~holds
            better = there & (score > best)
            best[better], best_values[better] = score[better], made[better]
            solved |= there
        # A cell that no law gives may mend all its broken laws, and breaks those that hold.
        unknown = ~solved & _may_differ(checks, concerned, name, hurt)
        best[unknown] = hurt[:, unknown].sum(axis=0) - fine[:, unknown].sum(axis=0)
        best[unknown & _is_new(checks, concerned, name, hurt, here)] -= NEW_LEVEL
        scores[k, at], values[k, at] = best, best_values
    # An infinite number, or a text among numbers, is wrong; so the other cells are not suspect.
    unreadable = np.array([_is_infinite(rows[name]) for name in names])
    scores[~unreadable & unreadable.any(axis=0)] = -np.inf
    first = np.argmax(scores, axis=0)
    highest = scores[first, np.arange(n_rows)]
    likely = scores == highest
    decided = (likely.sum(axis=0) == 1) & (highest > 0)
    alone = (scores >= highest - NEW_LEVEL).sum(axis=0) == 1
    found = np.where(decided, first, UNDECIDED)
    made = values[first, np.arange(n_rows)]
    made[~decided] = None
    mends = decided & alone & (highest == broken.sum(axis=0)) & ~is_missing(made)
    new, fixed, about = np.zeros((3, n_rows), dtype=bool)
    for k in np.unique(found[decided]).tolist():
        at, name = np.flatnonzero(found == k), names[k]
        some, known = rows.taken(at), facts.get(name)
        if some[name].dtype.kind == "O":
            new[at] = new_labels(checks, broken[:, at], name, some[name], made[at], known)
        parts = [each.made[at] for each in outcomes]
        fixed[at], about[at] = fixed_values(
            checks, broken[:, at], parts, name, some, made[at], known, n_known
        )
    return SuspectRows(found, made, mends & fixed, likely, values, new, about, names)


def _is_infinite(cells: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isinf(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), dtype=bool)


def _may_differ(
    checks: Sequence[LawCheck], concerned: Sequence[int], name: str, hurt: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the rows in which a cell on the right-hand side of a broken law may be wrong.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    concerned : sequence of int
        The laws of the column `name`.
    name : str
        The column.
    hurt : array of shape (n_concerned, n_rows)
        The rows that break each of these laws.
    """
    causes = np.array([checks[i].column != name for i in concerned])
    return np.asarray(hurt[causes].any(axis=0))


def _is_new(
    checks: Sequence[LawCheck],
    concerned: Sequence[int],
    name: str,
    hurt: NDArray[np.bool_],
    rows: TableRows,
) -> NDArray[np.bool_]:
    """Return the rows in which no known level of a key gives the value of a broken lookup.

    The parameters are those of `_may_differ`, and the rows themselves.
    """
    found = np.zeros(rows.n_rows, dtype=bool)
    for i, broken in zip(concerned, hurt, strict=True):
        law = checks[i].law
        if isinstance(law, Lookup) and law.column != name and not law.is_part:
            found |= broken & ~law.has(rows[law.column])
    return found


def _holds(
    check: LawCheck, name: str, changed: Mapping[str, Any], made: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Return the rows in which a law holds after a column was replaced; None if it is not known.

    Parameters
    ----------
    check : LawCheck
        The law.
    name : str
        The column that was replaced.
    changed : mapping
        The rows, with the column replaced.
    made : array
        The values that the law gave before.
    """
    if check.column == name:
        found = check.outcome(changed, made)
    elif isinstance(check.law, Balance) or not check.law.looks_back:
        found = check.outcome(changed)
    else:
        return None
    return np.asarray(found.tested & ~found.broken)


def _value(
    check: LawCheck, name: str, rows: TableRows, made: NDArray[Any], facts: ColumnFacts | None
) -> NDArray[Any] | None:
    """Return the values of a column with which a law holds, rounded as the column is printed.

    `made` are the values that the law gives in the rows.
    """
    law = check.law
    if check.column != name:
        caused = law.cause(name, rows)
        if caused is None:
            return None
        made = caused
    clock = getattr(law, "clocks", {}).get(name)
    if clock is not None and made.dtype.kind == "f":
        return np.asarray(clock.dates(made))
    if made.dtype.kind == "f" and facts is not None and facts.decimals is not None:
        return Rounding(facts.decimals, facts.half_up)(np.asarray(made)) + 0.0
    return np.broadcast_to(made, rows.n_rows)
