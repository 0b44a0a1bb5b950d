"""Memory shared by threads: who needs a part of it waits until it is free."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MemoryBudget"]


class MemoryBudget:
    """A number of bytes that threads take parts of.

    Threads come in one after the other, so that one that needs much is not passed over for ever by
    others that need little.

    Parameters
    ----------
    n_bytes : int

    Examples
    --------
    >>> budget = MemoryBudget(100)
    >>> with budget.take(80):
    ...     budget.taken
    80
    """

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self.taken = 0
        self._turn = threading.Lock()
        self._changed = threading.Condition()

    @contextmanager
    def take(self, n_bytes: int) -> Iterator[None]:
        """Hold that many bytes while inside; more than there are are held alone."""
        with self._turn, self._changed:
            self._changed.wait_for(lambda: not self.taken or self.taken + n_bytes <= self.n_bytes)
            self.taken += n_bytes
        try:
            yield
        finally:
            with self._changed:
                self.taken -= n_bytes
                self._changed.notify_all()
