"""Options that several commands share, in groups.

A group is a dataclass with one field for each option.
"""
# ruff: noqa: RUF009 - the default of each field is a call that returns a dataclass field

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import partial, wraps
from typing import Annotated, Any, get_type_hints

import typer

from gramian._support.formats import Format
from gramian.cli._values import (
    count_or_share,
    degree_or_auto,
    n_bytes,
    one_character,
    penalty_or_auto,
    point_or_comma,
    share,
    share_or_zero,
    variance,
)

MAX_SEED = 2**32 - 1
"""Largest value of --seed: the largest seed that NumPy accepts."""

SelectorName = StrEnum("SelectorName", "gfs gfa")
"""Values of --algorithm for ``gramian select``: algorithms that select columns."""
ExtractorName = StrEnum("ExtractorName", "gfr gca manifold")
"""Values of --algorithm for ``gramian extract``: algorithms that extract components."""
AlgorithmName = StrEnum("AlgorithmName", "gfs gfa gfr gca manifold")
"""Values of --algorithm for ``gramian report``: all algorithms."""
Criterion = StrEnum("Criterion", "variance gain")
"""Values of --criterion: the quantity that gfs makes as large as possible in each step."""
FamilyName = StrEnum("FamilyName", "multilinear polynomial hermite legendre fourier indicator auto")
"""Values of --family: the kind of functions that are fitted."""
PageFormatName = StrEnum("PageFormatName", "html md json")
"""Values of --format for ``gramian report`` that are formats of its page."""
PageOrTable = StrEnum("PageOrTable", "html md json csv tsv parquet feather npy npz")
"""Values of --format for ``gramian report``: formats of its page, and of its table."""
ImputeName = StrEnum("ImputeName", {"median": "median", "mean": "mean", "drop_rows": "drop-rows"})
"""Values of --impute: treatments of missing values."""


def option(panel: str | None, metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """Return the description of an option, as typer needs it.

    Parameters
    ----------
    panel : str or None
        The section of the help that contains the option; None for the first section.
    metavar : str
        The word for the option's value in the help. It is empty for an option without a value;
        with None the help lists the possible values.
    help : str
        The text of the option in the help.
    *names : str
        The names of the option, such as "--model" and "-m"; by default the name of the parameter.
    **more
        Further arguments of `typer.Option`.
    """
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **more)


def _field(*description: Any, default: Any = None, **more: Any) -> Any:
    """Return the dataclass field of an option in a group; `description` is passed to `option`."""
    return field(default=default, metadata={"option": option(*description, **more)})


_data, _method, _output = (partial(_field, panel) for panel in ("Data", "Method", "Output"))

