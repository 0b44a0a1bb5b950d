"""Tables that a run leaves: each as Parquet, exact, and as CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["read_columns", "write_table"]

# What makes a spreadsheet compute a cell; some take the wide forms of East Asian fonts as well.
_FORMULA = re.compile(r"\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_BETWEEN = "; "


def write_table(folder: Path, name: str, columns: Mapping[str, Any]) -> None:
    """Write `name.csv` and `name.parquet`.

    Parameters
    ----------
    folder : Path
    name : str
    columns : mapping of str to sequences of equal length
        Text, numbers, None, or lists of text. In the CSV a list is joined by "; ", and text that a
        spreadsheet would run as a formula gets an apostrophe before it.
    """
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({key: _arrow(values) for key, values in columns.items()})
    with whole_file(folder / f"{name}.parquet") as file:
        parquet.write_table(table, file)
    text = io.StringIO(newline="")
    writer = csv.writer(text)  # lines end as RFC 4180 wants, and both of its signs are quoted
    writer.writerow(columns)
    writer.writerows(map(_cell, row) for row in zip(*columns.values(), strict=True))
    with whole_file(folder / f"{name}.csv") as file:
        file.write(b"\xef\xbb\xbf" + text.getvalue().encode())  # the mark that Excel looks for


def _arrow(values: Any) -> Any:
    """Choose the type by the first value that is not None, so that empty tables have one too."""
    import numpy as np
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        return pa.array(values)
    first = next((value for value in values if value is not None), "")
    kind = pa.list_(pa.string()) if isinstance(first, list) else None
    return pa.array(values, type=pa.string() if isinstance(first, str) else kind)


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        # A tag's own semicolon would cut it in two when the cell is read again.
        value = _BETWEEN.join(part.replace(";", ",") for part in value)
    if isinstance(value, str):
        return f"'{value}" if _FORMULA.match(value) else value
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def read_columns(path: Path, names: Sequence[str]) -> list[list[Any]]:
    """Read some columns of a Parquet file; what is missing or damaged is a ValueError."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            missing = [name for name in names if name not in file.schema_arrow.names]
            table = file.read(columns=[name for name in names if name not in missing])
    except (OSError, pa.ArrowException) as error:
        raise ValueError(
            f"Cannot read '{path}' ({error}). Run `conceptforest discover` again."
        ) from error
    if missing:
        raise ValueError(
            f"'{path}' has no column {missing[0]!r}. Run `conceptforest discover` again."
        )
    return [table.column(name).to_pylist() for name in names]
