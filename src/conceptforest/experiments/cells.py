"""Results of jobs as small JSON files: written whole, found again by name, never computed twice."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.experiments.jobs import Job, frozen
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

__all__ = ["Cell", "CellStore"]


@dataclass(frozen=True)
class Cell:
    """The result of a job.

    Attributes
    ----------
    scores : dict
        What :mod:`conceptforest.metrics` gives; empty where the job failed.
    failure : str
        Why there are no scores: what a person should read in the table. Empty where there are.
    seconds : float
        Wall-clock time of fitting and scoring.
    limit : float or None
        The limit of time it ran under; one that took too long is tried again under a longer one.
    peak_mb : float
        The most memory that its process has held so far, the collection included.
    code : str
        Version of the code that computed it.
    facts : dict
        What else the method told, such as the number of clusters it found.
    machine : dict
        Where and when.
    """

    scores: dict[str, Any]
    failure: str = ""
    seconds: float = 0.0
    limit: float | None = None
    peak_mb: float = 0.0
    code: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def took_too_long(self) -> bool:
        """Whether it was stopped at its limit of time, or not begun as it was to exceed it."""
        return bool(self.failure) and self.limit is not None and self.seconds >= self.limit

    @property
    def tells_time(self) -> bool:
        """Whether its seconds are those of a whole run, or at least of one stopped at its limit."""
        return not self.failure or (self.took_too_long and not self.foreseen)

    @property
    def foreseen(self) -> bool:
        """Whether it was never begun, and its seconds are those that it would take."""
        return bool(self.facts.get("foreseen"))


class CellStore:
    """Cells in a folder, one file each.

    Parameters
    ----------
    folder : str or path-like
        Made where missing.
    data : str
        Digest of the collection that the cells are about.
    data_name : str
        What to call it, for people who read the files.
    n_items : int
        Its size: from the times of smaller parts of the same name those of all of it are foreseen.

    Examples
    --------
    >>> import tempfile
    >>> from conceptforest.experiments.jobs import Job
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = CellStore(folder, "0" * 32, "scenes", 300)
    ...     store.put(Job("cluster", "KMeans"), Cell({"nmi": 0.5}))
    ...     store.get(Job("cluster", "KMeans")).scores, store.get(Job("cluster", "SpClust"))
    ({'nmi': 0.5}, None)
    """

    def __init__(
        self, folder: str | os.PathLike[str], data: str, data_name: str, n_items: int
    ) -> None:
        self.folder = Path(folder)
        self.data, self.data_name, self.n_items = data, data_name, n_items
        self._known: dict[Job, Cell] = {}

    def get(self, job: Job) -> Cell | None:
        """Give the cell of a job, or None if there is none that can be read."""
        if job not in self._known:
            cell = self._read(self._path(job))
            if cell is None:
                return None
            self._known[job] = cell
        return self._known[job]

    def tell(self, job: Job, cell: Cell) -> None:
        """Have a cell for as long as this store lives, without keeping it."""
        self._known[job] = cell

    def put(self, job: Job, cell: Cell) -> None:
        """Keep a cell. Scores that earlier code has found are not lost to what is never begun."""
        before = self.get(job)
        self._known[job] = cell
        if cell.foreseen and before is not None and before.scores:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {"data": self.data_name, "n_items": self.n_items, "job": asdict(job)}
        content = {**about, **asdict(cell)}
        with whole_file(self._path(job)) as file:
            file.write(json.dumps(content, indent=1).encode())
            file.write(b"\n")

    def smaller_parts(self) -> Iterator[tuple[Job, int, Cell]]:
        """Give jobs, numbers of items and cells of runs on smaller parts of the collection."""
        for path in self:
            try:
                content = json.loads(path.read_bytes())
                own = content["job"]
                job = Job(**{**own, "params": frozen(dict(own["params"]))})
                n_items = int(content.get("n_items", self.n_items))
                if content["data"] != self.data_name or n_items >= self.n_items:
                    continue
            except (OSError, ValueError, KeyError, TypeError):
                continue
            cell = self._read(path)
            if cell is not None:
                yield job, n_items, cell

    def _path(self, job: Job) -> Path:
        return self.folder / f"{job.name(self.data)}.json"

    def _read(self, path: Path) -> Cell | None:
        try:
            content = json.loads(path.read_bytes())
            return Cell(**{name: content[name] for name in Cell.__dataclass_fields__})
        except (OSError, ValueError, KeyError, TypeError):
            return None  # missing, cut off or of another version: computed anew

    def __iter__(self) -> Iterator[Path]:
        return iter(sorted(self.folder.glob("*.json")))
