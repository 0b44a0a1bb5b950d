"""The demo: draw a collection, run the main job on it, and compare with what is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.table import Table

from conceptforest.baselines import CLUSTERING
from conceptforest.datasets import make_scenes
from conceptforest.discovery import Discovery, Settings, discover
from conceptforest.discovery.run_folder import claim
from conceptforest.discovery.summary import print_discovery, section
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.metrics import clustering_report
from conceptforest.progress import working
from conceptforest.structure.clustering import ConceptClustering

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from rich.console import Console

    from conceptforest.datasets import Scenes
    from conceptforest.discovery.model import Model
    from conceptforest.discovery.source import Items
    from conceptforest.tags import TagMatrix

__all__ = ["Demo", "compare_clusters", "print_demo", "run_demo", "suggestion_hits"]

_COMPARED: dict[str, tuple[str, dict[str, Any]]] = {  # by other means
    "looks, k-means": ("KMeans", {"mode": "vision"}),
    "looks, spectral": ("SpClust", {"mode": "vision", "affinity": "cosine"}),
    "tags, k-means": ("KMeans", {"mode": "tags"}),
    "tags, spectral": ("SpClust", {"mode": "tags", "affinity": "cosine"}),
    "both, mean of graphs": ("SpClust", {"mode": "balanced", "affinity": "cosine"}),
}
FOREST = "both, forest alone"
FOREST_TOLD = "both, forest alone, told the layers"
DEFAULT = "both, as discover does it"


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demo made and found.

    Attributes
    ----------
    scenes : Scenes
    found : Discovery
    compared : dict of str to dict of str to float
        Scores of the clusters against the scenes, by what they were found from; those of the run
        come last.
    """

    scenes: Scenes
    found: Discovery
    compared: dict[str, dict[str, float]]


def run_demo(
    out: Path,
    *,
    n_items: int = 600,
    features: str = "classic",
    n_trees: int = 300,
    seed: int = 0,
    n_jobs: int = -1,
    command: str = "",
    verbose: int = 0,
) -> Demo:
    """Draw `n_items` pictures into `out`/pictures, and write a run into `out`/run.

    See :func:`conceptforest.discovery.discover` for the other parameters.
    """
    scenes = make_scenes(n_items, random_state=seed)
    pictures = out / "pictures"
    with claim(out):
        scenes.save(pictures, truth=out / "truth.csv", n_jobs=n_jobs, verbose=verbose)
        for extra in {path.name for path in pictures.glob("img-*.jpg")}.difference(scenes.names):
            (pictures / extra).unlink()  # of an earlier, larger demo
    settings = Settings(
        tags=(str(pictures / "tags.csv"),),
        features=features,
        n_clusters=len(scenes.class_names),
        n_trees=n_trees,
        seed=seed,
    )
    compared: dict[str, dict[str, float]] = {}

    def score(items: Items, tags: TagMatrix, model: Model) -> list[tuple[str, float, str]]:
        with working("clustering by other means", show=verbose > 0):
            compared.update(compare_clusters(scenes, items, tags, model, settings, n_jobs=n_jobs))
        best = max(x["nmi"] for name, x in compared.items() if name != DEFAULT)
        right, popular, tag = suggestion_hits(scenes, items, model)
        return [
            ("concepts, NMI", compared[DEFAULT]["nmi"], f"best of other ways: {best:.2f}"),
            ("concepts, ARI", compared[DEFAULT]["ari"], "0 is chance, 1 is perfect"),
            ("first tag right", right, f"of pictures without tags; always {tag!r}: {popular:.2f}"),
        ]

    found = discover(
        pictures,
        out / "run",
        settings,
        title="Scenes drawn by code",
        command=command,
        score=score,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return Demo(scenes, found, compared)


def compare_clusters(
    scenes: Scenes,
    items: Items,
    tags: TagMatrix,
    model: Model,
    settings: Settings,
    *,
    n_jobs: int | None,
) -> dict[str, dict[str, float]]:
    """Score clusters of the same items by other means, and those of the model, against the scenes.

    No method sees the scenes; all are told their number.
    """
    truth = _labels(scenes, items)
    n_clusters = len(scenes.class_names)
    found: dict[str, NDArray[np.int64]] = {
        name: CLUSTERING[method]()
        .set_params(n_clusters=n_clusters, random_state=settings.seed, **more)
        .fit(items.X, tags)
        .labels_
        for name, (method, more) in _COMPARED.items()
    }
    known = set(tags.vocabulary)
    layers = [[tag for tag in layer if tag in known] for layer in scenes.layers]
    knowing = HMLForest(settings.n_trees, layers=[layer for layer in layers if layer])
    for name, forest in ((FOREST, model.clustering.forest_), (FOREST_TOLD, knowing)):
        alone = ConceptClustering(
            n_clusters, method="forest", forest=forest, random_state=settings.seed, n_jobs=n_jobs
        )
        found[name] = alone.fit(items.X, tags).labels_
    found[DEFAULT] = model.clustering.labels_
    return {name: clustering_report(truth, labels) for name, labels in found.items()}


def _labels(scenes: Scenes, items: Items) -> NDArray[np.int64]:
    by_name = dict(zip(scenes.names, scenes.labels.tolist(), strict=True))
    return np.array([by_name[name] for name in items.names], dtype=np.int64)


def suggestion_hits(scenes: Scenes, items: Items, model: Model) -> tuple[float, float, str]:
    """Give the share of untagged items whose first suggestion is right.

    Second, to compare it with, the share for which the most popular tag is right; third, that tag.
    """
    truth = dict(zip(scenes.names, scenes.truth, strict=True))
    popular = items.tags.vocabulary[int(items.tags.counts.argmax())]
    untagged = np.flatnonzero(items.tags.untagged)
    if not len(untagged):
        return float("nan"), float("nan"), popular
    first = model.completion.suggest(1, items=untagged)
    suggested = dict(zip(first["item"].tolist(), first["tag"].tolist(), strict=True))
    right = [suggested.get(int(i)) in truth[items.names[i]] for i in untagged]
    by_popularity = [popular in truth[items.names[i]] for i in untagged]
    return float(np.mean(right)), float(np.mean(by_popularity)), popular


def print_demo(done: Demo, console: Console) -> None:
    """Tell a person what the run found, and how that compares."""
    print_discovery(done.found, console)
    section(console, "How well clusters match the scenes")
    table = Table(box=box.SIMPLE, padding=(0, 1), show_edge=False)
    for heading in ("clusters found from", "NMI", "ARI", "purity"):
        table.add_column(heading, justify="left" if heading.startswith("cl") else "right")
    for name, scores in done.compared.items():
        cells = [f"{scores[key]:.2f}" for key in ("nmi", "ari", "purity")]
        table.add_row(name, *cells, style="bold" if name == DEFAULT else "")
    console.print(table)
    console.print("  1 is a perfect match; chance gives an ARI of 0.", style="dim")
    console.print(f"\nOpen the report: {done.found.run.report}", markup=False, soft_wrap=True)
