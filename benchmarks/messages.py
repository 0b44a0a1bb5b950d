"""Messages of affinity propagation: conceptforest's core against scikit-learn.

Both pass messages between the same items, a given number of times, on one thread. An iteration must
at least read similarities, responsibilities and availabilities and write the last two; so the time
also tells how near it comes to what a plain copy moves through memory.
"""

from __future__ import annotations

import statistics
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import affinity_propagation
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.message_passing import Messages
from workload import Clock, arguments, emit, machine_facts, note, settings, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from numpy.typing import NDArray

_DAMPING = 0.9
_PREFERENCE = -5.0
_ARRAYS_MOVED = 5  # three read, two written


def similarities(n: int, seed: int) -> NDArray[np.float32]:
    """Give minus squared distances of random points in the plane, a little noisy."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    noisy = -squares * rng.uniform(0.99, 1.01, size=(n, n))
    return np.asarray(noisy, dtype=np.float32)


def ours(similarity: NDArray[np.float32], n_iter: int) -> None:
    """Pass messages by the core."""
    messages = Messages(similarity, damping=_DAMPING)
    messages.run(_PREFERENCE, max_iter=n_iter, patience=n_iter + 1)


def library(similarity: NDArray[np.float32], n_iter: int) -> None:
    """Pass messages by scikit-learn, in the same precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        affinity_propagation(
            similarity,
            preference=np.float32(_PREFERENCE),
            damping=_DAMPING,
            max_iter=n_iter,
            convergence_iter=n_iter + 1,
            random_state=0,
        )


def copy(similarity: NDArray[np.float32], n_iter: int) -> None:
    """Move as many bytes as an iteration must, in copies, each of which reads and writes."""
    other = np.empty_like(similarity)
    for _ in range(n_iter * _ARRAYS_MOVED // 2):
        np.copyto(other, similarity)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Time each in turn, some rounds."""
    similarity = similarities(args.items, args.seed)
    times: dict[str, list[float]] = {"conceptforest": [], "scikit-learn": [], "copy": []}
    runs: dict[str, Callable[[NDArray[np.float32], int], None]] = {
        "conceptforest": ours, "scikit-learn": library, "copy": copy,
    }  # fmt: skip
    with threadpool_limits(1):
        for number in range(args.rounds):
            for name, run in runs.items():
                note(f"round {number + 1} of {args.rounds}: {name}")
                clock = Clock()
                with clock.running():
                    run(similarity.copy(), args.iterations)
                times[name].append(1000 * clock.wall / args.iterations)
    seconds = {name: statistics.median(own) for name, own in times.items()}
    moved = _ARRAYS_MOVED * similarity.nbytes
    return {
        "machine": machine_facts(),
        "options": settings(args),
        "milliseconds": seconds,
        "gigabytes_per_second": {name: moved / 1e6 / own for name, own in seconds.items()},
        "ratio": seconds["scikit-learn"] / seconds["conceptforest"],
    }


def render(result: dict[str, Any]) -> None:
    """Print a row for each."""
    table(
        ("who", "ms an iteration", "GB/s at least"),
        [
            (name, time, result["gigabytes_per_second"][name])
            for name, time in result["milliseconds"].items()
        ],
    )
    print(f"scikit-learn takes {result['ratio']:.1f} times as long")


def main() -> None:
    """Run from the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--items", type=int, default=4000)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    emit(measure(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
