"""Where and when results were computed, and by what."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conceptforest.experiments.pool import Bounds

__all__ = ["machine_facts"]

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
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "workers": bounds.n_workers,
        "threads": bounds.n_threads,
        "versions": versions,
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
