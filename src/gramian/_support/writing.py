"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise an error, before any work is done, if a file cannot be written.

    Parameters
    ----------
    path : path
        The file.
    """
    target = Path(path)
    folder = Path(os.path.realpath(path)).parent if target.is_symlink() else target.parent
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file to write to.")
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}.")
    # os.access allows root to write to all files; the mode also protects read-only files from root.
    if target.exists() and not (target.stat().st_mode & WRITABLE and os.access(path, os.W_OK)):
        raise PermissionError(
            f"{path} is read-only, and stays as it is: name another file, or make it writable."
        )
    if (target.is_file() or not target.exists()) and not os.access(folder, os.W_OK):
        raise PermissionError(f"{path} cannot be written: the folder {folder} is read-only.")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces an older file only if no error occurs.

    After an error or an interruption, the old file is unchanged and no other file remains. The new
    file is flushed to the disk before it is renamed, and has the mode of the old file. Devices and
    named pipes are written to directly.

    Parameters
    ----------
    path : path
        The file.
    """
    check_target(path)
    path = Path(os.path.realpath(path))  # a link stays a link
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    temporary = path.with_name(f".{path.name[:200]}.{uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as stream:
            if path.exists():  # set the mode before any data are in the file
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
