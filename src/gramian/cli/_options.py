"""Options that several commands share, in groups."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from gramian.cli._values import (
    count_or_share,
    degree_or_auto,
    n_bytes,
    one_character,
    penalty_or_auto,
    share,
    variance,
)
from gramian.tables._formats import Format

MAX_SEED = 2**32 - 1
"""The largest seed of NumPy's generators."""
DEFAULT_BUDGET = "1GiB"
"""Defaults of parsed options are texts, as if the user had given them."""


FORMATS = ", ".join(Format)


class Selection(StrEnum):
    """Algorithms that select columns."""

    gfs = "gfs"
    gfa = "gfa"


class Extraction(StrEnum):
    """Algorithms that extract components."""

    gfr = "gfr"
    gca = "gca"


class Algorithm(StrEnum):
    """All of them."""

    gfs = "gfs"
    gfa = "gfa"
    gfr = "gfr"
    gca = "gca"


class FamilyName(StrEnum):
    """Families of functions that have a name."""

    multilinear = "multilinear"
    polynomial = "polynomial"
    hermite = "hermite"
    legendre = "legendre"
    fourier = "fourier"
    indicator = "indicator"
    auto = "auto"


class Impute(StrEnum):
    """What to do about missing values."""

    median = "median"
    mean = "mean"
    drop_rows = "drop-rows"


Data = Annotated[str, typer.Argument(metavar="DATA", help="The table, or - for standard input.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The model file.")]
InputFormat = Annotated[
    Format | None,
    typer.Option(
        "--format", metavar="FORMAT", help=f"If the ending of DATA does not tell: {FORMATS}."
    ),
]
Delimiter = Annotated[
    Any,
    typer.Option(parser=one_character, metavar="CHAR", help="Between the values of a CSV file."),
]
Header = Annotated[
    bool,
    typer.Option(
        "--header/--no-header",
        metavar="",
        show_default=False,
        help="Whether a CSV file begins with names.",
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="NAME",
        rich_help_panel="Data",
        help="Set a column aside, and pass it through.",
    ),
]
Ids = Annotated[
    list[str] | None,
    typer.Option(
        "--id", metavar="NAME", rich_help_panel="Data", help="Pass a column through, unchanged."
    ),
]
Budget = Annotated[
    Any,
    typer.Option(
        parser=n_bytes,
        metavar="SIZE",
        help="Tables that take more than an eighth of it are read in pieces.",
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", metavar="", rich_help_panel="Output", help="One JSON document on standard output."
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        metavar="",
        rich_help_panel="Output",
        help="Print nothing but errors, and what --json asks for.",
    ),
]


def _in_panel(kind: Any, panel: str) -> Any:
    """Return a type whose option is shown in a panel of the help."""
    inner, option = kind.__origin__, copy(kind.__metadata__[0])
    option.rich_help_panel = panel
    return Annotated[inner, option]


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    format: InputFormat = None
    delimiter: Delimiter = None
    header: Header = True
    memory_budget: Budget = DEFAULT_BUDGET


@dataclass(frozen=True)
class DataOptions:
    """Which columns take part, and what happens to them before a fit."""

    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "-c",
            metavar="NAMES",
            help="Use these: names or patterns such as 'pixel*'.",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", "-x", metavar="NAMES", help="Leave these out."),
    ] = None
    target: Targets = None
    id: Ids = None
    encode: Annotated[
        bool,
        typer.Option("--encode", metavar="", help="Turn text into the numbers of its categories."),
    ] = False
    impute: Annotated[
        Impute | None,
        typer.Option(
            "--impute",
            metavar="HOW",
            help="Missing values: fill in median or mean, or drop-rows.",
        ),
    ] = None
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize",
            metavar="",
            help="Scale columns to variance 1, so that units do not matter.",
        ),
    ] = False


@dataclass(frozen=True)
class MethodOptions:
    """How a fit goes."""

    n: Annotated[
        Any,
        typer.Option(
            "-n",
            parser=count_or_share,
            metavar="N",
            help="How many to keep, or the share of the variance to explain (0.95).",
        ),
    ] = None
    threshold: Annotated[
        Any,
        typer.Option(
            "--threshold",
            "-t",
            parser=variance,
            metavar="VARIANCE",
            help="Columns with less residual variance are redundant.",
        ),
    ] = None
    relative: Annotated[
        bool,
        typer.Option(
            "--relative", metavar="", help="The threshold is a share of each column's variance."
        ),
    ] = False
    degree: Annotated[
        Any,
        typer.Option(
            parser=degree_or_auto,
            metavar="N|auto",
            help="The largest number of variables in a product.",
        ),
    ] = "2"
    family: Annotated[
        FamilyName,
        typer.Option(
            metavar="FAMILY",
            help="Which functions count: multilinear, polynomial, hermite, legendre, fourier, "
            "indicator (columns of few distinct values) or auto.",
        ),
    ] = FamilyName.multilinear
    alpha: Annotated[
        Any,
        typer.Option(
            parser=penalty_or_auto,
            metavar="X|auto",
            help="Shrink nonlinear functions, against overfitting.",
        ),
    ] = "0"
    validation: Annotated[
        Any,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Hold out this share of the rows, and measure residuals on them, too.",
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(min=0, max=MAX_SEED, metavar="N", help="Decides which rows are held out."),
    ] = 0


@dataclass(frozen=True)
class TableOutput:
    """Where a table goes."""

    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the table; - for standard output."
        ),
    ] = None
    output_format: Annotated[
        Format | None,
        typer.Option("--output-format", metavar="FORMAT", help="If its ending does not tell."),
    ] = None
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas",
            metavar="",
            help="Put ' before text that a spreadsheet would run, in CSV and TSV files.",
        ),
    ] = False


@dataclass(frozen=True)
class FitOutput(TableOutput):
    """What a fit writes."""

    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="FILE", help="Write the model, for 'gramian apply'."),
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", metavar="", help="Say what a fit would cost; write nothing."),
    ] = False
    json: Json = False
    quiet: Quiet = False


PANELS = {
    Reading: "Data",
    DataOptions: "Data",
    MethodOptions: "Method",
    TableOutput: "Output",
    FitOutput: "Output",
}


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes groups of options one parameter for each option, as typer needs.

    Parameters
    ----------
    command : callable
        A function some of whose parameters are dataclasses of options.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if not is_dataclass(kind):
            parameters.append(
                parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)
            )
            continue
        groups[name] = kind
        kinds = get_type_hints(kind, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=_in_panel(kinds[field.name], PANELS[kind]),  # type: ignore[index]
            )
            for field in fields(kind)
        ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
