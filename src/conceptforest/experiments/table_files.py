"""A table of scores as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

from conceptforest.experiments.scoretable import DECIMALS
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conceptforest.experiments.scoretable import Entry, ScoreTable

__all__ = ["as_csv", "as_json", "as_latex", "as_markdown", "escaped", "legend", "write_table"]

_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"±": r"$\pm$", "†": r"$^\dagger$"}
)
_MARKS = str.maketrans({"%": r"\%", "±": r"$\pm$", "†": r"$^\dagger$"})
_CLOSE = "†"
_NOTHING = "-"
_UNTESTED = "one seed, so nothing says whether a difference is more than luck"
_TESTED = "† not told apart from the best by a paired t test over the seeds (5 %)"


def write_table(table: ScoreTable, folder: Path, name: str) -> list[Path]:
    """Write a table in all forms.

    Parameters
    ----------
    table : ScoreTable
    folder : Path
    name : str
        Of the files, without an ending.

    Returns
    -------
    list of Path
    """
    texts = {
        ".md": as_markdown(table),
        ".tex": as_latex(table),
        ".csv": as_csv(table),
        ".json": as_json(table),
    }
    paths = []
    for ending, text in texts.items():
        path = folder / f"{name}{ending}"
        with whole_file(path) as file:
            file.write(text.encode())
        paths.append(path)
    return paths


# --- Markdown ------------------------------------------------------------------------------------


def as_markdown(table: ScoreTable) -> str:
    """Write a table for a page, with the notes that belong to it."""
    return "\n".join([f"### {table.title}", "", *_markdown_rows(table), "", *_notes(table)])


def legend(table: ScoreTable, best: str, second: str) -> str:
    """Say what the marks mean, given the marked words for best and second best."""
    spread = "Mean ± standard deviation over the seeds; " if table.has_spread else ""
    tested = f"; {_TESTED}" if table.is_tested else f"; {_UNTESTED}" if not spread else ""
    return f"{spread}{best}, {second}{tested}."


def _markdown_rows(table: ScoreTable) -> Iterator[str]:
    shown = table.has_published
    grouped = any(row.group for row in table.rows)
    header = [*(["input"] if grouped else []), "method"]
    header += [f"{column.title}" for column in table.columns]
    header += ["paper"] if shown else []
    header += ["s", "MB"]
    yield f"| {' | '.join(header)} |"
    n_text = 1 + grouped
    yield f"| {' | '.join(['---'] * n_text + ['---:'] * (len(header) - n_text))} |"
    before = None
    for place, row in enumerate(table.rows):
        cells = [row.group if row.group != before else ""] if grouped else []
        before = row.group
        cells.append(escaped(row.title))
        cells += [_markdown_entry(entry) for entry in table.entries[place]]
        cells += [_published_cell(table.entries[place])] if shown else []
        cells += [_short(table.seconds[place], 1), _short(table.peak_mb[place], 0)]
        yield f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Write a text so that it stays within a cell of a Markdown table."""
    return text.replace("|", r"\|")


def _markdown_entry(entry: Entry) -> str:
    if math.isnan(entry.mean):
        return _NOTHING
    mark = {1: "**", 2: "*"}.get(entry.rank, "")
    text = f"{mark}{entry.mean:z.{DECIMALS}f}{mark}"
    if not math.isnan(entry.spread):
        text += f" ± {entry.spread:.{DECIMALS}f}"
    return text + (_CLOSE if entry.close else "")


def _published_cell(entries: list[Entry]) -> str:
    return " / ".join(_NOTHING if e.published is None else f"{e.published:.2f}" for e in entries)


def _short(value: float, decimals: int) -> str:
    return _NOTHING if math.isnan(value) else f"{value:,.{decimals}f}"


def _notes(table: ScoreTable) -> Iterator[str]:
    yield legend(table, "**best**", "*second best*")
    if table.has_published:
        yield f"paper: {', '.join(column.title for column in table.columns)} as published."
    if table.about:
        yield table.about
    yield ""
    for row, state in zip(table.rows, table.states, strict=True):
        said = "; ".join(text for text in (row.note, state) if text)
        if said:
            name = f"{row.group}, {row.title}" if row.group else row.title
            yield f"- {escaped(name)}: {escaped(said)}."
    if table.audited:
        yield "audit: nothing impossible" if not table.remarks else "audit:"
    for remark in table.remarks:
        yield f"- {remark}"


