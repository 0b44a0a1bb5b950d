"""Two networks whose outputs, from features and from tags, are made to correlate.

The loss and its gradient are closed forms in double precision (Andrew et al. 2013); the networks
are PyTorch's, and what comes before them is only imported when there is something to train.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.canonical import column_means
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "Correlation",
    "DeepSettings",
    "correlate",
    "held_out_correlation",
    "import_torch",
    "train_networks",
]

_RATE = 1e-3  # of RMSprop
_DECAY = 1e-5  # of weights
_REGULARISATION = 1e-3  # of the covariances of outputs
_LEAST_ROOT = 1e-9  # of their eigenvalues
_BATCH = 1000  # items at least, and 20 for each output: of few items any outputs correlate
_ITEMS_PER_OUTPUT = 20
_HELD_OUT = 10  # one item in so many is held out
_FEWEST = 500  # items of which some are held out
_PATIENCE = 10  # epochs without a better correlation of items held out


@dataclass(frozen=True)
class DeepSettings:
    """How the networks are made and trained.

    Attributes
    ----------
    n_outputs : int
    hidden : tuple of int
        Units of each hidden layer, in this order; the decoders' are in the reverse one.
    n_epochs : int
    reconstruction : float or None
        Weight of the squared error of decoders; None for networks without any.
    """

    n_outputs: int
    hidden: tuple[int, ...]
    n_epochs: int
    reconstruction: float | None = None


class Correlation(NamedTuple):
    """How much two sets of outputs correlate, and how that changes with them.

    Attributes
    ----------
    total : float
        Sum of the canonical correlations.
    gradients : tuple of ndarray, each of shape (n_items, n_outputs)
        Of the total by each output.
    directions : tuple of ndarray, each of shape (n_outputs, n_outputs)
        The canonical directions.
    """

    total: float
    gradients: tuple[NDArray[np.float64], NDArray[np.float64]]
    directions: tuple[NDArray[np.float64], NDArray[np.float64]]


def correlate(
    left: NDArray[Any], right: NDArray[Any], regularisation: float = _REGULARISATION
) -> Correlation:
    """Give the total canonical correlation of two sets of outputs, and its gradient.

    The total is the trace norm of ``S11^(-1/2) S12 S22^(-1/2)``, with the regularisation added to
    the diagonals of S11 and S22.

    Parameters
    ----------
    left, right : ndarray of shape (n_items, n_outputs)
    regularisation : float

    Returns
    -------
    Correlation

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> round(correlate(x, 5 - 3 * x, 1e-9).total, 6)
    1.0
    """
    left, right = (H - H.mean(axis=0, dtype=np.float64) for H in (left, right))
    count = len(left) - 1
    roots = [_inverse_root(H.T @ H / count, regularisation) for H in (left, right)]
    U, sizes, V = np.linalg.svd(roots[0] @ (left.T @ right / count) @ roots[1])
    directions = roots[0] @ U, roots[1] @ V.T
    known = sizes > _LEAST_ROOT  # of others the directions are arbitrary
    across = directions[0][:, known] @ directions[1][:, known].T
    own = [W[:, known] * sizes[known] @ W[:, known].T for W in directions]
    gradients = (right @ across.T - left @ own[0]) / count, (left @ across - right @ own[1]) / count
    return Correlation(float(sizes.sum()), gradients, directions)


def _inverse_root(covariance: NDArray[np.float64], regularisation: float) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh(covariance)
    roots = np.sqrt(np.maximum(values + regularisation, _LEAST_ROOT))
    return np.asarray(vectors / roots @ vectors.T)


def import_torch(name: str) -> Any:
    """Import PyTorch, or say how to install it for the method of that name."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            f"{name} trains networks with PyTorch, which is not installed. Install it with: pip"
            ' install "conceptforest[deep]"'
        ) from error
    return torch


def train_networks(
    torch: Any,
    views: Sequence[Any],
    settings: DeepSettings,
    *,
    seed: int = 0,
    n_threads: int = 1,
    verbose: bool = False,
) -> list[NDArray[np.float64]]:
    """Train a network for each of two views so that their outputs correlate.

    Parameters
    ----------
    torch : module
    views : two arrays or sparse arrays, each of n_items rows
    settings : DeepSettings
    seed : int, default=0
        Of the networks, of the batches and of the items held out. PyTorch's own is left alone.
    n_threads : int, default=1
        Of PyTorch. It takes a single one for less than a batch of items.
    verbose : bool, default=False

    Returns
    -------
    list of two ndarrays of shape (n_items, n_outputs), float64
        The outputs for all items, with batch norms of them all.
    """
    training = _Training(torch, [_Inputs(view) for view in views], settings, seed)
    enough = n_threads if training.n_items >= _BATCH else 1  # small products are slower in two
    with (
        _threads(torch, enough),
        progress_bar("training networks", settings.n_epochs, show=verbose) as update,
    ):
        for epoch in range(1, settings.n_epochs + 1):
            training.run_epoch()
            if update:
                update(epoch)
            if training.is_over():
                break
        return training.outputs()


