"""The command ``gramian``."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command; the entry point of ``gramian`` and ``python -m gramian``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names and formulas are not all ASCII
    try:
        from gramian.cli._app import app

        app(prog_name="gramian")
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "pyarrow"):
            raise
        sys.exit(f'gramian: the command needs {error.name}: pip install "gramian[cli]"')
    except KeyboardInterrupt:  # before any command has begun
        sys.exit(130)
