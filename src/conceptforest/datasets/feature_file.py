"""Ready feature files: one NumPy archive with features, tags and, if known, classes.

The archive is read member by member. What a member says about its size is compared with its own
header and with a limit before anything is unpacked, and nothing is ever unpickled.
"""

from __future__ import annotations

import math
import os
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np
from scipy import sparse

from conceptforest.datasets.collection import Collection
from conceptforest.datasets.regular_file import open_regular
from conceptforest.tags import TagMatrix, parse_tags
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_BYTES", "read_feature_file", "write_feature_file"]

# The largest feature file that is read, in bytes after unpacking: 500,000 items of 8,192
# half-precision features. A small archive can unpack to a thousand times its size, and this bounds
# what opening a stranger's file can cost. Larger collections are best kept in plain .npy arrays,
# which can be mapped into memory and given to the estimators as they are.
MAX_BYTES = 2**33

_NEEDED = ("X", "T_indices", "T_indptr", "T_shape", "tag_names")
_CLASSES = ("y", "class_names")
_ALLOWED = {
    "X": ("f", 2, "floats of shape (n_items, n_features)"),
    "T_indices": ("iu", 1, "integers of shape (n_entries,)"),
    "T_indptr": ("iu", 1, "integers of shape (n_items + 1,)"),
    "T_shape": ("iu", 1, "the two integers n_items and n_tags"),
    "tag_names": ("U", 1, "strings of shape (n_tags,)"),
    "y": ("iu", 1, "integers of shape (n_items,)"),
    "class_names": ("U", 1, "strings of shape (n_classes,)"),
    "tag_layers": ("iu", 1, "integers of shape (n_tags,)"),
    "item_names": ("U", 1, "strings of shape (n_items,)"),
    "truth_indices": ("iu", 1, "integers of shape (n_true,)"),
    "truth_indptr": ("iu", 1, "integers of shape (n_items + 1,)"),
}
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # what NumPy writes
# A header is a piece of Python text; NumPy lets what its tokenizer and parser raise pass through.
_HEADER_ERRORS = (tokenize.TokenError, SyntaxError, RecursionError, MemoryError)
_ENCRYPTED = 0x1  # flag bit of a zip member
_CHUNK = 2**24  # bytes unpacked, or rows checked, at a time
_KINDS = {b"\x93NUMPY": "a single NumPy array", b"\x80": "a pickle", b"\x89HDF": "HDF5"}


