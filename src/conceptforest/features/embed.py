"""Collections to vectors: files are read, decoded and described in threads, and never twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from joblib import effective_n_jobs

from conceptforest.checks import whole
from conceptforest.datasets.media import MediaItem, Skipped
from conceptforest.features.cache import FeatureCache
from conceptforest.features.decode import DECODER_VERSION, MAX_PIXELS, quiet_pillow
from conceptforest.features.reading import Failure, Prepared, Preparer, Read, read_digest
from conceptforest.in_threads import in_threads
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from conceptforest.features.extractor import Extractor

__all__ = ["Embedded", "embed", "vector_key"]

_MAX_THREADS = 256


@dataclass(frozen=True, eq=False, repr=False)
class Embedded:
    """The vectors of a collection.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features), float32
    kept : ndarray of shape (n_kept,), int64
        Which items have a vector: rising indices of the items given.
    digests : tuple of str, length n_kept
        What the contents are kept by in the cache; thumbnails are found with them.
    skipped : tuple of Skipped
        The other items, in their order.
    n_computed, n_cached : int
        Different contents whose vectors were made now, or were there already.
    """

    X: NDArray[np.float32]
    kept: NDArray[np.int64]
    digests: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    n_computed: int
    n_cached: int

    def __repr__(self) -> str:
        return (
            f"<Embedded: {self.X.shape[0]:,} items, {self.X.shape[1]:,} features,"
            f" {len(self.skipped):,} left out>"
        )


def embed(
    items: Sequence[MediaItem],
    extractor: Extractor,
    cache: FeatureCache,
    *,
    n_jobs: int | None = None,
    video_frames: int = 16,
    pool: Literal["mean", "max"] = "mean",
    thumbnail_size: int = 192,
    max_pixels: int = MAX_PIXELS,
    verbose: int = 0,
) -> Embedded:
    """Turn pictures and videos into vectors.

    Each content is embedded once, whatever its name, and is in the cache from then on, together
    with a thumbnail. A run that is stopped keeps what it has done; the next one does the rest.
    The vectors are the same, bit by bit, for any `n_jobs` and whatever was in the cache. Files
    that give no vector are left out and listed with the reason.

    Memory is bounded: all pictures that are decoded at once take no more than 1 GB together. After
    Ctrl-C nothing new is begun, but Python waits for pictures that are being decoded before it
    ends.

    Parameters
    ----------
    items : sequence of MediaItem
    extractor : Extractor
    cache : FeatureCache
    n_jobs : int or None, default=None
        Threads that decode, as everywhere: None means one, -1 all processors.
    video_frames : int, default=16
        Frames, evenly spaced, that stand for a video.
    pool : "mean" or "max", default="mean"
        How the vectors of frames become the vector of the video.
    thumbnail_size : int, default=192
        Side of the square that thumbnails fit into; 0 makes none.
    max_pixels : int, default=100,000,000
        See :func:`~conceptforest.features.decode.decode_image`.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    Embedded

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from conceptforest.features.classic import ClassicDescriptor
    >>> with tempfile.TemporaryDirectory() as folder, FeatureCache(None) as cache:
    ...     sea, text = Path(folder) / "sea.png", Path(folder) / "text.png"
    ...     Image.linear_gradient("L").save(sea)
    ...     _ = text.write_text("no picture")
    ...     items = [MediaItem(path.name, path, "image") for path in (text, sea)]
    ...     found = embed(items, ClassicDescriptor(), cache)
    >>> found.X.shape, found.kept.tolist()
    ((1, 437), [1])
    >>> found.skipped[0]
    Skipped(name='text.png', reason='it is not a JPEG, PNG, WebP, TIFF, GIF or BMP file')
    """
    _check(items, cache)
    whole("video_frames", video_frames, 1)
    whole("thumbnail_size", thumbnail_size, 0)
    whole("max_pixels", max_pixels, 1)
    if pool not in ("mean", "max"):
        raise ValueError(f'pool must be "mean" or "max"; got {pool!r}.')
    n_threads = min(int(effective_n_jobs(n_jobs)), _MAX_THREADS)
    prepare = Preparer(extractor, int(video_frames), int(thumbnail_size), int(max_pixels))
    work = _Work(extractor, cache, prepare, pool)
    try:
        reads = _read_all(items, cache, n_threads, verbose)
        jobs = work.plan(items, reads)
        with quiet_pillow():  # once for all threads
            work.do(jobs, n_threads, verbose)
    finally:  # also on Ctrl-C
        cache.commit()
    return work.collect(items, reads)


def vector_key(extractor: Extractor, kind: str, video_frames: int = 16, pool: str = "mean") -> str:
    """Give the key under which the cache keeps the vectors of pictures or videos.

    Parameters
    ----------
    extractor : Extractor
    kind : "image" or "video"
    video_frames : int, default=16
    pool : str, default="mean"
    """
    key = f"{extractor.key} decoded {DECODER_VERSION}"
    return key if kind == "image" else f"{key} {pool} of {video_frames} frames"


def _check(items: Sequence[MediaItem], cache: FeatureCache) -> None:
    for item in items:
        if not isinstance(item, MediaItem):
            raise TypeError(f"items must be MediaItem; got {type(item).__name__}.")
    if not isinstance(cache, FeatureCache):
        raise TypeError(
            f"cache is of type {type(cache).__name__}; give a FeatureCache. FeatureCache(None)"
            " keeps all in memory."
        )


# --- Reading --------------------------------------------------------------------------------------


def _read_all(
    items: Sequence[MediaItem], cache: FeatureCache, n_threads: int, verbose: int
) -> list[Read | Failure]:
    """Give the content's digest of each item; files that have not changed are not read again."""
    reads: dict[int, Read | Failure] = {}
    with progress_bar("reading", len(items), show=verbose > 0) as update:

        def unknown() -> Iterator[int]:
            for place, item in enumerate(items):
                cache.commit_if_due()
                known = _known(item, cache)
                if known is None:
                    yield place
                else:
                    reads[place] = known

        def read(place: int) -> Read | Failure:
            return read_digest(items[place].path)

        with in_threads(read, unknown(), n_threads, cache.commit_if_due) as results:
            for place, found in results:
                reads[place] = found
                if isinstance(found, Read):
                    cache.remember_file(items[place].path, found.status, found.digest)
                if update:
                    update(len(reads))
        if update:
            update(len(reads))
    cache.commit()
    return [reads[place] for place in range(len(items))]


