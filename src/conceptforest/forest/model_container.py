"""The bytes of a model file: a document and tensors to a safetensors file, and back.

Nothing here knows what the tensors mean, and nothing larger than the file is ever allocated.

The header is written and read here, not by the safetensors library; the tests check that each reads
what the other writes. The library writes metadata in random order (safetensors issue 584; so did
0.8.0), but the same forest must give the same bytes; before 0.8 it copies every tensor first, and a
full disk is no OSError. Reading through it would accept a tensor that is listed twice, and map a
file that may shrink under it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import reprlib
import stat
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from conceptforest.forest.model_audit import (
    MAX_PARAMS,
    PARAMS,
    TENSORS,
    ModelFileError,
    Tensors,
    is_int,
    require_sound,
)
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["FORMAT_VERSION", "make_header", "parse", "write_whole"]

FORMAT_VERSION = 1

# Bytes: the parameters and room for the rest. Parsing hostile JSON can take 25 times its size in
# memory, but a header is never longer than its file. The safetensors library reads up to 100 MB.
_MAX_HEADER = MAX_PARAMS + 2**16
_CHUNK = 2**20  # bytes read and hashed at a time

# safetensors' name of each dtype.
_CODES = {
    "uint8": "U8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint64": "U64",
    "float64": "F64",
}
_OPTIONAL = {"feature_names.offsets", "feature_names.text"}
_KEYS = {"format", "library_version", "seed", "n_features", "bootstrap", "params", "digests"}
_FOREIGN = {b"\x80": "a pickle", b"PK": "a zip archive", b"\x1f\x8b": "gzip", b"\x89HDF": "HDF5"}
_DAMAGED = "the file is damaged: copy it again or save the model again"


def parse(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Read the document and the tensors; check all that can be checked without their meaning."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        # Opening a pipe would wait for ever, and a device has no size to check against.
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise ModelFileError(f"it is {kind}: give the path of a saved model")
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        header, start = _read_header(file, size)
        document = _read_document(header.pop("__metadata__", None))
        layout = _read_layout(header, size - start)
        digests = document["digests"]
        _intact(
            isinstance(digests, dict) and set(digests) == set(layout),
            "its digests are not those of its tensors",
        )
        tensors = {
            name: _read_tensor(file, name, shape, digests[name]) for name, shape in layout.items()
        }
    return document, tensors


def _read_header(file: FileIO, size: int) -> tuple[dict[str, Any], int]:
    """Read the header of a safetensors file and where the tensors start."""
    if not size:
        raise ModelFileError("it is empty; save the model again")
    head = file.read(9)
    length = int.from_bytes(head[:8], "little")
    if len(head) < 9 or not 2 <= length <= _MAX_HEADER or head[8:] != b"{":
        likely = next((kind for magic, kind in _FOREIGN.items() if head.startswith(magic)), None)
        hint = f" (it looks like {likely}, which is never opened)" if likely else ""
        if head.startswith(b"PK"):
            hint += "; a feature file (.npz) is read by conceptforest.datasets.load"
        raise ModelFileError(
            f"it is not a safetensors file with a header of at most {_MAX_HEADER} bytes{hint};"
            " give a file that HMLForest.save wrote"
        )
    start = 8 + length
    _intact(start <= size, f"it is cut short at {size} bytes, inside its header")
    text = bytearray(length)
    file.seek(8)
    _fill(file, memoryview(text))
    return _parse_object(text, "its header"), start


def _read_document(metadata: object) -> dict[str, Any]:
    """Get the JSON document from the header's metadata, of a version this library reads."""
    if not isinstance(metadata, dict) or not isinstance(metadata.get("conceptforest"), str):
        raise ModelFileError(
            "it is a safetensors file, but no conceptforest model; give a file that"
            " HMLForest.save wrote"
        )
    text = metadata["conceptforest"].encode("utf-8", "surrogatepass")
    _intact(
        metadata == {"conceptforest": metadata["conceptforest"], "digest": _sha256(text)},
        "its description does not match its digest",
    )
    document = _parse_object(text, "its description")
    version = document.get("format")
    _intact(
        is_int(version, 1, 2**31),
        f"its format is {reprlib.repr(version)}, not a version number",
    )
    if document["format"] > FORMAT_VERSION:
        raise ModelFileError(
            f"made by a newer conceptforest (format {version}; this one reads up to"
            f" {FORMAT_VERSION}): upgrade conceptforest"
        )
    _require_names("description", document, _KEYS)
    return document


