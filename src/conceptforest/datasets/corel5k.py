"""Corel5k in its two published layouts: lists with annotation vectors, and the ECCV 2002 tables.

The class of a picture is the photo CD that it comes from: Corel numbered the pictures of a CD from
a multiple of 1,000, and the folders are called by that number.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.datasets.media import IMAGE_SUFFIXES, MediaCollection, MediaItem, Skipped
from conceptforest.datasets.published_files import (
    check_folder,
    check_regular,
    files_by_name,
    numbered_lines,
    read_names,
    read_relative_names,
    refuse,
    whole_number,
)
from conceptforest.tags import parse_tags

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_corel5k"]

_PAD = -99  # fills the rows of the ECCV tables to one length
_MAX_NUMBER = 10**7  # Corel's numbers have up to six digits
_HEADER = np.dtype("<u2")  # an .hvecs vector is its length and its values, all of this type

# A picture as a list names it, the photo CD it is from, and its words.
_Entry = tuple[str, int, tuple[str, ...]]


def read_corel5k(root: str | os.PathLike[str], *, verbose: int = 0) -> MediaCollection:
    """Read Corel5k from its folder.

    Two layouts are known. *Lists*: ``corel5k_train_list.txt`` and ``corel5k_test_list.txt`` (one
    picture a line, as ``1000/1000``), ``corel5k_words.txt`` or ``corel5k_dictionary.txt`` (one word
    a line) and ``corel5k_train_annot.hvecs`` and ``corel5k_test_annot.hvecs`` (for each picture a
    vector of 0/1, stored as 16-bit numbers after its length). *ECCV 2002*: ``words``,
    ``image_nums``, ``document_words`` and their ``test_1_`` twins (word numbers from 1, rows filled
    up with -99). The pictures themselves lie in folders such as ``1000/1000.jpeg``, or in any
    other.

    Parameters
    ----------
    root : str or path-like
    verbose : int, default=0
        Taken for the sake of uniformity; reading takes no time.

    Returns
    -------
    MediaCollection
        The vocabulary is the published list of words, in its order, with those that no picture
        carries. Classes are the photo CDs, called by their number. Pictures that are listed but
        not there are in `skipped`.

    Raises
    ------
    FileNotFoundError
        If the folder or a needed file is missing.
    ValueError
        If a file is damaged, or no picture is there.

    Examples
    --------
    >>> read_corel5k("no such folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no folder 'no such folder'. Give the folder of Corel5k.
    """
    del verbose
    folder = check_folder(root, "Corel5k")
    lists = files_by_name(folder, (".txt", ".hvecs"))
    if "corel5k_train_list.txt" in lists or "corel5k_test_list.txt" in lists:
        words, entries = _read_lists(folder, lists)
    else:
        words, entries = _read_eccv(folder)
    return _assemble(folder, words, entries)


def _missing(folder: Path, name: str) -> FileNotFoundError:
    return FileNotFoundError(
        f"There is no file {name!r} below {str(folder)!r}. Give a folder with the lists"
        " (corel5k_train_list.txt, ...) or the ECCV 2002 tables (words, image_nums, ...)."
    )


# --- Lists with annotation vectors ---------------------------------------------------------------


def _read_lists(folder: Path, files: dict[str, Path]) -> tuple[tuple[str, ...], list[_Entry]]:
    source = files.get("corel5k_words.txt") or files.get("corel5k_dictionary.txt")
    if source is None:
        raise _missing(folder, "corel5k_words.txt")
    words = read_names(source, "word")
    entries: list[_Entry] = []
    for part in ("train", "test"):
        path = files.get(f"corel5k_{part}_list.txt")
        vectors = files.get(f"corel5k_{part}_annot.hvecs")
        if path is None or vectors is None:
            end = "list.txt" if path is None else "annot.hvecs"
            raise _missing(folder, f"corel5k_{part}_{end}")
        names = read_relative_names(path)
        table = _read_vectors(vectors, len(names), len(words))
        for number, (name, row) in enumerate(zip(names, table, strict=True), start=1):
            stem = PurePosixPath(name).name.partition(".")[0]
            value = whole_number(path, stem.encode(), number, 0, _MAX_NUMBER)
            entries.append((name, value, tuple(words[j] for j in np.flatnonzero(row))))
    return words, entries


def _read_vectors(path: Path, n: int, d: int) -> NDArray[np.bool_]:
    """Read n vectors of d zeros and ones, each behind its length."""
    check_regular(path)
    size = n * (d + 1) * _HEADER.itemsize
    if path.stat().st_size != size:
        refuse(
            path,
            f"it has {path.stat().st_size:,} bytes; {n:,} pictures and {d} words take {size:,}",
        )
    table = np.frombuffer(path.read_bytes(), dtype=_HEADER).reshape(n, d + 1)
    wrong = table[:, 0] != d
    if wrong.any():
        k = int(wrong.argmax())
        refuse(path, f"vector {k + 1} says that its length is {table[k, 0]}; there are {d} words")
    if table[:, 1:].max(initial=0) > 1:
        k, j = (int(place) for place in np.argwhere(table[:, 1:] > 1)[0])
        refuse(path, f"vector {k + 1} holds {table[k, j + 1]} at place {j + 1}; it must be 0 or 1")
    return np.asarray(table[:, 1:] == 1)


# --- The tables of ECCV 2002 ----------------------------------------------------------------------


def _read_eccv(folder: Path) -> tuple[tuple[str, ...], list[_Entry]]:
    if not (folder / "words").exists():
        raise _missing(folder, "words")
    words = read_names(folder / "words", "word")
    entries: list[_Entry] = []
    for prefix in ("", "test_1_"):
        numbers, documents = folder / f"{prefix}image_nums", folder / f"{prefix}document_words"
        for path in (numbers, documents):
            if not path.exists():
                raise _missing(folder, path.name)
        images = [
            whole_number(numbers, line, k, 0, _MAX_NUMBER) for k, line in numbered_lines(numbers)
        ]
        for (number, line), image in zip(
            numbered_lines(documents, len(images)), images, strict=True
        ):
            found = [
                whole_number(documents, value, number, _PAD, len(words)) for value in line.split()
            ]
            bad = next((j for j in found if j < 1 and j != _PAD), None)
            if bad is not None:
                why = f"{bad} is neither a word's number, from 1 to {len(words)}, nor {_PAD}"
                refuse(documents, why, number)
            entries.append((str(image), image, tuple(words[j - 1] for j in found if j != _PAD)))
    return words, entries


# --- The collection ------------------------------------------------------------------------------


def _assemble(folder: Path, words: tuple[str, ...], entries: list[_Entry]) -> MediaCollection:
    pictures = {
        path.stem.lower(): path for path in files_by_name(folder, sorted(IMAGE_SUFFIXES)).values()
    }
    kept: dict[str, tuple[MediaItem, int, tuple[str, ...]]] = {}
    skipped = []
    for name, number, tags in entries:
        path = pictures.get(PurePosixPath(name).name.partition(".")[0].lower())
        if path is None:
            skipped.append(Skipped(name, "it is listed, but there is no such picture"))
            continue
        item = MediaItem(path.relative_to(folder).as_posix(), path, "image")
        if item.name in kept:
            raise ValueError(f"The lists of {str(folder)!r} hold the picture {name!r} twice.")
        kept[item.name] = (item, number // 1000 * 1000, tags)
    if not kept:
        raise ValueError(
            f"None of the {len(entries):,} listed pictures is below {str(folder)!r}. Put the"
            " folders of pictures (1000/1000.jpeg, ...) beside the lists."
        )
    rows = [kept[name] for name in sorted(kept)]
    cds = sorted({cd for _, cd, _ in rows})
    place = {cd: label for label, cd in enumerate(cds)}
    return MediaCollection(
        name="corel5k",
        root=folder,
        items=tuple(item for item, _, _ in rows),
        tags=parse_tags([set(tags) for _, _, tags in rows], vocabulary=words),
        skipped=tuple(sorted(skipped, key=lambda one: one.name)),
        notes=("The class of a picture is the photo CD that it comes from.",),
        labels=np.array([place[cd] for _, cd, _ in rows], dtype=np.int64),
        class_names=tuple(map(str, cds)),
    )
