"""Options that several commands share, in groups."""

from __future__ import annotations

import inspect
from collections.abc import Callable
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


Selection = StrEnum("Selection", "gfs gfa")
"""Algorithms that select columns."""
Extraction = StrEnum("Extraction", "gfr gca manifold")
"""Algorithms that extract components."""
Algorithm = StrEnum("Algorithm", "gfs gfa gfr gca manifold")
"""All of them."""
Criterion = StrEnum("Criterion", "variance gain")
"""What gfs selects columns for."""
FamilyName = StrEnum("FamilyName", "multilinear polynomial hermite legendre fourier indicator auto")
"""Families of functions that have a name."""


class Impute(StrEnum):
    """What to do about missing values."""

    median = "median"
    mean = "mean"
    drop_rows = "drop-rows"


def option(panel: str, metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """Describe an option.

    Parameters
    ----------
    panel : str
        The part of the help that shows it.
    metavar : str
        What its value is called: nothing for a switch, and None for the list of its choices.
    help : str
        What it does.
    *names : str
        How it is written; by default like the parameter.
    **more
        Passed to typer.
    """
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **more)


Names = list[str] | None
Data = Annotated[str, typer.Argument(metavar="DATA", help="The table, or - for standard input.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The model file.")]
ModelOutput = Annotated[
    str | None,
    option("Output", "FILE", "Write the model, for 'gramian apply'.", "--model", "-m"),
]
Json = Annotated[bool, option("Output", "", "One JSON document on standard output.", "--json")]
Quiet = Annotated[
    bool,
    option("Output", "", "Print nothing but errors, and what --json asks for.", "--quiet", "-q"),
]


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    format: Annotated[
        Format | None,
        option("Data", "FORMAT", f"If the ending of DATA does not tell: {', '.join(Format)}."),
    ] = None
    delimiter: Annotated[
        Any, option("Data", "CHAR", "Between the values of a CSV file.", parser=one_character)
    ] = None
    header: Annotated[
        bool, option("Data", "", "Whether a CSV file begins with names.", show_default=False)
    ] = True
    memory_budget: Annotated[
        Any,
        option(
            "Data",
            "SIZE",
            "Tables that take more than an eighth of it are read in pieces.",
            parser=n_bytes,
        ),
    ] = DEFAULT_BUDGET


@dataclass(frozen=True)
class PassingOptions:
    """Which columns pass through."""

    target: Annotated[Names, option("Data", "NAME", "Set a column aside, and pass it through.")] = (
        None
    )
    id: Annotated[Names, option("Data", "NAME", "Pass a column through, unchanged.")] = None


@dataclass(frozen=True)
class DataOptions(PassingOptions):
    """Which columns take part, and what happens to them before a fit."""

    columns: Annotated[
        Names,
        option(
            "Data", "NAMES", "Use these: names or patterns such as 'pixel*'.", "--columns", "-c"
        ),
    ] = None
    exclude: Annotated[Names, option("Data", "NAMES", "Leave these out.", "--exclude", "-x")] = None
    encode: Annotated[
        bool, option("Data", "", "Turn text into the numbers of its categories.", "--encode")
    ] = False
    impute: Annotated[
        Impute | None,
        option("Data", "HOW", "Missing values: fill in median or mean, or drop-rows."),
    ] = None
    standardize: Annotated[
        bool,
        option(
            "Data",
            "",
            "Whether to scale columns to variance 1, or all of them share a unit.",
            "--standardize/--same-unit",
        ),
    ] = True


