"""One page that holds all tables and figures, the command, the machine and the times."""

from __future__ import annotations

import base64
import html
import math
from typing import TYPE_CHECKING
from urllib.parse import quote

from conceptforest.experiments.scoretable import DECIMALS
from conceptforest.experiments.sections import in_short, published_remarks
from conceptforest.experiments.table_files import legend
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conceptforest.experiments.claims import ClaimTable
    from conceptforest.experiments.plan import Plan
    from conceptforest.experiments.scoretable import Entry, ScoreTable
    from conceptforest.experiments.sections import Provenance, Section

__all__ = ["write_index"]


def write_index(out: Path, plan: Plan, sections: Sequence[Section], provenance: Provenance) -> Path:
    """Write the page and give its path."""
    path = out / "index.html"
    with whole_file(path) as file:
        file.write("\n".join(_page(out, plan, sections, provenance)).encode())
    return path


def _page(
    out: Path, plan: Plan, sections: Sequence[Section], provenance: Provenance
) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(plan.subject.collection.name)}: the paper's evaluation</title>"
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<header><h1>{_text(plan.subject.collection.name)}</h1>"
    yield f"<p>{_text(' '.join([in_short(plan), *plan.subject.notes]))}</p>"
    if provenance.command:
        yield f"<p><code>{_text(provenance.command)}</code></p>"
    yield "</header><nav><ul>"
    for section in sections:
        yield f'<li><a href="#{section.name}">{_text(section.title)}</a></li>'
    yield '<li><a href="#about">How this was computed</a></li></ul></nav><main>'
    for section in sections:
        yield from _section(out, section)
    yield from _about(plan, provenance)
    yield "</main></body></html>\n"


def _section(out: Path, section: Section) -> Iterator[str]:
    yield f'<section id="{section.name}"><h2>{_text(section.title)}</h2>'
    yield f"<p>{_text(section.about)}</p>"
    for note in section.notes:
        yield f'<p class="remark">{_text(note)}</p>'
    for title, path in section.figures:
        yield (
            f'<figure><img src="{_whole(path)}" alt="{_text(title)}">'
            f"<figcaption>{_text(title)}</figcaption></figure>"
        )
    if section.claims is not None:
        yield from _claims(section.claims)
    for table in section.tables:
        yield from _table(table)
    if not section.files:
        yield "</section>"
        return
    links = ", ".join(
        f'<a href="{quote(path.relative_to(out).as_posix())}">{_text(path.name)}</a>'
        for path in section.files
    )
    yield f'<p class="files">Files: {links}</p></section>'


def _whole(figure: Path) -> str:
    """Give a figure as an address that holds it, so that the page can be sent about alone."""
    content = base64.b64encode(figure.read_bytes()).decode()
    return f"data:image/svg+xml;base64,{content}"


def _claims(table: ClaimTable) -> Iterator[str]:
    yield f"<p><b>{_text(table.in_short)}</b></p>"
    yield '<div class="wide"><table class="claims"><thead><tr>'
    for title in ("finding", "found on", "here", "numbers"):
        yield f'<th scope="col">{title}</th>'
    yield "</tr></thead><tbody>"
    for claim, verdict in table.rows:
        mark = _MARKS[verdict.word]
        yield f'<tr><th scope="row">{_text(claim.text)}</th><td>{_text(claim.source)}</td>'
        yield f'<td><span class="verdict {mark[1]}">{mark[0]} {_text(verdict.word)}</span></td>'
        yield f"<td>{_text(verdict.numbers)}</td></tr>"
    yield "</tbody></table></div>"


