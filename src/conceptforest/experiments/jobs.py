"""What an experiment asks for: single runs of a method, each with a name that never changes.

A job is one run of one method on one collection with one seed. Its result is a cell of a table,
and the same cell may stand in several tables and figures: it is computed once.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["CLUSTER", "COMPLETE", "Job", "frozen"]

CLUSTER, COMPLETE = "cluster", "complete"
_DIGEST = 16  # bytes of a name


def frozen(params: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Give parameters in a form that can be compared and hashed, by name.

    Examples
    --------
    >>> frozen({"mode": "tags", "layers": [2, 3]})
    (('layers', (2, 3)), ('mode', 'tags'))
    """
    return tuple(sorted((name, _frozen(value)) for name, value in params.items()))


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_frozen(one) for one in value)
    return frozen(value) if isinstance(value, dict) else value


@dataclass(frozen=True, order=True)
class Job:
    """One run of a method.

    Attributes
    ----------
    task : str
        ``"cluster"``: with a share of all tags removed, group the items, score against classes.
        ``"complete"``: with a share of each item's tags hidden, rank tags, score against those.
    method : str
        Its name in :data:`conceptforest.experiments.methods.METHODS`.
    params : tuple of (name, value)
        What differs from the method's own defaults (:func:`frozen`).
    removed : float
        Share of the tags removed or hidden.
    seed : int
        Of the method, and of what is removed or hidden.
    """

    task: str
    method: str
    params: tuple[tuple[str, Any], ...] = ()
    removed: float = 0.0
    seed: int = 0

    def name(self, data: str) -> str:
        """Give the name of the job's result on the collection with the digest `data`.

        Examples
        --------
        >>> len(Job("cluster", "KMeans").name("0" * 32))
        32
        """
        content = json.dumps([data, asdict(self)], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=_DIGEST).hexdigest()

    def __str__(self) -> str:
        params = ", ".join(f"{name}={value}" for name, value in self.params)
        return f"{self.method}({params}), {self.removed:.0%} removed, seed {self.seed}"
