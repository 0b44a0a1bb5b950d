"""What is said before any work: that a collection can give no concepts, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conceptforest.datasets import Collection, MediaCollection
    from conceptforest.discovery.settings import Settings
    from conceptforest.discovery.source import Items

__all__ = ["check_items", "check_source"]

FEWEST = 10  # items below which there is nothing to find
_TABLE = "Name a table of tags with --tags FILE"
_FOLDERS = "use the names of the folders with --tags folders"


def check_source(source: MediaCollection | Collection, settings: Settings) -> None:
    """Refuse what has too few items or no tags, before features are computed."""
    notes = getattr(source, "notes", ())
    _check_number(source.n_items, "", settings)
    if source.tags.matrix.nnz:
        return
    given = settings.tags or ()
    advice = f"{_TABLE}, or {_FOLDERS}."
    if "folders" in given:
        advice = f"All files lie in one folder, so there are no names of folders. {_TABLE}."
    elif given:
        advice = (
            "Names in the table must be paths from the folder, such as 'a/b.jpg', or file names."
        )
    told = f" What was read: {' '.join(notes)}" if notes else ""
    raise ValueError(
        "None of the items has a tag, and concepts are found by looks and tags together."
        f" {advice}{told}"
    )


def check_items(items: Items, settings: Settings) -> None:
    """Refuse what is left if files could not be used."""
    why = ""
    if items.skipped:
        first = items.skipped[0]
        why = f" {len(items.skipped):,} files were left out; {first.name!r}: {first.reason}."
    _check_number(items.n_items, why, settings)
    if not items.tags.matrix.nnz:
        raise ValueError(f"None of the items that can be used has a tag.{why}")


def _check_number(n_items: int, why: str, settings: Settings) -> None:
    if n_items < FEWEST:
        raise ValueError(
            f"There are only {n_items} pictures or videos that can be used, and at least {FEWEST}"
            f" are needed to find groups.{why}"
        )
    if settings.n_clusters is not None and settings.n_clusters > n_items:
        raise ValueError(
            f"{settings.n_clusters} concepts are more than the {n_items} items. Ask for fewer"
            " with --clusters, or leave it out."
        )
