"""What ``gramian select`` and ``gramian extract`` print about a fit."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gramian._support.time_limit import time_was_over
from gramian._support.words import counted, listed, plural
from gramian.cli._descriptions import about
from gramian.cli._explain_command import formulas, told
from gramian.cli._fits import given_columns
from gramian.explanations import RowsNeededError
from gramian.fitting import EliminationSearch, FittedManifold
from gramian.formulas import quote
from gramian.tables import Table, is_text

if TYPE_CHECKING:
    from gramian.cli._pages import Page
    from gramian.tabular import FittedTable

FIRST_CELLS = 20
"""Number of cells of a column of text that show if it looks like numbers."""
MAX_FORMULAS = 10
"""Number of dropped columns that are printed; one more is printed, too, but not several."""
MAX_NAMES = 40
"""Largest number of kept columns of which all are named."""
SOME_NAMES = 30
"""Number of kept columns that are named if there are more than `MAX_NAMES`."""
FEWEST = 4
"""Smallest number of columns in the fit for which there is a hint about ``-n``."""
FEW = 10
"""Largest number of columns that the hint about ``-n`` proposes."""


def show(fitted: FittedTable, page: Page, model: str | None, data: str, *, keeps: bool) -> None:
    """Print the kept columns or components, the dropped columns, and how they were chosen.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    page : Page
        The page to print on.
    model : str or None
        The path of the written model; None if the user asked for none.
    data : str
        The path of the table, as the user has typed it.
    keeps : bool
        True if options of the user may keep columns that follow from others.
    """
    page.line(_summary(fitted), "bold")
    if drops_only(fitted):
        page.words("Kept:", _names(kept_columns(fitted)), "  ")
    else:
        _show_ranking(fitted, page)
    if dropped := _n_dropped(fitted):
        page.line("Dropped:")
        for line in _dropped_lines(fitted, dropped, model, data):
            page.line(f"  {line}")
    if reason := _reason(fitted, keeps=keeps):
        page.line(reason)


def drops_only(fitted: FittedTable) -> bool:
    """Return True if the fit drops columns that follow from others, and does not rank the rest.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    held_out = fitted.model.estimator.get_params().get("validation_fraction")
    return fitted.model.selects and _eliminates(fitted) and held_out is None


def shown_columns(fitted: FittedTable) -> set[str]:
    """Return the columns of which `show` tells all: notes on standard error need not name them.

    Dropped columns have their law or formula. If all kept columns are listed, text among them needs
    no note, but numbers and dates that are kept as they are written do.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    beside, table = fitted.model.steps.beside, fitted.fit.table
    found = {*fitted.model.dropped, *beside.given}
    if drops_only(fitted):
        text = {name for name in beside.labels if is_text(table.columns[name])}
        text -= {*table.codes, *table.text_dates, *table.without_zone}
        found |= text - _of_digits(table, sorted(text))
    return found


def _of_digits(table: Table, names: Sequence[str]) -> set[str]:
    """Return the columns of text that look like numbers, such as ids of twenty digits."""
    found = set()
    if rows := next(iter(table.pieces(names)), None) if names else None:
        for name in names:
            cells = rows.column(name).drop_null().slice(0, FIRST_CELLS).to_pylist()
            if cells and all(str(each).strip().lstrip("+-").isdigit() for each in cells):
                found.add(name)
    return found


def kept_columns(fitted: FittedTable) -> list[str]:
    """Return the kept columns of a selection, also of text, in the order of the table.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    model = fitted.model
    beside = model.steps.beside
    return beside.sorted([*model.kept, *beside.labels])


def _n_dropped(fitted: FittedTable) -> int:
    return len(fitted.model.dropped) + len(fitted.model.steps.beside.lookups)


def _summary(fitted: FittedTable) -> str:
    """Return the first line: the table, its size, and the number of columns of each fate."""
    model, table = fitted.model, fitted.fit.table
    given, n_columns = given_columns(fitted), len(table.columns)
    passing = {*model.steps.ids, *model.steps.targets}
    if model.selects:
        used = {*kept_columns(fitted), *model.dropped, *model.steps.beside.given}
        fates = [(len(kept_columns(fitted)), "kept"), (_n_dropped(fitted), "dropped")]
        made = ""
    else:
        used = {*model.steps.columns}
        fates, made = (
            [],
            f"{counted(len(model.order), model.noun)} of {counted(len(used), 'column')}",
        )
    fates += [
        (len(passing), "passed through"),
        (len({*given} - used - passing), "set aside"),
        (n_columns - len(given), "left out"),
    ]
    parts = [f"{n:,} {fate}" for n, fate in fates if n > 0]
    if parts == [f"{n_columns:,} kept"]:
        parts = ["all kept"]
    size = f"{counted(fitted.changes.rows_read, 'row')}, {counted(n_columns, 'column')}"
    return f"{table.name}: {size}: {', '.join([*filter(None, [made]), *parts])}"


def _names(names: list[str]) -> list[str]:
    """Return the words of a list of columns: the names, each but the last with a comma."""
    clear = (each.strip() and "," not in each for each in names)
    shown = [name if good else f"`{name}`" for name, good in zip(names, clear, strict=True)]
    if len(names) <= MAX_NAMES:
        return [*(f"{each}," for each in shown[:-1]), *shown[-1:]]
    *first, last = shown[:SOME_NAMES]
    return [*(f"{each}," for each in first), last, f"and {len(names) - SOME_NAMES:,} more"]


