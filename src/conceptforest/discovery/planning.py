"""What a run would do, found out without writing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conceptforest.datasets import Collection
from conceptforest.discovery.run_folder import RunFolder
from conceptforest.discovery.source import read_source, select_tags
from conceptforest.discovery.video_source import HOG3D
from conceptforest.features.cache import FeatureCache
from conceptforest.features.choose import make_extractor
from conceptforest.features.embed import vector_key

if TYPE_CHECKING:
    import os

    from conceptforest.datasets import MediaCollection, MediaItem, Skipped
    from conceptforest.discovery.settings import Settings
    from conceptforest.features.extractor import Extractor

__all__ = ["Plan", "plan"]


@dataclass(frozen=True)
class Plan:
    """What is foreseen.

    Attributes
    ----------
    name : str
        Of the collection.
    steps : list of (str, str)
        What is there and what would be done with it.
    skipped : tuple of Skipped
        Files that cannot be used, as far as that is seen without decoding them.
    notes : tuple of str
    """

    name: str
    steps: list[tuple[str, str]]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


def plan(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    settings: Settings,
    *,
    cache: str | os.PathLike[str] | None = None,
    verbose: int = 0,
) -> Plan:
    """Read folders and tags, and say what a discovery would do; see there for the parameters."""
    run = RunFolder(Path(out))
    run.check_usable()
    source = read_source(Path(path), settings.tags, out=run.root, verbose=verbose)
    tags = select_tags(source.tags, settings.min_tag_count)
    steps = [
        ("tags", f"{source.tags.n_tags:,}, of which {tags.n_tags:,} would be learned from"),
        ("tags an item", f"{source.tags.matrix.nnz / max(1, source.n_items):.1f}"),
        ("untagged", f"{source.tags.untagged.mean():.0%}"),
    ]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    if isinstance(source, Collection):
        steps.insert(0, ("items", f"{source.n_items:,} with {source.X.shape[1]:,} features each"))
    else:
        steps[:0] = _media_steps(source, settings, run.cache if cache is None else Path(cache))
        skipped, notes = source.skipped, source.notes
    chosen = "a chosen number of" if settings.n_clusters is None else f"{settings.n_clusters}"
    steps += [
        ("would grow", f"3 forests of {settings.n_trees:,} trees"),
        ("would find", f"{chosen} concepts"),
        ("would write", str(run.root)),
    ]
    return Plan(source.name, steps, skipped, notes)


def _media_steps(media: MediaCollection, settings: Settings, cache: Path) -> list[tuple[str, str]]:
    kinds = [item.kind for item in media.items]
    found = [("pictures", f"{kinds.count('image'):,}"), ("videos", f"{kinds.count('video'):,}")]
    if settings.features == HOG3D:
        return [*found, ("would read", f"{kinds.count('video'):,} videos twice, for {HOG3D!r}")]
    extractor = make_extractor(settings.features)
    with FeatureCache(cache, read_only=True) as store:
        n_known = sum(_is_known(item, extractor, store, settings) for item in media.items)
    return [
        *found,
        (
            "would embed",
            f"{media.n_items - n_known:,} of them with {extractor.name!r}; {n_known:,} are known",
        ),
    ]


def _is_known(
    item: MediaItem, extractor: Extractor, store: FeatureCache, settings: Settings
) -> bool:
    """Tell whether a file that has not changed was embedded before; it is not read for that."""
    try:
        status = item.path.stat()
    except OSError:  # it vanished since it was found
        return False
    digest = store.known_digest(item.path, status)
    key = vector_key(extractor, item.kind, pool=settings.pool)
    return digest is not None and store.has_vector(digest, key, extractor.n_features)
