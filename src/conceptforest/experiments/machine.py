"""Where and when results were computed, and by what."""

from __future__ import annotations

import os
import platform
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.datasets.found_tags import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conceptforest.experiments.pool import Bounds

__all__ = ["date_and_time", "described", "machine_facts"]

_PACKAGES = ("conceptforest", "numpy", "scipy", "scikit-learn", "torch")


def machine_facts(bounds: Bounds) -> dict[str, Any]:
    """Give the date, the machine and the versions, as a reader of a table wants them.

    Examples
    --------
    >>> from conceptforest.experiments.pool import Bounds
    >>> sorted(machine_facts(Bounds()))
    ['cores', 'cpu', 'date', 'system', 'threads', 'versions', 'workers']
    """
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": date_and_time(),
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "workers": bounds.n_workers,
        "threads": bounds.n_threads,
        "versions": versions,
    }


def date_and_time() -> str:
    """Write what time it is."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


def described(machines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say in sentences where runs were made: a line for each machine and set of versions.

    Parameters
    ----------
    machines : sequence of dict
        As :func:`machine_facts` gives them, one for each run.

    Examples
    --------
    >>> from conceptforest.experiments.pool import Bounds
    >>> facts = machine_facts(Bounds()) | {"cpu": "A fast one", "cores": 2, "versions": {}}
    >>> early, late = facts | {"date": "2026-11-18 12:00 UTC"}, facts | {"date": "2026-11-19"}
    >>> [line.partition(";")[0] for line in described([late, early, late])]
    ['3 runs from 2026-11-18 12:00 UTC to 2026-11-19: A fast one, 2 cores']
    """
    alike: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for facts in machines:
        versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
        place = f"{facts['cpu']}, {facts['cores']} cores; {facts['system']}"
        at_a_time = (
            f"{count(facts['workers'], 'run')} at a time, {count(facts['threads'], 'thread')} each"
        )
        alike[place, at_a_time, versions].append(facts["date"])
    for (place, at_a_time, versions), dates in sorted(alike.items(), key=lambda one: -len(one[1])):
        first, last = min(dates), max(dates)
        when = first if first == last else f"from {first} to {last}"
        yield f"{count(len(dates), 'run')} {when}: {place}; {at_a_time}; {versions}."


def _cpu() -> str:
    """Name the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
