"""The help of a command: --help shows the options that most users need, --help-all shows all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from gramian.cli._options import add_option, option


def print_whole_help(context: typer.Context, wanted: bool) -> None:
    """Print the help with all options and end the program, if `wanted` is True."""
    if wanted and not context.resilient_parsing:
        # The method of the parent class: that of CommandWithShortHelp leaves options out.
        TyperCommand.format_help(context.command, context, context.make_formatter())  # type: ignore[arg-type]
        raise typer.Exit


HelpAll = Annotated[
    bool,
    option(None, "", "Show all options.", "--help-all", callback=print_whole_help, is_eager=True),
]


class CommandWithShortHelp(TyperCommand):
    """Command with many options, of which --help shows some."""

    often: Collection[str] = ()
    """Names of the options that --help shows."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help with the arguments and the options of `often`."""
        short = copy.copy(self)
        short.params = [
            each
            for each in self.params
            if each.param_type_name == "argument" or each.name in self.often
        ]
        TyperCommand.format_help(short, ctx, formatter)


def with_short_help(
    command: Callable[..., None], often: str
) -> tuple[Callable[..., None], type[TyperCommand]]:
    """Return a command that has the option --help-all, and the class of its help.

    Parameters
    ----------
    command : callable
        The function that runs the command, with keyword parameters.
    often : str
        Names of the options that --help shows, with spaces between them. If it is empty, --help
        shows all, and there is no --help-all.
    """
    if not often:
        return command, TyperCommand

    @wraps(command)
    def run(*, help_all: bool, **given: Any) -> None:
        command(**given)

    add_option(run, command, "help_all", False, HelpAll)
    shown = frozenset(["help_all", *often.split()])
    return run, type("Command", (CommandWithShortHelp,), {"often": shown})