def _known(item: MediaItem, cache: FeatureCache) -> Read | None:
    try:
        status = item.path.stat()
    except OSError:
        return None  # reading it will say why
    digest = cache.known_digest(item.path, status)
    return None if digest is None else Read(digest, status)


# --- The work ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Content:
    """A content that something is still to be made of."""

    item: MediaItem
    read: Read
    needs_vector: bool


class _Work:
    """What is to be computed, batches of it, and what came of it."""

    def __init__(
        self, extractor: Extractor, cache: FeatureCache, prepare: Preparer, pool: str
    ) -> None:
        self.extractor = extractor
        self.cache = cache
        self.prepare = prepare
        self.pool = pool
        self.failed: dict[tuple[str, str], str] = {}  # by digest and key
        self.computed: set[tuple[str, str]] = set()
        self._rows: list[tuple[_Content, NDArray[Any]]] = []  # prepared, not run yet
        self._vectors: dict[tuple[str, str], list[NDArray[np.float32]]] = {}
        self._prepared: dict[tuple[str, str], Prepared] = {}

    def key(self, item: MediaItem) -> str:
        return vector_key(self.extractor, item.kind, self.prepare.video_frames, self.pool)

    def plan(self, items: Sequence[MediaItem], reads: Sequence[Read | Failure]) -> list[_Content]:
        """List the different contents of which the cache lacks something."""
        jobs: dict[tuple[str, str], _Content] = {}
        size = self.prepare.thumbnail_size
        for item, read in zip(items, reads, strict=True):
            if isinstance(read, Failure):
                continue
            place = (read.digest, self.key(item))
            if place in jobs or place in self.failed:
                continue
            reason = self.cache.failure(place[0], self._failure_key(place[1]))
            if reason is not None:
                self.failed[place] = reason
                continue
            needs_vector = not self.cache.has_vector(*place, self.extractor.n_features)
            if needs_vector or (size and not self.cache.has_thumbnail(read.digest, size)):
                jobs[place] = _Content(item, read, needs_vector)
        return list(jobs.values())

    def do(self, jobs: Sequence[_Content], n_threads: int, verbose: int) -> None:
        """Do all of it; each batch is on the disk before the next one is run."""

        def prepare(job: _Content) -> Prepared | Failure:
            return self.prepare(job.item, job.read)

        show = verbose > 0 and bool(jobs)
        with (
            progress_bar("embedding", len(jobs), show=show) as update,
            in_threads(prepare, jobs, n_threads, self.cache.commit_if_due) as results,
        ):
            for done, (job, result) in enumerate(results, 1):
                self._take(job, result)
                self.cache.commit_if_due()
                while len(self._rows) >= self.extractor.batch_size:
                    self._run_batch()
                if update:
                    update(done)
            while self._rows:
                self._run_batch()

    def _take(self, job: _Content, result: Prepared | Failure) -> None:
        place = (job.read.digest, self.key(job.item))
        if isinstance(result, Failure):
            if job.needs_vector:
                self._fail(place, result)
            return  # else it has a vector, and does without a thumbnail
        if not job.needs_vector:
            self._put_thumbnail(job.read.digest, result)
            return
        self._prepared[place] = result
        self._vectors[place] = []
        self._rows += [(job, row) for row in result.rows]

    def _run_batch(self) -> None:
        size = self.extractor.batch_size
        now, self._rows = self._rows[:size], self._rows[size:]
        batch = np.zeros((size, *now[0][1].shape), dtype=now[0][1].dtype)
        for place, (_, row) in enumerate(now):
            batch[place] = row
        self.cache.commit()  # a network may take a while
        found = np.asarray(self.extractor.run(batch))
        if found.shape != (size, self.extractor.n_features):
            raise ValueError(
                f"{self.extractor.name} gave features of shape {found.shape}; a batch of {size}"
                f" needs {(size, self.extractor.n_features)}."
            )
        for (job, _), vector in zip(now, found, strict=False):  # what fills the batch is dropped
            self._take_vector(job, vector.astype(np.float32))
        self.cache.commit()

    def _take_vector(self, job: _Content, vector: NDArray[np.float32]) -> None:
        """Keep a content's vector once all of its rows have been run."""
        place = (job.read.digest, self.key(job.item))
        vectors = self._vectors[place]
        vectors.append(vector)
        if len(vectors) < len(self._prepared[place].rows):
            return
        del self._vectors[place]
        self._put_thumbnail(job.read.digest, prepared := self._prepared.pop(place))
        whole_vector = _pooled(vectors, self.pool) if len(prepared.rows) > 1 else vectors[0]
        if np.isfinite(whole_vector).all():
            self.cache.put_vector(*place, whole_vector)
            self.computed.add(place)
        else:
            self._fail(place, Failure("its features are not finite numbers", lasting=True))

    def _fail(self, place: tuple[str, str], failure: Failure) -> None:
        self.failed[place] = failure.reason
        if failure.lasting:
            self.cache.put_failure(place[0], self._failure_key(place[1]), failure.reason)

    def _failure_key(self, key: str) -> str:
        return f"{key} of {self.prepare.max_pixels} pixels"  # with more allowed, it is tried again

    def _put_thumbnail(self, digest: str, prepared: Prepared) -> None:
        if prepared.thumbnail is not None:
            size = self.prepare.thumbnail_size
            self.cache.put_thumbnail(digest, size, *prepared.thumbnail)

    def collect(self, items: Sequence[MediaItem], reads: Sequence[Read | Failure]) -> Embedded:
        """Read all vectors from the cache, so that they are the same whenever they were made."""
        kept: list[int] = []
        places: list[tuple[str, str]] = []
        skipped: list[Skipped] = []
        for index, (item, read) in enumerate(zip(items, reads, strict=True)):
            place = None if isinstance(read, Failure) else (read.digest, self.key(item))
            if isinstance(read, Failure):
                skipped.append(Skipped(item.name, read.reason))
            elif place in self.failed:
                skipped.append(Skipped(item.name, self.failed[place]))
            else:
                kept.append(index)
                places.append((read.digest, self.key(item)))
        X = np.zeros((len(kept), self.extractor.n_features), dtype=np.float32)
        for row, place in zip(X, places, strict=True):
            vector = self.cache.vector(*place, self.extractor.n_features)
            if vector is None:
                raise RuntimeError("The cache lost a vector while it was in use. Run again.")
            row[:] = vector
        n_contents = len(set(places))
        return Embedded(
            X,
            np.array(kept, dtype=np.int64),
            tuple(digest for digest, _ in places),
            tuple(skipped),
            len(self.computed),
            n_contents - len(self.computed),
        )


def _pooled(vectors: list[NDArray[np.float32]], pool: str) -> NDArray[np.float32]:
    stacked = np.stack(vectors).astype(np.float64)
    with np.errstate(invalid="ignore"):  # what is not finite is left out by the caller
        pooled = stacked.mean(axis=0) if pool == "mean" else stacked.max(axis=0)
    return np.asarray(pooled, dtype=np.float32)
