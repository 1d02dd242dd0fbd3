"""Output of commands: tables on a terminal, plain text in a pipe, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gramian.cli._errors import printable, printing

WIDE = 10_000
"""Width of the page, in letters, if output goes to a file or a pipe: lines are not broken there."""


def print_json(document: dict[str, Any]) -> None:
    """Print a dictionary as JSON on standard output.

    Parameters
    ----------
    document : dict
        The content; arrays become lists, and numbers that are not finite become null.
    """
    text = json.dumps(_finite(document), indent=2, allow_nan=False)
    with printing():
        typer.echo(text)


def _finite(value: Any) -> Any:
    """Return a value in JSON's types: arrays become lists, NaN and infinity become None."""
    if isinstance(value, dict):
        return {str(key): _finite(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def four_digits(value: float) -> str:
    """Return a number as text with four significant digits.

    Parameters
    ----------
    value : float
        The number.
    """
    return f"{value:.4g}"


class _Console(Console):
    """Console of Rich that raises BrokenPipeError if the reader of its pipe has closed it.

    Rich itself would end the program; the decorator `guarded` handles the error instead.
    """

    def on_broken_pipe(self) -> None:
        """Raise an error in place of ending the program."""
        raise BrokenPipeError


class Page:
    """Printer of lines and tables for people.

    Parameters
    ----------
    stream : text stream, optional
        The stream to print to; by default standard output.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        stream = stream or sys.stdout
        self._console = _Console(file=stream, highlight=False, soft_wrap=True)
        self.is_terminal = self._console.is_terminal
        if not self.is_terminal:
            self._console.width = WIDE  # so that Rich cuts no cell

    def _print(self, text: Text | Table, **options: Any) -> None:
        with printing():
            self._console.print(text, **options)

    def line(self, text: str = "", style: str = "") -> None:
        """Print a line of text.

        Parameters
        ----------
        text : str
            The text; markup of Rich, such as [bold], is printed literally.
        style : str
            The style of the text on a terminal, such as "bold".
        """
        self._print(Text(printable(text), style=style))

    def words(self, label: str, words: Sequence[str], indent: str) -> None:
        """Print words after a label, broken between words at the width of a terminal.

        Parameters
        ----------
        label : str
            The beginning of the first line.
        words : sequence of str
            The words; no word is broken.
        indent : str
            The beginning of each further line.
        """
        line = label
        for word in map(printable, words):
            if len(line) + 1 + len(word) > self._console.width and line.strip():
                self.line(line)
                line = indent + word
            else:
                line = f"{line} {word}"
        self.line(line)

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
    ) -> None:
        """Print a table with headings.

        Parameters
        ----------
        heads : sequence of str
            The headings of the columns.
        rows : sequence of sequences of str
            The cells of each row; markup of Rich, such as [bold], is printed literally.
        left : sequence of int
            Indices of the columns that are aligned left (text); others are aligned right (numbers).
        """
        grid = Table(
            box=box.SIMPLE_HEAD if self.is_terminal else None,
            header_style="bold",
            pad_edge=False,
            padding=(0, 2, 0, 0),
        )
        for i, head in enumerate(heads):
            grid.add_column(
                head,
                justify="left" if i in left else "right",
                overflow="fold",
                no_wrap=not self.is_terminal,
            )
        for row in rows:
            grid.add_row(*(Text(printable(cell)) for cell in row))
        if self.is_terminal:
            self._print(grid, soft_wrap=False)
            return
        with self._console.capture() as captured:
            self._console.print(grid, soft_wrap=False, crop=False)
        for line in captured.get().splitlines():
            self._print(Text(line.rstrip()))
