"""What the paper found, and whether it holds on this collection."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conceptforest.experiments.paper_claims import CLAIMS
from conceptforest.experiments.runs import Runs
from conceptforest.experiments.table_files import escaped
from conceptforest.experiments.verdicts import OURS, WORDS, Claim, Verdict
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["ABOUT", "NAMES", "TITLE", "ClaimTable", "jobs", "result"]

NAMES = ("claims",)
TITLE = "What the paper found, and what holds here"
ABOUT = (
    "The paper's findings as comparisons of means over the seeds. A difference counts if it"
    " is at least 0.005 in the mean and has the same sign with every seed; one below 0.02 is"
    " little. Of few seeds, and more so of a single one, this is a weak test. A finding holds if"
    " all comparisons come out as the paper says, in part if some do, so far if some runs, rivals"
    " or seeds are missing."
    " Found on: the paper's videos (TRECVID MED 2011), its images (NUS-WIDE) or both, as its tables"
    " have it."
)


@dataclass(frozen=True)
class ClaimTable:
    """Claims and verdicts.

    Attributes
    ----------
    rows : list of (Claim, Verdict)
    """

    rows: list[tuple[Claim, Verdict]]

    @property
    def in_short(self) -> str:
        """How many findings came out how."""
        paper = [verdict.word for claim, verdict in self.rows if claim.source != OURS]
        own = [verdict.word for claim, verdict in self.rows if claim.source == OURS]
        return (
            f"Of {len(paper)} findings of the paper {_counted(paper)}. Of {len(own)} questions that"
            f" it does not ask {_counted(own)}."
        )

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write it as Markdown and JSON."""
        paths = []
        for ending, text in ((".md", self.as_markdown()), (".json", self.as_json())):
            paths.append(folder / f"{name}{ending}")
            with whole_file(paths[-1]) as file:
                file.write(text.encode())
        return paths

    def as_markdown(self) -> str:
        """Write a table for a page."""
        return f"### {TITLE}\n\n{ABOUT}\n\n{self.rows_as_markdown()}\n"

    def rows_as_markdown(self) -> str:
        """Write the table alone, below how it comes out."""
        lines = [
            self.in_short,
            "",
            "| finding | found on | here | numbers |",
            "| --- | --- | --- | --- |",
        ]
        lines += [
            f"| {claim.text} | {claim.source} | **{verdict.word}** | {escaped(verdict.numbers)} |"
            for claim, verdict in self.rows
        ]
        return "\n".join(lines)

    def as_json(self) -> str:
        """Write it for programs."""
        rows = [
            {"name": c.name, "claim": c.text, "source": c.source, "verdict": v.word,
             "numbers": v.numbers}
            for c, v in self.rows
        ]  # fmt: skip
        return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _counted(words: Sequence[str]) -> str:
    counts = ((word, words.count(word)) for word in WORDS)
    return ", ".join(f"{n} {word if n == 1 else WORDS[word]}" for word, n in counts if n)


def jobs(plan: Plan) -> list[Job]:
    """List what must be run: all that a claim looks at."""
    runs = Runs(plan, lambda _: None)
    for claim in CLAIMS:
        list(claim.check(runs))
    return list(runs.asked)


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ClaimTable]:
    """Judge every claim by what was run."""
    runs = Runs(plan, look)
    rows = [(claim, Verdict.of(list(claim.check(runs)))) for claim in CLAIMS]
    return {NAMES[0]: ClaimTable(rows)}
