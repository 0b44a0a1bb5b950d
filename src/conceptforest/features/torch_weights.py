"""Files of weights that PyTorch wrote, read without PyTorch and without unpickling.

Both forms are read: the zip archive of today and the row of pickles before PyTorch 1.6. What a file
says about its sizes is compared with the file before anything is allocated.
"""

from __future__ import annotations

import math
import os
import reprlib
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptforest.features.safetensors_weights import read_safetensors, widen_bfloat16
from conceptforest.features.tensor_pickle import MAX_PICKLE, Storage, Tensor, interpret, refuse

if TYPE_CHECKING:
    from collections.abc import Container
    from io import BufferedReader

    from numpy.typing import NDArray

__all__ = ["MAX_BYTES", "read_torch_weights", "read_weights"]

# All tensors of a file together: a billion numbers in single precision.
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
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
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
    path: str | os.PathLike[str], wanted: Container[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Read the tensors of a PyTorch ``state_dict`` file (``.pth``, ``.pt``, ``.bin``).

    Parameters
    ----------
    path : str or path-like
    wanted : container of str, default=None
        Names of the tensors to read; all for None.

    Returns
    -------
    dict of str to ndarray
        In the order of the file. bfloat16, which NumPy has not, becomes float32.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, too large, or holds anything but tensors by name; the message says
        what.

    Examples
    --------
    >>> read_torch_weights("weights.pth")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'weights.pth'. Give the name of a file of weights.
    """
    path = _check_is_file(path)
    try:
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(0)
            reader = _read_zip if head.startswith(b"PK") else _read_old
            return reader(file, wanted)
    except _DAMAGE as error:
        raise ValueError(
            f"Cannot read {str(path)!r} as weights: {error}. Save the state_dict of a network, and"
            " nothing else, with torch.save or safetensors."
        ) from error


def read_weights(
    path: str | os.PathLike[str], wanted: Container[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Read weights by name, from ``.safetensors`` or from a file that PyTorch wrote.

    Parameters
    ----------
    path : str or path-like
        A name that ends in ``.safetensors`` is read as such, any other as PyTorch's.
    wanted : container of str, default=None
        Names of the tensors to read; all for None.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, too large, or holds anything but tensors by name.

    Examples
    --------
    >>> read_weights("weights.safetensors")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'weights.safetensors'. Give the name of a file of weights.
    """
    path = _check_is_file(path)
    if path.suffix.lower() != ".safetensors":
        return read_torch_weights(path, wanted)
    try:
        with path.open("rb") as file:
            return read_safetensors(file, wanted)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"Cannot read {str(path)!r} as weights: {error}. Copy the file again, or write it again"
            " with safetensors."
        ) from error


def _check_is_file(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(path).__name__}; give the name of a file.")
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(
            f"There is no file {str(path)!r}. Give the name of a file of weights."
        )
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for ever
        raise ValueError(f"{str(path)!r} is no regular file. Give the name of a file of weights.")
    if status.st_size > MAX_BYTES:
        raise ValueError(
            f"{str(path)!r} has {status.st_size:,} bytes, more than the {MAX_BYTES:,} that are"
            " allowed for weights."
        )
    return path


def _tensors(value: Any, wanted: Container[str] | None) -> dict[str, Tensor]:
    """Check that a pickle held tensors by name and that all of them together are not too large."""
    if not isinstance(value, dict):
        refuse(f"it holds a {type(value).__name__}, not tensors by name")
    for name, tensor in value.items():
        if not isinstance(tensor, Tensor):
            refuse(f"{reprlib.repr(name)} is a {type(tensor).__name__}; only tensors are read")
    tensors = {name: t for name, t in value.items() if wanted is None or name in wanted}
    # Several tensors may show the same storage, each larger than it by steps of 0.
    size = sum(math.prod(t.shape) * _dtype(t.storage).itemsize for t in tensors.values())
    if size > MAX_BYTES:
        raise ValueError(
            f"its tensors have {size:,} bytes, more than the {MAX_BYTES:,} that are allowed"
        )
    return tensors


