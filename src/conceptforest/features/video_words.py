"""Videos to vectors by the words of motion and shape that occur in them."""

from __future__ import annotations

import hashlib
import numbers
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.checks import whole
from conceptforest.datasets.media import Skipped
from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.codebook import Reservoir, assign, learn_codebook
from conceptforest.features.decode import UnreadableError
from conceptforest.features.hog3d import Hog3d
from conceptforest.features.intersection_map import intersection_map
from conceptforest.features.video_frames import read_gray_chunks
from conceptforest.progress import progress_bar, working

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["VideoWords"]

_CHUNK = 60  # frames in memory at a time: fewer cost more overlap, more cost memory
_BLOCK = 2048  # descriptors that get their words at a time
_DIGESTED = 2**16  # bytes of a file that, with its size, tell it from others
_MAX_SEED = 2**32 - 1


class VideoWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Bags of visual words of videos, mapped so that scalar products are nearly intersections.

    `fit` describes boxes of all videos by HOG3D, takes a fair sample of the descriptors and finds
    typical ones, the words, by k-means. `transform` counts how often each word is the nearest one
    in a video, and maps the shares by
    :func:`~conceptforest.features.intersection_map.intersection_map`. Both read every video once
    from its beginning to its end, in memory that does not depend on its length.

    The result does not depend on the order of the videos, nor on the number of threads.

    Parameters
    ----------
    n_words : int, default=1000
    order : int, default=1
        Of the intersection map: each word becomes ``2 * order + 1`` features.
    setting : "hollywood2", "kth" or Hog3d, default="hollywood2"
        What is described, and how: descriptors of 300 or of 1,000 numbers.
    n_descriptors : int, default=1_000_000
        Descriptors that words are learnt from, shared by all videos alike. They are kept in
        memory: 1.2 GB at most with "hollywood2".
    max_seconds : float or None, default=None
        How much of each video is read, from its beginning; None reads all.
    every : int, default=1
        Takes every second frame, say, with 2.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Videos that are read at the same time, each in some 120 MB of memory ("kth": 250 MB); None
        means 1, and -1 one for each processor.
    verbose : int, default=0
        With 1 or more, shows progress.

    Attributes
    ----------
    codebook_ : ndarray of shape (n_words, n_descriptor_features), float32
        Fewer words if there were fewer different descriptors.
    skipped_ : list of Skipped
        Videos of the last call that could not be read; their rows are zeros.
    n_features_out_ : int
        Features of a video: words times ``2 * order + 1``.

    Examples
    --------
    >>> from conceptforest.features.video_words import VideoWords
    >>> words = VideoWords(n_words=200, max_seconds=60)
    >>> words.fit_transform(["a.mp4", "b.mp4"])  # doctest: +SKIP
    """

    def __init__(
        self,
        n_words: int = 1000,
        order: int = 1,
        setting: str | Hog3d = "hollywood2",
        *,
        n_descriptors: int = 1_000_000,
        max_seconds: float | None = None,
        every: int = 1,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_words = n_words
        self.order = order
        self.setting = setting
        self.n_descriptors = n_descriptors
        self.max_seconds = max_seconds
        self.every = every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, videos: Any, y: Any = None) -> Self:
        """Learn the words from videos.

        Parameters
        ----------
        videos : sequence of str, path-like or MediaItem
            Those that cannot be read are left out and listed in `skipped_`.
        y : None
            Ignored.

        Returns
        -------
        VideoWords
            The estimator itself. A fit that fails or is interrupted leaves it as it was.
        """
        del y
        hog = self._checked()
        named = _named(videos)
        if not named:
            raise ValueError("There are no videos to learn words from.")
        quota = max(1, self.n_descriptors // len(named))

        def sample(path: Path, stop: threading.Event) -> tuple[bytes, NDArray[np.float32]]:
            digest = _digest(path)
            seed = [int(self.random_state), *np.frombuffer(digest, np.uint32).tolist()]
            reservoir = Reservoir(quota, hog.n_features, seed)
            for descriptors in self._descriptors(hog, path, stop):
                reservoir.add(descriptors)
            return digest, reservoir.rows()

        found, skipped = self._for_all(named, sample, "sampling videos")
        # The words must not depend on the order in which the videos were given.
        samples = [rows for _, rows in sorted(found.values(), key=lambda pair: pair[0])]
        found.clear()
        descriptors = _joined(samples, hog.n_features)
        if not len(descriptors):
            raise ValueError(
                f"None of the {len(named)} videos has anything to learn words from: {len(skipped)}"
                " cannot be read, and the others are shorter or smaller than a box, or show"
                " nothing."
            )
        with working("learning words", show=bool(self.verbose)):
            self.codebook_ = learn_codebook(descriptors, self.n_words, int(self.random_state))
        self.skipped_ = skipped
        return self

    def transform(self, videos: Any) -> NDArray[np.float32]:
        """Turn videos into vectors.

        Parameters
        ----------
        videos : sequence of str, path-like or MediaItem

        Returns
        -------
        ndarray of shape (n_videos, n_features_out_), float32
            Rows are zeros for videos that cannot be read, which are listed in `skipped_`, and for
            videos without any descriptor.
        """
        check_is_fitted(self, "codebook_")
        X: NDArray[np.float32] = intersection_map(self.histograms(videos), self.order)
        return X

    def histograms(self, videos: Any) -> NDArray[np.float64]:
        """Count the words of videos; each row adds up to 1, or is all zeros.

        Parameters
        ----------
        videos : sequence of str, path-like or MediaItem

        Returns
        -------
        ndarray of shape (n_videos, n_words)
        """
        check_is_fitted(self, "codebook_")
        hog = self._checked()
        named = _named(videos)
        n_words = len(self.codebook_)

        def count(path: Path, stop: threading.Event) -> NDArray[np.int64]:
            counts = np.zeros(n_words, np.int64)
            for descriptors in _in_blocks(self._descriptors(hog, path, stop)):
                counts += np.bincount(assign(descriptors, self.codebook_), minlength=n_words)
            return counts

        found, self.skipped_ = self._for_all(named, count, "reading videos")
        shares = np.zeros((len(named), n_words))
        for place, counts in found.items():
            shares[place] = counts / max(1, int(counts.sum()))
        return shares

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> NDArray[np.float32]:
        """Learn the words from videos and turn the same videos into vectors."""
        return self.fit(X, y).transform(X)

    @property
    def n_features_out_(self) -> int:
        """Features of a video."""
        check_is_fitted(self, "codebook_")
        return len(self.codebook_) * (2 * self.order + 1)

    @property
    def key(self) -> str:
        """What the histograms of a video depend on besides the video, for keeping them."""
        check_is_fitted(self, "codebook_")
        words = hashlib.blake2b(self.codebook_.tobytes(), digest_size=16).hexdigest()
        return f"video-words-1 {self._checked()} {self.max_seconds} {self.every} {words}"

    def _checked(self) -> Hog3d:
        """Check all parameters, and give the descriptor that `setting` means."""
        whole("n_words", self.n_words, 1)
        whole("order", self.order, 1)
        whole("n_descriptors", self.n_descriptors, 1)
        whole("random_state", self.random_state, 0)
        if self.random_state > _MAX_SEED:
            raise ValueError(f"random_state must be below 2**32; got {self.random_state}.")
        whole("verbose", self.verbose, 0)
        jobs: Any = self.n_jobs
        if jobs is not None and (not isinstance(jobs, numbers.Integral) or not jobs):
            raise ValueError(f"n_jobs must be a whole number other than 0, or None; got {jobs!r}.")
        if isinstance(self.setting, Hog3d):
            return self.setting
        return Hog3d.setting(self.setting)

    def _descriptors(
        self, hog: Hog3d, path: Path, stop: threading.Event
    ) -> Iterator[NDArray[np.float32]]:
        chunks = read_gray_chunks(
            path,
            chunk=max(_CHUNK, 2 * hog.overlap),
            overlap=hog.overlap,
            max_seconds=self.max_seconds,
            every=self.every,
        )
        for descriptors in hog.describe_chunks(chunks):
            if stop.is_set():
                raise InterruptedError
            yield descriptors

    def _for_all(
        self,
        named: Sequence[tuple[str, Path]],
        work: Callable[[Path, threading.Event], Any],
        label: str,
    ) -> tuple[dict[int, Any], list[Skipped]]:
        """Do the work for each video, several at a time; gives results by place."""
        found: dict[int, Any] = {}
        skipped: list[Skipped] = []
        stop = threading.Event()
        pool = ThreadPoolExecutor(int(effective_n_jobs(self.n_jobs)))
        show = bool(self.verbose)
        try:
            # Products of matrices by one thread each: parallel work is over videos.
            with threadpool_limits(1), progress_bar(label, len(named), show=show) as update:
                tasks = {
                    pool.submit(work, path, stop): place for place, (_, path) in enumerate(named)
                }
                left = set(tasks)
                while left:
                    done, left = wait(left, timeout=0.2, return_when=FIRST_EXCEPTION)
                    for task in done:
                        place = tasks[task]
                        try:
                            found[place] = task.result()
                        except UnreadableError as error:
                            skipped.append(Skipped(named[place][0], str(error)))
                    if update:
                        update(len(named) - len(left))
        finally:  # on Ctrl-C too: the others stop at their next piece
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
        return found, sorted(skipped, key=lambda entry: entry.name)


def _named(videos: Any) -> list[tuple[str, Path]]:
    """Give the name and the path of each video."""
    if isinstance(videos, (str, bytes, Path)):
        raise TypeError("videos must be a list of paths or media items; got a single path.")
    return [
        (video.name, Path(video.path)) if hasattr(video, "path") else (str(video), Path(video))
        for video in videos
    ]


def _digest(path: Path) -> bytes:
    """Tell a file by its size and its beginning, whatever its name."""
    try:
        with open_regular(path) as file:
            head = file.read(_DIGESTED)
            size = file.seek(0, 2)
    except OSError as error:
        if error.errno is None:
            raise UnreadableError("it is not a regular file", lasting=False) from None
        raise UnreadableError(f"it cannot be opened ({error.strerror})", lasting=False) from error
    return hashlib.blake2b(head + size.to_bytes(8, "little"), digest_size=16).digest()


def _in_blocks(pieces: Iterable[NDArray[np.float32]]) -> Iterator[NDArray[np.float32]]:
    """Put small pieces together, for products of matrices that are worth their start."""
    held: list[NDArray[np.float32]] = []
    for piece in pieces:
        held.append(piece)
        if sum(map(len, held)) >= _BLOCK:
            yield np.concatenate(held)
            held = []
    if held:
        yield np.concatenate(held)


def _joined(samples: list[NDArray[np.float32]], n_features: int) -> NDArray[np.float32]:
    """Put samples into one array, letting go of each as soon as it is copied."""
    joined = np.empty((sum(map(len, samples)), n_features), np.float32)
    end = len(joined)
    while samples:
        rows = samples.pop()
        joined[end - len(rows) : end] = rows
        end -= len(rows)
    return joined
