"""Items as sparse sums of the items that are most like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.sparse_codes import sparse_codes
from conceptforest.in_threads import in_threads
from conceptforest.progress import progress_bar
from conceptforest.steady_product import steady_product

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["MOST_AT_ONCE", "ImageDictionary", "unit_rows"]

_ROWS = 128  # items reconstructed together
MOST_AT_ONCE = 20_000  # items up to which all products are held: 1.6 GB
_TOGETHER = 2**24  # numbers of small tables of products held at a time: 64 MB


class ImageDictionary:
    """The items of a collection, to reconstruct others from.

    An item is its features and its tags, side by side; both of length 1, then the tags times the
    root of a weight. So the inner product of two items is a sum of two cosines.

    Parameters
    ----------
    X : ndarray of shape (n_items, d), float32
        Rows of length 1 or 0.
    tags : csr_array of shape (n_items, n_tags), float64
        Rows of length 1 or 0.
    tag_weight : float
    n_atoms : int
        Items that may take part in a reconstruction: those at the least distance.
    penalty : float
        Of the sum of sizes of coefficients, as a share of that from which on all are 0.
    positive : bool
        Allow no negative coefficients.
    """

    def __init__(
        self,
        X: NDArray[np.float32],
        tags: Any,
        *,
        tag_weight: float,
        n_atoms: int,
        penalty: float,
        positive: bool,
    ) -> None:
        self.X, self.tags, self.tag_weight = X, tags, tag_weight
        self.n_atoms, self.penalty, self.positive = n_atoms, penalty, positive
        self._squares = _squares(X, tags, tag_weight)

    def codes_of_members(
        self, members: NDArray[np.int64], n_threads: int, *, show: bool = False
    ) -> Any:
        """Reconstruct items of the collection, each from all but itself.

        Parameters
        ----------
        members : ndarray of shape (n_members,), int64
        n_threads : int
        show : bool, default=False
            Whether to show progress.

        Returns
        -------
        csr_array of shape (n_members, n_items), float64
            Coefficients; none of an item for itself.
        """
        n = len(self.X)
        if not len(members):
            return sparse.csr_array((0, n))
        starts = range(0, len(members), _ROWS)
        products = self._all_products(n_threads) if n <= MOST_AT_ONCE else None

        def solve(start: int) -> Any:
            rows = members[start : start + _ROWS]
            if products is None:
                linear = self._products(self.X[rows], self.tags[rows])
            else:
                linear = products[rows]
            return self._codes(linear, self._squares[rows], products, own=rows)

        found = {}
        with (
            threadpool_limits(1),
            progress_bar("reconstructing items", len(starts), show=show) as update,
            in_threads(solve, starts, n_threads) as results,
        ):
            for done, (start, codes) in enumerate(results, start=1):
                found[start] = codes
                if update:
                    update(done)
        return sparse.vstack([found[start] for start in starts], format="csr")

    def codes_of(self, X: NDArray[np.float32], tags: Any) -> Any:
        """Reconstruct other items, given as the own ones, shape (len(X), n_items)."""
        if not len(X):
            return sparse.csr_array((0, len(self.X)))
        found = []
        # Where all items are atoms, all reconstructions share the products.
        products = self._all_products(1) if self.n_atoms >= len(self.X) else None
        with threadpool_limits(1):
            for start in range(0, len(X), _ROWS):
                rows = slice(start, start + _ROWS)
                linear = self._products(X[rows], tags[rows], steady_product)
                squares = _squares(X[rows], tags[rows], self.tag_weight)
                found.append(self._codes(linear, squares, products))
        return sparse.vstack(found, format="csr")

    def _all_products(self, n_threads: int) -> NDArray[np.float32]:
        """Multiply all items with one another."""
        n = len(self.X)
        products = np.empty((n, n), dtype=np.float32)

        def fill(start: int) -> None:
            rows = slice(start, start + _ROWS)
            products[rows] = self._products(self.X[rows], self.tags[rows])

        with threadpool_limits(1), in_threads(fill, range(0, n, _ROWS), n_threads) as filled:
            for _ in filled:
                pass
        return products

    def _products(
        self, X: NDArray[np.float32], tags: Any, multiply: Callable[[Any, Any], Any] = np.matmul
    ) -> NDArray[np.float32]:
        """Multiply some items with all own ones."""
        found: NDArray[np.float32] = multiply(X, self.X.T)
        words: Any = (tags @ self.tags.T).tocoo()
        found[words.row, words.col] += (self.tag_weight * words.data).astype(np.float32)
        return found

    def _codes(
        self,
        linear: NDArray[np.float32],
        squares: NDArray[np.float32],
        products: NDArray[np.float32] | None,
        own: NDArray[np.int64] | None = None,
    ) -> Any:
        """Solve the problems of a block of items from their products with all own ones."""
        n = len(self.X)
        k = min(self.n_atoms, n - (own is not None))
        far = squares[:, None] + self._squares - 2 * linear
        if own is not None:
            far[np.arange(len(far)), own] = np.inf
        chosen = np.argpartition(far, k - 1, axis=1)[:, :k]
        chosen.sort(axis=1)
        del far
        if products is not None:
            codes = self._solve(linear, chosen, _FromAll(products, chosen))
        else:
            step = max(1, _TOGETHER // k**2)
            parts = [slice(start, start + step) for start in range(0, len(linear), step)]
            codes = np.concatenate(
                [self._solve(linear[p], chosen[p], _FromEach(self, chosen[p])) for p in parts]
            )
        places = np.repeat(np.arange(len(chosen)), k), chosen.ravel()
        shape = (len(chosen), n)
        made: Any = sparse.csr_array((codes.ravel().astype(np.float64), places), shape=shape)
        made.eliminate_zeros()
        return made

    def _solve(
        self, linear: NDArray[np.float32], chosen: NDArray[np.int64], gram: _FromAll | _FromEach
    ) -> NDArray[np.float32]:
        wanted = np.take_along_axis(linear, chosen, axis=1)
        most = (wanted if self.positive else np.abs(wanted)).max(axis=1, keepdims=True)
        limits = np.float32(self.penalty) * np.maximum(most, 0)
        diagonal = self._squares[chosen]
        return sparse_codes(wanted, diagonal, gram, limits, positive=self.positive)


class _FromAll:
    """Rows of the products of each problem's atoms, out of those of all items."""

    def __init__(self, products: NDArray[np.float32], chosen: NDArray[np.int64]) -> None:
        self._products, self._chosen = products, chosen

    def __call__(
        self, problems: NDArray[np.int64], atoms: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        chosen = self._chosen[problems]
        return self._products[self._chosen[problems, atoms][:, None], chosen]


class _FromEach:
    """Rows of the products of each problem's atoms, computed for each problem."""

    def __init__(self, items: ImageDictionary, chosen: NDArray[np.int64]) -> None:
        n, k = chosen.shape
        self._grams = np.empty((n, k, k), dtype=np.float32)
        for which, atoms in enumerate(chosen):
            looks, words = items.X[atoms], items.tags[atoms]
            by_tags = (items.tag_weight * (words @ words.T)).toarray()
            self._grams[which] = looks @ looks.T + by_tags.astype(np.float32)

    def __call__(
        self, problems: NDArray[np.int64], atoms: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        return np.asarray(self._grams[problems, atoms])


def unit_rows(matrix: Any) -> Any:
    """Scale the rows of an array to length 1; rows of zeros stay.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (n, d)

    Returns
    -------
    ndarray of shape (n, d), float32; or csr_array of shape (n, d), float64

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    if not isinstance(matrix, np.ndarray):
        squares = np.asarray(matrix.multiply(matrix).sum(axis=1), dtype=np.float64)
        inverse = np.divide(1, np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0)
        return sparse.csr_array(matrix.astype(np.float64) * inverse[:, None])
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    return (matrix / lengths[:, None]).astype(np.float32)


def _squares(X: NDArray[np.float32], tags: Any, tag_weight: float) -> NDArray[np.float32]:
    """Give the squared length of items, shape (len(X),)."""
    looks = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    words = np.asarray(tags.multiply(tags).sum(axis=1))
    return np.asarray(looks + tag_weight * words, dtype=np.float32)
