"""Files of commands: open tables and models for reading, check and open output files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramian._support.writing import check_target, replacing
from gramian.cli._errors import CommandError, UsageError, writing
from gramian.cli._options import Reading, TableOutput
from gramian.exceptions import DelimiterError, FormatError
from gramian.tables import (
    DELIMITERS,
    TEXT,
    Format,
    Table,
    TextStyle,
    Writer,
    folder_read,
    format_of,
    open_output,
    open_table,
)

if TYPE_CHECKING:
    from gramian.tabular import TableModel

STANDARD = "-"
"""File name that stands for standard input or standard output on the command line."""


def open_input(path: str, reading: Reading) -> Table:
    """Open a table for reading.

    Parameters
    ----------
    path : str
        The file, a folder of Parquet files, or "-" for standard input.
    reading : Reading
        Options for reading the table.
    """
    if path != STANDARD and Path(path).is_file():
        _format(path, reading.format, "--format")
    try:
        return open_table(sys.stdin.buffer if path == STANDARD else path, **vars(reading))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}" if path else str(error)) from None
    except DelimiterError as error:
        shown = r"\t" if error.delimiter == "\t" else error.delimiter
        raise CommandError(f"{error} Say --delimiter '{shown}'") from error


def load_model(path: str) -> TableModel:
    """Read a model file that the command or Python code has written.

    Parameters
    ----------
    path : str
        The model file.
    """
    from gramian.tabular import read_model

    try:
        return read_model(path)
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}") from None


@contextmanager
def writing_model(model: TableModel, path: str | None) -> Iterator[None]:
    """Write a model file that appears only if the block, which writes other files, has no error.

    A model that cannot be written is an error before the block.

    Parameters
    ----------
    model : TableModel
        The model.
    path : str or None
        The file; None if there is none to write.
    """
    if path is None:
        yield
        return
    with writing(path), replacing(path) as stream:
        model.save(stream)
        yield


def _format(path: str, given: Format | None, option: str) -> Format:
    try:
        return format_of(path, given)
    except FormatError as error:
        raise UsageError(f"{error} Say {option} csv, or one of {', '.join(Format)}") from error


def output_format(output: TableOutput) -> Format:
    """Return the file format in which a command writes its table.

    The default on standard output is CSV; otherwise the ending of the file decides.

    Parameters
    ----------
    output : TableOutput
        Options for the table to write.
    """
    if output.output in (None, STANDARD):
        return output.output_format or Format.csv
    return _format(output.output, output.output_format, "--output-format")


def check_outputs(inputs: Sequence[str | None], outputs: Sequence[str | None]) -> None:
    """Raise UsageError if an output file cannot be written, before any work is done.

    Parameters
    ----------
    inputs : sequence of str or None
        Files that the command reads.
    outputs : sequence of str or None
        Files that the command will write.
    """
    read = [path for path in inputs if path is not None and path != STANDARD]
    taken = {os.path.realpath(path) for path in read}
    for path in outputs:
        if path is None or path == STANDARD:
            continue
        try:
            check_target(path)
        except OSError as error:
            raise UsageError(str(error)) from error
        if os.path.realpath(path) in taken:
            raise UsageError(
                f"{path} is named twice; a file that is written must not be another file of the "
                "command"
            )
        if folder := folder_read(path, read):
            raise UsageError(
                f"{path} is in the folder {folder}, whose Parquet files the command reads as one "
                "table: write the file elsewhere"
            )
        taken.add(os.path.realpath(path))


def style_of(table: Table, output: TableOutput) -> TextStyle:
    """Return the style of the text file that is written: that of the table if it is one.

    A file of the same format is written as the file that was read.

    Parameters
    ----------
    table : Table
        The table that is read.
    output : TableOutput
        Options for the table to write.
    """
    format = output_format(output)
    if table.style is not None and table.format is format:
        return table.style
    return TextStyle(DELIMITERS.get(format, ","))


@contextmanager
def open_target(output: TableOutput, schema: Any, style: TextStyle) -> Iterator[Writer]:
    """Open a table for writing; the file is created only if the block ends without an error.

    Parameters
    ----------
    output : TableOutput
        Options for the table to write.
    schema : pyarrow.Schema
        Names and types of the columns.
    style : TextStyle
        How a text file is written.
    """
    path, format = output.output or STANDARD, output_format(output)
    standard = path == STANDARD
    if standard and format not in TEXT and sys.stdout.isatty():
        raise UsageError(
            f"a terminal cannot show {format}; name a file with -o, or say --output-format csv"
        )
    with (
        writing("standard output" if standard else path),  # errors of reading are TableErrors
        open_output(
            sys.stdout.buffer if standard else path,
            schema,
            format,
            escape_formulas=output.escape_formulas,
            style=style,
        ) as writer,
    ):
        yield writer
