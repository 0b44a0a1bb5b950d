"""Videos by what moves in them: HOG3D words learned from the collection itself."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.datasets import Skipped
from conceptforest.discovery.source import Items, choose, describe_media
from conceptforest.features.classic import ClassicDescriptor
from conceptforest.features.codebook import load_codebook, save_codebook
from conceptforest.features.intersection_map import intersection_map
from conceptforest.features.video_words import VideoWords

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.datasets import MediaCollection
    from conceptforest.discovery.settings import Settings
    from conceptforest.features.cache import FeatureCache

__all__ = ["HOG3D", "describe_videos"]

HOG3D = "hog3d"
N_DESCRIPTORS = 200_000  # that words are learned from: 240 MB


def describe_videos(
    media: MediaCollection,
    cache: FeatureCache,
    settings: Settings,
    words_file: Path | None,
    folder: Path,
    *,
    n_jobs: int | None,
    verbose: int,
) -> Items:
    """Describe the videos of a collection by the words of its own, or of an earlier one.

    Parameters
    ----------
    media : MediaCollection
        Its pictures are left out, since nothing moves in them.
    cache : FeatureCache
        Keeps the counts of each video's words, and the thumbnails.
    settings : Settings
    words_file : Path or None
        Words that are known; None learns them, or finds those learned from the same videos.
    folder : Path
        Where words are kept.
    n_jobs, verbose : see :func:`~conceptforest.discovery.discover`

    Returns
    -------
    Items
    """
    is_video = np.array([item.kind == "video" for item in media.items])
    still = [
        Skipped(x.name, "nothing moves in a picture") for x in media.items if x.kind != "video"
    ]
    if not is_video.any():
        raise ValueError(
            f"The features {HOG3D!r} are of videos, and there are none. Choose others with"
            " --features, such as classic."
        )
    videos = choose(media, np.flatnonzero(is_video))
    # This finds the contents, the thumbnails, and the files that cannot be read.
    seen = describe_media(
        videos, ClassicDescriptor(), cache, settings, n_jobs=n_jobs, verbose=verbose
    )
    words = VideoWords(
        n_descriptors=N_DESCRIPTORS, random_state=settings.seed, n_jobs=n_jobs, verbose=verbose
    )
    paths = [link for link in seen.links if link is not None]
    if words_file is None:
        words_file = folder / f"words-{_key(seen, settings)}.npy"
    if words_file.is_file():
        words.codebook_ = load_codebook(words_file)
    else:
        save_codebook(words_file, words.fit(paths).codebook_)
    shares, n_computed = _shares(words, paths, seen, cache)
    return replace(
        seen,
        X=intersection_map(shares, words.order),
        extractor=(HOG3D, words.key),
        words=words_file.name,
        n_computed=n_computed,
        skipped=(*seen.skipped, *still),
    )


def _key(items: Items, settings: Settings) -> str:
    """Name the videos that words are learned from, in whatever order."""
    contents = "\n".join(sorted(str(digest) for digest in items.digests))
    text = f"{settings.seed} {N_DESCRIPTORS}\n{contents}"
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _shares(
    words: VideoWords, paths: list[Path], items: Items, cache: FeatureCache
) -> tuple[NDArray[np.float64], int]:
    """Count the words of each video, (n_videos, n_words); of those that are known, not again."""
    n_words = len(words.codebook_)
    found = [cache.vector(str(digest), words.key, n_words) for digest in items.digests]
    unknown = [i for i, known in enumerate(found) if known is None]
    for i in unknown:  # one by one, so that what is done is kept when it is stopped
        row = words.histograms([paths[i]])[0].astype(np.float32)
        cache.put_vector(str(items.digests[i]), words.key, row)
        found[i] = row
    cache.commit()
    return np.array(found, dtype=np.float64).reshape(len(found), n_words), len(unknown)
