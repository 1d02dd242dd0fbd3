"""Errors of commands: each error prints a sentence instead of a traceback, and has an exit code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer

from gramian.exceptions import FormatError

BROKEN, USAGE, DATA, INTERRUPTED, CLOSED_PIPE = 1, 2, 3, 130, 141
"""Exit codes of the command: a law that does not hold, wrong command, unusable data or model,
Ctrl-C, closed pipe."""
NEEDED = ("pyarrow", "rich", "typer")
"""Packages that every command needs; they belong to the extra "cli"."""
P = ParamSpec("P")


class Settings:
    """Values of the options that stand before the name of the command."""

    debug = False
    """True if errors show a traceback."""


class CommandError(Exception):
    """Error for data or a model that cannot be used.

    The text says what is wrong, where, and what to do.
    """

    code = DATA
    """The exit code of the command after this error."""


class UsageError(CommandError):
    """Error for options or files with which the command cannot be run."""

    code = USAGE


class OutputError(UsageError):
    """Error for an output that cannot be written, for example because the disk is full.

    Parameters
    ----------
    where : str
        The path of the file, or "standard output".
    error : OSError
        The error of the operating system.
    """

    def __init__(self, where: str, error: OSError) -> None:
        super().__init__(f"{where} cannot be written: {error.strerror or error}")


def printable(text: str) -> str:
    r"""Return a text that is safe to print: each control character is escaped, a line break as \n.

    Parameters
    ----------
    text : str
        The text, which may contain names of columns from a file.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def say(sentence: str) -> None:
    """Print a line on standard error, after the prefix "gramian: ".

    Parameters
    ----------
    sentence : str
        The text of the line.
    """
    typer.echo(f"gramian: {printable(sentence)}", err=True)


@contextmanager
def printing() -> Iterator[None]:
    """Turn an OSError in the block into an OutputError: "standard output cannot be written"."""
    try:
        with writing("standard output"):
            yield
    except OutputError:
        discard_output()
        raise


@contextmanager
def writing(where: str) -> Iterator[None]:
    """Turn an OSError in the block into an OutputError, except for a closed pipe.

    Parameters
    ----------
    where : str
        The path of the file that the block writes, or "standard output".
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(where, error) from error


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Decorate a command: if it fails, it prints a sentence and ends with an exit code.

    This concerns errors that the library raises on purpose: about values, files, missing packages
    and memory. Any other error is a bug in gramian, and shows its traceback.

    Parameters
    ----------
    command : callable
        The function that runs the command.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                command(*args, **kwargs)
            with printing():
                sys.stdout.flush()  # raises an error if the pipe is closed
        except KeyboardInterrupt:
            _leave("interrupted; no file is left half-written", INTERRUPTED)
        except BrokenPipeError:
            discard_output()
            raise typer.Exit(CLOSED_PIPE) from None
        except CommandError as error:
            _leave(str(error), error.code)
        except FormatError as error:
            _leave(str(error), USAGE)
        except MemoryError as error:
            _leave(f"there is not enough memory. {error} --dry-run tells what a fit needs.", DATA)
        except ValueError as error:
            _leave(*_told(error))
        except (OSError, ImportError, ArithmeticError) as error:
            _leave(_sentence(error), DATA)

    return run


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    say(f"warning: {str(message).splitlines()[0]}")


def _told(error: ValueError) -> tuple[str, int]:
    """Return the message and the exit code of a ValueError.

    The message names options as the command spells them: "--degree" in place of "degree".
    """
    from gramian.cli._wording import spelled
    from gramian.tabular import OptionError, RefusalError

    if not isinstance(error, RefusalError):
        return _sentence(error), DATA
    return error.worded(spelled), USAGE if isinstance(error, OptionError) else DATA


def _sentence(error: BaseException) -> str:
    """Return the first line of an error's message, with the name of the file if there is one."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ModuleNotFoundError) and error.name in NEEDED:
        return f'the command needs {error.name}: pip install "gramian[cli]"'
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _leave(sentence: str, code: int) -> Any:
    """Print a sentence on standard error, and end the command with an exit code."""
    if Settings.debug:
        traceback.print_exc()
    say(sentence)
    raise typer.Exit(code) from None


def discard_output() -> None:
    """Discard output that is not yet written, so that Python prints no error when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # standard output is not a file
        pass
