"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def temporary_for(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside the file to write to, and rename it to the file when all went well.

    Whatever ends the block early leaves the old file as it was, and nothing beside it.

    Parameters
    ----------
    path : path
        The file.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name[:200]}.{uuid4().hex}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be written as `temporary_for` does; it is on the disk when it is renamed.

    Parameters
    ----------
    path : path
        The file.
    """
    with temporary_for(path) as temporary, temporary.open("xb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
