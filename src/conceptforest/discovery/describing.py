"""What items look like, by whatever features are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets import Collection
from conceptforest.discovery.source import Items, describe_media, describe_ready
from conceptforest.discovery.video_source import HOG3D, describe_videos
from conceptforest.features.choose import make_extractor

if TYPE_CHECKING:
    from pathlib import Path

    from conceptforest.datasets import MediaCollection
    from conceptforest.discovery.settings import Settings
    from conceptforest.features.cache import FeatureCache

__all__ = ["describe"]


def describe(
    source: MediaCollection | Collection,
    cache: FeatureCache,
    settings: Settings,
    folder: Path,
    *,
    words: str | None = None,
    n_jobs: int | None,
    verbose: int,
) -> Items:
    """Give the items of a collection their features.

    Parameters
    ----------
    source : MediaCollection or Collection
    cache : FeatureCache
    settings : Settings
        Which features.
    folder : Path
        Where the words of videos are kept.
    words : str or None, default=None
        Name of a file of words there, to be used instead of new ones.
    n_jobs, verbose : see :func:`~conceptforest.discovery.discover`
    """
    if isinstance(source, Collection):
        return describe_ready(source)
    if settings.features == HOG3D:
        known = None if words is None else folder / words
        return describe_videos(
            source, cache, settings, known, folder, n_jobs=n_jobs, verbose=verbose
        )
    extractor = make_extractor(settings.features, n_jobs)
    return describe_media(source, extractor, cache, settings, n_jobs=n_jobs, verbose=verbose)
