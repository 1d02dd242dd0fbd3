"""Penalties that a search by gain tries for sets of each size."""

from __future__ import annotations

import numpy as np
import pytest

from gramian.core.gain._penalty_decision import Decision
from gramian.core.rows import RowBlock

ALPHAS = (0.0, 0.001, 0.01, 0.1, 1.0, 10.0)


class Penalized:
    """A stub of a fit without functions, with a given residual variance."""

    def __init__(self, alpha, left):
        self.alpha, self.left = alpha, left


@pytest.mark.parametrize(
    "best_of_sizes",
    [(0, 0, 0, 1, 1, 2), (3, 3, 4, 4, 4, 4), (5, 4, 3, 2, 1, 0), (2, 5, 5, 0, 0, 0)],
)
def test_neighbours_of_the_last_penalty_are_enough_if_there_is_one_minimum(
    monkeypatch, best_of_sizes
):
    monkeypatch.setattr(Decision, "_evaluate", lambda self, fit: None)
    monkeypatch.setattr(Decision, "_left", lambda self, fit, functions: fit.left)
    decision = Decision(RowBlock(np.ones((3, 2)), np.ones(3)), np.ones(2))
    n_fits = 0
    for best in best_of_sizes:

        def fit(alpha, best=best):
            nonlocal n_fits
            n_fits += 1
            return Penalized(alpha, 1.0 + abs(ALPHAS.index(alpha) - best))

        assert decision.choose(fit, ALPHAS).alpha == ALPHAS[best]
    assert n_fits < len(best_of_sizes) * len(ALPHAS)


def test_the_smallest_penalty_is_chosen_if_all_residuals_are_zero(monkeypatch):
    monkeypatch.setattr(Decision, "_evaluate", lambda self, fit: None)
    monkeypatch.setattr(Decision, "_left", lambda self, fit, functions: fit.left)
    decision = Decision(RowBlock(np.ones((3, 2)), np.ones(3)), np.ones(2))
    for size in range(1, 6):
        left = 1.0 if size < 3 else 1e-20
        chosen = decision.choose(
            lambda alpha, left=left: Penalized(alpha, left * (2 if alpha < 10 else 1)), ALPHAS
        )
        assert chosen.alpha == (10.0 if size < 3 else 0.0)


def test_after_an_infinite_penalty_all_are_tried_again(monkeypatch):
    monkeypatch.setattr(Decision, "_evaluate", lambda self, fit: None)
    monkeypatch.setattr(Decision, "_left", lambda self, fit, functions: fit.left)
    decision = Decision(RowBlock(np.ones((3, 2)), np.ones(3)), np.ones(2))
    alphas = (0.0, 0.1, 1.0, np.inf)
    for left in ([4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 2.0, 1.0], [4.0, 1.0, 3.0, 2.0]):
        chosen = decision.choose(
            lambda alpha, left=left: Penalized(alpha, left[alphas.index(alpha)]), alphas
        )
    assert chosen.alpha == 0.1
