"""Reader and writer of model files: zip files with one JSON document and with NumPy arrays.

The reader checks every part of a file, because the file may come from anyone. Parts must not be
compressed, so that reading needs no more memory than the size of the file. The header of an array
is compared with a pattern and never evaluated as Python code. A file with parts that its document
does not list is refused.
"""

from __future__ import annotations

import json
import math
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import ModelFileError

DOCUMENT = "model.json"
"""Name of the JSON document inside the zip file."""
MAX_BYTES = 2**31 - 1
"""Largest size in bytes of a model file that is read. Larger zip files need the format Zip64."""
MAX_DOCUMENT = 2**22
"""Largest size in bytes of the JSON document. Once read, it can take 30 times as much memory."""
MAX_PARTS = 64
"""Largest number of parts (the document and the arrays) in one model file."""
DTYPES = ("<f8", "<i8")
"""Number types that an array in a model file may have: float64, and int64 for indices."""
END = struct.Struct("<4s4H2LH")
"""Binary layout of the last record of a zip file, which tells where the list of parts is."""
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<size>..)\{'descr': '(?P<dtype>[<>|]\w{1,4})', "
    rb"'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>[0-9, ]{0,60})\), \} *\n",
    re.DOTALL,
)
"""Pattern that the header of an array in NumPy's format, version 1, must match."""
MAX_HEADER = 256
"""Largest size in bytes of the header of an array."""
DAMAGE = (
    zipfile.BadZipFile,
    ValueError,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    struct.error,
    OSError,
)
"""Exceptions that Python's zip reader raises for damaged files."""

AnyArray = NDArray[Any]


