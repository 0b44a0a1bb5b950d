"""Files of weights that PyTorch wrote, read without PyTorch and without unpickling.

Both forms are read: the zip archive of today and the row of pickles before PyTorch 1.6. What a file
says about its sizes is compared with its length before anything is allocated.
"""

from __future__ import annotations

import os
import reprlib
import struct
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.safetensors_weights import (
    check_shapes,
    read_safetensors,
    widen_bfloat16,
)
from conceptforest.features.tensor_pickle import MAX_PICKLE, Storage, Tensor, interpret, refuse

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import BinaryIO

    from numpy.typing import NDArray

__all__ = ["MAX_BYTES", "read_torch_weights", "read_weights"]

# A file: a billion numbers in single precision.
MAX_BYTES = 2**32

_DTYPES = {
    "FloatStorage": "f4",
    "HalfStorage": "f2",
    "DoubleStorage": "f8",
    "LongStorage": "i8",
    "IntStorage": "i4",
    "ShortStorage": "i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "u1",
    "BFloat16Storage": "u2",
}
_ENCRYPTED = 0x1  # flag bit of a zip member
_MAX_MEMBERS = 200_000
_OLD_MAGIC = 0x1950A86A20F9469CFC6C  # the number that old files start with
_OLD_PROTOCOL = 1001
_SHORT_PICKLE = 2**12  # bytes; those before the list take about a hundred
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    ValueError,
)


