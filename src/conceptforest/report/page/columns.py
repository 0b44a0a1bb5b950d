"""The data of the page as one compact JSON object: columns of numbers, not rows of objects."""

from __future__ import annotations

import json
import os
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conceptforest.report.page.data import ReportData

__all__ = ["columns", "inside_script", "relative_link"]

_MAP_STEPS = 10_000  # map coordinates are whole numbers up to this: finer than any screen
_KINDS = {"image": "i", "video": "v", "item": "t"}


def inside_script(value: Any) -> str:
    r"""Write JSON that may stand inside a script element of an HTML page.

    Everything beyond ASCII is escaped, and so are the characters that HTML could take for markup.

    Examples
    --------
    >>> inside_script(["</script>", "A & B"])
    '["\\u003c/script\\u003e","A \\u0026 B"]'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def relative_link(path: str | None) -> str:
    """Write a relative path as an address, or an empty text where there is none.

    The address starts with a dot, so no name can be taken for a scheme or another host.

    Examples
    --------
    >>> relative_link("../photos/a b#1.jpg")
    '../photos/a%20b%231.jpg'
    >>> relative_link("javascript:alert(1)")
    './javascript%3Aalert%281%29'
    """
    if not path:
        return ""
    if path.startswith(("/", "\\")) or "://" in path:
        raise ValueError(
            f"links holds {path!r}; a link is a path relative to the report's folder, so that the"
            " folder can be moved. Give such a path, or None."
        )
    encoded = quote(os.fsencode(path), safe="/")
    return encoded if encoded.startswith(("./", "../")) else f"./{encoded}"


class _Vocabulary:
    """Numbers for tags, in the order of their counts, then of their names."""

    def __init__(self, data: ReportData) -> None:
        counts = {tag: int(count) for tag, count in data.tag_counts.items()}
        for tag in _tags_named(data):
            counts.setdefault(tag, 0)
        self.tags = sorted(counts, key=lambda tag: (-counts[tag], tag))
        self.counts = [counts[tag] for tag in self.tags]
        self._ids = {tag: number for number, tag in enumerate(self.tags)}

    def __getitem__(self, tag: str) -> int:
        return self._ids[tag]

    def ids(self, tags: Iterable[str]) -> list[int]:
        return [self._ids[tag] for tag in tags]


def _tags_named(data: ReportData) -> Iterable[str]:
    for row in data.tags:
        yield from row
    for cluster in data.clusters:
        yield from (tag for tag, _, _ in cluster.tags)
    for layer in data.layers:
        yield from layer
    yield from (tag for tag, _ in data.tree)
    for one, other, *_ in data.relations:
        yield from (one, other)
    for suggested in data.suggestions:
        yield from (suggestion.tag for suggestion in suggested)


def columns(data: ReportData) -> dict[str, Any]:
    """Give the data of the page, but for thumbnails.

    Lists of lists are flat, with the starts of the rows beside them; shares and affinities are
    whole thousandths. At 20,000 items this is a third of the size of the obvious form.

    Parameters
    ----------
    data : ReportData
        Checked.

    Returns
    -------
    dict of JSON values
    """
    words = _Vocabulary(data)
    suggested = [one for row in data.suggestions for one in row]
    return {
        "title": data.title,
        "command": data.command,
        "names": list(data.names),
        "links": [relative_link(link) for link in data.links],
        "kinds": "".join(_KINDS[kind] for kind in data.kinds),
        "vocabulary": words.tags,
        "counts": words.counts,
        "tagStart": _starts(data.tags),
        "tagIds": [number for row in data.tags for number in words.ids(row)],
        "labels": data.labels.tolist(),
        "clusters": [
            {
                "name": cluster.name,
                "size": int(cluster.size),
                "tags": [
                    [words[tag], _rounded(lift), _rounded(share)]
                    for tag, lift, share in cluster.tags
                ],
                "central": [int(item) for item in cluster.central],
                "cohesion": _rounded(cluster.cohesion),
            }
            for cluster in data.clusters
        ],
        "layers": [words.ids(layer) for layer in data.layers],
        "tree": [
            [words[tag], -1 if parent is None else words[parent]] for tag, parent in data.tree
        ],
        "relations": [
            [words[one], words[other], _rounded(lift), int(both), int(kind == "together")]
            for one, other, lift, both, kind in data.relations
        ],
        "calibrated": bool(data.calibrated),
        "suggestionStart": _starts(data.suggestions),
        "suggestionTag": [words[one.tag] for one in suggested],
        "suggestionShare": [_thousandths(one.probability) for one in suggested],
        "voterStart": _starts([one.voters for one in suggested]),
        "voterItem": [int(item) for one in suggested for item, _ in one.voters],
        "voterShare": [_thousandths(value) for one in suggested for _, value in one.voters],
        "neighbourStart": _starts(data.neighbours),
        "neighbourItem": [int(item) for row in data.neighbours for item, _ in row],
        "neighbourShare": [_thousandths(value) for row in data.neighbours for _, value in row],
        "map": _map_places(data),
        "duplicates": [
            [_rounded(group.similarity), [int(item) for item in group.items]]
            for group in data.duplicates
        ],
        "outliers": [[int(item), reason] for item, reason in data.outliers],
        "skipped": [[name, reason] for name, reason in data.skipped],
        "notes": list(data.notes),
        "facts": [[label, str(value)] for label, value in data.facts],
        "scores": [[label, _rounded(value), hint] for label, value, hint in data.scores],
    }


def _starts(rows: Sequence[Sequence[Any]]) -> list[int]:
    return list(accumulate((len(row) for row in rows), initial=0))


def _rounded(value: float) -> float:
    return round(float(value), 3)


def _thousandths(value: float) -> int:
    return round(1000 * min(max(float(value), 0.0), 1.0))


def _map_places(data: ReportData) -> dict[str, Any]:
    """Move the positions into a box whose longer side is `_MAP_STEPS`."""
    places = np.asarray(data.positions, dtype=np.float64)
    if not len(places):
        return {"x": [], "y": [], "width": _MAP_STEPS, "height": _MAP_STEPS}
    low, high = places.min(axis=0), places.max(axis=0)
    longest = float((high - low).max())
    # Items that are all in one place are shown in the middle of an empty map.
    scale = _MAP_STEPS / longest if longest > 1e-300 else 0.0
    steps = np.rint((places - low) * scale).astype(np.int64)
    width, height = (int(side) for side in steps.max(axis=0))
    return {
        "x": steps[:, 0].tolist(),
        "y": steps[:, 1].tolist(),
        "width": max(width, 1),
        "height": max(height, 1),
    }
