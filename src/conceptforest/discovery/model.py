"""The two forests of a run: grown, saved, and found again.

One forest groups the items. The other is grown on items drawn with replacement, which is better
for tags that are missing, and worse for groups. Each is kept with a key of all that it was grown
from, so that a run that is started again grows nothing twice.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import __version__
from conceptforest.completion import Calibration, TagCompletion
from conceptforest.discovery.run_folder import RunFolderError, read_json, write_json
from conceptforest.forest.hml_forest import HMLForest, load
from conceptforest.forest.model_audit import ModelFileError
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.discovery.run_folder import RunFolder
    from conceptforest.discovery.settings import Settings
    from conceptforest.tags import TagMatrix

__all__ = ["Model", "fit_model"]

N_NEIGHBORS = 20


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned.

    Attributes
    ----------
    clustering : ConceptClustering
    completion : TagCompletion
    n_grown : int
        Forests that were grown now; the others were found saved.
    notes : tuple of str
        What was odd about growing them.
    """

    clustering: ConceptClustering
    completion: TagCompletion
    n_grown: int
    notes: tuple[str, ...] = ()


def fit_model(
    X: NDArray[Any],
    tags: TagMatrix,
    layers: Any,
    settings: Settings,
    run: RunFolder,
    *,
    n_jobs: int | None,
    verbose: int,
) -> Model:
    """Grow both forests, or read those that are saved, and find clusters and missing tags.

    Warnings on the way become notes.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix
    layers : int or sequence of sequences of str
        See HMLForest.
    settings : Settings
    run : RunFolder
        Open for writing.
    n_jobs, verbose : see HMLForest
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model = _fit(X, tags, layers, settings, run, n_jobs=n_jobs, verbose=verbose)
    told = dict.fromkeys(str(one.message) for one in caught if one.category is UserWarning)
    return replace(model, notes=tuple(told))


def _fit(
    X: NDArray[Any],
    tags: TagMatrix,
    layers: Any,
    settings: Settings,
    run: RunFolder,
    *,
    n_jobs: int | None,
    verbose: int,
) -> Model:
    key = _key(X, tags, layers, settings)
    common: dict[str, Any] = {
        "random_state": settings.seed, "n_jobs": n_jobs, "verbose": verbose,
        "n_neighbors": N_NEIGHBORS,
    }  # fmt: skip
    tag_layers = _layers(layers, settings)
    known = _known(run, key)
    forest = _saved(run.concepts) if "concepts" in known else None
    n_grown = int(forest is None)
    clustering = ConceptClustering(
        settings.n_clusters,
        forest=forest or HMLForest(settings.n_trees, layers=tag_layers),
        **common,
    ).fit(X, tags)
    if forest is None:
        # What is known of the old forests goes first: a kill between the two files would else
        # leave the new forest under the old key.
        run.model.unlink(missing_ok=True)
        _save(clustering.forest_, run.concepts)
        known = {"concepts": True}
        write_json(run.model, _document(key, known))

    voters = _saved(run.suggestions) if "calibration" in known else None
    calibrate: Any = _can_calibrate(tags)
    if voters is not None and calibrate:
        calibrate = known["calibration"]
    n_grown += int(voters is None)
    completion = TagCompletion(
        forest=voters or HMLForest(settings.n_trees, layers=tag_layers, bootstrap=True),
        calibrate=calibrate,
        **common,
    ).fit(X, tags)
    if voters is None:
        _save(completion.forest_, run.suggestions)
        learned = completion.calibration_.to_dict() if calibrate else None
        write_json(run.model, _document(key, {"concepts": True, "calibration": learned}))
    return Model(clustering, completion, n_grown)


def _layers(layers: Any, settings: Settings) -> Any:
    """Estimate layers with as many topics as clusters where that is known; take given ones."""
    if not isinstance(layers, int):
        return layers
    if layers == 1 or settings.n_clusters is None:
        return layers
    return TagHierarchy(layers, n_topics=settings.n_clusters)


def _can_calibrate(tags: TagMatrix) -> bool:
    """Calibration hides some tags of an item, so some item must have two."""
    return bool((np.diff(tags.matrix.indptr) > 1).any())


def _key(X: NDArray[Any], tags: TagMatrix, layers: Any, settings: Settings) -> str:
    """Name all that a forest depends on."""
    digest = hashlib.sha256()
    parts = {
        "version": __version__,
        "shape": X.shape,
        "type": X.dtype.str,
        "vocabulary": tags.vocabulary,
        "layers": layers,
        "trees": settings.n_trees,
        "seed": settings.seed,
        "topics": settings.n_clusters,
    }
    digest.update(json.dumps(parts, default=list).encode())
    for array in (X, tags.matrix.indptr.astype(np.int64), tags.matrix.indices.astype(np.int64)):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def _document(key: str, known: dict[str, Any]) -> dict[str, Any]:
    return {"format": 1, "key": key, "n_neighbors": N_NEIGHBORS, **known}


def _known(run: RunFolder, key: str) -> dict[str, Any]:
    """Give what is saved for this key; nothing where it is of other data, damaged or missing."""
    try:
        document = read_json(run.model) if run.model.exists() else {}
    except RunFolderError:
        return {}
    if document.get("key") != key:
        return {}
    known: dict[str, Any] = {
        name: document[name] for name in ("concepts", "calibration") if name in document
    }
    if known.get("calibration") is not None:
        try:
            known["calibration"] = Calibration.from_dict(known["calibration"])
        except ValueError:
            del known["calibration"]
    return known


def _save(forest: HMLForest, path: Path) -> None:
    """Save a forest without what is of the machine, so that the file is the same everywhere."""
    forest.set_params(n_jobs=None, verbose=0).save(path)


def _saved(path: Path) -> HMLForest | None:
    try:
        return load(path)
    except (OSError, ModelFileError):
        return None
