"""The collection of drawn pictures: who is in it, its tags, and its files."""

from __future__ import annotations

import csv
import io
import numbers
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from conceptforest.checks import whole
from conceptforest.datasets.scenes.kinds import KINDS
from conceptforest.datasets.scenes.plan import make_plan
from conceptforest.datasets.scenes.tagging import observed_tags, true_tags
from conceptforest.datasets.scenes.words import LAYERS, PARENTS
from conceptforest.progress import progress_bar
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PIL.Image import Image

__all__ = ["SceneImages", "Scenes", "make_scenes"]

_SMALLEST, _LARGEST = 32, 2048  # pixels of a side
_QUALITY = 88  # of the JPEG files
# A picture's random numbers come from (seed, its number, one of these), and from nothing else.
_PLAN, _DRAW, _TRUE, _TAG, _BLOCK = range(5)


class SceneImages(Sequence["Image"]):
    """Pictures that are drawn when they are asked for, always the same.

    Parameters
    ----------
    labels : ndarray of shape (n_items,), int64
    seed : int
    size : (int, int)
        Width and height in pixels.
    """

    def __init__(self, labels: NDArray[np.int64], seed: int, size: tuple[int, int]) -> None:
        self._labels = labels
        self._seed = seed
        self.size = size

    def __len__(self) -> int:
        return len(self._labels)

    @overload
    def __getitem__(self, index: int) -> Image: ...
    @overload
    def __getitem__(self, index: slice) -> list[Image]: ...
    def __getitem__(self, index: int | slice) -> Image | list[Image]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        item = range(len(self))[index]
        _need_pillow()
        from conceptforest.datasets.scenes.draw import draw

        plan = make_plan(int(self._labels[item]), _numbers(self._seed, item, _PLAN))
        return draw(plan, self.size, _numbers(self._seed, item, _DRAW))


@dataclass(frozen=True, eq=False, repr=False)
class Scenes:
    """Drawn pictures with tags, and all that is true of them.

    Attributes
    ----------
    images : SceneImages of length n_items
        ``images[i]`` draws picture ``i`` as a Pillow image.
    names : tuple of str, length n_items
        File names, which do not give the class away.
    tags : list of frozensets of str, length n_items
        What somebody wrote down: sparse, with gaps, empty for some pictures.
    truth : list of frozensets of str, length n_items
        All that is true. It holds every tag but the mistakes.
    mistakes : list of frozensets of str, length n_items
        The observed tags that are not true.
    labels : ndarray of shape (n_items,), int64
        Kind of scene, an index of `class_names`.
    class_names : tuple of str
    layers : tuple of tuples of str
        All words from abstract to specific: a word's layer is its depth in the tree.
    parents : dict of str to str or None
        The next broader word of each; None for the broadest.
    """

    images: SceneImages
    names: tuple[str, ...]
    tags: list[frozenset[str]]
    truth: list[frozenset[str]]
    mistakes: list[frozenset[str]]
    labels: NDArray[np.int64]
    class_names: tuple[str, ...]
    layers: tuple[tuple[str, ...], ...]
    parents: dict[str, str | None]

    def __repr__(self) -> str:
        width, height = self.images.size
        return f"<Scenes: {len(self.names):,} pictures of {width} x {height} pixels>"

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        truth: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> list[Path]:
        """Write the pictures as JPEG files, and their tags beside them as ``tags.csv``.

        Parameters
        ----------
        folder : str or path-like
            It is made if it is not there.
        truth : str or path-like, optional
            Name of a CSV file for the class and all true tags of each picture. Keep it out of
            `folder`, where a reader might take it for tags.
        n_jobs : int, optional
            Threads, as everywhere: None means one, -1 one for each core. The files do not depend
            on it.
        verbose : int, default=0
            1 shows progress.

        Returns
        -------
        list of Path, length n_items
            The pictures.
        """
        workers = _workers(n_jobs)
        _need_pillow()
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        paths = [place / name for name in self.names]
        with (
            progress_bar("drawing", len(paths), show=bool(verbose)) as update,
            ThreadPoolExecutor(workers) as pool,
        ):
            for done, _ in enumerate(pool.map(self._write, range(len(paths)), paths), start=1):
                if update is not None:
                    update(done)
        rows = zip(self.names, map(_joined, self.tags), strict=True)
        _write_table(place / "tags.csv", ("file", "tags"), rows)
        if truth is not None:
            classes = (self.class_names[label] for label in self.labels)
            full = zip(self.names, classes, map(_joined, self.truth), strict=True)
            _write_table(Path(truth), ("file", "class", "tags"), full)
        return paths

    def _write(self, item: int, path: Path) -> None:
        buffer = io.BytesIO()
        self.images[item].save(buffer, "JPEG", quality=_QUALITY)
        with whole_file(path) as file:
            file.write(buffer.getvalue())


