"""The files of NUS-WIDE: where they are, how they are spelt, and how each is read as a stream.

Tags, concepts and features are distributed either for all images, in the order of the image list,
or in a part for training and a part for testing, in the order of their own lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy import sparse

from conceptforest.datasets.published_files import (
    check_regular,
    decode,
    files_by_name,
    numbered_lines,
    read_names,
    read_relative_names,
    refuse,
    whole_number,
)
from conceptforest.progress import progress_bar
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "FEATURES",
    "Layout",
    "find_layout",
    "read_concepts",
    "read_features",
    "read_groups",
    "read_tags",
]

FEATURES = ("CH", "CORR", "EDH", "WT", "CM55", "BoW")
_OTHER_SPELLINGS = {"cm": "cm55"}
_NOISE = {"normalized", "normalised", "int"}
_PARTS = ("train", "test")
_STEP = 2000  # lines between two updates of a progress bar


@dataclass(frozen=True, eq=False)
class Layout:
    """The image list, and the other files by name.

    Attributes
    ----------
    root : Path
    images : list of str
        Paths of the images as the list gives them, with "/".
    files : dict of str to Path
        Every list, by its name in lower case.
    """

    root: Path
    images: list[str]
    files: dict[str, Path]

    @property
    def n_images(self) -> int:
        """Number of images in the list."""
        return len(self.images)

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of an image in the list, by its path; -1 for a path that is there twice."""
        places: dict[str, int] = {}
        for place, name in enumerate(self.images):
            places[name] = -1 if name in places else place
        return places

    def part_places(self, part: str) -> NDArray[np.int64]:
        """Give the places in the image list of the images of the train or test list."""
        path = self.files.get(f"{part}imagelist.txt") or self.files.get(f"{part}_imagelist.txt")
        if path is None:
            self.missing(f"{part.capitalize()}Imagelist.txt")
        names = read_relative_names(path)
        places = np.array([self.places.get(name, -2) for name in names], dtype=np.int64)
        if (places < 0).any():
            bad = int((places < 0).argmax())
            often = "twice" if places[bad] == -1 else "not"
            refuse(path, f"{names[bad]!r} is {often} in the image list", bad + 1)
        return places

    def missing(self, name: str) -> NoReturn:
        """Say which file is not there."""
        raise FileNotFoundError(
            f"There is no file {name!r} below {str(self.root)!r}. Unpack the archive of NUS-WIDE"
            " that holds it there."
        )


def find_layout(root: Path) -> Layout:
    """Find the lists below a folder and read the image list."""
    files = files_by_name(root, (".txt", ".dat"))
    path = files.get("imagelist.txt")
    if path is None:
        Layout(root, [], files).missing("ImageList/Imagelist.txt")
    return Layout(root, read_relative_names(path), files)


# --- Rows of a file that is whole or in two parts ------------------------------------------------


def _wanted_lines(
    layout: Layout,
    whole_file: Path | None,
    parts: list[Path | None],
    name: str,
    rows: NDArray[np.int64],
) -> Iterator[tuple[Path, int, bytes, int]]:
    """Give the lines of the wanted images: file, line number, line, and place among the wanted."""
    target = np.full(layout.n_images, -1, dtype=np.int64)
    target[rows] = np.arange(len(rows))
    if whole_file is not None:
        for number, line in numbered_lines(whole_file, layout.n_images):
            if target[number - 1] >= 0:
                yield whole_file, number, line, int(target[number - 1])
        return
    both = [path for path in parts if path is not None]
    if len(both) != len(_PARTS):
        layout.missing(name)
    seen = np.zeros(len(rows), dtype=bool)
    for part, path in zip(_PARTS, both, strict=True):
        places = layout.part_places(part)
        for number, line in numbered_lines(path, len(places)):
            place = int(target[places[number - 1]])
            if place < 0:
                continue
            if seen[place]:
                image = layout.images[int(rows[place])]
                refuse(path, f"{image!r} is there twice, by the train and test lists", number)
            seen[place] = True
            yield path, number, line, place
    if not seen.all():
        image = layout.images[int(rows[seen.argmin()])]
        raise ValueError(
            f"The image {image!r} is in neither the train nor the test list of"
            f" {str(layout.root)!r}, and there is no {name!r} for all images."
        )


# --- Tags ----------------------------------------------------------------------------------------