class _Inputs:
    """Rows of a view around their mean, with entries of the mean square 1."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self.n_items, self.width = rows.shape
        self._mean = column_means(rows)
        self._scale = 1.0
        step = max(1, 2**21 // self.width)
        squares = sum(
            float(np.square(self.take(slice(start, start + step)), dtype=np.float64).sum())
            for start in range(0, self.n_items, step)
        )
        if squares > 0:
            self._scale = (squares / (self.n_items * self.width)) ** -0.5

    def take(self, which: Any) -> NDArray[np.float32]:
        """Give some rows."""
        rows = self._rows[which]
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        centred = np.subtract(rows, self._mean, dtype=np.float64)
        return np.asarray(centred * self._scale, dtype=np.float32)


class _Training:
    """Networks in training."""

    def __init__(
        self, torch: Any, inputs: Sequence[_Inputs], settings: DeepSettings, seed: int
    ) -> None:
        self._torch, self._inputs, self._settings = torch, inputs, settings
        self._rng = np.random.default_rng(seed)
        self.n_items = inputs[0].n_items
        order = self._rng.permutation(self.n_items)
        n_held_out = self.n_items // _HELD_OUT if self.n_items >= _FEWEST else 0
        self._held_out, self._items = order[:n_held_out], order[n_held_out:]
        self._batch = max(_BATCH, _ITEMS_PER_OUTPUT * settings.n_outputs)
        generators = [torch.Generator().manual_seed(seed + place) for place in (0, 1)]
        shapes = [(view.width, *settings.hidden, settings.n_outputs) for view in inputs]
        self._encoders = [_network(torch, shape, generators[0]) for shape in shapes]
        self._decoders = []
        if settings.reconstruction is not None:
            self._decoders = [_network(torch, shape[::-1], generators[1]) for shape in shapes]
        parameters = [p for net in (*self._encoders, *self._decoders) for p in net.parameters()]
        self._optimiser = torch.optim.RMSprop(parameters, lr=_RATE, weight_decay=_DECAY)
        self._best, self._waited = -np.inf, 0
        self._kept: list[Any] = []

    def run_epoch(self) -> None:
        """Show all items to the networks once, but for those that are held out."""
        for net in (*self._encoders, *self._decoders):
            net.train()
        shuffled = self._rng.permutation(self._items)
        for rows in np.array_split(shuffled, max(1, len(shuffled) // self._batch)):
            self._step(rows)
        if len(self._held_out):
            self._judge()

    def _step(self, rows: NDArray[np.int64]) -> None:
        torch = self._torch
        views = [torch.from_numpy(view.take(rows)) for view in self._inputs]
        outputs = [net(view) for net, view in zip(self._encoders, views, strict=True)]
        found = correlate(*(H.detach().numpy() for H in outputs))
        ends = list(outputs)
        slopes = [torch.from_numpy(-slope).to(torch.float32) for slope in found.gradients]
        for net, H, view in zip(self._decoders, outputs, views, strict=False):
            error = (net(H) - view).square().mean()  # as of rows with the mean squared length 1
            ends.append(self._settings.reconstruction * error)
            slopes.append(None)
        self._optimiser.zero_grad()
        torch.autograd.backward(ends, slopes)
        self._optimiser.step()

    def _judge(self) -> None:
        """Keep the networks if items held out have never correlated better."""
        for net in self._encoders:
            net.eval()
        seen, unseen = (
            self._forward(rows) for rows in (self._items[: self._batch], self._held_out)
        )
        total = held_out_correlation(seen, unseen)
        self._waited += 1
        if total > self._best:
            self._best, self._waited = total, 0
            self._kept = [
                {name: value.clone() for name, value in net.state_dict().items()}
                for net in self._encoders
            ]

    def is_over(self) -> bool:
        """Tell whether items held out have not correlated better for a while."""
        return self._waited >= _PATIENCE

    def _forward(self, which: Any) -> list[NDArray[np.float64]]:
        with self._torch.no_grad():
            return [
                net(self._torch.from_numpy(view.take(which))).numpy().astype(np.float64)
                for net, view in zip(self._encoders, self._inputs, strict=True)
            ]

    def outputs(self) -> list[NDArray[np.float64]]:
        """Give the outputs of the best networks for all items."""
        for net, state in zip(self._encoders, self._kept, strict=False):
            net.load_state_dict(state)
        for net in self._encoders:
            net.train()  # so that batch norms are those of all items, not of a moving average
        return self._forward(slice(None))


def _network(torch: Any, widths: Sequence[int], generator: Any) -> Any:
    """Make a network with a batch norm before each linear layer, and sigmoids between them."""
    layers: list[Any] = []
    for place, (before, after) in enumerate(pairwise(widths)):
        if place:
            layers.append(torch.nn.Sigmoid())
        linear = torch.nn.utils.skip_init(torch.nn.Linear, before, after)
        bound = before**-0.5  # PyTorch's own, but from this generator
        with torch.no_grad():
            for parameter in linear.parameters():
                parameter.uniform_(-bound, bound, generator=generator)
        layers += [torch.nn.BatchNorm1d(before, affine=False), linear]
    return torch.nn.Sequential(*layers)


def held_out_correlation(
    seen: Sequence[NDArray[np.float64]], unseen: Sequence[NDArray[np.float64]]
) -> float:
    """Give the total correlation of some items in the canonical directions of others.

    Parameters
    ----------
    seen, unseen : two ndarrays each, of shapes (n_seen, n_outputs) and (n_unseen, n_outputs)
    """
    directions = correlate(seen[0], seen[1]).directions
    left, right = ((H - H.mean(axis=0)) @ W for H, W in zip(unseen, directions, strict=True))
    lengths = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
    products = (left * right).sum(axis=0)
    return float(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0).sum())


@contextmanager
def _threads(torch: Any, n_threads: int) -> Iterator[None]:
    """Let PyTorch use so many threads, and as many as before in the end."""
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        with threadpool_limits(1, user_api="blas"):  # what NumPy has to do is small
            yield
    finally:
        torch.set_num_threads(before)