def write(stream: BinaryIO, document: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write a document and arrays as a model file. Equal content is written as equal bytes.

    Parameters
    ----------
    stream : binary file
        The open file to write to.
    document : dict
        Content of the JSON document. The key "arrays", a list of all arrays, is added to it.
    arrays : dict
        From the name of each array to the array, of dtype float64 or int64.
    """
    content = {name: _in_memory_order(array) for name, array in sorted(arrays.items())}
    inventory = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)}
        for name, array in content.items()
    }
    try:
        text = json.dumps(
            {**document, "arrays": inventory},
            allow_nan=False,
            ensure_ascii=False,
            indent=1,
            sort_keys=True,
        ).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"The name of a column cannot be written as UTF-8: {error}.") from error
    with zipfile.ZipFile(stream, "w") as archive:
        _store(archive, DOCUMENT, text)
        for name, array in content.items():
            buffer = BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            _store(archive, f"{name}.npy", buffer.getbuffer())


def _in_memory_order(array: AnyArray) -> AnyArray:
    """Return the array as contiguous little-endian float64 or int64, with its memory order kept.

    The memory order (by rows or by columns) changes how BLAS rounds, so that it must be stored.
    """
    columns = array.ndim == 2 and 0 < array.strides[0] < array.strides[1]
    array = np.require(array, dtype=np.int64 if array.dtype.kind in "iu" else np.float64)
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return np.asfortranarray(array) if columns else np.ascontiguousarray(array)


def _store(archive: zipfile.ZipFile, name: str, content: bytes | memoryview) -> None:
    """Add a part to the zip file, with a fixed date and fixed permissions."""
    member = zipfile.ZipInfo(name)  # its date is 1980-01-01
    member.create_system = 3
    member.external_attr = 0o644 << 16
    archive.writestr(member, content)


class Archive:
    """A model file that is open for reading.

    Parameters
    ----------
    stream : binary file
        The open file.
    n_bytes : int
        Size of the file in bytes.
    """

    def __init__(self, stream: BinaryIO, n_bytes: int) -> None:
        _check_end(stream, n_bytes)
        try:
            self._zip = zipfile.ZipFile(stream)
            members = self._zip.infolist()
        except DAMAGE as error:
            raise ModelFileError(f"The list of its parts is damaged: {error}") from error
        self._members = {member.filename: member for member in members}
        for member in members:
            _check_member(member)
        if len(self._members) < len(members):
            raise ModelFileError("Two of its parts have the same name.")
        if sum(member.file_size for member in members) > n_bytes:
            raise ModelFileError("Its parts are larger than the file.")
        self.document = _parse(self._read(DOCUMENT, MAX_DOCUMENT))
        self.inventory = _check_inventory(self.document.pop("arrays", None))
        expected = {DOCUMENT, *(f"{name}.npy" for name in self.inventory)}
        if set(self._members) != expected:
            odd = sorted(set(self._members) ^ expected)[0]
            have = "has" if odd in self._members else "lacks"
            raise ModelFileError(f"It {have} a part {odd!r}; its list of arrays says otherwise.")

    def _read(self, name: str, limit: int) -> bytes:
        """Return the content of a part; raise if the part has more than `limit` bytes."""
        member = self._members.get(name)
        if member is None:
            raise ModelFileError(f"It lacks the part {name!r}.")
        if member.file_size > limit:
            raise ModelFileError(
                f"The part {name!r} has {member.file_size} bytes; {limit} are allowed."
            )
        try:
            with self._zip.open(member) as part:
                return part.read(limit + 1)
        except DAMAGE as error:
            raise ModelFileError(f"The part {name!r} is damaged: {error}") from error

    def array(self, name: str) -> AnyArray:
        """Read one array from the file; its name must be a key of `inventory`."""
        dtype, shape = self.inventory[name]
        n_bytes = 8 * math.prod(shape)
        content = self._read(f"{name}.npy", n_bytes + MAX_HEADER)
        found = HEADER.match(content[:MAX_HEADER])
        if (
            found is None
            or found.end() != 10 + int.from_bytes(found["size"], "little")
            or found["dtype"].decode() != dtype
            or re.findall(rb"[0-9]+", found["shape"]) != [b"%d" % size for size in shape]
            or len(content) != found.end() + n_bytes
        ):
            raise ModelFileError(
                f"The array {name!r} has another type or shape than the document says: {shape}."
            )
        values = np.frombuffer(content, dtype=dtype, offset=found.end())
        order = "F" if found["fortran"] == b"True" else "C"
        whole: AnyArray = values.reshape(shape, order=order)  # type: ignore[call-overload]
        return whole.astype(np.intp if dtype == "<i8" else np.float64, order="K")


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open a model file for reading, as a context manager that closes the file again."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe could wait forever
        raise ModelFileError("It is not a file.")
    with path.open("rb") as stream:
        yield Archive(stream, status.st_size)


def _check_end(stream: BinaryIO, n_bytes: int) -> None:
    """Raise ModelFileError if the last record of the zip file is damaged.

    The last record tells the length of the list of parts, which is checked before it is read.
    """
    if n_bytes > MAX_BYTES:
        raise ModelFileError(f"It has {n_bytes} bytes; {MAX_BYTES} are allowed.")
    if n_bytes < END.size:
        raise ModelFileError("It is too short to be a model file.")
    stream.seek(n_bytes - END.size)
    last = stream.read(END.size)
    stream.seek(0)
    if len(last) < END.size or stream.read(4) != b"PK\x03\x04":
        raise ModelFileError("It is not a model file.")
    mark, disk, first_disk, n_here, n, size, offset, comment = END.unpack(last)
    if mark != b"PK\x05\x06" or offset + size + END.size != n_bytes:
        raise ModelFileError("Its end is missing or damaged.")
    if disk or first_disk or comment or n_here != n or not 1 <= n <= MAX_PARTS:
        raise ModelFileError("The list of its parts is damaged.")
    if size > 512 * n:
        raise ModelFileError("The list of its parts is too long.")


def _check_member(member: zipfile.ZipInfo) -> None:
    """Raise ModelFileError if a part has a forbidden name, is compressed, or is encrypted."""
    if not re.fullmatch(r"[A-Za-z0-9_.]{1,60}", member.filename):
        raise ModelFileError(f"A part has a name that is not allowed: {member.filename!r}.")
    if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
        raise ModelFileError(f"The part {member.filename!r} is compressed, which is not allowed.")
    if member.flag_bits or member.extra or member.comment:
        raise ModelFileError(f"The part {member.filename!r} is stored in an unknown way.")


def _parse(text: bytes) -> dict[str, Any]:
    """Read the JSON document as a dictionary; raise ModelFileError if it is damaged."""
    try:
        document = json.loads(
            text.decode(),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise ModelFileError("Its document is nested too deeply.") from error
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"Its document is damaged: {error}") from error
    if not isinstance(document, dict):
        raise ModelFileError("Its document is not a JSON object.")
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs of key and value as a dictionary; raise if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("Its document has a key twice.")
    return found


def _refuse_constant(text: str) -> None:
    """Raise ModelFileError for NaN and Infinity, which standard JSON does not have."""
    raise ModelFileError(f"Its document has {text} where a number should be.")


def _finite(text: str) -> float:
    """Return a text as a float; raise if the number is too large for a float."""
    value = float(text)
    if not math.isfinite(value):
        raise ModelFileError(f"Its document has a number that is too large: {text[:20]}.")
    return value


def _check_inventory(arrays: Any) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the dtype and the shape of each array in the file's list of arrays, after checks."""
    if not isinstance(arrays, dict) or len(arrays) >= MAX_PARTS:
        raise ModelFileError("Its list of arrays is missing or damaged.")
    found = {}
    for name, entry in arrays.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape"}:
            raise ModelFileError(f"The entry of the array {name[:60]!r} is damaged.")
        dtype, shape = entry["dtype"], entry["shape"]
        if dtype not in DTYPES or not isinstance(shape, list) or not 1 <= len(shape) <= 2:
            raise ModelFileError(
                f"The array {name[:60]!r} has a dtype or shape that is not allowed."
            )
        if any(type(size) is not int or not 0 <= size <= MAX_BYTES for size in shape):
            raise ModelFileError(f"The shape of the array {name[:60]!r} is damaged.")
        found[name] = (dtype, tuple(shape))
    return found