def read_tags(layout: Layout, rows: NDArray[np.int64], *, verbose: int = 0) -> TagMatrix:
    """Read the tags of some images: 0/1 rows, of which only the ones are kept."""
    names = _tag_names(layout)
    whole_file = layout.files.get("alltags1k.txt") or layout.files.get("alltags1k.dat")
    parts = [
        layout.files.get(f"{part}_tags1k.dat") or layout.files.get(f"{part}_tags1k.txt")
        for part in _PARTS
    ]
    found: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(rows)
    with progress_bar("reading tags", len(rows), show=verbose > 0) as update:
        lines = _wanted_lines(layout, whole_file, parts, "NUS_WID_Tags/AllTags1k.txt", rows)
        for done, (path, number, line, place) in enumerate(lines):
            found[place] = _ones(path, number, line, len(names))
            if update is not None and done % _STEP == 0:
                update(done)
    indptr = np.concatenate([[0], np.cumsum([len(ones) for ones in found])]).astype(np.int64)
    indices = np.concatenate([np.empty(0, np.int64), *found])
    data = np.ones(len(indices), dtype=np.uint8)
    shape = (len(rows), len(names))
    return parse_tags(sparse.csr_array((data, indices, indptr), shape=shape), vocabulary=names)


def _tag_names(layout: Layout) -> tuple[str, ...]:
    path = layout.files.get("taglist1k.txt") or layout.files.get("final_tag_list.txt")
    if path is None:
        layout.missing("NUS_WID_Tags/TagList1k.txt")
    return read_names(path, "tag")


def _ones(path: Path, number: int, line: bytes, n: int) -> NDArray[np.int64]:
    """Find the ones in a line of n zeros and ones."""
    values = np.frombuffer(line, dtype=np.uint8)
    if len(values) == 2 * n - 1:  # a digit, a separator, a digit, ...: no need to split
        digits, between = values[::2], values[1::2]
        if ((digits | 1) == ord("1")).all() and ((between == 9) | (between == 32)).all():
            return np.flatnonzero(digits & 1)
    words = line.split()
    if len(words) != n:
        refuse(path, f"it has {len(words)} values; there are {n} tags", number)
    for column, word in enumerate(words):
        if word not in {b"0", b"1"}:
            refuse(
                path,
                f"value {column + 1} is {word[:20].decode('latin-1')!r}; it must be 0 or 1",
                number,
            )
    return np.flatnonzero([word == b"1" for word in words])


# --- Classes -------------------------------------------------------------------------------------


def read_concepts(layout: Layout, *, verbose: int = 0) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Give the concept of each image that shows exactly one, -1 for the others, and the names."""
    names = _concept_names(layout)
    count = np.zeros(layout.n_images, dtype=np.int64)
    last = np.full(layout.n_images, -1, dtype=np.int64)
    with progress_bar("reading concepts", len(names), show=verbose > 0) as update:
        for label, name in enumerate(names):
            shown = _concept(layout, name)
            count += shown
            last[shown] = label
            if update is not None:
                update(label + 1)
    return np.where(count == 1, last, -1), names


def _concept_names(layout: Layout) -> tuple[str, ...]:
    if "concepts81.txt" in layout.files:
        return read_names(layout.files["concepts81.txt"], "concept")
    pattern = re.compile(r"labels_(.+?)(_train|_test)?\.txt")
    matches = (pattern.fullmatch(name) for name in layout.files)
    names = sorted({match[1] for match in matches if match})
    if not names:
        layout.missing("Groundtruth/AllLabels/Labels_<concept>.txt")
    return tuple(names)


def _concept(layout: Layout, name: str) -> NDArray[np.bool_]:
    """Read which images show a concept, from the list of all images where there is one."""
    low = name.lower()
    whole_file = layout.files.get(f"labels_{low}.txt")
    parts = [layout.files.get(f"labels_{low}_{part}.txt") for part in _PARTS]
    quick = _quick_column(whole_file, layout.n_images) if whole_file is not None else None
    if quick is not None:
        return quick
    shown = np.zeros(layout.n_images, dtype=bool)
    every = np.arange(layout.n_images)
    wanted = f"Groundtruth/AllLabels/Labels_{name}.txt"
    for path, number, line, place in _wanted_lines(layout, whole_file, parts, wanted, every):
        if line == b"1":
            shown[place] = True
        elif line != b"0":
            refuse(path, f"it holds {line[:20].decode('latin-1')!r}; it must be 0 or 1", number)
    return shown


def _quick_column(path: Path, n: int) -> NDArray[np.bool_] | None:
    """Read n lines of a 0 or 1 at once, if the file is just that; there are 22 million such lines.

    Anything else is left to the reader that says what is wrong.
    """
    check_regular(path)
    for end in (b"\n", b"\r\n"):
        if path.stat().st_size == n * (1 + len(end)):
            table = np.frombuffer(path.read_bytes(), dtype=np.uint8).reshape(n, -1)
            digits = table[:, 0]
            if ((digits | 1) == ord("1")).all() and (table[:, 1:] == list(end)).all():
                return np.asarray(digits == ord("1"))
    return None


def read_groups(layout: Layout, path: Path) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Give the group of each image that is in exactly one, -1 for the others, and the names."""
    found = np.full(layout.n_images, -1, dtype=np.int64)
    several = np.zeros(layout.n_images, dtype=bool)
    labels: dict[str, int] = {}
    by_file: dict[str, int] = {}
    for place, name in enumerate(layout.images):
        file = name.rpartition("/")[2]
        by_file[file] = -1 if file in by_file else place
    for number, line in numbered_lines(path):
        image, tab, group = decode(path, line, number).partition("\t")
        image, group = image.strip().replace("\\", "/"), group.strip()
        if not tab or not image or not group:
            refuse(path, "it must hold an image, a tab and a group", number)
        if image.isdecimal():
            place = whole_number(path, image.encode(), number, 0, layout.n_images - 1)
        else:
            place = layout.places.get(image, by_file.get(image, -2))
        if place < 0:
            often = "twice" if place == -1 else "not"
            refuse(path, f"the image {image!r} is {often} in the image list", number)
        label = labels.setdefault(group, len(labels))
        several[place] |= found[place] >= 0 and found[place] != label
        found[place] = label
    return np.where(several, -1, found), tuple(labels)


