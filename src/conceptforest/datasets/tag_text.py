"""Tags put in order: one spelling each, no stray spaces, nothing that is no text."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MAX_LENGTH", "clean_tag", "merge_case"]

MAX_LENGTH = 200  # characters
# Marks that turn the direction of what follows them, in a table as well as in a tag.
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def clean_tag(text: str) -> str:
    r"""Give a tag in its composed form (NFC), on one line and without control characters.

    Examples
    --------
    >>> clean_tag(" New\n  York\x07 ")
    'New York'
    """
    if text.isascii() and text.isprintable():  # nearly all
        return " ".join(text.split())
    text = " ".join(text.split())
    kept = (c for c in text if unicodedata.category(c) not in {"Cc", "Cs"} and c not in _TURNING)
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def merge_case(counts: Mapping[str, int]) -> dict[str, str]:
    """Find one spelling for tags that differ in the case of letters alone.

    Parameters
    ----------
    counts : mapping of str to int
        How many items have each spelling.

    Returns
    -------
    dict of str to str
        For each spelling that gives way, the most frequent one; of equally frequent ones, the
        first in the alphabet.

    Examples
    --------
    >>> merge_case({"Paris": 3, "paris": 1, "PARIS": 1, "boat": 2})
    {'PARIS': 'Paris', 'paris': 'Paris'}
    """
    lowered = Counter(tag.lower() for tag in counts)
    groups: dict[str, list[str]] = {}
    for tag in counts:
        if lowered[tag.lower()] > 1:
            groups.setdefault(tag.lower(), []).append(tag)
    return {
        tag: best
        for spellings in groups.values()
        for best in [_most_frequent(spellings, counts)]
        for tag in sorted(spellings)
        if tag != best
    }


def _most_frequent(spellings: Iterable[str], counts: Mapping[str, int]) -> str:
    return min(spellings, key=lambda tag: (-counts[tag], tag))
