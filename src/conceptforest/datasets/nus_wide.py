"""NUS-WIDE as it is distributed: image lists, 1,000 tags, 81 concepts and six feature lists.

The class of an image comes from a table of Flickr groups where the user has one, else from the
images that show exactly one of the 81 concepts. Files are read as streams; of the tags and
features only the rows of the chosen images are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from conceptforest.checks import whole
from conceptforest.datasets.collection import Collection
from conceptforest.datasets.nus_wide_files import (
    FEATURES,
    Layout,
    find_layout,
    read_concepts,
    read_features,
    read_groups,
    read_tags,
)
from conceptforest.datasets.published_files import check_finite, check_folder, open_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_nus_wide"]

Features: TypeAlias = "str | os.PathLike[str] | Iterable[str]"


def read_nus_wide(
    root: str | os.PathLike[str],
    *,
    features: Features = FEATURES,
    subset: str | None = "paper",
    groups: str | os.PathLike[str] | None = None,
    n_classes: int = 30,
    min_items: int = 500,
    max_items: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Collection:
    """Read NUS-WIDE from the folder into which its archives were unpacked.

    Parameters
    ----------
    root : str or path-like
        The folder with ``ImageList/``, ``NUS_WID_Tags/``, ``Groundtruth/`` and the feature lists.
        The files are found by their names, wherever below it they lie.
    features : names or path, default=("CH", "CORR", "EDH", "WT", "CM55", "BoW")
        Which of the published feature lists make up the columns of ``X``, in this order; or the
        name of a ``.npy`` file with a row for every image, in the order of the image list. It is
        mapped into memory and only the rows of the chosen images are read.
    subset : "paper" or None, default="paper"
        ``"paper"``: draw `n_classes` classes, among those with more than `min_items` images, and
        keep their images. None: keep all images; there are no classes then.
    groups : str or path-like, default=None
        A table of groups: lines ``image<TAB>group``, where the image is its place in the image
        list, from 0, or its path or file name in that list. Without it the classes are the 81
        concepts. Either way only images of exactly one class count.
    n_classes : int, default=30
    min_items : int, default=500
        A class must have more images than this.
    max_items : int or None, default=None
        Draw so many images of a class that has more; None: keep all.
    random_state : int, default=0
        Seed of the draws.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    Collection
        ``X`` is float32 (a user's own array keeps its precision), items are in the order of the
        image list, and the name says where the classes come from: ``"nus-wide (30 groups)"``,
        ``"nus-wide (30 concepts)"`` or, without classes, ``"nus-wide"``. Items are called by their
        paths in the image list, if these differ.

    Raises
    ------
    FileNotFoundError
        If the folder or a needed file is missing.
    ValueError
        If a file is damaged, or there are too few classes of that size.

    Examples
    --------
    >>> read_nus_wide("no such folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no folder 'no such folder'. Give the folder of NUS-WIDE.
    """
    _check_choices(subset, groups, n_classes, min_items, max_items)
    whole("random_state", random_state, 0)
    wanted = _check_features(features)
    layout = find_layout(check_folder(root, "NUS-WIDE"))
    rows = np.arange(layout.n_images)
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] = ()
    name = "nus-wide"
    if subset is not None:
        if groups is not None:
            known = read_groups(layout, Path(groups))
        else:
            known = read_concepts(layout, verbose=verbose)
        rows, labels, class_names = _draw(
            *known,
            n_classes=n_classes,
            min_items=min_items,
            max_items=max_items,
            seed=random_state,
        )
        name = f"nus-wide ({n_classes} {'concepts' if groups is None else 'groups'})"
    tags = read_tags(layout, rows, verbose=verbose)
    X = _read_visual(layout, wanted, rows, verbose)
    images = tuple(layout.images[row] for row in rows.tolist())
    item_names = images if len(set(images)) == len(images) else None
    return Collection(X, tags, labels, class_names, name, item_names=item_names)


def _check_choices(
    subset: Any, groups: Any, n_classes: Any, min_items: Any, max_items: Any
) -> None:
    if subset not in {"paper", None}:
        raise ValueError(f'subset must be "paper" or None; got {subset!r}.')
    if groups is not None and subset is None:
        raise ValueError('groups are the classes of a subset; give subset="paper" with them.')
    whole("n_classes", n_classes, 1)
    whole("min_items", min_items, 0)
    if max_items is not None:
        whole("max_items", max_items, 1, " or None")


def _check_features(features: Any) -> tuple[str, ...] | Path:
    """Tell the path of an array from names of published lists."""
    allowed = f"Choose among {', '.join(FEATURES)}, or give the name of a .npy file."
    if isinstance(features, os.PathLike) or (
        isinstance(features, str) and features.lower().endswith(".npy")
    ):
        return Path(features)
    if not isinstance(features, Iterable):
        raise TypeError(f"features is of type {type(features).__name__}. {allowed}")
    names = (features,) if isinstance(features, str) else tuple(features)
    spelling = {name.lower(): name for name in FEATURES}
    for name in names:
        if not isinstance(name, str) or name.lower() not in spelling:
            raise ValueError(f"features has {name!r}, which NUS-WIDE has not. {allowed}")
    chosen = tuple(spelling[name.lower()] for name in names)
    if not chosen or len(set(chosen)) != len(chosen):
        raise ValueError(f"features must name one list or more, each once; got {names}. {allowed}")
    return chosen


def _draw(
    classes: NDArray[np.int64],
    names: tuple[str, ...],
    *,
    n_classes: int,
    min_items: int,
    max_items: int | None,
    seed: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]:
    """Draw classes, and images of large ones; -1 marks an image that is of none or several.

    Classes are drawn in the order of their names, so that neither the order of a table nor that of
    a folder changes which ones a seed gives.
    """
    sizes = np.bincount(classes[classes >= 0], minlength=len(names))
    order = sorted(range(len(names)), key=names.__getitem__)
    large = [place for place in order if sizes[place] > min_items]
    if len(large) < n_classes:
        raise ValueError(
            f"Only {len(large)} of {len(names)} classes have more than {min_items} images of no"
            f" other class, but n_classes is {n_classes}. Lower n_classes or min_items."
        )
    rng = np.random.default_rng(seed)
    drawn = sorted(int(k) for k in rng.choice(len(large), size=n_classes, replace=False))
    rows, labels = [], []
    for label, k in enumerate(drawn):
        members = np.flatnonzero(classes == large[k])
        if max_items is not None and len(members) > max_items:
            members = rng.choice(members, size=max_items, replace=False)
        rows.append(members)
        labels.append(np.full(len(members), label, dtype=np.int64))
    every, label_of = np.concatenate(rows), np.concatenate(labels)
    by_place = np.argsort(every)
    return every[by_place], label_of[by_place], tuple(names[large[k]] for k in drawn)


def _read_visual(
    layout: Layout, wanted: tuple[str, ...] | Path, rows: NDArray[np.int64], verbose: int
) -> NDArray[np.floating[Any]]:
    if isinstance(wanted, Path):
        array = open_array(wanted, layout.n_images)
        chosen = array if len(rows) == layout.n_images else np.asarray(array[rows])
        check_finite(wanted, chosen, rows)
        return chosen
    return read_features(layout, wanted, rows, verbose=verbose)
