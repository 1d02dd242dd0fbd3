"""Recognition of the format and the compression of a file, by its ending or its first bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

from gramian._support.formats import Format as Format
from gramian.exceptions import FormatError

ENDINGS = {
    ".csv": Format.csv,
    ".tsv": Format.tsv,
    ".tab": Format.tsv,
    ".parquet": Format.parquet,
    ".pq": Format.parquet,
    ".feather": Format.feather,
    ".arrow": Format.feather,
    ".ipc": Format.feather,
    ".npy": Format.npy,
    ".npz": Format.npz,
}
"""From the ending of a file name to the format of the file."""
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""From the ending of a compressed file to the name of its compression."""
BEGINNINGS = {
    b"PAR1": Format.parquet,
    b"ARROW1": Format.feather,
    b"\x93NUMPY": Format.npy,
    b"PK\x03\x04": Format.npz,
}
"""From the first bytes of a file to the format of the file."""
COMPRESSED_BEGINNINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""From the first bytes of a compressed file to the name of its compression."""
TEXT = (Format.csv, Format.tsv)
"""Formats of text files, which may be compressed as a whole."""
ARRAYS = (Format.npy, Format.npz)
"""Formats of NumPy files, in which all columns are numbers."""
DELIMITERS = {Format.csv: ",", Format.tsv: "\t"}
"""Usual separator between the values of each text format."""


def compression_of(path: str | os.PathLike[str]) -> str | None:
    """Return the compression that the ending of a path tells; None if not compressed."""
    return COMPRESSIONS.get(PurePath(path).suffix.lower())


def folder_read(
    path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]
) -> str | os.PathLike[str] | None:
    """Return the input folder in which a Parquet file would be written; None if there is none.

    Such a file would become a part of the table that is read from the folder.

    Parameters
    ----------
    path : path
        Path of the file to be written.
    inputs : iterable of paths
        Files and folders from which tables are read.
    """
    if ENDINGS.get(PurePath(path).suffix.lower()) is not Format.parquet:
        return None
    parents = Path(os.path.realpath(path)).parents
    return next((each for each in inputs if Path(os.path.realpath(each)) in parents), None)


def format_of(path: str | os.PathLike[str], given: Format | None = None) -> Format:
    """Return the format of a file: the user's choice, or the format that its ending tells.

    Parameters
    ----------
    path : path
        Path of a file, or of a folder of Parquet files.
    given : Format, optional
        The user's choice; None to recognize the format by the ending.
    """
    compressed = compression_of(path) is not None
    inner = PurePath(PurePath(path).stem) if compressed else PurePath(path)
    found = given or ENDINGS.get(inner.suffix.lower())
    if found is None and Path(path).is_dir():
        return Format.parquet
    if found is None:
        raise FormatError(
            f"The format of {path} is not clear from its ending, which should be one of "
            f"{', '.join(ENDINGS)}, or .csv.gz and the like."
        )
    if compressed and found not in TEXT:
        raise FormatError(
            f"{path}: only CSV and TSV files can be compressed as a whole; {found} files are "
            "compressed inside or not at all."
        )
    return found


def format_of_bytes(head: bytes) -> Format:
    """Return the format that the first bytes of a file or stream tell; CSV if they are unknown."""
    known = (found for beginning, found in BEGINNINGS.items() if head.startswith(beginning))
    return next(known, Format.csv)


def compression_of_bytes(head: bytes, expected: str | None = None) -> str | None:
    """Return the compression that the first bytes of a file tell; None if not compressed.

    Parameters
    ----------
    head : bytes
        The first four bytes, or all bytes of a shorter file.
    expected : str, optional
        The compression that the ending of the file tells. Then a file which is so short that it
        ends within the signs of this compression is compressed, too, and cut short.
    """
    for start, found in COMPRESSED_BEGINNINGS.items():
        cut_short = found == expected and head != b"" and start.startswith(head)
        if head.startswith(start) or cut_short:
            return found
    return None
