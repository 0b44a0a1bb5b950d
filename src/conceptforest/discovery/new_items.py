"""New pictures in the light of an old run: where they belong, and which tags they should have."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.completion import Calibration, TagCompletion
from conceptforest.discovery.describing import describe
from conceptforest.discovery.model import N_NEIGHBORS
from conceptforest.discovery.result_tables import tag_names
from conceptforest.discovery.run_folder import RunFolder, RunFolderError, claim, read_json
from conceptforest.discovery.settings import Settings
from conceptforest.discovery.source import READY, Items, read_source
from conceptforest.discovery.tables import read_columns, write_table
from conceptforest.features.cache import FeatureCache
from conceptforest.forest.hml_forest import load
from conceptforest.forest.parameters import n_threads
from conceptforest.structure.affinities import JointAffinities
from conceptforest.structure.clustering import place_by_votes, seed_from
from conceptforest.tags import parse_tags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["Prediction", "place_for", "predict"]

_NEAREST = 5  # known items to name for a new one


@dataclass(frozen=True, eq=False)
class Prediction:
    """What new items are like.

    Attributes
    ----------
    items : Items
        The new ones.
    clusters : ndarray of shape (n_items,), int64
    cluster_names : list of str, length n_items
    tags : list of list of (str, float), length n_items
        Tags with their probabilities, the likeliest first; none that the item has already.
    nearest : list of list of (str, float), length n_items
        The most similar items of the run, with the share of trees that join them.
    """

    items: Items
    clusters: NDArray[np.int64]
    cluster_names: list[str]
    tags: list[list[tuple[str, float]]]
    nearest: list[list[tuple[str, float]]]

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write `predictions` as CSV and Parquet into a folder: a new or empty one, or our own."""
        place = Path(folder)
        skipped = self.items.skipped
        with claim(place):
            write_table(
                place,
                "predictions",
                {
                    "file": list(self.items.names),
                    "cluster": self.clusters,
                    "cluster_name": self.cluster_names,
                    "suggested": [[tag for tag, _ in row] for row in self.tags],
                    "probability": [[f"{p:.4f}" for _, p in row] for row in self.tags],
                    "nearest": [[name for name, _ in row] for row in self.nearest],
                },
            )
            columns = {"file": [s.name for s in skipped], "reason": [s.reason for s in skipped]}
            write_table(place, "skipped", columns)
        return place / "predictions.csv"