Names = list[str] | None
DataFile = Annotated[
    str, typer.Argument(metavar="DATA", help="The table, or - for standard input.")
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The model file.")]
ModelOutput = Annotated[
    str | None,
    option("Output", "FILE", "Write the model, for 'gramian apply'.", "--model", "-m"),
]
Groups = Annotated[
    str | None,
    option(
        "Data",
        "NAME",
        "A column of labels, such as patients: rows of a label are left out together.",
        "--groups",
    ),
]
Json = Annotated[bool, option("Output", "", "One JSON document on standard output.", "--json")]
Quiet = Annotated[
    bool,
    option("Output", "", "Print nothing but errors, and what --json asks for.", "--quiet", "-q"),
]


@dataclass(frozen=True)
class Reading:
    """Group of options for reading a table."""

    format: Format | None = _data(
        "FORMAT", f"The format of DATA, if its ending does not say: {', '.join(Format)}."
    )
    delimiter: Any = _data(
        "CHAR", "The character between the values of a CSV file.", parser=one_character
    )
    header: bool = _data(
        "", "Whether a CSV file begins with names.", default=True, show_default=False
    )
    decimal: Any = _data(
        "SIGN",
        "The sign before fractions in a CSV file, '.' or ','; by default that of each column.",
        parser=point_or_comma,
    )
    memory_budget: Any = _data(
        "SIZE",
        "Tables that take more than an eighth of it are read in pieces.",
        default="1GiB",  # text that n_bytes turns into a number
        parser=n_bytes,
    )


@dataclass(frozen=True)
class PassingOptions:
    """Group of options for columns that are copied to the output and not used by the model."""

    target: Names = _data("NAME", "A column that is not used, but written last.")
    id: Names = _data("NAME", "A column that is not used, but written first, unchanged.")


@dataclass(frozen=True)
class DataOptions(PassingOptions):
    """Group of options for the columns of a fit: which are used, and how they are prepared."""

    columns: Names = _data(
        "NAMES", "Use these: names or patterns such as 'pixel*'.", "--columns", "-c"
    )
    exclude: Names = _data("NAMES", "Leave these out.", "--exclude", "-x")
    groups: Groups = None
    encode: bool = _data(
        "", "Turn text into the numbers of its categories.", "--encode", default=False
    )
    impute: ImputeName | None = _data(
        "HOW", "Missing values: fill in median or mean, or drop-rows."
    )
    standardize: bool = _data(
        "",
        "Scale columns to variance 1; --same-unit if all share a unit.",
        "--standardize/--same-unit",
        default=True,
    )


@dataclass(frozen=True)
class MethodOptions:
    """Group of options that set the parameters of an algorithm."""

    n: Any = _method(
        "N",
        "How many to keep, or the share of the variance to explain (0.95).",
        "-n",
        parser=count_or_share,
    )
    threshold: Any = _method(
        "SHARE",
        "Largest unexplained part of a redundant column: a share of its variance for gfa (0.0001, "
        "or 0.001 with --no-laws), gca (0.001), and with --relative; elsewhere a variance.",
        "--threshold",
        "-t",
        parser=variance,
    )
    relative: bool = _method(
        "", "The threshold is a share of each column's variance.", "--relative", default=False
    )
    backward: bool = _method(
        "",
        "gfa, gca: begin with all columns, so that their order does not matter, or keep the "
        "most variant first, as published.",
        "--backward/--forward",
        default=True,
    )
    keep: Names = _method("NAMES", "gfa: never drop these.")
    prefer: Names = _method("NAMES", "gfa: keep these rather than others, the most wanted first.")
    laws: bool = _method(
        "",
        "gfa: also drop columns by exact laws, such as logarithms, ratios and thresholds.",
        "--laws/--no-laws",
        default=True,
    )
    exceptions: float = _method(
        "SHARE",
        "gfa: the largest share of the rows that may break a law which drops a column, such as "
        "0.02; by default such a column is kept.",
        default=0.0,
        parser=share_or_zero,
        show_default=False,
    )
    prove: bool = _method(
        "", "gfa, gca: search all sets of up to 20 for a smaller one.", "--prove", default=False
    )
    degree: Any = _method(
        "N|auto",
        "The largest degree of a product.",
        default="2",
        parser=degree_or_auto,
    )
    family: FamilyName | None = _method(
        "FAMILY",
        "The functions to fit: multilinear, polynomial, hermite, legendre, fourier, "
        "indicator (columns of few distinct values) or auto. By default polynomial for gfa "
        "and manifold, and multilinear for others.",
    )
    alpha: Any = _method(
        "X|auto",
        "Shrink nonlinear functions, against overfitting; 0 is least squares.",
        default="auto",
        parser=penalty_or_auto,
    )
    validation: Any = _method(
        "SHARE",
        "Hold out this share of the rows, and measure residuals on them, too.",
        parser=share,
    )
    criterion: Criterion | None = _method(
        None, "gfs: columns of the largest variance, or those that explain most of all columns."
    )
    given: Names = _method("NAMES", "gfs, criterion gain: keep these in any case.")
    directions: str | None = _method(
        "FILE",
        "gfr: begin with the directions in this file: a row of weights for each direction, under "
        "the names of columns. Weights are of standardized columns, unless --same-unit.",
    )
    seed: int = _method(
        "N", "Seed of the random choice of held-out rows.", default=0, min=0, max=MAX_SEED
    )


SelectionMethod = Annotated[MethodOptions, "directions"]
"""Options of ``gramian select``: `MethodOptions` without the options named here."""
ExtractionMethod = Annotated[
    MethodOptions, "keep", "prefer", "laws", "exceptions", "criterion", "given"
]
"""Options of ``gramian extract``: `MethodOptions` without the options named here."""


@dataclass(frozen=True)
class TableOutput:
    """Group of options for writing a table, and for printing."""

    output: str | None = _output(
        "FILE", "Write the table; - for standard output.", "--output", "-o"
    )
    output_format: Format | None = _output(
        "FORMAT", "The format of the output file, if its ending does not say."
    )
    escape_formulas: bool = _output(
        "",
        "Put ' before text that a spreadsheet would run, in CSV and TSV files.",
        "--escape-formulas",
        default=False,
    )
    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True)
class FitOutput(TableOutput):
    """Group of options for the files that a command with a fit writes."""

    model: ModelOutput = None
    dry_run: bool = _output(
        "", "Estimate the time and memory of a fit; write nothing.", "--dry-run", default=False
    )


@dataclass(frozen=True)
class PageOutput:
    """Group of options for the page that ``gramian report`` writes."""

    output: str = _output("FILE", "The page to write.", "--output", "-o", default="report.html")
    title: str | None = _output("TEXT", "The title of the page.")
    model: ModelOutput = None
    json: Json = False
    quiet: Quiet = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command: replace each group of options by one parameter for each option.

    Typer needs a parameter for each option; the command itself receives whole groups.

    Parameters
    ----------
    command : callable
        A function with keyword parameters. A parameter whose type is a dataclass is a group of
        options. Texts in its `Annotated` type are names of options that the command does not have.
    """
    plain = get_type_hints(command)
    groups: dict[str, Any] = {name: kind for name, kind in plain.items() if is_dataclass(kind)}
    hints = get_type_hints(command, include_extras=True)
    taken = {
        name: [
            each
            for each in fields(kind)
            if each.name not in getattr(hints[name], "__metadata__", ())
        ]
        for name, kind in groups.items()
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        kinds = get_type_hints(groups[name], include_extras=True)
        for each in taken[name]:
            kind: Any = kinds[each.name]
            if each.metadata:
                kind = Annotated[kind, each.metadata["option"]]
            parameters.append(
                parameter.replace(name=each.name, default=each.default, annotation=kind)
            )

    @wraps(command)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in taken[name]})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def add_option(
    run: Callable[..., None], command: Callable[..., None], name: str, default: Any, kind: Any
) -> None:
    """Give `run`, which wraps a command, the parameters of the command and one more option.

    Parameters
    ----------
    run, command : callable
        The wrapping function and the command.
    name : str
        The name of the new parameter.
    default
        The value of the option if the user gives none.
    kind
        The type of the option, with its description.
    """
    new = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
    signature = inspect.signature(command)
    parameters = [*signature.parameters.values(), new]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, name: kind}