def _read_layout(header: dict[str, Any], size: int) -> dict[str, tuple[int, ...]]:
    """Check the header's tensors; give their shapes in the order of their bytes.

    The tensors must be the ones of the format and tile the ``size`` bytes after the header, so
    that no shape can ask for more memory than the file has bytes.
    """
    wanted = set(TENSORS) if _OPTIONAL & set(header) else set(TENSORS) - _OPTIONAL
    _require_names("list of tensors", header, wanted)
    for name, entry in header.items():
        _intact(
            isinstance(entry, dict)
            and set(entry) == {"dtype", "shape", "data_offsets"}
            and _is_sizes(entry["data_offsets"], 2, 2**63),
            f"the header's entry for tensor {name} is malformed",
        )
    order = sorted(header, key=lambda name: header[name]["data_offsets"])
    end = 0
    for name in order:
        begin = header[name]["data_offsets"][0]
        _intact(begin == end, f"tensor {name} starts at byte {begin}, where {end} is due")
        end = header[name]["data_offsets"][1]
    problem = "it is cut short" if end > size else "something was appended to it"
    _intact(end == size, f"{problem}: {end} bytes of tensors are due and {size} are there")
    for name, entry in header.items():
        dtype, n_dims = TENSORS[name]
        shape, (begin, end) = entry["shape"], entry["data_offsets"]
        _intact(
            entry["dtype"] == _CODES[dtype]
            and _is_sizes(shape, n_dims, size)
            and math.prod(shape) * np.dtype(dtype).itemsize == end - begin,
            f"tensor {name} must be {_CODES[dtype]} with {n_dims} dimension(s) in {end - begin}"
            f" bytes, not {reprlib.repr(entry['dtype'])} of shape {reprlib.repr(shape)}",
        )
    return {name: tuple(header[name]["shape"]) for name in order}


def _read_tensor(file: FileIO, name: str, shape: tuple[int, ...], digest: str) -> NDArray[Any]:
    """Read the next tensor and compare its digest."""
    dtype = np.dtype(TENSORS[name][0])
    try:
        tensor = np.empty(shape, dtype.newbyteorder("<"))
    except MemoryError:
        raise ModelFileError(
            f"there is not enough memory for tensor {name} of shape {shape}; load it on a machine"
            " with more"
        ) from None
    found = _fill(file, _bytes(tensor))
    _intact(found == digest, f"tensor {name} does not match its digest")
    return tensor.astype(dtype, copy=False)


def _fill(file: FileIO, buffer: memoryview) -> str:
    """Fill the buffer from the file and give the SHA-256 of what was read."""
    digest = hashlib.sha256()
    while buffer.nbytes:
        n = file.readinto(buffer[:_CHUNK])
        _intact(bool(n), "it became shorter while it was read")
        digest.update(buffer[:n])
        buffer = buffer[n:]
    return digest.hexdigest()


def _parse_object(text: bytes | bytearray, what: str) -> dict[str, Any]:
    """Parse a JSON object strictly: UTF-8, no key twice, no NaN or Infinity."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) < len(pairs):
            raise ValueError("a key occurs twice")
        return keys

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    try:
        value = json.loads(text.decode(), object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is not JSON ({error}); {_DAMAGED}") from error
    _intact(isinstance(value, dict), f"{what} is not a JSON object")
    return cast("dict[str, Any]", value)


def _require_names(what: str, found: Iterable[str], wanted: set[str]) -> None:
    """Check that exactly the wanted names were found."""
    missing, extra = sorted(wanted - set(found)), sorted(set(found) - wanted)
    _intact(
        not missing and not extra,
        f"its {what} lacks {missing} and has {reprlib.repr(extra)} too many",
    )


def _is_sizes(value: object, n: int, high: int) -> bool:
    """Tell whether a value is a list of ``n`` ints from 0 to ``high``."""
    return isinstance(value, list) and len(value) == n and all(is_int(v, 0, high) for v in value)


def _intact(ok: bool, otherwise: str) -> None:
    """Require what any file that was written and copied well has."""
    if not ok:
        raise ModelFileError(f"{otherwise}; {_DAMAGED}")


def make_header(document: dict[str, Any], tensors: Tensors) -> bytes:
    """Make the header of the safetensors file, its length first."""
    digests = {name: _sha256(_bytes(tensor)) for name, tensor in tensors.items()}
    text = json.dumps(document | {"digests": digests})
    # The audit cannot see it, but JSON turns tuples into lists and numbers as keys into strings.
    params = document["params"]
    require_sound(json.loads(text)["params"] == params, f"{PARAMS}, not {reprlib.repr(params)}")
    metadata = {"conceptforest": text, "digest": _sha256(text.encode())}
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        shape, span = list(tensor.shape), [begin, end]
        entries[name] = {"dtype": _CODES[tensor.dtype.name], "shape": shape, "data_offsets": span}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header


def write_whole(path: Path, header: bytes, tensors: Tensors) -> None:
    """Write header and tensors to a temporary file, then rename it to ``path``."""
    with whole_file(path) as file:
        file.write(header)
        file.writelines(map(_bytes, tensors.values()))


def _bytes(array: NDArray[Any]) -> memoryview:
    """See an array as its little-endian bytes in C order; a copy only where it must be."""
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return little.reshape(-1).view(np.uint8).data


def _sha256(data: bytes | memoryview) -> str:
    return hashlib.sha256(data).hexdigest()