def _table(table: ScoreTable) -> Iterator[str]:
    shown = table.has_published
    grouped = any(row.group for row in table.rows)
    yield f'<h3>{_text(table.title)}</h3><div class="wide"><table><thead><tr>'
    if grouped:
        yield '<th scope="col">input</th>'
    yield '<th scope="col">method</th>'
    for column in table.columns:
        yield f'<th scope="col">{_text(column.title)}</th>'
    yield '<th scope="col">time, s</th></tr></thead><tbody>'
    before = None
    for place, row in enumerate(table.rows):
        new = row.group != before
        yield f"<tr{' class=new' if new and before is not None else ''}>"
        if grouped:
            yield f"<td>{_text(row.group) if new else ''}</td>"
        before = row.group
        state = table.states[place]
        said = f'<span class="state">{_text(state)}</span>' if state else ""
        yield f'<th scope="row">{_text(row.title)}{said}</th>'
        for entry in table.entries[place]:
            yield f"<td>{_entry(entry, shown=shown)}</td>"
        seconds = table.seconds[place]
        yield f"<td>{'' if math.isnan(seconds) else f'{seconds:,.1f}'}</td></tr>"
    yield "</tbody></table></div>"
    yield f"<p class=legend>{legend(table, '<b>best</b>', '<i>second best</i>')}"
    if shown:
        yield "Below, as the paper has it."
    yield f"{_text(table.about)}</p>"
    for remark in table.remarks:
        yield f'<p class="remark">Audit: {_text(remark)}</p>'


def _entry(entry: Entry, *, shown: bool) -> str:
    if math.isnan(entry.mean):
        text = "-"
    else:
        text = f"{entry.mean:z.{DECIMALS}f}"
        text = {1: f"<b>{text}</b>", 2: f"<i>{text}</i>"}.get(entry.rank, text)
        if not math.isnan(entry.spread):
            text += f" <small>± {entry.spread:.{DECIMALS}f}</small>"
        text += "†" if entry.close else ""
    if shown and entry.published is not None:
        text += f'<span class="paper">{entry.published:.2f}</span>'
    return text


def _about(plan: Plan, provenance: Provenance) -> Iterator[str]:
    yield '<section id="about"><h2>How this was computed</h2><ul>'
    for line in provenance.lines():
        yield f"<li>{_text(line)}</li>"
    yield "</ul>"
    if plan.subject.published is not None:
        yield f"<h3>The paper's numbers for {_text(plan.subject.published['title'])}</h3>"
        yield "<p>These published rows hold numbers that cannot stand together:</p><ul>"
        for remark in published_remarks(plan):
            yield f"<li>{_text(remark)}</li>"
        yield "</ul>"
    yield "</section>"


def _text(value: str) -> str:
    return html.escape(value)


_MARKS = {
    "holds": ("✓", "yes"),
    "holds so far": ("✓", "yes"),
    "holds in part": ("◐", "part"),
    "does not hold": ("✗", "no"),
    "cannot be told": ("?", "open"),
    "not run": ("-", "open"),
}
_STYLE = """
:root { color-scheme: light; --ink: #12241c; --quiet: #55605a; --line: #dfe5e1; --accent: #0d6b45; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 32px 20px 80px; color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; background: #fff; }
h1 { font-size: 2.4rem; letter-spacing: -.03em; margin: 0 0 8px; }
h2 { margin: 56px 0 4px; font-size: 1.5rem; letter-spacing: -.02em; }
h3 { margin: 28px 0 8px; font-size: 1.05rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 6px 18px; padding: 0; list-style: none; }
a { color: var(--accent); }
code { display: block; overflow-x: auto; padding: 10px 14px; border-radius: 8px;
  background: #f1f4f2; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; text-align: left; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--quiet); }
tr.new > * { border-top: 2px solid var(--ink); }
td b { font-weight: 700; }
small { color: var(--quiet); }
.paper { display: block; color: #9a3c12; font-size: .8125rem; }
.state { display: block; max-width: 24em; color: #9a3c12; font-size: .8125rem;
  white-space: normal; }
.claims th, .claims td { white-space: normal; }
.claims tbody th { min-width: 18em; }
.claims td:last-child { min-width: 22em; color: var(--quiet); }
.verdict { white-space: nowrap; font-weight: 600; }
.yes { color: #0d6b45; } .part { color: #7a5a00; } .no { color: #9a3c12; }
.open { color: var(--quiet); }
.legend, .files, figcaption { color: var(--quiet); font-size: .875rem; }
.remark { color: #9a3c12; }
figure { margin: 16px 0; }
img { max-width: 100%; height: auto; }
@media print { body { max-width: none; } nav { display: none; } }
"""
