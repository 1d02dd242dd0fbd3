"""Cautions about a fit to a table: facts that may make its result misleading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Any

from gramian._support.words import either, listed
from gramian.exceptions import (
    NumericalWarning,
    OverfittingWarning,
    TrimmedRowsWarning,
    UnitsWarning,
)
from gramian.fitting import NearDependence, NearLaw, Overfitting, Remedy, Saturation, TrimmedRows
from gramian.formulas import quote
from gramian.models import Preprocessing, is_numeric
from gramian.tables import TEXT, Table
from gramian.tabular._division import Division
from gramian.tabular._messages import TableCaution
from gramian.tabular._text_cautions import cautions_of_text

REMEDIES = {
    Remedy.AUTO_ALPHA: "{alpha:auto}",
    Remedy.AUTO_DEGREE: "{degree:auto}",
    Remedy.LOWER_DEGREE: "a lower {degree}",
    Remedy.FEWER_FEATURES: "a smaller {n}",
    Remedy.MORE_ROWS: "more rows",
    Remedy.BETTER_FAMILY: "{family:hermite}",
}
"""Words for the remedies that are options of `gramian.select`; other remedies are not shown."""

TOLD = (OverfittingWarning, NumericalWarning, TrimmedRowsWarning, UnitsWarning)
"""Warnings of a fit to a table that need not be shown: cautions have their content."""
LEAST_SHARE = 0.02
"""Smallest share of exceptions that a caution proposes to allow."""
SHOWN_ROWS = 5
"""Largest number of trimmed rows that a caution lists."""


def cautions_of_table(
    table: Table, features: Sequence[str], steps: Preprocessing, divided: Division
) -> Iterator[TableCaution]:
    """Yield cautions about names, categories and numbers of a table that may be misread.

    Parameters
    ----------
    table : Table
        The table of the fit.
    features : sequence of str
        Names of the columns that the user chose.
    steps : Preprocessing
        Preprocessing of the fit, which has the categories of encoded text columns.
    divided : Division
        The columns of the fit, and the columns that are kept without a fit.
    """
    text = [name for name in features if name not in steps.categories]
    yield from cautions_of_reading(table, divided.beside.labels, text)
    yield from _of_categories(steps)
    if divided.needless is not None:
        yield TableCaution("needless", {"law": str(divided.needless)})


def cautions_of_reading(
    table: Table, labels: Sequence[str], names: Sequence[str]
) -> Iterator[TableCaution]:
    """Yield cautions about cells that may have been read as something else than they are.

    Parameters
    ----------
    table : Table
        The table.
    labels : sequence of str
        Columns of text, of which those are named that may be numbers such as 1,234.
    names : sequence of str
        Columns of which those are named that are text, with numbers in nearly all cells.
    """
    yield from _of_header(table)
    yield from _of_ambiguous(table, labels)
    yield from cautions_of_text(table, names)


def _of_header(table: Table) -> Iterator[TableCaution]:
    """Yield a caution if all column names of a text file are numbers, so it may lack a header."""
    if table.format in TEXT and table.named and all(map(is_numeric, table.columns)):
        yield TableCaution("header", {"table": table.name})


def _of_categories(steps: Preprocessing) -> Iterator[TableCaution]:
    """Yield a caution for each text column whose categories are numbers, except for a few words."""
    for name, categories in steps.categories.items():
        words = [each for each in categories if not is_numeric(each)]
        if words and 2 * len(words) < len(categories):
            facts = {"words": listed(words, most=3), "n_categories": len(categories)}
            yield TableCaution("numbers as text", {"column": name, **facts})


def _of_ambiguous(table: Table, labels: Sequence[str]) -> Iterator[TableCaution]:
    """Yield a caution for each text column of a text file that may be numbers, such as 1,234."""
    for name in labels:
        if name in table.ambiguous:
            yield TableCaution("1,234", {"column": name, "examples": table.ambiguous[name]})


def cautions_of_fit(estimator: Any, n_rows: int | None = None) -> Iterator[TableCaution]:
    """Yield the cautions of a fitted estimator, except for cautions about units of columns.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    n_rows : int, optional
        Number of rows of the table, also of those with missing values.
    """
    for each in estimator.model_.cautions:
        known = [REMEDIES[remedy] for remedy in each.remedies if remedy in REMEDIES]
        remedy = f"Use {either(known)}" if known else ""
        if isinstance(each, Saturation):
            facts: dict[str, Any] = {"n_steps": each.n_steps, "n_rows": each.n_rows}
            yield TableCaution("saturated", facts, remedy)
        elif isinstance(each, Overfitting):
            facts = {"n_functions": each.n_functions, "n_rows": each.n_rows}
            yield TableCaution("overfitted", facts, remedy)
        elif isinstance(each, NearDependence):
            yield TableCaution("ill-conditioned", {"loss": each.loss}, remedy)
        elif isinstance(each, TrimmedRows):
            rows = ", ".join(map(str, estimator.trimmed_rows_[:SHOWN_ROWS]))
            facts = {"n_trimmed": each.n_trimmed, "n_rows": each.n_rows, "rows": rows}
            yield TableCaution("trimmed", facts, "Look for wrong cells there")
    yield from cautions_of_laws(getattr(estimator.model_, "near_laws", ()), n_rows)


def cautions_of_laws(laws: Iterable[NearLaw], n_rows: int | None = None) -> Iterator[TableCaution]:
    """Yield a caution for each law with exceptions: its column is kept, or cells are lost.

    Parameters
    ----------
    laws : iterable of NearLaw
        Laws with exceptions.
    n_rows : int, optional
        Number of rows of the table, also of those with missing values.
    """
    for law in laws:
        facts = {"column": quote(law.column), "law": law.law}
        counts = {"n_exceptions": law.n_exceptions, "n_rows": law.n_rows}
        share = {"share": _share_to_allow(law, n_rows or law.n_rows)}
        yield TableCaution("lost" if law.dropped else "exceptions", facts | counts | share)


def _share_to_allow(law: NearLaw, n_rows: int) -> float:
    """Return a share of exceptions with which a law drops its column, in round hundredths.

    A law that gives a value where the cell is missing does not give that cell again either.
    """
    n_wrong = law.n_exceptions + max(n_rows - law.n_rows, 0)
    return max(ceil(100 * n_wrong / max(n_rows, 1)) / 100, LEAST_SHARE)
