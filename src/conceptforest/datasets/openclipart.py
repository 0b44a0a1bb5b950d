"""The Open Clip Art Library as Debian packages it: drawings as PNG, their tags in the SVGs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.datasets.found_tags import count
from conceptforest.datasets.published_files import check_folder
from conceptforest.tags import parse_tags

if TYPE_CHECKING:
    import os

    from conceptforest.datasets.media import MediaCollection

__all__ = ["read_openclipart"]

_INSTALL = "Install the packages with: apt-get install openclipart-png openclipart-svg"
_NO_FOLDER = "(no folder)"
# The program with which the publisher made these files wrote it before the tags of many drawings.
_ARTEFACT = "hash"


def read_openclipart(
    root: str | os.PathLike[str] = "/usr/share/openclipart", *, verbose: int = 0
) -> MediaCollection:
    """Read the drawings of Debian's packages openclipart-png and openclipart-svg.

    Parameters
    ----------
    root : str or path-like, default="/usr/share/openclipart"
        The folder with ``png/`` and ``svg/``. A drawing is the same path in both, but for its
        ending; the tags that its author gave are in the metadata of the SVG.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    MediaCollection
        The PNGs. Their classes, for scoring alone, are the folders directly below ``png/``. The
        tag "hash", which no author gave, is left out.

    Raises
    ------
    FileNotFoundError
        If the packages are not installed.

    Examples
    --------
    >>> read_openclipart("/no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no folder '/no/such/folder/png'. Install the packages with: apt-get
    install openclipart-png openclipart-svg
    """
    for part in ("png", "svg"):
        if not (Path(root) / part).is_dir():
            raise FileNotFoundError(f"There is no folder {str(Path(root) / part)!r}. {_INSTALL}")
    from conceptforest.datasets.media_folder import read_media

    folder = check_folder(root, "openclipart")
    drawings = read_media(folder / "png", tags=folder / "svg", verbose=verbose)
    tops = [item.name.partition("/") for item in drawings.items]
    groups = [top if slash else _NO_FOLDER for top, slash, _ in tops]
    names = tuple(sorted(set(groups)))
    place = {name: label for label, name in enumerate(names)}
    return replace(
        _drop_artefact(drawings),
        name="openclipart",
        labels=np.array([place[group] for group in groups], dtype=np.int64),
        class_names=names,
    )


def _drop_artefact(drawings: MediaCollection) -> MediaCollection:
    """Leave out the tag that no author gave, and say so."""
    tags = drawings.tags
    kept = [place for place, name in enumerate(tags.vocabulary) if name != _ARTEFACT]
    if len(kept) == tags.n_tags:
        return drawings
    number = int(tags.counts[tags.vocabulary.index(_ARTEFACT)])
    matrix: Any = tags.matrix[:, kept]
    note = (
        f"The tag {_ARTEFACT!r} of {count(number, 'drawing')} was left out: the conversion of the"
        " files put it there, not their authors."
    )
    return replace(
        drawings,
        tags=parse_tags(matrix, vocabulary=[tags.vocabulary[place] for place in kept]),
        notes=(*drawings.notes, note),
    )
