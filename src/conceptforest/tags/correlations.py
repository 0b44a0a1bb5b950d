"""How the tags of one layer go with the more specific tags below it (Eq. 6 to 9).

Only pairs of tags that share an item are stored. The exclusion of Eq. 8 is positive for nearly
every other pair, so it is kept as one minus the clipped lift, which is zero off that pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights: TypeAlias = sparse.csr_array[np.float64, tuple[int, int]]

__all__ = ["LayerCorrelations", "Scores", "correlate", "scores"]


@dataclass(frozen=True, eq=False)
class LayerCorrelations:
    """Correlations of a target layer's tags with the tags of all lower layers.

    Attributes
    ----------
    cooccurrence : csr_array of shape (n_target, n_subordinate), float64
        The share of a subordinate tag's items that also carry the target tag.
    lift : csr_array of shape (n_target, n_subordinate), float64
        That share over the target tag's share of all items, at most 1; same pattern.
    target_counts : ndarray of shape (n_target,), int64
        Items per target tag.
    subordinate_counts : ndarray of shape (n_subordinate,), int64
        Items per subordinate tag.
    """

    cooccurrence: Weights
    lift: Weights
    target_counts: NDArray[np.int64]
    subordinate_counts: NDArray[np.int64]

    def exclusion(self) -> NDArray[np.float64]:
        """Write out how strongly each subordinate tag speaks against each target tag (Eq. 8).

        It is one minus the clipped lift, and zero for pairs with a tag that no item carries. The
        result is dense: for small vocabularies and for checking.

        Returns
        -------
        ndarray of shape (n_target, n_subordinate), float64

        Examples
        --------
        >>> tags = sparse.csr_array([[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1]])
        >>> correlate(tags, [0], [1, 2]).exclusion()
        array([[1., 0.]])
        """
        seen = np.outer(self.target_counts > 0, self.subordinate_counts > 0)
        return np.where(seen, 1.0 - self.lift.toarray(), 0.0)


class Scores(NamedTuple):
    """Evidence for and against the target tags, for the items that have none of them.

    The evidence against tag ``i`` of item ``x`` (Eq. 9) is ``n_subordinate[x] - lifted[x, i]``
    where the target tag occurs at all, else 0; off the stored pattern ``lifted`` is 0.

    Attributes
    ----------
    positive : csr_array of shape (n_missing, n_target), float64
        Evidence for each target tag (Eq. 7).
    lifted : csr_array of shape (n_missing, n_target), float64
        Clipped lift, summed over the item's subordinate tags; same pattern, sorted.
    n_subordinate : ndarray of shape (n_missing,), int64
        How many subordinate tags the item carries that were seen by the correlations.
    """

    positive: Weights
    lifted: Weights
    n_subordinate: NDArray[np.int64]


def correlate(matrix: Any, target: Any, subordinate: Any) -> LayerCorrelations:
    """Measure how the target tags go with the subordinate tags.

    Parameters
    ----------
    matrix : csr_array of shape (n_items, n_tags)
        Canonical 0/1 matrix, as in :class:`~conceptforest.tags.TagMatrix`.
    target : array-like of shape (n_target,), int
        Columns of the target layer.
    subordinate : array-like of shape (n_subordinate,), int
        Columns of all layers below it; may be empty.

    Returns
    -------
    LayerCorrelations
        Rows follow ``target`` and columns ``subordinate``.

    Examples
    --------
    Of the four items with tag 1, three carry tag 0:

    >>> tags = sparse.csr_array([[1, 1], [1, 1], [1, 1], [0, 1], [1, 0], [1, 0]])
    >>> correlate(tags, [0], [1]).cooccurrence.toarray()
    array([[0.75]])
    """
    above = _columns(matrix, target, np.int64)
    below = _columns(matrix, subordinate, np.int64)
    target_counts = np.bincount(above.indices, minlength=above.shape[1]).astype(np.int64)
    subordinate_counts = np.bincount(below.indices, minlength=below.shape[1]).astype(np.int64)
    shared = (above.T.tocsr() @ below).tocsr()
    shared.sort_indices()
    o_j = subordinate_counts[shared.indices]
    o_i = np.repeat(target_counts, np.diff(shared.indptr))
    # Whole numbers up to the one division, so that a lift of exactly 1 leaves no exclusion.
    lift = np.minimum(shared.data * matrix.shape[0], o_i * o_j) / (o_i * o_j)
    return LayerCorrelations(
        cooccurrence=_with_data(shared, shared.data / o_j),
        lift=_with_data(shared, lift),
        target_counts=target_counts,
        subordinate_counts=subordinate_counts,
    )


def scores(correlations: LayerCorrelations, matrix: Any, missing: Any, subordinate: Any) -> Scores:
    """Gather the evidence that subordinate tags give about missing target tags.

    Parameters
    ----------
    correlations : LayerCorrelations
        Of the target layer with the same subordinate tags.
    matrix : csr_array of shape (n_items, n_tags)
        Canonical 0/1 matrix whose items are scored.
    missing : array-like of shape (n_missing,), int
        Rows of the items without any target tag.
    subordinate : array-like of shape (n_subordinate,), int
        Columns of all layers below the target layer, in the order given to :func:`correlate`.

    Returns
    -------
    Scores
        Row ``r`` belongs to item ``missing[r]``; column ``c`` to target tag ``c``.

    Examples
    --------
    >>> tags = sparse.csr_array([[1, 1], [1, 1], [1, 1], [0, 1], [1, 0], [1, 0]])
    >>> evidence = scores(correlate(tags, [0], [1]), tags, [3], [1])
    >>> evidence.positive.toarray(), evidence.lifted.toarray(), evidence.n_subordinate
    (array([[0.75]]), array([[0.9]]), array([1]))
    """
    rows = matrix[np.asarray(missing, dtype=np.int64)]
    own = _columns(rows, subordinate, np.float64)
    if own.shape[1] != correlations.lift.shape[1]:
        raise ValueError(
            f"The correlations are with {correlations.lift.shape[1]} subordinate tags but "
            f"{own.shape[1]} were given. Give the columns that were passed to correlate."
        )
    # Both weights are positive on one pattern and the sums cannot cancel: the patterns agree.
    positive = (own @ correlations.cooccurrence.T.tocsr()).tocsr()
    lifted = (own @ correlations.lift.T.tocsr()).tocsr()
    positive.sort_indices()
    lifted.sort_indices()
    seen = (correlations.subordinate_counts > 0).astype(np.float64)
    return Scores(positive, lifted, (own @ seen).astype(np.int64))


def _columns(matrix: Any, columns: Any, dtype: type) -> Any:
    """Pick columns of a CSR matrix, with ascending indices."""
    picked = sparse.csr_array(matrix)[:, np.asarray(columns, dtype=np.int64)].astype(dtype)
    picked.sort_indices()
    return picked


def _with_data(pattern: Any, data: NDArray[np.float64]) -> Weights:
    """Give a matrix of the same pattern with other values, sharing no arrays with it."""
    parts = (data, pattern.indices.copy(), pattern.indptr.copy())
    return sparse.csr_array(parts, shape=pattern.shape)