def _storages(tensors: dict[str, Tensor]) -> dict[str, Storage]:
    """Give the storages by key, after checking that all tensors say the same of each."""
    storages: dict[str, Storage] = {}
    for tensor in tensors.values():
        this = tensor.storage
        known = storages.setdefault(this.key, this)
        if (known.kind, known.length) != (this.kind, this.length):
            raise ValueError(f"it says two things of the storage {reprlib.repr(this.key)}")
    size = sum(storage.length * _dtype(storage).itemsize for storage in storages.values())
    if size > MAX_BYTES:
        raise ValueError(
            f"its storages have {size:,} bytes, more than the {MAX_BYTES:,} that are allowed"
        )
    return storages


def _dtype(storage: Storage) -> np.dtype[Any]:
    return np.dtype(_DTYPES[storage.kind]).newbyteorder("<")


def _cut(tensor: Tensor, numbers: NDArray[Any]) -> NDArray[Any]:
    """Copy a tensor out of the numbers of its storage."""
    if 0 in tensor.shape:
        array = np.zeros(tensor.shape, numbers.dtype)
    else:
        steps = [step * numbers.itemsize for step in tensor.steps]
        # NumPy checks once more that this stays inside the numbers.
        offset = tensor.start * numbers.itemsize
        array = np.ndarray(tensor.shape, numbers.dtype, numbers, offset, steps).copy()
    if tensor.storage.kind == "BFloat16Storage":
        return widen_bfloat16(array)
    if tensor.storage.kind == "BoolStorage":
        return array.astype(np.bool_)
    return array


# --- The zip archive -----------------------------------------------------------------------------


def _read_zip(file: BufferedReader, wanted: Container[str] | None) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(file) as archive:
        members = _members(archive)
        lists = [name for name in members if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(lists) != 1:
            raise ValueError(f"it has {len(lists)} lists of tensors (data.pkl) instead of one")
        top = lists[0].removesuffix("data.pkl")
        order = _byte_order(archive, members.get(f"{top}byteorder"))
        value, _ = interpret(_unpack(archive, members[lists[0]], MAX_PICKLE))
        tensors = _tensors(value, wanted)
        arrays = {}
        # One storage at a time: what is not wanted any more is not kept.
        by_storage: dict[str, list[str]] = {key: [] for key in _storages(tensors)}
        for name, tensor in tensors.items():
            by_storage[tensor.storage.key].append(name)
        for key, names in by_storage.items():
            storage = tensors[names[0]].storage
            dtype = _dtype(storage)
            size = storage.length * dtype.itemsize
            member = members.get(f"{top}data/{key}")
            if member is None or member.file_size != size:
                raise ValueError(f"the storage {reprlib.repr(key)} is missing or not of its size")
            data = _unpack(archive, member, size)
            numbers = np.frombuffer(data, dtype.newbyteorder(order)).astype(dtype, copy=False)
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
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _COMPRESSIONS:
        raise ValueError(f"{shown} is encrypted or packed in a way that PyTorch does not use")
    if member.file_size > limit:
        raise ValueError(f"{shown} has {member.file_size:,} bytes; {limit:,} are allowed")
    with archive.open(member) as stream:
        data = stream.read(member.file_size)
        if len(data) != member.file_size or stream.read(1):  # the end: the checksum is compared
            raise ValueError(f"{shown} has not the size that it tells")
    return data


# --- The row of pickles --------------------------------------------------------------------------


def _read_old(file: BufferedReader, wanted: Container[str] | None) -> dict[str, NDArray[Any]]:
    """Read a number, a version, facts about the machine, the list, the keys, then the storages."""
    if _next_pickle(file, _SHORT_PICKLE) != _OLD_MAGIC:
        raise ValueError("it is neither a zip archive nor an old file of PyTorch")
    version, machine = _next_pickle(file, _SHORT_PICKLE), _next_pickle(file, _SHORT_PICKLE)
    if version != _OLD_PROTOCOL or not isinstance(machine, dict):
        raise ValueError("it is a file of PyTorch in an unknown version")
    if machine.get("little_endian") is not True:
        raise ValueError("it was written on a big-endian machine; save it with a later PyTorch")
    value, keys = _next_pickle(file), _next_pickle(file)
    tensors = _tensors(value, None)  # the storages follow one another: all must be known
    storages = _storages(tensors)
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


def _next_pickle(file: BufferedReader, limit: int = MAX_PICKLE) -> Any:
    start = file.tell()
    value, length = interpret(file.read(limit))
    file.seek(start + length)
    return value


def _next_storage(file: BufferedReader, storage: Storage, *, skip: bool) -> NDArray[Any]:
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
    return np.frombuffer(data, dtype)
