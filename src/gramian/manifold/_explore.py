"""Which rounds to make, decided by rows that take no part in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array
from gramian.families import Family
from gramian.manifold._fit import Pass, Report, Round
from gramian.manifold._refit import Coding
from gramian.rows import RowBlock, Rows


@dataclass(frozen=True)
class Exploration:
    """Rounds, and how well each did on held-out rows."""

    rounds: tuple[Round, ...]
    errors: Array
    """The share of the held-out rows' variance that is left after each."""
    last_only: bool = False

    @property
    def best(self) -> int:
        """The number of the round that left least, of those that qualify."""
        last = self.rounds[-1].family
        errors = [
            np.inf if self.last_only and each.family != last else error
            for each, error in zip(self.rounds, self.errors, strict=True)
        ]
        return int(np.argmin(errors))


@dataclass(frozen=True)
class Choices:
    """What to choose among."""

    families: Sequence[Family]
    """Each is given a try after the one before, from its codes; the functions grow in number."""
    alphas: Sequence[float]
    """Penalties in increasing order; the search goes from one to the next."""
    max_rounds: int
    """With each family."""
    tol: float
    """A share of the error that is worth another round."""
    last_only: bool = False
    """Whether nothing but the last family will do, and the others only lead to it."""


def explore(
    rows: Rows,
    held_out: RowBlock,
    n_codes: int,
    coding: Coding,
    choices: Choices,
    report: Report | None = None,
) -> Exploration:
    """Make rounds and look at held-out rows after each.

    All penalties that are tried share the sums of one pass. The next family's turn comes when the
    present one gains no more; when a whole family gained nothing, the exploration ends.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    held_out : RowBlock
        Rows that are only looked at.
    n_codes : int
        The number of codes.
    coding : Coding
        The codes to begin with.
    choices : Choices
        What to choose among.
    report : callable, optional
        Is told of every round.
    """
    read = Pass(rows, n_codes)
    rounds: list[Round] = []
    errors: list[float] = []
    place = (len(choices.alphas) - 1) // 2
    for family in choices.families:
        best_before = min(errors, default=np.inf)
        for number in range(choices.max_rounds):
            sums = read(coding, family)
            tried: dict[int, tuple[float, Coding]] = {}
            for index in range(max(0, place - 1), min(len(choices.alphas), place + 2)):
                candidate = read.next_coding(sums, Round(family, choices.alphas[index]), coding)
                tried[index] = share_left(candidate, held_out), candidate
            place = min(tried, key=lambda index: tried[index][0])
            error, coding = tried[place]
            rounds.append(Round(family, choices.alphas[place]))
            before = min(errors[-number:], default=np.inf) if number else np.inf
            errors.append(error)
            if report is not None:
                report(rounds[-1], error)
            if error > (1 - choices.tol) * before:
                break
        if not choices.last_only and min(errors) > (1 - choices.tol) * best_before:
            break
    return Exploration(tuple(rounds), np.array(errors), choices.last_only)


def share_left(coding: Coding, rows: RowBlock) -> float:
    """Return the share of the rows' mean square that their nearest points leave."""
    weights = rows.root**2
    x = rows.x / rows.root[:, np.newaxis]
    whole = float(weights @ np.einsum("ij,ij->i", x, x))
    return float(weights @ coding(x)[1]) / whole if whole > 0 else 0.0
