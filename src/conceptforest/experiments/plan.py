"""What is to be reproduced, on what, and how thoroughly."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from conceptforest.experiments.jobs import CLUSTER, COMPLETE, Job, frozen
from conceptforest.experiments.methods import METHODS, OURS
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conceptforest.experiments.subject import Subject

__all__ = ["PRESETS", "Plan", "Settings"]


@dataclass(frozen=True)
class Settings:
    """How thorough the experiments are.

    Attributes
    ----------
    trees : int
        Of every forest, ours and others'.
    seeds : int
        Runs of every method, with the seeds 0, 1, ...
    rates : tuple of float
        Shares of tags removed, beside none.
    hidden : float
        Share of each item's tags hidden for completion, where not all true tags are known.
    layers : tuple of int
        Numbers of tag layers to compare.
    completion_layers : int
        Tag layers of the forest that completes, where the collection has none of its own.
    tree_counts, leaf_sizes : tuple of int
        Forests to compare.
    methods : tuple of str
        Methods to run, by name; empty for all.
    seconds : float
        Limit of each run.
    """

    trees: int = 1000
    seeds: int = 10
    rates: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5)
    hidden: float = 0.4
    layers: tuple[int, ...] = (2, 3, 4, 5, 6, 7)
    completion_layers: int = 5
    tree_counts: tuple[int, ...] = (50, 100, 200, 500, 1000, 2000)
    leaf_sizes: tuple[int, ...] = (1, 2, 3, 5, 10, 20)
    methods: tuple[str, ...] = ()
    seconds: float = 3600.0

    @classmethod
    def of(cls, preset: str, changes: Mapping[str, Any]) -> Settings:
        """Give the settings of a preset with some of them changed, checked.

        Examples
        --------
        >>> Settings.of("quick", {"seeds": 3}).seeds
        3
        """
        if preset not in PRESETS:
            raise ValueError(
                f"There is no preset {preset!r}; there are {', '.join(PRESETS)}."
                f"{did_you_mean(preset, tuple(PRESETS))}"
            )
        known = {one.name: one for one in fields(cls)}
        for name in changes:
            if name not in known:
                raise ValueError(
                    f"There is no setting {name!r}; there are {', '.join(known)}."
                    f"{did_you_mean(name, tuple(known))}"
                )
        start = PRESETS[preset]
        return replace(
            start, **{name: _like(name, x, getattr(start, name)) for name, x in changes.items()}
        )

    def __post_init__(self) -> None:
        """Check the values, and bring rates and sizes into order."""
        for name in ("rates", "layers", "tree_counts", "leaf_sizes"):
            object.__setattr__(self, name, _in_order(name, getattr(self, name)))
        for name in ("trees", "seeds", "completion_layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1; got {getattr(self, name)}.")
        for name, values in (("rates", self.rates), ("hidden", (self.hidden,))):
            if not all(0 < rate < 1 for rate in values):
                raise ValueError(f"{name} must lie between 0 and 1; got {getattr(self, name)}.")
        for name in ("layers", "tree_counts", "leaf_sizes"):
            if min(getattr(self, name)) < 1:
                raise ValueError(
                    f"{name} must be numbers of at least 1; got {list(getattr(self, name))}."
                )
        if self.seconds <= 0:
            raise ValueError(f"seconds must be positive; got {self.seconds}.")
        for name in self.methods:
            _check_method(name)


def _in_order(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise ValueError(f"{name} is empty; give at least one number.")
    return tuple(sorted(set(values)))


def _check_method(name: str) -> None:
    if name not in METHODS:
        raise ValueError(
            f"There is no method {name!r}. `python -m conceptforest.baselines` lists them; the"
            f" paper's and our own are {', '.join(OURS)}."
            f"{did_you_mean(name, tuple(METHODS))}"
        )


def _like(name: str, value: Any, before: Any) -> Any:
    """Bring a value from a file or a command line to the type of the one it replaces."""
    several = isinstance(before, tuple)
    kind = (type(before[0]) if before else str) if several else type(before)
    given = value if several and isinstance(value, list | tuple) else [value]
    fits = several == isinstance(value, list | tuple) and all(
        isinstance(one, kind) or (kind is float and isinstance(one, int)) for one in given
    )
    if not fits:
        example = list(before) if several else before
        raise ValueError(f"{name} must be like {example!r}; got {value!r}.")
    return tuple(kind(one) for one in given) if several else kind(value)


PRESETS = {
    "paper": Settings(),
    "quick": Settings(
        trees=100,
        seeds=2,
        rates=(0.1, 0.3, 0.5),
        layers=(2, 3, 5),
        completion_layers=3,
        tree_counts=(25, 50, 100, 200),
        leaf_sizes=(1, 3, 10),
        seconds=120.0,
    ),
}


@dataclass(frozen=True, eq=False)
class Plan:
    """Settings on a collection.

    Attributes
    ----------
    subject : Subject
    settings : Settings
    """

    subject: Subject
    settings: Settings = field(default_factory=Settings)

    @property
    def seeds(self) -> range:
        """Seeds of the runs."""
        return range(self.settings.seeds)

    @property
    def hidden(self) -> float:
        """Share of each item's tags hidden for completion: none where all true tags are known."""
        return self.settings.hidden if self.subject.collection.truth is None else 0.0

    def wants(self, method: str) -> bool:
        """Tell whether a method is to be run."""
        return not self.settings.methods or method in self.settings.methods

    def jobs(self, method: str, *, removed: float | None = None, **params: Any) -> tuple[Job, ...]:
        """Give the runs of a method, one for each seed.

        Parameters
        ----------
        method : str
            Its name.
        removed : float or None, default=None
            Share of tags removed or hidden; None removes none, and hides as many as `hidden`.
        **params
            Its parameters; the number of trees is added where it has any.
        """
        task = METHODS[method].task
        if removed is None:
            removed = 0.0 if task == CLUSTER else self.hidden
        if "n_estimators" not in params and METHODS[method].grows_trees:
            params["n_estimators"] = self.settings.trees
        return tuple(Job(task, method, frozen(params), removed, seed) for seed in self.seeds)

    def clusterers(self) -> list[str]:
        """List the competing methods that cluster, in the order of the tables."""
        return [n for n, m in METHODS.items() if m.task == CLUSTER and self._competes(n)]

    def completers(self) -> list[str]:
        """List the competing methods that complete tags."""
        return [n for n, m in METHODS.items() if m.task == COMPLETE and self._competes(n)]

    def _competes(self, name: str) -> bool:
        return name not in OURS and self.wants(name)


def jobs_of(rows: Sequence[Any]) -> list[Job]:
    """List the jobs of the rows of a table."""
    return [job for row in rows for job in row.jobs]
