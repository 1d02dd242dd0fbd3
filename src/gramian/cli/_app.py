"""Application of the command line: all commands, and the options before the command's name."""

from __future__ import annotations

from typing import Annotated

import typer

import gramian
from gramian.cli._check_command import check
from gramian.cli._compare_command import compare
from gramian.cli._errors import Settings, guarded, printing
from gramian.cli._explain_command import explain
from gramian.cli._fit_commands import extract, select
from gramian.cli._help import with_short_help
from gramian.cli._inspect_command import inspect
from gramian.cli._model_commands import apply, reconstruct
from gramian.cli._options import option
from gramian.cli._relations_command import relations
from gramian.cli._report_command import report

app = typer.Typer(
    help="Feature extraction and selection that see nonlinear redundancy.",
    epilog="Exit codes: 0 fine, 1 a law that does not hold, 2 a wrong command, 3 data or a model "
    "that cannot be used, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    """Print the version and end the program, if `wanted` is True."""
    if wanted:
        typer.echo(gramian.__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        option(None, "", "Print the version.", "--version", callback=print_version, is_eager=True),
    ] = False,
    debug: Annotated[
        bool,
        option(None, "", "Show where an error comes from.", "--debug", envvar="GRAMIAN_DEBUG"),
    ] = False,
) -> None:
    """Feature extraction and selection that see nonlinear redundancy."""
    Settings.debug = debug


@guarded
def demo() -> None:
    """Show what the library does, with example data of scikit-learn."""
    from gramian.demo import main

    with printing():
        main()


REDUCE, USE = "Reduce a table", "Use a model"
LAWS, ABOUT = "Laws of a table", "See and try"
"""Headings of the groups of commands in the help."""
SELECT = "target id columns exclude n keep exceptions output model json time_limit"
EXTRACT = "target id columns exclude algorithm n degree output model json"
REPORT = "columns exclude keep groups format algorithm n against output title time_limit"
APPLY = "target id output json quiet"
CHECK = "allow output repair save junit json quiet time_limit"
"""Options that --help shows; --help-all shows the others, too."""
COMMANDS = (
    (select, REDUCE, "select data.csv --target label -o kept.csv -m model.gram", SELECT),
    (extract, REDUCE, "extract data.parquet -n 0.95 -o components.parquet", EXTRACT),
    (report, REDUCE, "report data.csv -o report.html", REPORT),
    (apply, USE, "apply model.gram new.csv -o kept_new.csv", APPLY),
    (reconstruct, USE, "reconstruct model.gram kept.csv -o all.csv", APPLY),
    (explain, USE, "explain model.gram data.csv", ""),
    (relations, LAWS, "relations data.csv -o laws.json", ""),
    (check, LAWS, "check laws.json tomorrow.csv -o broken.csv", CHECK),
    (compare, LAWS, "compare monday.csv tuesday.csv", ""),
    (inspect, ABOUT, "inspect data.csv.gz", ""),
    (demo, ABOUT, "demo", ""),
)
"""All commands: function, heading of its group in the help, an example of its use, and the options
of its short help; an empty text is for commands that show all."""
for command, panel, example, often in COMMANDS:
    run, kind = with_short_help(command, often)
    epilog = f"Example: [cyan]gramian {example}[/cyan]"
    app.command(cls=kind, rich_help_panel=panel, epilog=epilog)(run)
