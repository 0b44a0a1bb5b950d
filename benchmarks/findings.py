"""Which of the paper's findings hold on which collection, from folders of `reproduce all`.

python benchmarks/findings.py OUT OUT ... > findings.md
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARKS = {
    "holds": "✓", "holds in part": "◐", "does not hold": "✗", "cannot be told": "?", "not run": "-",
}  # fmt: skip
_TOLD = ("holds", "holds in part", "does not hold", "cannot be told")


def page(folders: Sequence[Path]) -> Iterator[str]:
    """Give the page line by line: a table of all, then the numbers by finding."""
    found = {folder.name: _claims(folder) for folder in folders}
    first = next(iter(found.values()))
    yield f"| finding | found on | {' | '.join(found)} |"
    yield f"| --- | --- |{' :---: |' * len(found)}"
    for number, claim in enumerate(first, start=1):
        marks = [_MARKS[claims[number - 1]["verdict"]] for claims in found.values()]
        yield f"| {number}. {claim['claim']} | {claim['source']} | {' | '.join(marks)} |"
    counts = [Counter(one["verdict"] for one in claims) for claims in found.values()]
    for word in _TOLD:
        yield f"| *{_MARKS[word]} {word}* | | {' | '.join(str(c[word]) for c in counts)} |"
    yield "\n## The numbers that decide"
    for number, claim in enumerate(first):
        yield f"\n**{number + 1}. {claim['claim']}.**\n"
        for name, claims in found.items():
            own = claims[number]
            yield f"- {name}: {own['verdict']}{': ' if own['numbers'] else ''}{own['numbers']}"


def _claims(folder: Path) -> list[dict[str, Any]]:
    claims: list[dict[str, Any]] = json.loads((folder / "tables" / "claims.json").read_text())
    return claims


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="OUT")
    print("\n".join(page(parser.parse_args().folders)))


if __name__ == "__main__":
    main()
