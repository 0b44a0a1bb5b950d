from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ONE: int
SOURCES: str

def rank_columns(values: NDArray[Any], ranks: NDArray[Any], n_threads: int) -> None: ...
def grow(
    ranks: NDArray[Any],
    layers: Sequence[Any],
    keys: NDArray[np.uint64],
    leaves: NDArray[np.int32],
    *,
    n_try: int,
    min_leaf: int,
    evidence_weights: bool,
    bootstrap: bool,
    n_threads: int,
    progress: Callable[[int], None] | None,
    sources: Any = ...,
    pair_limit: int = ...,
    small_mass: int = ...,
    soft_cells: int = ...,
) -> dict[str, NDArray[Any]]: ...
def limit_registers(bytes: int) -> None: ...  # noqa: A002
def draw_bag(key: int, n: int) -> NDArray[np.uint32]: ...
def route(
    offsets: NDArray[np.int64],
    feature: NDArray[np.int32],
    threshold: NDArray[np.float64],
    left: NDArray[np.int32],
    values: NDArray[Any],
    leaves: NDArray[np.int32],
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> None: ...
def nearest(
    rows: NDArray[np.int32],
    training: NDArray[np.int32],
    offsets: NDArray[np.int64],
    *,
    k: int,
    exclude_self: bool,
    seed: int,
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]: ...
def all_counts(
    rows: NDArray[np.int32],
    training: NDArray[np.int32],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int32],
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> None: ...
def leaf_votes(
    rows: NDArray[np.int32],
    training: NDArray[np.int32],
    offsets: NDArray[np.int64],
    start: NDArray[np.int64],
    tags: NDArray[np.int32],
    *,
    n_tags: int,
    keep: int,
    exclude_self: bool,
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...
def k_means(
    points: NDArray[np.float64],
    n_clusters: int,
    *,
    n_init: int,
    max_iter: int,
    seed: int,
    n_threads: int,
    progress: Callable[[int], None] | None,
) -> tuple[NDArray[np.int32], NDArray[np.float64], float, int]: ...
def lay_out(
    start: NDArray[np.int64],
    item: NDArray[np.int32],
    weight: NDArray[np.float32],
    position: NDArray[np.float32],
    *,
    n_epochs: int,
    n_repelled: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> None: ...
def pass_messages(
    similarity: NDArray[Any],
    responsibility: NDArray[Any],
    availability: NDArray[Any],
    support: NDArray[Any],
    found: NDArray[np.float64],
    *,
    begin: int,
    end: int,
    step: int,
    damping: float,
) -> None: ...
def settle(
    start: NDArray[np.int64],
    item: NDArray[np.int32],
    weight: NDArray[np.float64],
    label: NDArray[np.int64],
    *,
    n_clusters: int,
    resolution: float,
    max_rounds: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> int: ...
