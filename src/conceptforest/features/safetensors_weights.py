"""Weights from a safetensors file: a JSON header that says where each tensor lies, then bytes."""

from __future__ import annotations

import itertools
import json
import math
import os
import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.features.tensor_pickle import refuse

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import BinaryIO

    from numpy.typing import NDArray

__all__ = ["check_shapes", "differences", "read_safetensors", "widen_bfloat16"]

_MAX_HEADER = 2**24  # bytes; parsing hostile JSON can take 25 times its size in memory
_MAX_DIMENSIONS = 16
_SHOWN = 8  # differences that a message lists
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "<i1",
    "U8": "<u1",
    "BOOL": "<u1",
}


def read_safetensors(
    file: BinaryIO,
    wanted: Container[str] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> dict[str, NDArray[Any]]:
    """Read tensors from an open safetensors file.

    Parameters
    ----------
    file : binary file
        At its start.
    wanted : container of str, default=None
        Names of the tensors to read; all others are checked but not read. All for None.
    shapes : mapping of str to tuple, default=None
        Tensors that must be there, with their shapes; looked at before any data are read.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    ValueError
        If the file is damaged, lies about itself, or has not the tensors of `shapes`.

    Examples
    --------
    >>> import io
    >>> header = b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'
    >>> numbers = np.array([1, 2], "<f4").tobytes()
    >>> read_safetensors(io.BytesIO(len(header).to_bytes(8, "little") + header + numbers))
    {'a': array([1., 2.], dtype=float32)}
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    start = 8 + length
    if size < 8 or not 2 <= length <= _MAX_HEADER or start > size:
        raise ValueError("it is no safetensors file, or it is cut short")
    header = _parse(file.read(length))
    header.pop("__metadata__", None)
    entries = {name: _entry(name, entry, size - start) for name, entry in header.items()}
    spans = sorted((begin, end) for _, _, begin, end in entries.values() if begin < end)
    if any(end > begin for (_, end), (begin, _) in itertools.pairwise(spans)):
        raise ValueError("it has tensors that overlap")
    check_shapes({name: shape for name, (_, shape, _, _) in entries.items()}, shapes)
    tensors = {}
    for name, (code, shape, begin, end) in entries.items():
        if wanted is None or name in wanted:
            file.seek(start + begin)
            tensors[name] = _decode(file.read(end - begin), code, shape)
    return tensors


def check_shapes(
    found: Mapping[str, tuple[int, ...]], wanted: Mapping[str, tuple[int, ...]] | None
) -> None:
    """Refuse tensors that have not the shapes that are wanted; None wants nothing.

    Examples
    --------
    >>> check_shapes({"a": (2,)}, {"a": (3,)})
    Traceback (most recent call last):
    ValueError: it has other tensors than are needed: a has shape (2,) instead of (3,)
    """
    wrong = differences(found, wanted or {})
    if wrong:
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise ValueError(f"it has other tensors than are needed: {'; '.join(wrong[:_SHOWN])}{more}")


def differences(
    found: Mapping[str, tuple[int, ...]], wanted: Mapping[str, tuple[int, ...]]
) -> list[str]:
    """Say of each wanted tensor that is missing or has another shape what is wrong with it.

    Examples
    --------
    >>> differences({"a": (2,)}, {"a": (3,), "b": (1,)})
    ['a has shape (2,) instead of (3,)', 'b is missing']
    """
    wrong = []
    for name, shape in wanted.items():
        if name not in found:
            wrong.append(f"{name} is missing")
        elif tuple(found[name]) != tuple(shape):
            wrong.append(f"{name} has shape {tuple(found[name])} instead of {tuple(shape)}")
    return wrong


def _parse(text: bytes) -> dict[str, Any]:
    def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("its header has a name twice")
        return dict(pairs)

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=no_duplicates)
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict):
        refuse("its header is no JSON object")
    return header


def _entry(name: str, entry: Any, size: int) -> tuple[str, tuple[int, ...], int, int]:
    """Check what the header says of one tensor against itself and the size of the data."""
    shown = reprlib.repr(name)
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"the entry of {shown} is not dtype, shape and data_offsets")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in _DTYPES:
        raise ValueError(
            f"{shown} is of the type {reprlib.repr(code)}; known are {', '.join(_DTYPES)}"
        )
    lists = isinstance(shape, list) and isinstance(offsets, list) and len(offsets) == 2
    if not lists or len(shape) > _MAX_DIMENSIONS or not all(map(_is_size, shape + offsets)):
        raise ValueError(f"{shown} has a shape or offsets that are not possible")
    begin, end = offsets
    # A length of 0 hides others of any size, which no array could have.
    wanted = math.prod(shape) * np.dtype(_DTYPES[code]).itemsize
    if not begin <= end <= size or end - begin != wanted:
        raise ValueError(f"{shown} has not the size that the header tells")
    return code, tuple(shape), begin, end


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**48


def _decode(data: bytes, code: str, shape: tuple[int, ...]) -> NDArray[Any]:
    dtype = np.dtype(_DTYPES[code])
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError("it is cut short")  # it shrank while it was read
    array: NDArray[Any] = np.frombuffer(data, dtype).reshape(shape)
    if code == "BF16":
        return widen_bfloat16(array)
    if code == "BOOL":
        return array.astype(np.bool_)
    return array.astype(dtype.newbyteorder("="), copy=False)


def widen_bfloat16(halves: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Give the numbers whose upper halves, as float32, are given.

    Examples
    --------
    >>> widen_bfloat16(np.array([0x3F80, 0xC000], dtype=np.uint16))
    array([ 1., -2.], dtype=float32)
    """
    return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32)
