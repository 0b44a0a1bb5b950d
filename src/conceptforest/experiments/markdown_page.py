"""The page of a reproduction as Markdown, for places that show files as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from conceptforest.experiments.sections import in_short, published_remarks
from conceptforest.experiments.table_files import as_markdown
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conceptforest.experiments.plan import Plan
    from conceptforest.experiments.sections import Provenance, Section

__all__ = ["write_markdown"]


def write_markdown(
    out: Path, plan: Plan, sections: Sequence[Section], provenance: Provenance
) -> Path:
    """Write ``index.md``, with all tables and links to all figures, and give its path."""
    path = out / "index.md"
    with whole_file(path) as file:
        file.write("\n".join(_page(out, plan, sections, provenance)).encode())
    return path


def _page(
    out: Path, plan: Plan, sections: Sequence[Section], provenance: Provenance
) -> Iterator[str]:
    yield f"# {plan.subject.collection.name}"
    yield f"\n{' '.join([in_short(plan), *plan.subject.notes])}"
    if provenance.command:
        yield f"\n    {provenance.command}"
    for section in sections:
        yield f"\n## {section.title}"
        yield f"\n{section.about}"
        for note in section.notes:
            yield f"\n*{note}*"
        for title, path in section.figures:
            yield f"\n![{title}]({quote(path.relative_to(out).as_posix())})"
        if section.claims is not None:
            yield f"\n{section.claims.rows_as_markdown()}"
        for table in section.tables:
            yield f"\n{as_markdown(table)}"
    yield "\n## How this was computed\n"
    for line in provenance.lines():
        yield f"- {line}"
    if plan.subject.published is not None:
        yield f"\n### The paper's numbers for {plan.subject.published['title']}"
        yield "\nThese published rows hold numbers that cannot stand together:\n"
        for remark in published_remarks(plan):
            yield f"- {remark}"
    yield ""
