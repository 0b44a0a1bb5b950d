"""A progress bar with an estimate of what is left, for work that takes a while."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress_bar", "working"]


@contextmanager
def progress_bar(label: str, total: int, *, show: bool) -> Iterator[Callable[[int], None] | None]:
    """Show a bar on the terminal; yields a function that takes how much is done, or None.

    Examples
    --------
    >>> with progress_bar("growing", 10, show=False) as update:
    ...     print(update)
    None
    """
    if not show:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def working(label: str, *, show: bool) -> Iterator[None]:
    """Show on the terminal that something is going on whose end cannot be foreseen.

    Examples
    --------
    >>> with working("embedding", show=False):
    ...     pass
    """
    if not show:
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(label):
        yield
