"""Figures as files: matplotlib where it is installed, suffixes that it knows, whole files only."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from matplotlib.figure import Figure

__all__ = ["figure_for"]


@contextmanager
def figure_for(path: str | os.PathLike[str], **options: Any) -> Iterator[Figure]:
    """Give an empty figure, and write it once it is drawn.

    The file is written beside its place and then moved there, so an older one stays whole until
    the new one is. The same picture gives the same file.

    Parameters
    ----------
    path : str or path-like
        The suffix chooses the format, such as ``.png``, ``.svg`` or ``.pdf``.
    **options
        Of the figure: size, dots to the inch, layout.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the suffix is not a picture format.
    FileNotFoundError
        If there is no such folder.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib 3.8 or later, which is not installed:"
            ' pip install "matplotlib>=3.8"'
        ) from error
    figure = Figure(**options)
    place = Path(path)
    formats = figure.canvas.get_supported_filetypes()
    if place.suffix[1:].lower() not in formats:
        raise ValueError(
            f"{place.name!r} has no known picture suffix; allowed are"
            f" {', '.join('.' + name for name in sorted(formats))}."
        )
    if not place.parent.is_dir():
        raise FileNotFoundError(
            f"The folder '{place.parent}' for the picture {place.name!r} does not exist. Make it"
            " first, or choose another."
        )
    with rc_context({"text.parse_math": False}):  # a $ in a name is a dollar
        yield figure
    kind = place.suffix[1:].lower()
    when = {"svg": "Date", "pdf": "CreationDate"}.get(kind)
    with (
        whole_file(place) as file,
        rc_context({"svg.hashsalt": "conceptforest", "text.parse_math": False}),
    ):
        figure.savefig(file, format=kind, metadata={when: None} if when else None)
