"""Names of tags: what a vocabulary is, where a name stands in it, and the hint for a wrong one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Names",
    "check_vocabulary",
    "column_names",
    "columns_of",
    "did_you_mean",
    "encode",
    "short",
]

Names: TypeAlias = tuple[str, ...]

MAX_TAGS = 2**31 - 1  # tag ids are int32


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Give `` Did you mean 'cat'?`` for the known name nearest to an unknown one, or nothing.

    Examples
    --------
    >>> did_you_mean("cta", ["cat", "dog"])
    " Did you mean 'cat'?"
    """
    if not isinstance(name, str):
        return ""
    # Names of a similar length first: comparing with a million names would take a minute.
    near = [other for other in known if abs(len(other) - len(name)) <= 3][:20_000]
    lowered = {other.strip().lower(): other for other in reversed(near)}
    same = lowered.get(name.strip().lower())
    close = [same] if same is not None else difflib.get_close_matches(name, near, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def check_vocabulary(vocabulary: Iterable[str]) -> Names:
    """Check that names are unique, ordered and non-empty."""
    if isinstance(vocabulary, (str, set, frozenset)) or not isinstance(vocabulary, Iterable):
        raise TypeError(
            f"vocabulary is {short(vocabulary)}. Give a list of tag names, in the order of the "
            "columns."
        )
    names = list(vocabulary)
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise TypeError(f"The vocabulary holds {name!r}; tag names are non-empty strings.")
        if name in seen:
            raise ValueError(f"The vocabulary names {str(name)!r} twice. Give each tag once.")
        seen.add(name)
    return tuple(map(str, names))


def column_names(n_tags: int, wanted: Names | None) -> Names:
    """Name the columns of a matrix, after checking that there are not too many or too few."""
    if n_tags > MAX_TAGS:
        raise ValueError(
            f"tags have {n_tags} columns, more than the {MAX_TAGS} allowed. Drop columns of tags "
            "that no item carries."
        )
    if wanted is None:
        return tuple(map(str, range(n_tags)))
    if len(wanted) != n_tags:
        raise ValueError(
            f"The vocabulary has {len(wanted)} names but the tag matrix has {n_tags} columns. "
            "Give one name per column, in order."
        )
    return wanted


def encode(
    flat: list[Any], rows: NDArray[Any], wanted: Names | None
) -> tuple[Names, NDArray[np.int64]]:
    """Give each tag name in ``flat`` its column; ``rows`` says whose tag it is."""
    try:
        found = set(flat)
    except TypeError:
        found = {None}  # something that cannot even be a name: report it below
    if not all(isinstance(name, str) and name for name in found):
        k = next(k for k, name in enumerate(flat) if not (isinstance(name, str) and name))
        kind = "an empty name" if isinstance(flat[k], str) else f"of type {type(flat[k]).__name__}"
        raise TypeError(
            f"Item {int(rows[k])} has the tag {short(flat[k])}, {kind}; tag names are non-empty "
            "strings. Write str(tag), or give a 0/1 matrix if the tags have numbers only."
        )
    names = tuple(sorted(map(str, found))) if wanted is None else wanted
    index = {name: j for j, name in enumerate(names)}
    unknown = found - index.keys()
    if unknown:
        k = next(k for k, name in enumerate(flat) if name in unknown)
        _refuse_name(flat[k], names, f"Item {int(rows[k])} has the tag")
    return names, np.fromiter(map(index.__getitem__, flat), dtype=np.int64, count=len(flat))


def columns_of(names: Names, wanted: Names | None) -> NDArray[np.int64]:
    """Say where in the vocabulary each name stands, shape (len(names),)."""
    if wanted is None:
        return np.arange(len(names), dtype=np.int64)
    index = {name: j for j, name in enumerate(wanted)}
    for name in names:
        if name not in index:
            _refuse_name(name, wanted, "tags have the tag")
    return np.array([index[name] for name in names], dtype=np.int64)


def _refuse_name(name: str, known: Names, who: str) -> NoReturn:
    raise ValueError(
        f"{who} {str(name)!r}, which is not in the vocabulary of {len(known)} tags."
        f"{did_you_mean(name, known)} Add it to the vocabulary or leave it out."
    )


def short(value: object) -> str:
    """Write a value for a message, cut to a readable length."""
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."