def place_for(run: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Name a folder within a run for the predictions of a source; each source has its own."""
    source = Path(path).resolve()
    digest = hashlib.blake2b(os.fsencode(source), digest_size=3).hexdigest()
    return Path(run) / "predictions" / f"{source.name or 'root'}-{digest}"


def predict(
    run: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    tags: tuple[str, ...] | None = None,
    features: str | None = None,
    n_suggestions: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    n_jobs: int | None = -1,
    verbose: int = 0,
) -> Prediction:
    """Place and tag new items with the saved model of a run.

    Parameters
    ----------
    run : str or path-like
        Folder of a run that is complete.
    path : str or path-like
        Folder of new pictures and videos, or a feature file.
    tags : tuple of str or None, default=None
        Where the new items' own tags come from, as for a discovery. They count where the run knows
        them.
    features : str or None, default=None
        What computes the features, where it cannot be told from the run, such as a network whose
        file has moved.
    n_suggestions : int or None, default=None
        Most tags for an item; None: as in the run.
    cache : str or path-like or None, default=None
        File for features; None: that of the run.
    n_jobs, verbose : see :func:`~conceptforest.discovery.discover`

    Returns
    -------
    Prediction
    """
    known, path = RunFolder(Path(run)), Path(path)
    document = known.read_settings()
    settings = Settings.from_json(document.get("settings"))
    source = read_source(path, tags, verbose=verbose)
    with FeatureCache(known.cache if cache is None else Path(cache)) as store:
        items = describe(
            source,
            store,
            replace(settings, features=features or _asked(settings, document))
            if path.is_dir()
            else settings,
            known.model.parent,
            words=document["features"]["words"],
            n_jobs=n_jobs,
            verbose=verbose,
        )
    _check_same_features(items, document, known)
    how = replace(settings, n_suggestions=n_suggestions or settings.n_suggestions)
    return _apply(known, items, how, n_jobs=n_jobs, verbose=verbose)


def _asked(settings: Settings, document: dict[str, Any]) -> str:
    """Give the features that were asked for, or what was taken where it was left open."""
    if document["features"]["name"] == READY:
        raise ValueError(
            "The run was made from a file that brought its features, so new items must bring the"
            " same: give a feature file, not a folder."
        )
    return settings.features if settings.features != "auto" else document["features"]["name"]


def _check_same_features(items: Items, document: dict[str, Any], run: RunFolder) -> None:
    name, key = items.extractor
    wanted = document["features"]
    if key != wanted["key"]:
        raise ValueError(
            f"The run '{run.root}' was made with the features {wanted['name']!r}, and these items"
            f" have {name!r} or other weights or settings of it. Name the same with --features."
        )


def _apply(
    run: RunFolder, items: Items, settings: Settings, *, n_jobs: int | None, verbose: int
) -> Prediction:
    if not items.n_items:
        first = items.skipped[0]
        raise ValueError(
            f"None of the {len(items.skipped):,} new files can be used. {first.name!r}:"
            f" {first.reason}."
        )
    names, labels, cluster_names, training = _training(run)
    concepts = _load(run.concepts).set_params(n_jobs=n_jobs)
    clusters = _placed(
        run, concepts, items, training, labels, seed=settings.seed, n_jobs=n_jobs, verbose=verbose
    )
    near = concepts.affinity(items.X, n_neighbors=N_NEIGHBORS)
    by_cluster = dict(zip(labels.tolist(), cluster_names, strict=True))
    return Prediction(
        items=items,
        clusters=clusters,
        cluster_names=[by_cluster[c] for c in clusters.tolist()],
        tags=_tags(run, items, training, settings, n_jobs=n_jobs, verbose=verbose),
        nearest=[[(names[i], a) for i, a in row] for row in _highest(near, _NEAREST)],
    )


def _placed(
    run: RunFolder,
    concepts: HMLForest,
    items: Items,
    training: list[list[str]],
    labels: NDArray[np.int64],
    *,
    seed: int,
    n_jobs: int | None,
    verbose: int,
) -> NDArray[np.int64]:
    """Give each new item the concept for which its neighbours vote, as the run's model would."""
    vocabulary = concepts.vocabulary_
    affinities = JointAffinities(
        concepts,
        _features(run),
        _known(training, vocabulary),
        n_neighbors=N_NEIGHBORS,
        n_threads=n_threads(n_jobs),
        seed=seed_from(seed),
        verbose=verbose > 0,
    )
    own = _known(tag_names(items.tags), vocabulary)
    return place_by_votes(affinities.near(items.X, own.matrix), labels)


def _features(run: RunFolder) -> NDArray[Any]:
    found: NDArray[Any] = np.load(run.features, mmap_mode="r", allow_pickle=False)
    return found


def _training(run: RunFolder) -> tuple[list[str], NDArray[np.int64], list[str], list[list[str]]]:
    names, labels, cluster_names, tags = read_columns(
        run.root / "items.parquet", ["file", "cluster", "cluster_name", "tags"]
    )
    return names, np.array(labels, dtype=np.int64), cluster_names, tags


def _load(path: Path) -> HMLForest:
    if not path.is_file():
        raise RunFolderError(
            f"The run has no '{path.name}'. Run `conceptforest discover` again; what is done"
            " already is used."
        )
    return load(path)


def _tags(
    run: RunFolder,
    items: Items,
    training: list[list[str]],
    settings: Settings,
    *,
    n_jobs: int | None,
    verbose: int,
) -> list[list[tuple[str, float]]]:
    forest = _load(run.suggestions)
    vocabulary = forest.vocabulary_
    learned = read_json(run.model).get("calibration")
    completion = TagCompletion(
        forest=forest,
        n_neighbors=N_NEIGHBORS,
        calibrate=False if learned is None else Calibration.from_dict(learned),
        n_jobs=n_jobs,
        verbose=verbose,
    ).fit(_features(run), _known(training, vocabulary))
    own = _known(tag_names(items.tags), vocabulary)
    scores = completion.predict(items.X, own if own.matrix.nnz else None)
    lacking = scores - scores.multiply(own.matrix)
    return [
        [(vocabulary[j], p) for j, p in row if p >= settings.min_probability]
        for row in _highest(lacking, settings.n_suggestions)
    ]


def _known(tags: list[list[str]], vocabulary: tuple[str, ...]) -> TagMatrix:
    """Keep the tags that the forest was grown on."""
    wanted = set(vocabulary)
    return parse_tags([wanted.intersection(row) for row in tags], vocabulary=vocabulary)


def _highest(scores: Any, n: int) -> list[list[tuple[int, float]]]:
    """Give the columns with the highest positive values of each row, and the values."""
    rows = []
    for first, end in zip(scores.indptr[:-1], scores.indptr[1:], strict=True):
        values, columns = scores.data[first:end], scores.indices[first:end]
        order = [i for i in np.lexsort((columns, -values))[:n] if values[i] > 0]
        rows.append([(int(columns[i]), float(values[i])) for i in order])
    return rows