def _show_ranking(fitted: FittedTable, page: Page) -> None:
    """Print a table with a row for each kept column or component, the most important first."""
    model = fitted.model
    described = about(model.estimator.model_)
    numbers = [str(i + 1) for i in range(len(model.order))]
    heads, columns = zip(("", numbers), (model.noun, model.order), *described.columns, strict=True)
    page.table(heads, list(zip(*columns, strict=True)), left=(1,))
    page.line(_legend(fitted))
    for remark in described.remarks:
        page.line(remark)


def _dropped_lines(
    fitted: FittedTable, n_dropped: int, model: str | None, data: str
) -> Iterator[str]:
    """Yield a line for each dropped column, with its law or formula, and the command for more."""
    lookups, dropped = fitted.model.steps.beside.lookups, fitted.model.dropped
    most = n_dropped if n_dropped <= MAX_FORMULAS + 1 else MAX_FORMULAS
    yield from map(str, lookups[:most])
    names, command = dropped[: max(most - len(lookups), 0)], _command(model, data)
    if names:
        try:
            found = formulas(fitted.model, names)
        except RowsNeededError:
            yield f"{listed(dropped, most, quote)}; for formulas: {command}"
            return
        yield from (told(each, fitted.model) for each in found)
    if n_dropped > most:
        yield f"and {n_dropped - most:,} more{', see ' if model is not None else ': '}{command}"


def _command(model: str | None, data: str) -> str:
    """Return what to do for the formulas of all dropped columns."""
    if model is not None:
        return f"gramian explain {shlex.join([model, data])}"
    return f"write a model with -m, then gramian explain {shlex.join(['MODEL', data])}"


def _legend(fitted: FittedTable) -> str:
    """Return the line below a ranking that says what is explained, and how."""
    model, method = fitted.model, _method(fitted, scaled=True)
    if isinstance(model.estimator.model_, FittedManifold):
        return f"Fitted by {method}."
    above = f"each {model.noun} and those above it" if len(model.order) > 1 else "it"
    columns = counted(len(model.steps.columns), "column")
    return (
        f"explained: share of the variance of {columns} that functions of {above} give ({method})"
    )


def _reason(fitted: FittedTable, *, keeps: bool) -> str:
    """Return a line that says why columns or components were dropped, or why none was."""
    if not _eliminates(fitted):
        return ""
    if fitted.model.selects:
        some = _n_dropped(fitted) > 0
        return " ".join(_evidence(fitted)) if some else _nothing_dropped(fitted, keeps=keeps)
    n = len(fitted.model.estimator.model_.search.selection.dropped)
    return f"Functions of these give {n:,} more with {_accuracy(fitted)}." if n else ""


def _eliminates(fitted: FittedTable) -> bool:
    """Return True if the fit drops all columns or components that follow from the others."""
    parameters = fitted.model.estimator.get_params()
    number = parameters.get("n_features_to_select", parameters.get("n_components"))
    search = getattr(fitted.model.estimator.model_, "search", None)
    return isinstance(search, EliminationSearch) and number is None


def _evidence(fitted: FittedTable) -> Iterator[str]:
    """Yield a sentence for each kind of evidence by which columns were dropped."""
    model = fitted.model
    fit, columns = model.estimator.model_, model.steps.columns
    laws = (*model.steps.beside.lookups, *fit.laws)
    constant = {columns[i] for i in np.flatnonzero(fit.variances == 0).tolist()}
    constant &= {*model.dropped}
    constant |= {law.column for law in laws if not law.columns}
    by_law = {law.column for law in laws} - constant
    lost = {each.column for each in fit.near_laws if each.dropped} & by_law
    n_exact, n_lost = len(by_law - lost), len(lost)
    if n_exact:
        more = f", and {counted(n_lost, 'column')} with exceptions" if n_lost else ""
        yield f"Laws give every cell of {counted(n_exact, 'column')} again{more}."
    elif n_lost:
        yield f"Laws with exceptions give {counted(n_lost, 'column')} again."
    if constant:
        n = len(constant)
        yield f"{counted(n, 'column')} {plural(n, 'is', 'are')} constant."
    if n := len({*model.dropped} - by_law - constant):
        yield (
            f"Functions of the kept columns give {counted(n, 'column')} with {_accuracy(fitted)} "
            f"({_method(fitted)})."
        )


def _nothing_dropped(fitted: FittedTable, *, keeps: bool) -> str:
    """Return the line for a table of which no column was dropped, with a hint about ``-n``."""
    n = len(fitted.model.order)
    said = "No column follows from others."
    if any(each.kind == "exceptions" for each in fitted.cautions):
        said = "No column follows from others in every row."
    if keeps or time_was_over():
        said = "No column was dropped."
    if n < FEWEST:
        return said
    return f"{said} For the few that stand for all: -n {min(FEW, n // 2)}"


def _accuracy(fitted: FittedTable) -> str:
    """Return the R² that all dropped columns or components have, as text."""
    threshold = fitted.model.estimator.model_.search.selection.threshold
    return f"R² ≥ {1 - threshold:.6g} on rows left out"


def _method(fitted: FittedTable, *, scaled: bool = False) -> str:
    """Return the algorithm, the functions, and how rows and, if `scaled`, columns were used."""
    estimator, n_rows = fitted.model.estimator, fitted.changes.rows_used
    parameters = estimator.get_params()
    parts = [fitted.fit.algorithm.upper(), repr(estimator.family_)]
    if parameters.get("backward") is False and fitted.fit.algorithm in ("gfa", "gca"):
        parts[0] += " forward"
    if scaled:
        how = "not scaled" if estimator.model_.scale is None else "scaled to variance 1"
        parts.append(f"columns {how}")
    n_held_out = n_rows - int(estimator.n_samples_)
    if parameters.get("validation_fraction") is not None and n_held_out > 0:
        parts.append(f"{n_held_out:,} of {counted(n_rows, 'row')} held out")
    return ", ".join(parts)
