"""Descriptions of fitted models: as JSON for programs, and as text for people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import counted, percent
from gramian.cli._pages import four_digits
from gramian.fitting import (
    AnyModel,
    EliminationSearch,
    FittedManifold,
    FittedModel,
    FittedNorms,
    SetSearch,
    Steps,
)
from gramian.laws import ColumnLaw


@dataclass(frozen=True)
class About:
    """Description of a fitted model, as JSON values and as texts."""

    brief: dict[str, Any]
    """Main facts for the JSON output of all commands that describe a model."""
    details: dict[str, Any]
    """More facts for the JSON output of the commands that fit a model."""
    columns: list[tuple[str, list[str]]]
    """Table that is printed after a fit: heading and cells of each column. The table has a row for
    each kept column or component."""
    remarks: list[str]
    """Lines that are printed after the table of a fit."""
    facts: list[tuple[str, str]]
    """Facts that ``gramian inspect`` prints about a model file: name and text of each fact."""


@singledispatch
def about(model: AnyModel) -> About:
    """Describe a fitted model; there is one implementation for each class of models.

    Parameters
    ----------
    model : AnyModel
        The fitted model.
    """
    raise NotImplementedError(type(model))


def _explained(total: Array) -> Array:
    """Return the explained share of the variance after each step.

    The argument contains the residual variance before the first step and after each step.
    """
    return 1 - total[1:] / (total[0] or 1.0)


@about.register
def _(model: FittedModel) -> About:
    record = model.record
    held_out = record.validation_total
    explained = _explained(record.total)
    columns = [("explained", list(map(percent, explained)))]
    measured = held_out is not None and len(held_out) == len(record.total)
    if held_out is not None and measured:
        columns.append(("held out", list(map(percent, _explained(held_out)))))
    if not model.selects:
        columns.append(("residual variance", list(map(four_digits, record.largest[1:]))))
        if measured and record.validation_largest is not None:
            columns.append(("held out", list(map(four_digits, record.validation_largest[1:]))))
    advice = _advice(model)
    return About(
        brief=_brief(record),
        details={
            "total_residual_variance": record.total,
            "held_out_explained_variance": None if held_out is None else _explained(held_out),
            "held_out_residual_variance": record.validation_largest,
            "held_out_total_residual_variance": held_out,
            "alpha": float(record.alpha),
            **advice,
            **_elimination(model),
        },
        columns=columns,
        remarks=_in_words(advice),
        facts=_facts(record),
    )


@about.register
def _(model: FittedNorms) -> About:
    return About(_brief(model.record), {}, [], [], _facts(model.record))


def _brief(steps: Steps) -> dict[str, Any]:
    """Return the main facts about a stepwise fit, as values for JSON."""
    return {
        "residual_variance": steps.largest,
        "explained_variance": _explained(steps.total),
        "functions": steps.n_functions,
        "stop_reason": steps.stop_reason,
    }


def _facts(steps: Steps) -> list[tuple[str, str]]:
    """Return texts about the end of a stepwise fit: why it stopped, and what it explains."""
    facts = [("stopped", f"by {steps.stop_reason}")]
    explained = _explained(steps.total)
    if len(explained):
        left = four_digits(steps.largest[-1])
        facts.append(("explained", f"{percent(explained[-1])}, residual variance {left}"))
    return facts


def _elimination(model: FittedModel) -> dict[str, Any]:
    """Return the facts about a backward elimination, as values for JSON.

    They contain each dropped column with its evidence, residual shares and alternatives. The
    result is empty if the model did not eliminate columns backward.
    """
    if not isinstance(model.search, EliminationSearch):
        return {}
    found = model.search.selection
    name = model.column_names.__getitem__ if model.selects else str
    laws = {law.column: str(law) for law in model.laws}
    constant = {*np.flatnonzero(model.variances == 0)}
    dropped = {}
    for i, when, left in zip(
        found.dropped, found.share_when_dropped, found.share_left, strict=True
    ):
        law = laws.get(name(i))
        evidence = "constant" if i in constant else "rows left out" if law is None else "law"
        dropped[name(i)] = {
            "evidence": evidence,
            "law": law,
            "share_left": float(left),
            "share_left_when_dropped": float(when),
            "alternatives": [name(j) for j in found.alternatives.get(i, ())],
        }
    return {
        "elimination": {
            "threshold": found.threshold,
            "start": found.start,
            "functions": found.n_functions,
            "minimal": found.minimal,
            "dropped": dropped,
            "needed": [name(i) for i in found.needed],
            "refused": [name(i) for i in found.refused],
        }
    }


def given_by_levels(
    laws: Sequence[ColumnLaw], alternatives: Mapping[str, Sequence[str]], kept: Collection[str]
) -> dict[str, Any]:
    """Describe columns that laws of levels compute, in the form of other dropped columns in JSON.

    A law of levels maps each level (category) of some columns to the value of another column.

    Parameters
    ----------
    laws : sequence of ColumnLaw
        The laws, which are exact.
    alternatives : mapping from str to sequence of str
        For each computed column, the columns that could be computed and dropped instead.
    kept : collection of str
        The kept columns; other columns are not named as alternatives.
    """
    return {
        law.column: {
            "evidence": "law",
            "law": str(law),
            "share_left": 0.0,
            "share_left_when_dropped": 0.0,
            "alternatives": [name for name in alternatives.get(law.column, ()) if name in kept],
        }
        for law in laws
    }


def _advice(model: FittedModel) -> dict[str, Any]:
    """Return advice about other sets of columns, as values for JSON.

    A gain is the share of the variance that one more column would explain in addition; a loss is
    the share that would no longer be explained without a kept column. The result is empty if the
    fit did not search for best sets.
    """
    if not isinstance(model.search, SetSearch):
        return {}
    sets, names = model.search.sets, model.column_names
    whole = sets.total[0] or 1.0
    kept = zip(model.kept.chosen, sets.losses / whole, strict=True)
    new = zip(sets.following, sets.gains / whole, strict=True)
    return {
        "losses": {names[i]: float(loss) for i, loss in kept},
        "gains": {names[i]: float(gain) for i, gain in new},
        "best_sets": [[names[i] for i in each] for each in sets.columns],
        "best_sets_explained_variance": _explained(sets.total),
    }


def _in_words(advice: dict[str, Any]) -> list[str]:
    """Return lines that name the best column to add next, and the kept column to drop first."""
    found = []
    gains, losses = advice.get("gains", {}), advice.get("losses", {})
    if gains:
        best = max(gains, key=gains.__getitem__)
        found.append(f"Next to add: {best}, which explains {percent(gains[best])} more")
    if len(losses) > 1:
        least = min(losses, key=losses.__getitem__)
        found.append(f"First to give up: {least}, without which {percent(losses[least])} is lost")
    return found


@about.register
def _(model: FittedManifold) -> About:
    lengths = np.sum(model.components**2, axis=1) / (model.total[0] or 1.0)
    held_out = model.validation_total
    explained = _explained(model.total)
    words = f"{percent(explained[-1])} by {counted(len(lengths), 'code')} together"
    if model.held_out_left is not None:
        words += f", {percent(1 - model.held_out_left)} of held-out rows"
    return About(
        brief={
            "explained_variance": explained,
            "functions": model.n_functions,
            "rounds": model.n_rounds,
        },
        details={
            "linearly_explained_variance": lengths,
            "total_residual_variance": model.total,
            "held_out_explained_variance": None if held_out is None else _explained(held_out),
            "held_out_total_residual_variance": held_out,
            "alpha": float(model.alpha),
        },
        columns=[("explains linearly", list(map(percent, lengths)))],
        remarks=[f"Explained: {words}, after {counted(model.n_rounds, 'round')}"],
        facts=[("stopped", f"after {counted(model.n_rounds, 'round')}"), ("explained", words)],
    )
