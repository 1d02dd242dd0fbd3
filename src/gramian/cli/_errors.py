"""Errors of commands: a sentence instead of a traceback, and exit codes."""

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

DATA, USAGE, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141
"""Exit codes: unusable data or model, wrong command, Ctrl-C, closed pipe."""
NEEDED = ("pyarrow", "rich", "typer")
"""Packages that every command needs."""
P = ParamSpec("P")


class Settings:
    """Options before the name of the command."""

    debug = False
    """True if errors show a traceback."""


class CommandError(Exception):
    """Data or a model that cannot be used; the text says what is wrong, where, and what to do."""

    code = DATA
    """The exit code."""


class UsageError(CommandError):
    """Options or files that make the command impossible."""

    code = USAGE


def printable(text: str) -> str:
    r"""Return text without control characters for a terminal: a line break becomes \n.

    Parameters
    ----------
    text : str
        The text, which may contain names from a file.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def say(sentence: str) -> None:
    """Print a line on standard error.

    Parameters
    ----------
    sentence : str
        The line.
    """
    typer.echo(f"gramian: {printable(sentence)}", err=True)


@contextmanager
def printing() -> Iterator[None]:
    """Turn errors of writing to standard output into a message that names it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise CommandError(
            f"standard output cannot be written: {error.strerror or error}"
        ) from error


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command end with a sentence and an exit code if it fails.

    Errors that the library raises on purpose (about values, files, missing packages, memory) have
    a sentence as text. Any other error is a bug in gramian, and shows its traceback.

    Parameters
    ----------
    command : callable
        The command.
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
    """Return the message of an error about values, with options of the command, and its code."""
    from gramian.cli._wording import spelled
    from gramian.tabular import OptionError, RefusalError

    if not isinstance(error, RefusalError):
        return _sentence(error), DATA
    return error.worded(spelled), USAGE if isinstance(error, OptionError) else DATA


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ModuleNotFoundError) and error.name in NEEDED:
        return f'the command needs {error.name}: pip install "gramian[cli]"'
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _leave(sentence: str, code: int) -> Any:
    if Settings.debug:
        traceback.print_exc()
    say(sentence)
    raise typer.Exit(code) from None


def discard_output() -> None:
    """Discard the rest of the buffer, so that Python shows no error when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # standard output is not a file
        pass
