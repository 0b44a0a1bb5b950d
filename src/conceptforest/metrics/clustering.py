"""How well clusters agree with known classes.

Every score is a function of one table: how many items of each class are in each cluster. Names of
classes and clusters mean nothing by themselves: whole numbers and strings do equally well, and a
cluster called -1 is a cluster like any other.

Partitions that are the same score 1 everywhere, also the trivial ones (all items in one cluster,
or each in its own), as in scikit-learn. Otherwise a single cluster has an NMI and an ARI of 0.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from conceptforest.tags.names import short

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "adjusted_rand",
    "clustering_report",
    "nmi",
    "nmi_geometric",
    "pairwise_f1",
    "purity",
    "rand_index",
    "same_class_share",
]


class _Pairs(NamedTuple):
    """Pairs of items, by whether they share their class and their cluster.

    Python's own integers: products of pair counts pass 64 bits at some hundred thousand items.
    """

    both: int
    class_only: int
    cluster_only: int
    neither: int


def clustering_report(y_true: Any, labels: Any) -> dict[str, float]:
    """Score clusters against known classes.

    Parameters
    ----------
    y_true : array-like of shape (n_items,), int or str
        Class of each item.
    labels : array-like of shape (n_items,), int or str
        Cluster of each item.

    Returns
    -------
    dict of str to float
        ``purity``, ``nmi``, ``nmi_geometric``, ``ri``, ``f1`` and ``ari``: see :func:`purity`,
        :func:`nmi`, :func:`nmi_geometric`, :func:`rand_index`, :func:`pairwise_f1` and
        :func:`adjusted_rand`.

    Raises
    ------
    TypeError
        If the labels are neither whole numbers nor strings.
    ValueError
        If there are none, they differ in number, are not one-dimensional or one is missing.

    Examples
    --------
    >>> report = clustering_report(["cat", "cat", "dog", "dog"], [0, 0, 0, 1])
    >>> {name: round(value, 3) for name, value in report.items()}
    {'purity': 0.75, 'nmi': 0.344, 'nmi_geometric': 0.346, 'ri': 0.5, 'f1': 0.4, 'ari': 0.0}
    """
    table = _table(y_true, labels)
    pairs = _count_pairs(table)
    return {
        "purity": _purity(table),
        "nmi": _nmi(table, "arithmetic"),
        "nmi_geometric": _nmi(table, "geometric"),
        "ri": _rand_index(pairs),
        "f1": _pairwise_f1(pairs),
        "ari": _adjusted_rand(pairs),
    }


def purity(y_true: Any, labels: Any) -> float:
    """Give the share of items that belong to the commonest class of their cluster.

    It grows with the number of clusters: compare only clusterings with equally many.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    >>> purity(["cat", "cat", "dog", "dog"], [0, 0, 0, 1])
    0.75
    """
    return _purity(_table(y_true, labels))


def nmi(y_true: Any, labels: Any) -> float:
    """Give the mutual information over the arithmetic mean of the two entropies.

    This is scikit-learn's default. See :func:`nmi_geometric` for the older form.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], ["b", "b", "a", "a"]), nmi([0, 0, 1, 1], [3, 3, 3, 3])
    (1.0, 0.0)
    """
    return _nmi(_table(y_true, labels), "arithmetic")


def nmi_geometric(y_true: Any, labels: Any) -> float:
    """Give the mutual information over the geometric mean of the two entropies.

    Never below :func:`nmi`, and equal to it where the two entropies are equal.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    >>> round(nmi_geometric([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8165
    """
    return _nmi(_table(y_true, labels), "geometric")


def rand_index(y_true: Any, labels: Any) -> float:
    """Give the share of pairs of items on which classes and clusters agree.

    They agree on a pair that shares both its class and its cluster, or neither. With many classes
    most pairs share neither, so the index is high for almost any clustering.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    >>> rand_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return _rand_index(_count_pairs(_table(y_true, labels)))


def pairwise_f1(y_true: Any, labels: Any) -> float:
    """Give the F-measure of finding the pairs of items that share a class.

    A pair is found if its items share a cluster: precision is the share of found pairs that are
    of one class, recall the share of pairs of one class that are found. This is not the F-measure
    that matches each class to its best cluster, which is higher.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    One of three found pairs is right, and one of two right pairs is found:

    >>> pairwise_f1([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    return _pairwise_f1(_count_pairs(_table(y_true, labels)))


def adjusted_rand(y_true: Any, labels: Any) -> float:
    """Give the Rand index, scaled so that chance scores 0 on average and agreement 1.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_items,), int or str
        Class and cluster of each item.

    Examples
    --------
    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 0, 1]), adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
    (0.0, -0.5)
    """
    return _adjusted_rand(_count_pairs(_table(y_true, labels)))


def same_class_share(y_true: Any) -> float:
    """Give the share of pairs of items that have the same class.

    With it, :func:`~conceptforest.metrics.audit` can check a Rand index, an F-measure and an
    adjusted Rand index against each other.

    Parameters
    ----------
    y_true : array-like of shape (n_items,), int or str
        Class of each item; at least two items.

    Examples
    --------
    >>> same_class_share(["cat", "cat", "cat", "dog"])
    0.5
    """
    sizes = np.bincount(_codes(y_true, "y_true"))
    n = int(sizes.sum())
    if n < 2:
        raise ValueError("y_true has 1 item, so there are no pairs. Give at least two items.")
    return _n_pairs(sizes) / (n * (n - 1) // 2)


def _purity(table: Any) -> float:
    return int(table.max(axis=0).toarray().sum()) / int(table.sum())


def _nmi(table: Any, mean: str) -> float:
    if table.nnz == table.shape[0] == table.shape[1]:
        return 1.0  # the same partition, which rounding could make 0.9999999
    shared = float(mutual_info_score(None, None, contingency=table))
    if shared == 0:
        return 0.0  # as it is when one of the entropies is 0
    a, b = (float(stats.entropy(np.ravel(table.sum(axis=axis)))) for axis in (0, 1))
    return min(1.0, shared / ((a + b) / 2 if mean == "arithmetic" else math.sqrt(a * b)))


def _rand_index(pairs: _Pairs) -> float:
    n_pairs = sum(pairs)
    return (pairs.both + pairs.neither) / n_pairs if n_pairs else 1.0


def _pairwise_f1(pairs: _Pairs) -> float:
    twice, wrong = 2 * pairs.both, pairs.class_only + pairs.cluster_only
    return twice / (twice + wrong) if twice + wrong else 1.0


def _adjusted_rand(pairs: _Pairs) -> float:
    tp, fn, fp, tn = pairs
    if fn == fp == 0:
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def _count_pairs(table: Any) -> _Pairs:
    both = _n_pairs(table.data)
    of_a_class, of_a_cluster = (_n_pairs(np.ravel(table.sum(axis=axis))) for axis in (1, 0))
    n = int(table.sum())
    neither = n * (n - 1) // 2 - of_a_class - of_a_cluster + both
    return _Pairs(both, of_a_class - both, of_a_cluster - both, neither)


def _n_pairs(sizes: NDArray[np.int64]) -> int:
    """Count pairs within groups of these sizes; int64 is exact up to 3e9 items."""
    return int((sizes.astype(np.int64) * (sizes - 1)).sum()) // 2


def _table(y_true: Any, labels: Any) -> Any:
    """Count the items of each class (row) in each cluster (column), CSR int64."""
    classes, clusters = _codes(y_true, "y_true"), _codes(labels, "labels")
    if len(classes) != len(clusters):
        raise ValueError(
            f"y_true has {len(classes)} items but labels have {len(clusters)}. Give the class and "
            "the cluster of the same items, in the same order."
        )
    return contingency_matrix(classes, clusters, sparse=True, dtype=np.int64)


def _codes(labels: Any, name: str) -> NDArray[np.int64]:
    """Give each item the number of its group, after checking that the labels are such."""
    if isinstance(labels, (list, tuple)):
        # Not as NumPy would: it makes the strings "1" and "nan" of numbers among strings.
        values = np.empty(len(labels), dtype=object)
        values[:] = [_plain(label) for label in labels]
    else:
        values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, one label per item; got shape {values.shape}."
        )
    if values.size == 0:
        raise ValueError(f"{name} is empty. Give one label per item, for at least one item.")
    if values.dtype.kind == "O":
        values = _open_objects(values, name)
    if values.dtype.kind == "f":
        _check_whole(values, name)
    elif values.dtype.kind not in "biuUSO":
        raise TypeError(f"{name} is of dtype {values.dtype}. Labels are whole numbers or strings.")
    codes: NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return codes


def _plain(label: Any) -> Any:
    """Give an array of one value as that value, so that a list of them has one dimension."""
    return label.item() if isinstance(label, np.ndarray) and label.ndim == 0 else label


def _open_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Turn an array of Python values into one of strings, whole numbers or floats."""
    kinds = set(map(type, values))
    if all(issubclass(kind, str) for kind in kinds):
        return values.astype(str)
    if all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in kinds):
        return values  # may be too large for int64
    if all(issubclass(kind, (numbers.Real, np.bool_)) for kind in kinds):
        return values.astype(np.float64)
    if any(hasattr(value, "__len__") and not isinstance(value, str) for value in values):
        raise ValueError(f"{name} must be one-dimensional, one label per item; got nested values.")
    first = next(
        (i for i, value in enumerate(values) if not isinstance(value, (str, numbers.Integral))),
        None,
    )
    if first is None:
        raise TypeError(f"{name} mixes strings and numbers. Give labels of one kind.")
    raise ValueError(
        f"Item {first} of {name} is {short(values[first])}. Labels are whole numbers or strings: "
        "leave out items without a label, in both."
    )


def _check_whole(values: NDArray[Any], name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))
    if bad.size:
        raise ValueError(
            f"Item {bad[0]} of {name} is {values[bad[0]]}. Labels are whole numbers or strings: "
            "leave out items without a label, in both."
        )
