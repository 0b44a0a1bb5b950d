"""Tags from a COCO-style JSON file: the categories of the objects marked in each picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from conceptforest.datasets.found_tags import Faults, FoundTags, count, sentence
from conceptforest.datasets.item_names import NONE, SEVERAL, ItemNames
from conceptforest.datasets.rdf_tags import WrittenTags
from conceptforest.datasets.regular_file import open_regular
from conceptforest.tags.names import short

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from conceptforest.datasets.media import MediaItem

__all__ = ["MAX_BYTES", "read_coco"]

MAX_BYTES = 2**30  # it is read as a whole, and takes several times its size


def read_coco(path: str | os.PathLike[str], items: Sequence[MediaItem] | ItemNames) -> FoundTags:
    """Read the tags of items from a COCO-style JSON file.

    Parameters
    ----------
    path : str or path-like
        A JSON object with the lists ``images`` (each with ``id`` and ``file_name``),
        ``categories`` (``id``, ``name`` and maybe ``supercategory``) and ``annotations``
        (``image_id`` and ``category_id``).
    items : sequence of MediaItem, or ItemNames
        Whose tags are wanted.

    Returns
    -------
    FoundTags
        The categories of a picture, each as a path from its supercategory, and a note on what was
        found.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not as described, or larger than a gigabyte.

    Examples
    --------
    >>> import tempfile
    >>> from conceptforest.datasets.media import MediaItem
    >>> items = [MediaItem("1.jpg", Path("1.jpg"), "image")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "instances.json"
    ...     _ = path.write_text(json.dumps({"images": [{"id": 9, "file_name": "1.jpg"}],
    ...         "categories": [{"id": 3, "name": "cat", "supercategory": "animal"}],
    ...         "annotations": [{"image_id": 9, "category_id": 3}]}))
    ...     read_coco(path, items).paths[0]
    {('animal', 'cat')}
    """
    path = Path(path)
    names = items if isinstance(items, ItemNames) else ItemNames(items)
    content = _load(path)
    faults = Faults()
    images = _records(path, content, "images", ("id", "file_name"), faults)
    places = _find_images(images, names, faults)
    categories = {
        key: _written(category)
        for key, category in _records(path, content, "categories", ("id", "name"), faults)
    }
    found = FoundTags()
    for key, annotation in _records(
        path, content, "annotations", ("image_id", "category_id"), faults
    ):
        category = annotation["category_id"]
        if key not in places or not _is_id(category) or category not in categories:
            case = f"image {short(key)}, category {short(category)}"
            faults.add("{} of an unknown image or category", "annotation", case)
        elif places[key] >= 0:
            found.add(places[key], categories[category])
    counts = [count(len(content[key]), key.removesuffix("s")) for key in ("images", "annotations")]
    found.notes.append(sentence(path.name, [", ".join(counts), *faults.phrases()]))
    return found


def _find_images(
    images: Iterator[tuple[Any, dict[str, Any]]], names: ItemNames, faults: Faults
) -> dict[Any, int]:
    """Give the place of the item that each image means, by the id of the image."""
    places: dict[Any, int] = {}
    folders: dict[int, set[str]] = {}
    outside: dict[Any, str] = {}  # images in folders of which the collection knows nothing
    for key, image in images:
        name = str(image["file_name"])
        places[key], how, outer = names.match(name)
        if how:
            faults.add(f"{{}} matched {how}", "image", short(name))
        if places[key] < 0:
            why = "not here" if places[key] == NONE else "whose name more than one file has"
            faults.add(f"{{}} {why}", "image", short(name))
            continue
        folders.setdefault(places[key], set()).add(outer)
        if outer:
            outside[key] = name
    for key, name in outside.items():
        if len(folders[places[key]]) > 1:
            places[key] = SEVERAL
            why = "{} left out, as those of different folders fit one file"
            faults.add(why, "image", short(name))
    return places


def _load(path: Path) -> dict[str, Any]:
    with open_regular(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        _refuse(
            path,
            f"it is larger than {MAX_BYTES:,} bytes. Write file names and categories into a CSV"
            " table, which is read line by line",
        )
    try:
        content = json.loads(data)
    except RecursionError:
        _refuse(path, "its JSON is nested too deep")
    except ValueError as error:  # UnicodeDecodeError included
        _refuse(path, f"it is no sound JSON ({error})")
    if not isinstance(content, dict):
        _refuse(path, f"it holds a {type(content).__name__} and not an object in braces")
    return content


def _records(
    path: Path, content: dict[str, Any], kind: str, keys: tuple[str, str], faults: Faults
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Give the sound records of one list, each with the value of its first key."""
    records = content.get(kind)
    if not isinstance(records, list):
        _refuse(path, f"it has no list {kind!r}. It must have images, annotations and categories")
    sound = 0
    for number, record in enumerate(records):
        missing = [key for key in keys if not isinstance(record, dict) or key not in record]
        if missing or not _is_id(record[keys[0]]):
            why = f"entry {number} has no {' and no '.join(missing) or 'sound ' + keys[0]}"
            faults.add(f"{{}} of {kind} not usable", "record", why)
            continue
        sound += 1
        yield record[keys[0]], record
    if records and not sound:
        _refuse(path, f"no entry of its list {kind!r} has {' and '.join(map(repr, keys))}")


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str)


def _written(category: dict[str, Any]) -> WrittenTags:
    name, above = str(category["name"]), category.get("supercategory")
    if not isinstance(above, str) or above in {"", "none"}:  # "none" is what some programs write
        return WrittenTags((name,))
    return WrittenTags(paths=((name,) if above == name else (above, name),))


def _refuse(path: Path, why: str) -> NoReturn:
    raise ValueError(f"Cannot read {str(path)!r}: {why}.")
