"""The numbers that the paper prints, and which of them cannot be right.

They are of TRECVID MED 2011 and NUS-WIDE, and stand beside ours only where the data are the
paper's own, or made in their likeness, which is then said.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from conceptforest.metrics import Remark, audit

__all__ = ["published", "published_for", "remarks"]

_DECIMALS = 2
_AVERAGED = 0.01  # they are means of several runs, as ours are: those of ours are given as much
_OF = {
    "trecvid-med": "trecvid-med",
    "trecvid-like": "trecvid-med",
    "nus-wide": "nus-wide",
    "nuswide-like": "nus-wide",
}


@cache
def published() -> dict[str, Any]:
    """Give all published numbers, by collection and table.

    Examples
    --------
    >>> published()["trecvid-med"]["clustering"]["balanced"]["HMLRF"]["nmi"]
    0.9
    """
    text = files("conceptforest.experiments").joinpath("published.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def published_for(kind: str) -> dict[str, Any] | None:
    """Give the published numbers of a collection, or of the one that it is the twin of.

    Parameters
    ----------
    kind : str
        Which made or published collection it is.

    Returns
    -------
    dict or None
    """
    key = _OF.get(kind)
    return None if key is None else published()[key]


@cache
def remarks() -> dict[str, tuple[Remark, ...]]:
    """Audit the published tables.

    Returns
    -------
    dict of str to tuple of Remark
        By collection: rows whose numbers cannot stand together, named ``mode: method``, or the
        method of a completion table.

    Examples
    --------
    >>> [str(remark) for remark in remarks()["nus-wide"] if "balanced: HMLRF" in str(remark)]
    ['balanced: HMLRF: RI 0.96 and F1 0.32 imply an ARI of 0.292 to 0.315; reported is 0.45.']
    """
    found = {}
    for name, tables in published().items():
        rows = [
            {"name": f"{mode}: {method}"} | scores
            for mode, methods in tables["clustering"].items()
            for method, scores in methods.items()
        ]
        rows += [
            {"name": f"{number} layers"} | scores
            for number, scores in tables.get("layers", {}).items()
        ]
        completion = [{"name": method} | scores for method, scores in tables["completion"].items()]
        how: dict[str, Any] = {"decimals": _DECIMALS, "tolerance": _AVERAGED}
        own = audit(rows, same_class=tuple(tables["same_class"]), **how)
        found[name] = (*own, *audit(completion, **how))
    return found
