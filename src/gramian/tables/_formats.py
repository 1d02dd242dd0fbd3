"""Formats of files, by their ending or by their first bytes."""

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
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
BEGINNINGS = {
    b"PAR1": Format.parquet,
    b"ARROW1": Format.feather,
    b"\x93NUMPY": Format.npy,
    b"PK\x03\x04": Format.npz,
}
COMPRESSED_BEGINNINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
TEXT = (Format.csv, Format.tsv)
"""Formats whose values are text; such files may be compressed as a whole."""
ARRAYS = (Format.npy, Format.npz)
"""Formats that hold numbers only."""
DELIMITERS = {Format.csv: ",", Format.tsv: "\t"}


def compression_of(path: str | os.PathLike[str]) -> str | None:
    """Return the compression of a file by its ending; None if it has none."""
    return COMPRESSIONS.get(PurePath(path).suffix.lower())


def folder_read(
    path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]
) -> str | os.PathLike[str] | None:
    """Return the input folder that would contain a Parquet file to be written; None if no folder.

    Parameters
    ----------
    path : path
        The file to be written.
    inputs : iterable of paths
        The files and folders that are read.
    """
    if ENDINGS.get(PurePath(path).suffix.lower()) is not Format.parquet:
        return None
    parents = Path(os.path.realpath(path)).parents
    return next((each for each in inputs if Path(os.path.realpath(each)) in parents), None)


def format_of(path: str | os.PathLike[str], given: Format | None = None) -> Format:
    """Return the format of a file, by its ending unless the user gives it.

    Parameters
    ----------
    path : path
        The file, or a folder, which holds Parquet files.
    given : Format, optional
        The format that the user gives.
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
    """Return the format of data from a pipe, by its first bytes; CSV if they are unknown."""
    known = (found for beginning, found in BEGINNINGS.items() if head.startswith(beginning))
    return next(known, Format.csv)


def compression_of_bytes(head: bytes) -> str | None:
    """Return the compression of data by their first bytes; None if they have none."""
    known = (found for start, found in COMPRESSED_BEGINNINGS.items() if head.startswith(start))
    return next(known, None)
