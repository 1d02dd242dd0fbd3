"""The command ``gramian``: its subcommands, their options, and their output.

Open `_app.py` first, which lists all subcommands; `_fit_commands.py` holds `select` and `extract`.
"""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from typing import NoReturn


def main() -> None:
    """Run the command line. This is the entry point of ``gramian`` and ``python -m gramian``."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed the stream
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names and formulas are not all ASCII
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    try:
        from gramian.cli._app import app

        app(prog_name="gramian")
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "pyarrow"):
            raise
        text = f'gramian: the command needs {error.name}: pip install "gramian[cli]"'
        print(text, file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:  # Ctrl-C before a command begins
        sys.exit(130)
    except OSError as error:  # a help text or the rest of the output cannot be written
        from gramian.cli._errors import discard_output

        discard_output()
        print(f"gramian: standard output cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(2)


def _leave(number: int, frame: object) -> NoReturn:
    """End the program on a signal by raising SystemExit, so that half-written files are removed."""
    raise SystemExit(128 + number)