def read_torch_weights(
    path: str | os.PathLike[str],
    wanted: Container[str] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> dict[str, NDArray[Any]]:
    """Read the tensors of a PyTorch ``state_dict`` file (``.pth``, ``.pt``, ``.bin``).

    Parameters
    ----------
    path : str or path-like
    wanted : container of str, default=None
        Names of the tensors to read; all for None.
    shapes : mapping of str to tuple, default=None
        Tensors that must be there, with their shapes; looked at before any data are read.

    Returns
    -------
    dict of str to ndarray
        In the order of the file. bfloat16, which NumPy has not, becomes float32. The arrays may
        be views of one another, and cannot be written to.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, too large, holds anything but tensors by name, or not those of
        `shapes`; the message says what.

    Examples
    --------
    >>> read_torch_weights("weights.pth")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'weights.pth'. Give the name of a file of weights.
    """
    advice = "Save the state_dict of a network, and nothing else, with torch.save or safetensors."
    with _opened(path, advice) as file:
        head = file.read(4)
        file.seek(0)
        reader = _read_zip if head.startswith(b"PK") else _read_old
        return reader(file, wanted, shapes)


def read_weights(
    path: str | os.PathLike[str],
    wanted: Container[str] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> dict[str, NDArray[Any]]:
    """Read weights by name, from ``.safetensors`` or from a file that PyTorch wrote.

    Parameters
    ----------
    path : str or path-like
        A name that ends in ``.safetensors`` is read as such, any other as PyTorch's.
    wanted : container of str, default=None
        Names of the tensors to read; all for None.
    shapes : mapping of str to tuple, default=None
        Tensors that must be there, with their shapes; looked at before any data are read.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, too large, holds anything but tensors by name, or not those of
        `shapes`.

    Examples
    --------
    >>> read_weights("weights.safetensors")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'weights.safetensors'. Give the name of a file of weights.
    """
    if Path(_checked(path)).suffix.lower() != ".safetensors":
        return read_torch_weights(path, wanted, shapes)
    with _opened(path, "Copy the file again, or write it again with safetensors.") as file:
        return read_safetensors(file, wanted, shapes)


def _checked(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(path).__name__}; give the name of a file.")
    return path


@contextmanager
def _opened(path: str | os.PathLike[str], advice: str) -> Iterator[BinaryIO]:
    """Open a regular file of bearable size; what goes wrong inside is told with its name."""
    shown = repr(str(_checked(path)))
    try:
        file = open_regular(Path(path))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"There is no file {shown}. Give the name of a file of weights."
        ) from None
    except OSError as error:
        why = f"cannot be opened ({error.strerror})" if error.strerror else "is no regular file"
        raise ValueError(f"{shown} {why}. Give the name of a file of weights.") from error
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_BYTES:
            raise ValueError(
                f"{shown} has {size:,} bytes, more than the {MAX_BYTES:,} that are allowed for"
                " weights."
            )
        try:
            yield file
        except _DAMAGE as error:
            raise ValueError(f"Cannot read {shown} as weights: {error}. {advice}") from error


def _tensors(
    value: Any, wanted: Container[str] | None, shapes: Mapping[str, tuple[int, ...]] | None
) -> dict[str, Tensor]:
    """Check that a pickle held tensors by name, with the shapes that are wanted."""
    if not isinstance(value, dict):
        refuse(f"it holds a {type(value).__name__}, not tensors by name")
    for name, tensor in value.items():
        if not isinstance(tensor, Tensor):
            refuse(f"{reprlib.repr(name)} is a {type(tensor).__name__}; only tensors are read")
    check_shapes({name: tensor.shape for name, tensor in value.items()}, shapes)
    return {name: t for name, t in value.items() if wanted is None or name in wanted}


def _storages(tensors: dict[str, Tensor], file: BinaryIO) -> dict[str, Storage]:
    """Give the storages by key, after checking that all tensors say the same of each.

    All of them together must fit into the file, and tensors are parts of them without copies: so
    what is allocated is in the file.
    """
    storages: dict[str, Storage] = {}
    for tensor in tensors.values():
        this = tensor.storage
        known = storages.setdefault(this.key, this)
        if (known.kind, known.length) != (this.kind, this.length):
            raise ValueError(f"it says two things of the storage {reprlib.repr(this.key)}")
    size = sum(storage.length * _dtype(storage).itemsize for storage in storages.values())
    if size > (length := os.fstat(file.fileno()).st_size):
        raise ValueError(f"its storages have {size:,} bytes, more than the {length:,} of the file")
    return storages


def _dtype(storage: Storage) -> np.dtype[Any]:
    return np.dtype(_DTYPES[storage.kind]).newbyteorder("<")


def _numbers(data: bytes, storage: Storage, order: Literal["<", ">"] = "<") -> NDArray[Any]:
    """Give the numbers of a storage; little-endian ones without a copy."""
    dtype = _dtype(storage)
    numbers = np.frombuffer(data, dtype.newbyteorder(order)).astype(dtype, copy=False)
    if storage.kind == "BFloat16Storage":
        numbers = widen_bfloat16(numbers)
    elif storage.kind == "BoolStorage":
        numbers = numbers.astype(np.bool_)
    numbers.flags.writeable = False
    return numbers


def _cut(tensor: Tensor, numbers: NDArray[Any]) -> NDArray[Any]:
    """Show a tensor as a part of the numbers of its storage."""
    if 0 in tensor.shape:
        return np.zeros(tensor.shape, numbers.dtype)
    steps = [step * numbers.itemsize for step in tensor.steps]
    # NumPy checks once more that this stays inside the numbers.
    offset = tensor.start * numbers.itemsize
    return np.ndarray(tensor.shape, numbers.dtype, numbers, offset, steps)


# --- The zip archive -----------------------------------------------------------------------------


def _read_zip(
    file: BinaryIO,
    wanted: Container[str] | None,
    shapes: Mapping[str, tuple[int, ...]] | None,
) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(file) as archive:
        members = _members(archive)
        lists = [name for name in members if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(lists) != 1:
            raise ValueError(f"it has {len(lists)} lists of tensors (data.pkl) instead of one")
        top = lists[0].removesuffix("data.pkl")
        order = _byte_order(archive, members.get(f"{top}byteorder"))
        value, _ = interpret(_unpack(archive, members[lists[0]], MAX_PICKLE))
        tensors = _tensors(value, wanted, shapes)
        arrays = {}
        by_storage: dict[str, list[str]] = {key: [] for key in _storages(tensors, file)}
        for name, tensor in tensors.items():
            by_storage[tensor.storage.key].append(name)
        for key, names in by_storage.items():
            storage = tensors[names[0]].storage
            size = storage.length * _dtype(storage).itemsize
            member = members.get(f"{top}data/{key}")
            if member is None or member.file_size != size:
                raise ValueError(f"the storage {reprlib.repr(key)} is missing or not of its size")
            numbers = _numbers(_unpack(archive, member, size), storage, order)
            arrays.update({name: _cut(tensors[name], numbers) for name in names})
    return {name: arrays[name] for name in tensors}


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise ValueError(f"it has more than {_MAX_MEMBERS:,} members")
    for info in archive.infolist():
        if info.filename in members:
            raise ValueError(f"it holds {reprlib.repr(info.filename)} twice")
        members[info.filename] = info
    return members


def _byte_order(archive: zipfile.ZipFile, member: zipfile.ZipInfo | None) -> Literal["<", ">"]:
    word = b"little" if member is None else _unpack(archive, member, 16)
    if word not in {b"little", b"big"}:
        raise ValueError("its byte order is neither little nor big")
    return "<" if word == b"little" else ">"


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    """Read a member of at most `limit` bytes, whatever it says of itself."""
    shown = reprlib.repr(member.filename)
    # What is packed could be a thousand times larger than the file; PyTorch packs nothing.
    if member.flag_bits & _ENCRYPTED or member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{shown} is encrypted or packed, which PyTorch does not do")
    if member.file_size > limit:
        raise ValueError(f"{shown} has {member.file_size:,} bytes; {limit:,} are allowed")
    with archive.open(member) as stream:
        data = stream.read(member.file_size)
        if len(data) != member.file_size or stream.read(1):  # the end: the checksum is compared
            raise ValueError(f"{shown} has not the size that it tells")
    return data


# --- The row of pickles --------------------------------------------------------------------------


def _read_old(
    file: BinaryIO,
    wanted: Container[str] | None,
    shapes: Mapping[str, tuple[int, ...]] | None,
) -> dict[str, NDArray[Any]]:
    """Read a number, a version, facts about the machine, the list, the keys, then the storages."""
    if _next_pickle(file, _SHORT_PICKLE) != _OLD_MAGIC:
        raise ValueError("it is neither a zip archive nor an old file of PyTorch")
    version, machine = _next_pickle(file, _SHORT_PICKLE), _next_pickle(file, _SHORT_PICKLE)
    if version != _OLD_PROTOCOL or not isinstance(machine, dict):
        raise ValueError("it is a file of PyTorch in an unknown version")
    if machine.get("little_endian") is not True:
        raise ValueError("it was written on a big-endian machine; save it with a later PyTorch")
    value, keys = _next_pickle(file), _next_pickle(file)
    # The storages follow one another: all must be known.
    tensors = _tensors(value, None, shapes)
    storages = _storages(tensors, file)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ValueError("its list of storages is damaged")
    if len(set(keys)) != len(keys) or set(keys) != set(storages):
        raise ValueError("its list of storages is not that of its tensors")
    names: dict[str, list[str]] = {key: [] for key in keys}
    for name, tensor in tensors.items():
        if wanted is None or name in wanted:
            names[tensor.storage.key].append(name)
    arrays = {}
    for key in keys:
        numbers = _next_storage(file, storages[key], skip=not names[key])
        arrays.update({name: _cut(tensors[name], numbers) for name in names[key]})
    return {name: arrays[name] for name in tensors if name in arrays}


def _next_pickle(file: BinaryIO, limit: int = MAX_PICKLE) -> Any:
    start = file.tell()
    value, length = interpret(file.read(limit))
    file.seek(start + length)
    return value


def _next_storage(file: BinaryIO, storage: Storage, *, skip: bool) -> NDArray[Any]:
    """Read the numbers of a storage after their count, or go past them."""
    dtype = _dtype(storage)
    size = storage.length * dtype.itemsize
    start = file.tell() + 8
    left = os.fstat(file.fileno()).st_size - start
    if int.from_bytes(file.read(8), "little") != storage.length or size > left:
        raise ValueError(f"the storage {reprlib.repr(storage.key)} is cut short or not of its size")
    if skip:
        file.seek(start + size)
        return np.empty(0, dtype)
    data = file.read(size)
    if len(data) != size:
        raise ValueError("it is cut short")
    return _numbers(data, storage)
