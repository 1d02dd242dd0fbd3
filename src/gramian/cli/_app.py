"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

import gramian
from gramian.cli._reproduce import reproduce

app = typer.Typer(
    help="Feature extraction and selection that see nonlinear redundancy.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def print_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(gramian.__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Feature extraction and selection that see nonlinear redundancy."""


app.command()(reproduce)
