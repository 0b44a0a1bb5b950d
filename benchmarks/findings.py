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
    from collections.abc import Iterator, Mapping, Sequence

_MARKS = {
    "holds": "✓", "holds so far": "(✓)", "holds in part": "◐", "does not hold": "✗",
    "cannot be told": "?", "not run": "-",
}  # fmt: skip


def page(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Give the page line by line, from claims by name by collection: a table, then the numbers."""
    rows = {name: claim for claims in found.values() for name, claim in claims.items()}
    yield f"| finding | found on | {' | '.join(found)} |"
    yield f"| --- | --- |{' :---: |' * len(found)}"
    for number, (name, claim) in enumerate(rows.items(), start=1):
        marks = [_MARKS[_verdict(claims, name)] for claims in found.values()]
        yield f"| {number}. {claim['claim']} | {claim['source']} | {' | '.join(marks)} |"
    counts = [Counter(_verdict(claims, name) for name in rows) for claims in found.values()]
    for word, mark in _MARKS.items():
        if any(count[word] for count in counts):
            yield f"| *{mark} {word}* | | {' | '.join(str(count[word]) for count in counts)} |"
    yield "\n## The numbers that decide"
    for number, (name, claim) in enumerate(rows.items(), start=1):
        yield f"\n**{number}. {claim['claim']}.**\n"
        for collection, claims in found.items():
            told = claims.get(name, {}).get("numbers", "")
            yield f"- {collection}: {_verdict(claims, name)}{': ' if told else ''}{told}"


def _verdict(claims: Mapping[str, Any], name: str) -> str:
    return str(claims[name]["verdict"]) if name in claims else "not run"


def claims_of(folders: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Read the claims of some folders, by the name of the folder."""
    found: dict[str, dict[str, Any]] = {}
    for folder in folders:
        if folder.name in found:
            raise SystemExit(f"Two folders are called {folder.name}: their names head columns.")
        claims = json.loads((folder / "tables" / "claims.json").read_text())
        found[folder.name] = {claim["name"]: claim for claim in claims}
    return found


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="OUT")
    print("\n".join(page(claims_of(parser.parse_args().folders))))


if __name__ == "__main__":
    main()