# --- Features ------------------------------------------------------------------------------------


def read_features(
    layout: Layout, names: tuple[str, ...], rows: NDArray[np.int64], *, verbose: int = 0
) -> NDArray[np.float32]:
    """Read feature lists for some images, beside each other."""
    by_key = {_feature_key(name): path for name, path in sorted(layout.files.items())}
    blocks = []
    for name in names:
        whole_file = by_key.get(frozenset({name.lower()}))
        parts = [by_key.get(frozenset({name.lower(), part})) for part in _PARTS]
        file = "BoW_int.dat" if name == "BoW" else f"Normalized_{name}.dat"
        lines = _wanted_lines(
            layout, whole_file, parts, f"Low_Level_Features/{file} (or its Train and Test)", rows
        )
        block: NDArray[np.float32] | None = None
        with progress_bar(f"reading {name}", len(rows), show=verbose > 0) as update:
            for done, (path, number, line, place) in enumerate(lines):
                values = _floats(path, number, line)
                if block is None:
                    block = np.zeros((len(rows), len(values)), dtype=np.float32)
                if len(values) != block.shape[1]:
                    why = f"it has {len(values)} values; others have {block.shape[1]}"
                    refuse(path, why, number)
                block[place] = values
                if update is not None and done % _STEP == 0:
                    update(done)
        if block is not None:  # no image list is empty, and every row was seen
            blocks.append(block)
    return blocks[0] if len(blocks) == 1 else np.hstack(blocks)


def _feature_key(name: str) -> frozenset[str]:
    """Reduce a file name to what it is about: "Train_Normalized_CH.dat" to {"train", "ch"}."""
    if not name.endswith(".dat"):
        return frozenset({name})
    words = set(re.split(r"[^a-z0-9]+", name.removesuffix(".dat"))) - _NOISE - {""}
    return frozenset(_OTHER_SPELLINGS.get(word, word) for word in words)


def _floats(path: Path, number: int, line: bytes) -> NDArray[Any]:
    words = line.split()
    try:
        values = np.array([float(word) for word in words], dtype=np.float64)
    except ValueError:
        bad = next(word for word in words if not _is_float(word))
        refuse(path, f"{bad[:20].decode('latin-1')!r} is no number", number)
    if not (np.abs(values) <= np.finfo(np.float32).max).all():
        bad = words[int((~(np.abs(values) <= np.finfo(np.float32).max)).argmax())]
        refuse(path, f"{bad[:20].decode('latin-1')!r} is no finite number", number)
    if not len(values):
        refuse(path, "it is empty", number)
    return values


def _is_float(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
