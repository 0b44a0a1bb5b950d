"""The estimator's parameters as a model file keeps them: plain JSON values.

The file is not trusted: what is read passes the same checks as what a user gives.
"""

from __future__ import annotations

import dataclasses
import numbers
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.checks import whole
from conceptforest.forest import parameters
from conceptforest.forest.model_file import ModelFileError
from conceptforest.forest.reading import Reading

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from conceptforest.forest.model_file import ForestState

__all__ = ["from_json", "missing_from_json", "to_json"]


def to_json(forest: Any) -> dict[str, Any]:
    """Give the parameters as plain values. Layers are kept by the model file itself."""
    parameters.check(forest)  # what could not be read again is not written
    parameters.n_try(forest.max_features, forest.n_features_in_)
    params = forest.get_params(deep=False)
    params["reading"] = None if forest.reading is None else dataclasses.asdict(forest.reading)
    params["layers"] = "explicit"
    if isinstance(forest.layers, numbers.Integral):
        whole("layers", forest.layers, 1)
        params["layers"] = forest.layers
    if forest.tag_weights is not None and not isinstance(forest.tag_weights, str):
        params["tag_weights"] = [float(w) for w in np.asarray(forest.tag_weights)]
    if not isinstance(forest.random_state, numbers.Integral):
        params["random_state"] = None  # the forest's own seed is in the file
    return {name: _plain(value) for name, value in params.items()}


def from_json(
    path: str | os.PathLike[str], state: ForestState, known: Iterable[str]
) -> dict[str, Any]:
    """Rebuild the parameters and check them.

    Parameters
    ----------
    path : str or path-like
        The file, for the errors.
    state : ForestState
        What was read from it.
    known : iterable of str
        The names of the estimator's parameters; the file must have all of them and no other.

    Returns
    -------
    dict
        What the estimator takes.

    Raises
    ------
    ModelFileError
        If the estimator would not take them.
    """
    given = state.params.get("given")
    if not isinstance(given, dict) or set(given) != set(known):
        raise ModelFileError(f"{path}: the parameters in this model file are not a forest's.")
    params = dict(given)
    try:
        if params["reading"] is not None:
            params["reading"] = Reading(**params["reading"])
        params["layers"] = _layers_from_json(params["layers"], state)
        if isinstance(params["tag_weights"], list):
            params["tag_weights"] = np.array(params["tag_weights"], dtype=np.float64)
        parameters.check(SimpleNamespace(**params))
        parameters.n_try(params["max_features"], state.n_features)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: a parameter in this model file is bad: {error}") from error
    return params


def missing_from_json(path: str | os.PathLike[str], state: ForestState) -> list[dict[str, float]]:
    """Rebuild the shares of missing items by layer."""
    rows = state.params.get("missing")
    if (
        not isinstance(rows, list)
        or len(rows) != len(state.layers)
        or not all(map(_is_record_of_missing, rows))
    ):
        raise ModelFileError(f"{path}: the record of missing tags in this model file is bad.")
    return rows


def _is_record_of_missing(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and set(row) == {"missing", "supported"}
        and all(isinstance(v, int | float) and 0 <= v <= 1 for v in row.values())
    )


def _layers_from_json(given: Any, state: ForestState) -> Any:
    if given == "explicit":
        return [[state.vocabulary[i] for i in layer] for layer in state.layers]
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f'layers must be a number of layers or "explicit"; got {given!r}.')
    return given


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