# --- The others ----------------------------------------------------------------------------------


def as_latex(table: ScoreTable) -> str:
    """Write a table for a paper; it needs the package booktabs."""
    grouped = any(row.group for row in table.rows)
    shown = table.has_published
    titles = [*(["Input"] if grouped else []), "Method", *(c.title for c in table.columns)]
    numbers = "c" * (len(table.columns) + shown)
    marks = legend(table, r"\textbf{best}", r"\underline{second best}")
    about = f"{table.title}. {table.about}".translate(_LATEX)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{about} {marks.translate(_MARKS)}}}",
        rf"\begin{{tabular}}{{{'ll' if grouped else 'l'}{numbers}}}",
        r"\toprule",
        " & ".join([*(t.translate(_LATEX) for t in titles), *(["Paper"] if shown else [])])
        + r" \\",
        r"\midrule",
    ]
    before = None
    for place, row in enumerate(table.rows):
        if grouped and before is not None and row.group != before:
            lines.append(r"\midrule")
        cells = [row.group.translate(_LATEX) if row.group != before else ""] if grouped else []
        before = row.group
        mark = rf"\textsuperscript{{{place + 1}}}" if table.states[place] else ""
        cells.append(row.title.translate(_LATEX) + mark)
        cells += [_latex_entry(entry) for entry in table.entries[place]]
        cells += [_published_cell(table.entries[place])] if shown else []
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [
        rf"\par\footnotesize\textsuperscript{{{place}}} {state.translate(_LATEX)}"
        for place, state in enumerate(table.states, start=1)
        if state
    ]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_entry(entry: Entry) -> str:
    if math.isnan(entry.mean):
        return "--"
    text = f"{entry.mean:z.{DECIMALS}f}"
    text = {1: rf"\textbf{{{text}}}", 2: rf"\underline{{{text}}}"}.get(entry.rank, text)
    if not math.isnan(entry.spread):
        text += rf" {{\scriptsize$\pm$ {entry.spread:.{DECIMALS}f}}}"
    return text + (r"$^\dagger$" if entry.close else "")


def as_csv(table: ScoreTable) -> str:
    """Write a table for a spreadsheet: a mean and a spread for each score."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header = ["group", "method"]
    for column in table.columns:
        header += [column.title, f"{column.title} sd", f"{column.title} rank"]
        header.append(f"{column.title} published")
    writer.writerow([*header, "seconds", "peak_mb", "remark"])
    for place, row in enumerate(table.rows):
        cells: list[Any] = [row.group, row.title]
        for entry in table.entries[place]:
            cells += [_number(entry.mean), _number(entry.spread), entry.rank or ""]
            cells.append("" if entry.published is None else entry.published)
        cells += [_number(table.seconds[place]), _number(table.peak_mb[place])]
        writer.writerow([*cells, table.states[place]])
    return out.getvalue()


def _number(value: float) -> Any:
    return "" if math.isnan(value) else round(value, 6)


def as_json(table: ScoreTable) -> str:
    """Write a table for programs; what there is no number for is null."""
    rows = [
        {
            "group": row.group,
            "method": row.title,
            "scores": {
                column.title: {
                    "mean": _or_null(entry.mean),
                    "sd": _or_null(entry.spread),
                    "rank": entry.rank or None,
                    "close_to_best": entry.close,
                    "by_seed": [_or_null(value) for value in entry.values],
                    "published": entry.published,
                }
                for column, entry in zip(table.columns, table.entries[place], strict=True)
            },
            "seconds": _or_null(table.seconds[place]),
            "peak_mb": _or_null(table.peak_mb[place]),
            "remark": table.states[place],
        }
        for place, row in enumerate(table.rows)
    ]
    content: dict[str, Any] = {"title": table.title, "about": table.about, "rows": rows}
    content |= {"audited": table.audited, "audit": table.remarks}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)
