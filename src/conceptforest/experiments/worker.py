"""A process that holds a collection and runs one job after the other, until it is told to stop."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

__all__ = ["resident_mb", "serve"]

_SHORT = 300  # characters of a message


def serve(
    connection: Connection,
    data: str,
    method_files: Sequence[str],
    n_threads: int,
    shared: Path | None,
) -> None:
    """Answer each job that comes with ("done", result) or ("failed", message).

    Parameters
    ----------
    connection : Connection
        Jobs come in and answers go out; its end is that of the process.
    data : str
        Feature file of the collection.
    method_files : sequence of str
        See :func:`~conceptforest.experiments.methods.add_methods_of_file`.
    n_threads : int
        For each job.
    shared : Path or None
        Folder of what several jobs use.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    Thread(target=_end_with_parent, daemon=True).start()
    from joblib import parallel_config

    from conceptforest.datasets import load
    from conceptforest.experiments.methods import add_methods_of_file
    from conceptforest.experiments.run_job import run_job

    for file in method_files:
        add_methods_of_file(file)
    collection = load(data)
    while True:
        try:
            job = connection.recv()
        except EOFError:  # the parent is gone
            return
        _forget_peak()
        try:
            with parallel_config("threading"):  # joblib's own choice, processes, allows one here
                done = run_job(job, collection, n_jobs=n_threads, shared=shared)
            answer: tuple[str, Any] = ("done", done)
        except MemoryError:
            answer = ("failed", "there was not enough memory")
        except Exception as error:  # noqa: BLE001 - one job that fails must not stop the others
            answer = ("failed", _message(error))
        connection.send((*answer, _peak_mb()))


def _end_with_parent() -> None:
    """Stop in the middle of a job when the parent is killed: nobody waits for the answer."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _message(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


# --- Memory --------------------------------------------------------------------------------------


def resident_mb(process: int | str = "self", field: str = "VmRSS") -> float:
    """Give the memory that a process holds, in MB; 0 where the system does not tell.

    Parameters
    ----------
    process : int or "self"
    field : {"VmRSS", "VmHWM"}
        What it holds, or the most that it has held.

    Examples
    --------
    >>> resident_mb() < 1e6
    True
    """
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0.0


def _forget_peak() -> None:
    """Let the peak be that of the next job alone, where the system can do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_mb() -> float:
    peak = resident_mb(os.getpid(), "VmHWM")
    if not peak:
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return round(peak, 1)
