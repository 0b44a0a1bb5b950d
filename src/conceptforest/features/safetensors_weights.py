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
    from collections.abc import Container
    from io import BufferedReader

    from numpy.typing import NDArray

__all__ = ["read_safetensors", "widen_bfloat16"]

_MAX_HEADER = 2**24  # bytes; parsing hostile JSON can take 25 times its size in memory
_MAX_DIMENSIONS = 16
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
    file: BufferedReader, wanted: Container[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Read tensors from an open safetensors file.

    Parameters
    ----------
    file : binary file
        At its start.
    wanted : container of str, default=None
        Names of the tensors to read; all others are checked but not read. All for None.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    ValueError
        If the file is damaged or lies about itself.

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
    tensors = {}
    for name, (code, shape, begin, end) in entries.items():
        if wanted is None or name in wanted:
            file.seek(start + begin)
            tensors[name] = _decode(file.read(end - begin), code, shape)
    return tensors


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
