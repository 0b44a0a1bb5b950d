"""Puts the page together: markup, style, scripts, data and thumbnails in one HTML file."""

from __future__ import annotations

import base64
import hashlib
import html
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from conceptforest.report.page.columns import columns, inside_script
from conceptforest.report.page.data import check
from conceptforest.report.page.thumbnails import (
    THUMBNAILS_INLINE_BYTES,
    place_thumbnails,
    remove_stale,
)
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    import os

    from conceptforest.report.page.data import ReportData

__all__ = ["write_report"]

# The order in which the scripts are read; the last one starts the page.
_SCRIPTS = (
    "page_dom.js",
    "page_data.js",
    "page_pictures.js",
    "page_gallery.js",
    "page_panel.js",
    "page_overview.js",
    "page_map_view.js",
    "page_map.js",
    "page_concepts.js",
    "page_tree.js",
    "page_relations.js",
    "page_tags.js",
    "page_suggestions.js",
    "page_lists.js",
    "page_search.js",
    "page_start.js",
)


def write_report(
    path: str | os.PathLike[str],
    data: ReportData,
    *,
    inline_bytes: int = THUMBNAILS_INLINE_BYTES,
    verbose: int = 0,
) -> list[Path]:
    """Write the report of a run as a page that opens in any browser, without a network.

    Parameters
    ----------
    path : str or path-like
        The HTML file. Its folder must exist.
    data : ReportData
    inline_bytes : int
        Thumbnails of up to this many bytes together go into the page; more lie in a folder beside
        it, which is named after it: ``report-thumbnails`` for ``report.html``.
    verbose : int, default=0
        Above 0, a bar shows how far the thumbnails are.

    Returns
    -------
    list of Path
        All files written, the page first.

    Raises
    ------
    ValueError
        If the parts of `data` do not fit together.
    FileExistsError
        If the folder for thumbnails is needed and holds something else.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from conceptforest.report.page import ClusterInfo, ReportData
    >>> data = ReportData(
    ...     title="Two pictures", names=["a.jpg", "b.jpg"], links=[None, None],
    ...     kinds=["image", "image"], thumbnails=lambda item: None, tags=[["beach"], []],
    ...     labels=np.array([0, 0]),
    ...     clusters=[ClusterInfo("beach", 2, [("beach", 1.0, 0.5)], [0], 1.0)],
    ...     tag_counts={"beach": 1}, suggestions=[[], []], neighbours=[[(1, 0.9)], [(0, 0.9)]],
    ...     positions=np.array([[0.0, 0.0], [1.0, 1.0]]),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in write_report(Path(folder) / "report.html", data)]
    ['report.html']
    """
    check(data)
    place = Path(path)
    folder = place.with_name(f"{place.stem}-thumbnails")
    content = columns(data)
    placed = place_thumbnails(data, folder, most=inline_bytes, verbose=verbose)
    content["thumbnails"] = placed.description(folder)
    before, after = _markup(data.title)
    with whole_file(place) as file:
        file.write(before.encode("utf-8"))
        file.write(_block("data", inside_script(content)))
        for number, block in enumerate(placed.blocks()):
            file.write(_block(f"thumbnails-{number}", block))
        file.write(after.encode("utf-8"))
    # The earlier page needed its pictures until now.
    remove_stale(folder, placed)
    return [place, *placed.files]


def _markup(title: str) -> tuple[str, str]:
    """Give the page up to its data, and from there on."""
    style = _asset("page.css")
    script = "(() => {\n'use strict';\n" + "\n".join(map(_asset, _SCRIPTS)) + "})();\n"
    safe = title.encode("utf-8", "replace").decode("utf-8")
    page = (
        _asset("page.html")
        .replace("%STYLE_HASH%", _hash(style))
        .replace("%SCRIPT_HASH%", _hash(script))
        .replace("%STYLE%", style)
    )
    before, after = page.split("%DATA%")
    return before.replace("%TITLE%", html.escape(safe)), after.replace("%SCRIPT%", script)


def _block(name: str, content: str) -> bytes:
    return f'<script type="application/json" id="{name}">{content}</script>\n'.encode("ascii")


def _hash(text: str) -> str:
    """Give what a content security policy calls a text by."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


def _asset(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
