"""What all estimators here share: they learn from features and tags, or not at all."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

__all__ = ["TaggedEstimator"]


class TaggedEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that learns from a collection; a subclass has the step `_fit`."""

    def fit(self, X: Any, tags: Any) -> Self:
        """Learn from a collection.

        A fit that fails or is interrupted leaves the estimator as it was.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            Visual features, finite. A NumPy memory map is read piece by piece, never copied whole.
        tags : tag matrix
            What each item is tagged with: a SciPy sparse or NumPy 0/1 matrix of shape
            (n_items, n_tags), a list of sets of strings, or a pandas or polars table, long
            (`item`, `tag`) or wide.

        Returns
        -------
        estimator
            The estimator itself.
        """
        _check_order(X, tags)
        before = dict(vars(self))
        try:
            self._fit(X, tags)
        except BaseException:  # Ctrl-C too
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, tags: Any) -> None:
        """Learn from a collection; may raise at any point."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags


def _check_order(X: Any, tags: Any) -> None:
    """Refuse two tables with the same row labels in another order: rows are matched by place."""
    rows: Any = getattr(X, "index", None)
    others: Any = getattr(tags, "index", None)
    if not (hasattr(rows, "equals") and hasattr(others, "equals")):
        return  # not two pandas tables; a list has a method of that name
    if len(rows) == len(others) and not rows.equals(others) and set(rows) == set(others):
        raise ValueError(
            "X and tags have the same row labels in another order, but rows are matched by their"
            " place. Give tags.loc[X.index]."
        )
