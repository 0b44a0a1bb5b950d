"""List every competing method: ``python -m conceptforest.baselines``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.contract import GRADES, ClusteringBaseline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conceptforest.baselines.contract import Baseline


def main() -> None:
    """Print what each method works on, what it needs, and how far it is the published one."""
    for heading, methods in (("Clustering", CLUSTERING), ("Tag completion", COMPLETION)):
        print("\n".join(_table(heading, methods)), end="\n\n")  # noqa: T201 - that is the command
    print("Grades")  # noqa: T201
    for grade, meaning in GRADES.items():
        print(f"  {grade:<17}{meaning}")  # noqa: T201


def _table(heading: str, methods: Mapping[str, type[Baseline]]) -> Iterator[str]:
    """Write the rows of a table, each column as wide as it must be."""
    header = ("name", "in tables", "grade", "extra", "modes", "source")
    rows = [header, *(_row(name, method) for name, method in methods.items())]
    if not any(row[4] for row in rows[1:]):  # completion methods have no modes
        rows = [(*row[:4], *row[5:]) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield heading
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()


def _row(name: str, method: type[Baseline]) -> tuple[str, ...]:
    modes = ", ".join(method.modes) if issubclass(method, ClusteringBaseline) else ""
    return (name, method.title, method.grade, method.extra or "-", modes, method.source)


if __name__ == "__main__":
    main()