@dataclass(frozen=True)
class MethodOptions:
    """How a fit goes."""

    n: Annotated[
        Any,
        option(
            "Method",
            "N",
            "How many to keep, or the share of the variance to explain (0.95).",
            "-n",
            parser=count_or_share,
        ),
    ] = None
    threshold: Annotated[
        Any,
        option(
            "Method",
            "SHARE",
            "What may be left of a redundant column: a share of its variance for gfa (0.0001, or "
            "0.001 with --no-laws), gca (0.001), and with --relative; elsewhere a variance.",
            "--threshold",
            "-t",
            parser=variance,
        ),
    ] = None
    relative: Annotated[
        bool,
        option("Method", "", "The threshold is a share of each column's variance.", "--relative"),
    ] = False
    backward: Annotated[
        bool,
        option(
            "Method",
            "",
            "gfa, gca: begin with all columns, so that their order does not matter, or keep the "
            "most variant first, as published.",
            "--backward/--forward",
        ),
    ] = True
    keep: Annotated[
        Names, option("Method", "NAMES", "gfa: never drop these.", "--keep", show_default=False)
    ] = None
    prefer: Annotated[
        Names,
        option(
            "Method",
            "NAMES",
            "gfa: keep these rather than others, the most wanted first.",
            "--prefer",
            show_default=False,
        ),
    ] = None
    laws: Annotated[
        bool,
        option(
            "Method",
            "",
            "gfa: whether exact laws count, too, such as logarithms, ratios and thresholds.",
            "--laws/--no-laws",
        ),
    ] = True
    prove: Annotated[
        bool,
        option("Method", "", "gfa, gca: search all sets of up to 20 for a smaller one.", "--prove"),
    ] = False
    degree: Annotated[
        Any,
        option(
            "Method",
            "N|auto",
            "The largest number of variables in a product.",
            parser=degree_or_auto,
        ),
    ] = "2"
    family: Annotated[
        FamilyName | None,
        option(
            "Method",
            "FAMILY",
            "Which functions count: multilinear, polynomial, hermite, legendre, fourier, "
            "indicator (columns of few distinct values) or auto. By default polynomial for gfa "
            "and manifold, and multilinear for others.",
            show_default=False,
        ),
    ] = None
    alpha: Annotated[
        Any,
        option(
            "Method",
            "X|auto",
            "Shrink nonlinear functions, against overfitting; 0 is least squares.",
            parser=penalty_or_auto,
        ),
    ] = "auto"
    validation: Annotated[
        Any,
        option(
            "Method",
            "SHARE",
            "Hold out this share of the rows, and measure residuals on them, too.",
            parser=share,
        ),
    ] = None
    criterion: Annotated[
        Criterion | None,
        option(
            "Method",
            None,
            "Of gfs: columns of the largest variance, or those that explain most of all columns.",
            show_default=False,
        ),
    ] = None
    given: Annotated[
        Names,
        option("Method", "NAMES", "Of gfs, criterion gain: keep these in any case.", "--given"),
    ] = None
    directions: Annotated[
        str | None,
        option(
            "Method",
            "FILE",
            "Of gfr: begin with these, a row each, under names of columns. Weights are of "
            "standardized columns, unless --same-unit.",
        ),
    ] = None
    seed: Annotated[
        int, option("Method", "N", "Decides which rows are held out.", min=0, max=MAX_SEED)
    ] = 0


def chosen(algorithm: StrEnum | None, method: MethodOptions) -> str:
    """Return the algorithm that is asked for, or the one that suits what is asked for.

    Parameters
    ----------
    algorithm : StrEnum or None
        What the user named.
    method : MethodOptions
        What else the user said: a number of columns asks for the most informative ones, and so
        do options that only these have.
    """
    if algorithm is not None:
        return algorithm.value
    few = method.n is not None or method.criterion is not None or method.given
    return (Selection.gfs if few else Selection.gfa).value


@dataclass(frozen=True)
class TableOutput:
    """Where a table goes, and what is said about it."""

    output: Annotated[
        str | None,
        option("Output", "FILE", "Write the table; - for standard output.", "--output", "-o"),
    ] = None
    output_format: Annotated[
        Format | None, option("Output", "FORMAT", "If its ending does not tell.")
    ] = None
    escape_formulas: Annotated[
        bool,
        option(
            "Output",
            "",
            "Put ' before text that a spreadsheet would run, in CSV and TSV files.",
            "--escape-formulas",
        ),
    ] = False
    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True)
class FitOutput(TableOutput):
    """What a fit writes."""

    model: ModelOutput = None
    dry_run: Annotated[
        bool, option("Output", "", "Say what a fit would cost; write nothing.", "--dry-run")
    ] = False


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
                annotation=kinds[field.name],
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