def read_feature_file(path: str | os.PathLike[str]) -> Collection:
    """Read a collection from a feature file.

    The file is a NumPy archive, as :func:`numpy.savez` and :func:`numpy.savez_compressed` write it,
    with these arrays:

    - ``X``: floats of shape (n_items, n_features), the visual features;
    - ``T_indices``, ``T_indptr``, ``T_shape``: the tags as a sparse 0/1 matrix of shape
      (n_items, n_tags) in CSR form; row ``i`` has its ones in the columns
      ``T_indices[T_indptr[i]:T_indptr[i + 1]]``;
    - ``tag_names``: strings of shape (n_tags,);
    - ``y`` (optional): the class of each item, integers of shape (n_items,);
    - ``class_names`` (optional): strings of shape (n_classes,);
    - ``tag_layers`` (optional): the layer of each tag, integers of shape (n_tags,) from 0, the most
      abstract;
    - ``item_names`` (optional): strings of shape (n_items,);
    - ``truth_indices``, ``truth_indptr`` (optional): all tags that are true, as ``T_indices`` and
      ``T_indptr``.

    Other arrays in the file are ignored. Nothing is unpickled, and files that would unpack to more
    than :data:`~conceptforest.datasets.feature_file.MAX_BYTES` are refused.

    Parameters
    ----------
    path : str or path-like
        Name of a ``.npz`` file.

    Returns
    -------
    Collection
        `X` keeps its precision. Without ``class_names`` the classes are called by their numbers.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no feature file, is damaged, or its arrays do not fit together.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.npz"
    ...     np.savez(path, X=np.zeros((3, 2), "float16"), T_indices=[0, 1, 1],
    ...              T_indptr=[0, 2, 2, 3], T_shape=[3, 2], tag_names=["cat", "dog"])
    ...     pets = read_feature_file(path)
    >>> pets.name, pets.X.dtype.name, pets.tags.matrix.toarray().tolist()
    ('pets', 'float16', [[1, 1], [0, 0], [0, 1]])
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(path).__name__}; give the name of a .npz file.")
    path = Path(path)
    _check_name(path)
    with open_regular(path) as file:
        _check_is_zip(path, file.read(8))
        file.seek(0)
        try:
            arrays = _read_arrays(path, file)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            _refuse(path, f"it is damaged ({error}). Copy it again, or write it again")
    return _assemble(path, arrays)


def _check_name(path: Path) -> None:
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}. Give the name of a .npz file.")
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "not a regular file"
        _refuse(path, f"it is {kind}. Give a .npz, .npy or .parquet file")
    if path.suffix.lower() != ".npz":
        ending = repr(path.suffix) if path.suffix else "nothing"
        _refuse(path, f"its name ends in {ending}. Give a .npz, .npy or .parquet file")


def _check_is_zip(path: Path, head: bytes) -> None:
    if not head.startswith(b"PK"):
        likely = next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), None)
        hint = f" but looks like {likely}" if likely else ""
        _refuse(path, f"it is not a zip archive{hint}. Write it with numpy.savez")


def _refuse(path: Path, why: str) -> NoReturn:
    raise ValueError(f"Cannot read {str(path)!r}: {why}.")


# --- The archive ---------------------------------------------------------------------------------


def _read_arrays(path: Path, file: BinaryIO) -> dict[str, NDArray[Any]]:
    """Read the arrays of the format, after looking at what all of them say about their size."""
    with zipfile.ZipFile(file) as archive:
        members: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            key = info.filename.removesuffix(".npy")
            if key in members:
                _refuse(path, f"it holds {key!r} twice. Write it again with numpy.savez")
            if key in _ALLOWED:
                members[key] = info
        missing = [key for key in _NEEDED if key not in members]
        if missing:
            _refuse(
                path,
                f"it has no {', '.join(missing)}. A feature file holds {', '.join(_NEEDED)} and,"
                f" if classes are known, {' and '.join(_CLASSES)}",
            )
        size = sum(info.file_size for info in members.values())
        if size > MAX_BYTES:
            _refuse(
                path,
                f"it unpacks to {size:,} bytes, more than the {MAX_BYTES:,} that are allowed. Store"
                " fewer items or features, or keep X in a .npy file of its own and map it",
            )
        return {key: _read_member(path, archive, key, info) for key, info in members.items()}


def _read_member(
    path: Path, archive: zipfile.ZipFile, key: str, info: zipfile.ZipInfo
) -> NDArray[Any]:
    """Read one array whose header agrees with the size of its member."""
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _COMPRESSIONS:
        _refuse(path, f"{key} is encrypted or packed in a way that NumPy does not use")
    kinds, n_dims, wanted = _ALLOWED[key]
    with archive.open(info) as member:
        shape, fortran, dtype = _read_header(path, key, member)
        if dtype.kind not in kinds or len(shape) != n_dims:
            _refuse(path, f"{key} is {dtype} of shape {shape}; it must be {wanted}")
        size = math.prod(shape) * dtype.itemsize
        if size != info.file_size - member.tell():
            _refuse(path, f"{key} has not the size that its header tells. Write the file again")
        data = bytearray()
        while len(data) < size:
            piece = member.read(min(_CHUNK, size - len(data)))
            if not piece:
                raise EOFError(f"{key} is cut short")
            data += piece
        if member.read(1):  # reaching the end is what makes zipfile compare the checksum
            raise EOFError(f"{key} is longer than it says")
    flat: NDArray[Any] = np.frombuffer(data, dtype=dtype)
    array = flat.reshape(shape, order="F" if fortran else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _read_header(path: Path, key: str, member: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        version = np.lib.format.read_magic(member)
        shape, fortran, dtype = readers[version](member)
    except (ValueError, KeyError, TypeError, *_HEADER_ERRORS) as error:
        _refuse(path, f"{key} is not stored as a plain NumPy array ({error})")
    if dtype.hasobject:
        _refuse(
            path,
            f"{key} holds Python objects, which could run code when they are read. Store names"
            " with numpy.array(names, dtype=str)",
        )
    if not all(length >= 0 for length in shape):
        _refuse(path, f"{key} has the shape {shape}")
    return shape, fortran, dtype


# --- The collection ------------------------------------------------------------------------------


def _assemble(path: Path, arrays: dict[str, NDArray[Any]]) -> Collection:
    X = arrays["X"]
    if not X.shape[0] or not X.shape[1] or X.dtype.itemsize > 8:
        _refuse(
            path,
            f"X is {X.dtype} of shape {X.shape}; it must be float16, float32 or float64 with at"
            " least one item and one feature",
        )
    _check_finite(path, X)
    tags = _tags(path, arrays, X.shape[0])
    class_names = _names(path, arrays, "class_names") if "class_names" in arrays else None
    labels = None
    if "y" in arrays:
        labels, class_names = _labels(path, arrays["y"], class_names, X.shape[0])
    return Collection(
        X,
        tags,
        labels,
        class_names or (),
        path.stem,
        layers=_layers(path, arrays, tags.vocabulary),
        item_names=_item_names(path, arrays, len(X)),
        truth=_tags(path, arrays, X.shape[0], "truth") if "truth_indptr" in arrays else None,
    )


def _check_finite(path: Path, X: NDArray[Any]) -> None:
    step = max(1, _CHUNK // X.shape[1])
    for begin in range(0, X.shape[0], step):
        bad = ~np.isfinite(X[begin : begin + step])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            value = X[begin + row, column]
            _refuse(
                path,
                f"X holds {value} (item {begin + row}, feature {column}). Leave such items out, or"
                " fill the gaps, before writing the file",
            )


def _tags(path: Path, arrays: dict[str, NDArray[Any]], n_items: int, key: str = "T") -> TagMatrix:
    if f"{key}_indices" not in arrays:
        _refuse(path, f"it has {key}_indptr without {key}_indices")
    shape, start, indices = arrays["T_shape"], arrays[f"{key}_indptr"], arrays[f"{key}_indices"]
    names = _names(path, arrays, "tag_names")
    if len(shape) != 2 or int(shape[0]) != n_items or int(shape[1]) != len(names):
        _refuse(
            path,
            f"T_shape is {shape.tolist()}, but X has {n_items} items and there are {len(names)}"
            " tag names",
        )
    if len(start) != n_items + 1:
        _refuse(path, f"{key}_indptr has {len(start)} entries; {n_items} items need {n_items + 1}")
    if int(start[0]) != 0 or int(start[-1]) != len(indices) or (start[1:] < start[:-1]).any():
        _refuse(
            path, f"{key}_indptr must rise from 0 to the {len(indices)} entries of {key}_indices"
        )
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= len(names)):
        _refuse(
            path,
            f"{key}_indices reaches from {indices.min()} to {indices.max()}; there are {len(names)}"
            " tags, numbered from 0",
        )
    ones = np.ones(len(indices), dtype=np.uint8)
    parts = (ones, indices.astype(np.int64), start.astype(np.int64))
    return parse_tags(sparse.csr_array(parts, shape=(n_items, len(names))), vocabulary=names)


def _names(path: Path, arrays: dict[str, NDArray[Any]], key: str) -> tuple[str, ...]:
    try:
        names = tuple(arrays[key].tolist())
    except ValueError as error:
        _refuse(path, f"{key} holds what is no text ({error})")
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not name:
            _refuse(path, f"{key} has an empty name at place {place}")
        if name in seen:
            _refuse(path, f"{key} has {name!r} twice. Names must differ")
        seen.add(name)
    return names


def _item_names(
    path: Path, arrays: dict[str, NDArray[Any]], n_items: int
) -> tuple[str, ...] | None:
    if "item_names" not in arrays:
        return None
    names = _names(path, arrays, "item_names")
    if len(names) != n_items:
        _refuse(path, f"item_names has {len(names)} entries but X has {n_items} items")
    return names


def _layers(
    path: Path, arrays: dict[str, NDArray[Any]], vocabulary: tuple[str, ...]
) -> tuple[tuple[str, ...], ...] | None:
    if "tag_layers" not in arrays:
        return None
    numbers = arrays["tag_layers"].tolist()
    if len(numbers) != len(vocabulary):
        _refuse(path, f"tag_layers has {len(numbers)} entries; there are {len(vocabulary)} tags")
    found = set(numbers)
    if found != set(range(len(found))):
        _refuse(path, f"tag_layers holds {sorted(found)[:9]}; layers are numbered 0, 1, 2, ...")
    return tuple(
        tuple(name for name, own in zip(vocabulary, numbers, strict=True) if own == layer)
        for layer in range(len(found))
    )


def _labels(
    path: Path, y: NDArray[Any], class_names: tuple[str, ...] | None, n_items: int
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Check the classes against their names; without names there are at most as many as items."""
    if len(y) != n_items:
        _refuse(path, f"y has {len(y)} entries but X has {n_items} items")
    limit = n_items if class_names is None else len(class_names)
    low, high = int(y.min()), int(y.max())
    if low < 0 or high >= limit:
        known = "items" if class_names is None else "class names"
        _refuse(
            path,
            f"y reaches from {low} to {high}; with {limit} {known} the classes are numbered from 0"
            f" to {limit - 1}",
        )
    if class_names is None:
        class_names = tuple(map(str, range(high + 1)))
    return y.astype(np.int64), class_names


