"""The command ``gramian``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; the entry point of ``gramian`` and ``python -m gramian``."""
    try:
        from gramian.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f'gramian: the command needs {error.name}: pip install "gramian[cli]"')
    app()
