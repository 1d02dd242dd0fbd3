"""Command ``gramian inspect``: contents of a table or a model file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramian._support.words import counted, data_size, listed
from gramian.cli._errors import guarded
from gramian.cli._options import Json, Reading, with_options

if TYPE_CHECKING:
    from gramian.tables import Table

MODEL_ENDING = ".gram"
"""Files with this ending are models; all other files are tables."""
MAX_DISTINCT = 1000
"""Distinct values of a text column are counted up to this number; beyond it the command prints
"more than 1,000 values"."""


@guarded
@with_options
def inspect(
    *,
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A table (- for standard input) or a model.")
    ],
    reading: Reading,
    json: Json = False,
) -> None:
    """Show the contents of a table or a model file."""
    if path.lower().endswith(MODEL_ENDING):
        _inspect_model(path, json)
    else:
        _inspect_table(path, reading, json)


def _inspect_model(path: str, json: bool) -> None:
    """Print the facts about a model file, as text or as JSON."""
    from gramian.cli._descriptions import about
    from gramian.cli._files import load_model
    from gramian.cli._pages import Page, print_json
    from gramian.estimators import parameters_set

    model = load_model(path)
    estimator, steps = model.estimator, model.steps
    told = about(estimator.model_)
    parameters = {
        name: value if isinstance(value, str | int | float | bool) else repr(value)
        for name, value in parameters_set(estimator).items()
        if name not in ("verbose", "checkpoint", "memory_budget")
    }
    document: dict[str, Any] = {
        "command": "inspect",
        "model": path,
        "gramian_version": model.version,
        "estimator": type(estimator).__name__,
        "parameters": parameters,
        "family": repr(getattr(estimator, "family_", None)),
        "rows": int(estimator.n_samples_),
        "columns": list(steps.columns) if model.named else len(steps.columns),
        "kept": model.order,
        "dropped": model.dropped,
        **told.brief,
        "ids": list(steps.ids),
        "targets": list(steps.targets),
        "missing": steps.missing,
        "categories": {name: list(each) for name, each in steps.categories.items()},
        "standardized": estimator.model_.scale is not None,
    }
    if json:
        print_json(document)
        return
    page = Page()
    size = data_size(Path(path).stat().st_size)
    page.line(f"{path}: a model of {size}, by gramian {model.version}", "bold")
    given = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    kept = counted(len(model.order), model.noun)
    missing = {
        "refuse": "are refused",
        "fill": "are filled in",
        "drop": "their rows are dropped",
        "keep": "are left to the model",
    }[steps.missing]
    facts = [
        ("estimator", f"{type(estimator).__name__}({given})"),
        ("functions", f"{document['family']}, {counted(document['functions'], 'function')}"),
        (
            "fitted to",
            f"{counted(document['rows'], 'row')}, {counted(len(steps.columns), 'column')}",
        ),
        ("columns", _few(list(steps.columns)) if model.named else "by position, without names"),
        ("keeps", f"{kept}: {_few(model.order)}"),
        told.facts[0],
        ("missing values", missing),
        ("units", "standardized in the fit" if document["standardized"] else "those of the table"),
    ]
    if steps.ids or steps.targets:
        facts.append(("passes through", _few([*steps.ids, *steps.targets])))
    if steps.categories:
        facts.append(("categories of", _few(list(steps.categories))))
    facts += told.facts[1:]
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        page.line(f"{name:<{width}}  {text}")


def _few(names: list[str]) -> str:
    """Return the first eight names, and the number of further names, as text."""
    return listed(names, most=8, quote=str)


@dataclass
class _Column:
    """Statistics of a column, computed from the rows that were read so far."""

    kind: str
    """Type of the column, as text."""
    missing: int = 0
    """Number of missing values."""
    least: Any = None
    """Smallest number in the column; None for text."""
    most: Any = None
    """Largest number in the column; None for text."""
    values: set[str] | None = None
    """Distinct texts in the column; None for a column that is not text."""

    @property
    def constant(self) -> bool:
        """True if all values are equal and none is missing."""
        if self.values is not None:
            return len(self.values) == 1 and not self.missing
        return self.least is not None and self.least == self.most and not self.missing


def _summarize(table: Table) -> tuple[int, dict[str, _Column]]:
    """Read a table once; return its number of rows, and statistics of each column by name."""
    import pyarrow as pa
    import pyarrow.compute

    from gramian.tables import is_number, is_text, n_missing

    known = {name: _Column(str(kind)) for name, kind in table.columns.items()}
    n_rows = 0
    for rows in table.pieces(list(known)):
        n_rows += rows.num_rows
        for found, column in zip(known.values(), rows.columns, strict=True):
            # Before reading, the type was guessed from the first rows; now it is final.
            found.kind = str(column.type)
            found.missing += n_missing(column)
            if is_text(column.type):
                values = found.values if found.values is not None else set()
                if len(values) <= MAX_DISTINCT:
                    values |= set(column.unique().drop_null().to_pylist()[: MAX_DISTINCT + 1])
                found.values = values
            elif is_number(column.type) and not pa.types.is_null(column.type):
                column = column.cast(pa.float64(), safe=False)
                column = column.filter(pa.compute.invert(pa.compute.is_nan(column)))
                extremes = pa.compute.min_max(column).as_py()
                if extremes["min"] is not None:
                    least, most = extremes["min"], extremes["max"]
                    found.least = least if found.least is None else min(found.least, least)
                    found.most = most if found.most is None else max(found.most, most)
    return n_rows, known


def _inspect_table(path: str, reading: Reading, json: bool) -> None:
    """Print the type, missing values and range of each column of a table, as text or as JSON."""
    from gramian.cli._files import open_input
    from gramian.cli._pages import Page, four_digits, print_json

    table = open_input(path, reading)
    n_rows, columns = _summarize(table)
    if json:
        print_json(
            {
                "command": "inspect",
                "data": table.name,
                "format": table.format.value,
                "rows": n_rows,
                "columns": [
                    {
                        "name": name,
                        "type": each.kind,
                        "missing": each.missing,
                        "constant": each.constant,
                        "min": each.least,
                        "max": each.most,
                        "categories": _count(each),
                    }
                    for name, each in columns.items()
                ],
            }
        )
        return
    page = Page()
    page.line(
        f"{table.name}: {table.format}, {counted(n_rows, 'row')}, "
        f"{counted(len(columns), 'column')}",
        "bold",
    )
    rows = []
    for name, each in columns.items():
        notes = "constant" if each.constant else ""
        if each.values is not None and not each.constant:
            n = _count(each)
            notes = f"more than {MAX_DISTINCT:,} values" if n is None else counted(n, "value")
        low, high = ("" if v is None else four_digits(v) for v in (each.least, each.most))
        rows.append(
            [name, each.kind, f"{each.missing:,}" if each.missing else "", low, high, notes]
        )
    page.table(["column", "type", "missing", "min", "max", ""], rows, left=(0, 1, 5))


def _count(column: _Column) -> int | None:
    """Return the number of distinct values in a column of text.

    Return None if it is above `MAX_DISTINCT`, or if the column is not text.
    """
    if column.values is None or len(column.values) > MAX_DISTINCT:
        return None
    return len(column.values)