# --- Writing -------------------------------------------------------------------------------------


def write_feature_file(path: str | os.PathLike[str], collection: Collection) -> None:
    """Write a collection to a feature file.

    Parameters
    ----------
    path : str or path-like
        Name of a ``.npz`` file; an older one of that name is replaced once the new one is whole.
    collection : Collection

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from conceptforest.datasets import make_trecvid_like
    >>> made = make_trecvid_like(n_items=40, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_feature_file(Path(folder) / "made.npz", made)
    ...     read_feature_file(Path(folder) / "made.npz").layers == made.layers
    True
    """
    tags = collection.tags
    arrays: dict[str, Any] = {
        "X": collection.X,
        "T_indices": tags.matrix.indices.astype(np.int32),
        "T_indptr": tags.matrix.indptr.astype(np.int64),
        "T_shape": np.array(tags.matrix.shape),
        "tag_names": np.array(tags.vocabulary, dtype=str),
    }
    if collection.labels is not None:
        arrays |= {"y": collection.labels, "class_names": np.array(collection.class_names)}
    if collection.item_names is not None:
        arrays["item_names"] = np.array(collection.item_names, dtype=str)
    if collection.layers is not None:
        layer = {tag: k for k, layer in enumerate(collection.layers) for tag in layer}
        arrays["tag_layers"] = np.array([layer[tag] for tag in tags.vocabulary])
    if collection.truth is not None:
        truth = collection.truth.matrix
        arrays["truth_indices"] = truth.indices.astype(np.int32)
        arrays["truth_indptr"] = truth.indptr.astype(np.int64)
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)
