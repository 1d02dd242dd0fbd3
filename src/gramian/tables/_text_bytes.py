"""Bytes of a text file, uncompressed, which can be read several times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from gramian.tables._formats import compression_of, compression_of_bytes

HEAD_BYTES = 2**20
"""Number of bytes at the beginning of a file from which the types of its columns are guessed."""
WHOLE_BLOCK_BYTES = 2**22
"""Number of bytes that are parsed at once when a file is read as a whole."""
ENDS_OF_LINES = b"\r\n"
BLANK_ENDS = (b"\n\n", b"\r\r", b"\n\r\n")
"""Ends of a file whose last line is empty."""


class TextBytes:
    """Content of a text file, uncompressed.

    Parameters
    ----------
    source : Path or bytes
        Path of the file, or its content; both may be compressed.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._source = source

    def open(self) -> Any:
        """Open the file as a stream of uncompressed bytes."""
        if isinstance(self._source, bytes):
            stream = pa.BufferReader(self._source)
            compression = compression_of_bytes(self._source[:4])
        else:
            stream = pa.OSFile(str(self._source))
            compression = compression_of_bytes(stream.read(4), compression_of(self._source))
            stream.seek(0)
        return stream if compression is None else pa.CompressedInputStream(stream, compression)

    def parts(self, n_bytes: int) -> Iterator[bytes]:
        """Yield the content in parts of `n_bytes` bytes; the last part may be shorter."""
        with self.open() as stream:
            while part := stream.read(n_bytes):
                yield part

    def body(self, named: bool) -> Iterator[bytes]:
        """Yield the content in parts, without the first line if it has the names of columns."""
        parts = self.parts(HEAD_BYTES)
        first = next(parts, b"")
        yield first[first.find(b"\n") + 1 :] if named else first
        yield from parts

    def head(self, n_bytes: int) -> tuple[bytes, bool]:
        """Return the first complete lines, about `n_bytes`, and True if they are the whole file."""
        head = bytearray()
        for part in self.parts(n_bytes):
            head += part
            end = max(head.rfind(b"\n"), head.rfind(b"\r"))
            if len(head) >= n_bytes and end >= 0:
                return bytes(head[: end + 1]), False
        return bytes(head), True

    def without_blank_ends(self) -> TextBytes:
        """Return the content without empty lines at the beginning, and one at the end.

        In a file of one column, an empty line between other lines is a row with a missing cell.
        """
        first, last = b"", b""
        for part in self.parts(WHOLE_BLOCK_BYTES):
            first, last = first or part[:1], (last + part)[-3:]
        if first not in ENDS_OF_LINES and not last.endswith(BLANK_ENDS):
            return self
        content = b"".join(self.parts(WHOLE_BLOCK_BYTES)).lstrip(ENDS_OF_LINES)
        if content.endswith(BLANK_ENDS):
            content = content[: -2 if content.endswith(b"\r\n") else -1]
        return TextBytes(content)