def make_scenes(
    n_items: int = 600,
    *,
    size: tuple[int, int] = (256, 192),
    removed: float = 0.6,
    untagged: float = 0.12,
    wrong: float = 0.025,
    random_state: Any = None,
) -> Scenes:
    """Make a collection of drawn pictures from a seed, with tags as people leave them.

    There are fifteen kinds of scenes, such as beaches, harbours and markets, in all sorts of light,
    weather and season. Neither the pictures nor the tags tell the kinds apart well; together they
    do better. Nothing is drawn before it is asked for. An item depends on the seed and its number
    alone: the first items of a larger collection are the same.

    Parameters
    ----------
    n_items : int, default=600
        Number of pictures. From 32 on every kind occurs.
    size : (int, int), default=(256, 192)
        Width and height in pixels, each from 32 to 2048.
    removed : float, default=0.6
        Share of the true tags that is left out of a tagged picture, from 0 up to but not
        including 1. Of two words with one meaning one is left out in any case.
    untagged : float, default=0.12
        Share of pictures without any tag, from 0 up to but not including 1.
    wrong : float, default=0.025
        Chance that a tag is followed by a wrong one, from 0 up to but not including 1.
    random_state : int, RandomState instance or None, default=None
        Seed. Pictures, labels and true tags of a seed do not depend on `removed`, `untagged` and
        `wrong`.

    Returns
    -------
    Scenes

    Examples
    --------
    >>> scenes = make_scenes(40, random_state=0)
    >>> scenes.names[7], scenes.images[7].size, len(scenes.class_names)
    ('img-0007.jpg', (256, 192), 15)
    >>> all(seen - wrong <= true
    ...     for seen, wrong, true in zip(scenes.tags, scenes.mistakes, scenes.truth))
    True
    """
    whole("n_items", n_items, 1)
    width, height = _check_size(size)
    shares = {"removed": removed, "untagged": untagged, "wrong": wrong}
    left_out, silent, slip = (_share(name, value) for name, value in shares.items())
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    labels = _labels(n_items, seed)
    truth, tags, mistakes = [], [], []
    for item, label in enumerate(labels):
        plan = make_plan(int(label), _numbers(seed, item, _PLAN))
        true = true_tags(plan, _numbers(seed, item, _TRUE))
        seen, slips = observed_tags(true, left_out, silent, slip, _numbers(seed, item, _TAG))
        truth.append(true)
        tags.append(seen)
        mistakes.append(slips)
    return Scenes(
        images=SceneImages(labels, seed, (width, height)),
        names=tuple(f"img-{item:04d}.jpg" for item in range(n_items)),
        tags=tags,
        truth=truth,
        mistakes=mistakes,
        labels=labels,
        class_names=tuple(kind.name for kind in KINDS),
        layers=LAYERS,
        parents=dict(PARENTS),
    )


def _labels(n_items: int, seed: int) -> NDArray[np.int64]:
    """Deal out the kinds in shuffled blocks, so that an item's kind depends on no later item."""
    block = np.repeat(np.arange(len(KINDS)), [kind.share for kind in KINDS])
    count = -(-n_items // len(block))
    dealt = [_numbers(seed, number, _BLOCK).permutation(block) for number in range(count)]
    return np.concatenate(dealt)[:n_items].astype(np.int64)


def _numbers(seed: int, item: int, purpose: int) -> np.random.Generator:
    return np.random.default_rng([seed, item, purpose])


def _check_size(size: Any) -> tuple[int, int]:
    if not isinstance(size, Sequence) or isinstance(size, str) or len(size) != 2:
        raise TypeError(f"size is {size!r}; give the width and the height, such as (256, 192).")
    for name, value in zip(("width", "height"), size, strict=True):
        whole(f"size: the {name}", value, _SMALLEST)
        if value > _LARGEST:
            raise ValueError(f"size: the {name} must be at most {_LARGEST} pixels; got {value}.")
    return int(size[0]), int(size[1])


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; it must be a number.")
    share = float(value)
    if not 0 <= share < 1:
        raise ValueError(f"{name} is {value}; it must be at least 0 and less than 1.")
    return share


def _workers(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs is {n_jobs!r}; give a number of threads, -1 for one on each core, or None."
        )
    return int(effective_n_jobs(n_jobs))


def _need_pillow() -> None:
    try:
        import PIL  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'Drawing needs Pillow. Install it with: pip install "conceptforest[vision]"'
        ) from error


def _joined(tags: frozenset[str]) -> str:
    return ";".join(sorted(tags))


def _write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    with whole_file(path) as file:
        file.write(text.getvalue().encode())
