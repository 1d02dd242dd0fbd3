"""Which format a file has: by option, by ending, or by its first bytes."""

from __future__ import annotations

from pathlib import PurePath

from gramian.cli._errors import USAGE, CommandError
from gramian.cli._options import Format

STANDARD = "-"
"""The name of standard input and output."""
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
"""Formats in which values are text, and which may be compressed as a whole."""
ARRAYS = (Format.npy, Format.npz)
"""Formats that hold numbers only."""
DELIMITERS = {Format.csv: ",", Format.tsv: "\t"}


def compression_of(path: str) -> str | None:
    """Return how a file is compressed, by its ending."""
    return COMPRESSIONS.get(PurePath(path).suffix.lower())


def format_of(path: str, given: Format | None, option: str = "--format") -> Format:
    """Return the format of a file, by option or ending.

    Parameters
    ----------
    path : str
        The file; standard input and output are CSV unless said otherwise.
    given : Format or None
        What the user says.
    option : str, default="--format"
        Where they can say it.
    """
    if given is None and path == STANDARD:
        return Format.csv
    compressed = compression_of(path) is not None
    inner = PurePath(PurePath(path).stem) if compressed else PurePath(path)
    found = given or ENDINGS.get(inner.suffix.lower())
    if found is None:
        raise CommandError(
            f"the format of {path} is not clear from its ending; say {option} csv, or one of "
            f"{', '.join(Format)}",
            USAGE,
        )
    if compressed and found not in TEXT:
        raise CommandError(
            f"{path}: only CSV and TSV files can be compressed as a whole; {found} files are "
            "compressed inside or not at all",
            USAGE,
        )
    return found


def format_of_bytes(head: bytes) -> Format:
    """Return the format of standard input by its first bytes.

    Parameters
    ----------
    head : bytes
        The first bytes.
    """
    for beginning, found in BEGINNINGS.items():
        if head.startswith(beginning):
            return found
    return Format.csv


def compression_of_bytes(head: bytes) -> str | None:
    """Return how data are compressed, by their first bytes.

    Parameters
    ----------
    head : bytes
        The first bytes.
    """
    for beginning, found in COMPRESSED_BEGINNINGS.items():
        if head.startswith(beginning):
            return found
    return None
