"""Options that several commands share, in groups."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import partial, wraps
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


def _option(panel: str, metavar: str | None, help: str, *names: str, **more: Any) -> Any:
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


data_option = partial(_option, "Data")
method_option = partial(_option, "Method")
output_option = partial(_option, "Output")

Names = list[str] | None
Data = Annotated[str, typer.Argument(metavar="DATA", help="The table, or - for standard input.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="The model file.")]
ModelOutput = Annotated[
    str | None, output_option("FILE", "Write the model, for 'gramian apply'.", "--model", "-m")
]
Json = Annotated[bool, output_option("", "One JSON document on standard output.", "--json")]
Quiet = Annotated[
    bool, output_option("", "Print nothing but errors, and what --json asks for.", "--quiet", "-q")
]


@dataclass(frozen=True)
class Reading:
    """How a table is read."""

    format: Annotated[
        Format | None,
        data_option("FORMAT", f"If the ending of DATA does not tell: {', '.join(Format)}."),
    ] = None
    delimiter: Annotated[
        Any, data_option("CHAR", "Between the values of a CSV file.", parser=one_character)
    ] = None
    header: Annotated[
        bool, data_option("", "Whether a CSV file begins with names.", show_default=False)
    ] = True
    memory_budget: Annotated[
        Any,
        data_option(
            "SIZE", "Tables that take more than an eighth of it are read in pieces.", parser=n_bytes
        ),
    ] = DEFAULT_BUDGET


@dataclass(frozen=True)
class PassingOptions:
    """Which columns pass through."""

    target: Annotated[Names, data_option("NAME", "Set a column aside, and pass it through.")] = None
    id: Annotated[Names, data_option("NAME", "Pass a column through, unchanged.")] = None


@dataclass(frozen=True)
class DataOptions(PassingOptions):
    """Which columns take part, and what happens to them before a fit."""

    columns: Annotated[
        Names,
        data_option("NAMES", "Use these: names or patterns such as 'pixel*'.", "--columns", "-c"),
    ] = None
    exclude: Annotated[Names, data_option("NAMES", "Leave these out.", "--exclude", "-x")] = None
    encode: Annotated[
        bool, data_option("", "Turn text into the numbers of its categories.", "--encode")
    ] = False
    impute: Annotated[
        Impute | None,
        data_option("HOW", "Missing values: fill in median or mean, or drop-rows."),
    ] = None
    standardize: Annotated[
        bool,
        data_option(
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
        method_option(
            "N",
            "How many to keep, or the share of the variance to explain (0.95).",
            "-n",
            parser=count_or_share,
        ),
    ] = None
    threshold: Annotated[
        Any,
        method_option(
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
        method_option("", "The threshold is a share of each column's variance.", "--relative"),
    ] = False
    backward: Annotated[
        bool,
        method_option(
            "",
            "gfa, gca: begin with all columns, so that their order does not matter, or keep the "
            "most variant first, as published.",
            "--backward/--forward",
        ),
    ] = True
    keep: Annotated[Names, method_option("NAMES", "gfa: never drop these.")] = None
    prefer: Annotated[
        Names,
        method_option("NAMES", "gfa: keep these rather than others, the most wanted first."),
    ] = None
    laws: Annotated[
        bool,
        method_option(
            "",
            "gfa: whether exact laws count, too, such as logarithms, ratios and thresholds.",
            "--laws/--no-laws",
        ),
    ] = True
    prove: Annotated[
        bool,
        method_option("", "gfa, gca: search all sets of up to 20 for a smaller one.", "--prove"),
    ] = False
    degree: Annotated[
        Any,
        method_option(
            "N|auto", "The largest number of variables in a product.", parser=degree_or_auto
        ),
    ] = "2"
    family: Annotated[
        FamilyName | None,
        method_option(
            "FAMILY",
            "Which functions count: multilinear, polynomial, hermite, legendre, fourier, "
            "indicator (columns of few distinct values) or auto. By default polynomial for gfa "
            "and manifold, and multilinear for others.",
        ),
    ] = None
    alpha: Annotated[
        Any,
        method_option(
            "X|auto",
            "Shrink nonlinear functions, against overfitting; 0 is least squares.",
            parser=penalty_or_auto,
        ),
    ] = "auto"
    validation: Annotated[
        Any,
        method_option(
            "SHARE",
            "Hold out this share of the rows, and measure residuals on them, too.",
            parser=share,
        ),
    ] = None
    criterion: Annotated[
        Criterion | None,
        method_option(
            None,
            "Of gfs: columns of the largest variance, or those that explain most of all columns.",
        ),
    ] = None
    given: Annotated[
        Names, method_option("NAMES", "Of gfs, criterion gain: keep these in any case.")
    ] = None
    directions: Annotated[
        str | None,
        method_option(
            "FILE",
            "Of gfr: begin with these, a row each, under names of columns. Weights are of "
            "standardized columns, unless --same-unit.",
        ),
    ] = None
    seed: Annotated[
        int, method_option("N", "Decides which rows are held out.", min=0, max=MAX_SEED)
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
        output_option("FILE", "Write the table; - for standard output.", "--output", "-o"),
    ] = None
    output_format: Annotated[
        Format | None, output_option("FORMAT", "If its ending does not tell.")
    ] = None
    escape_formulas: Annotated[
        bool,
        output_option(
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
        bool, output_option("", "Say what a fit would cost; write nothing.", "--dry-run")
    ] = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes groups of options one parameter for each option, as typer needs.

    Parameters
    ----------
    command : callable
        A function of keywords, some of whose parameters are dataclasses of options.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        kinds = get_type_hints(groups[name], include_extras=True)
        parameters += [
            parameter.replace(name=each.name, default=each.default, annotation=kinds[each.name])
            for each in fields(groups[name])
        ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
