"""The main job: from a folder of pictures and some tags to concepts, suggestions and a report."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.discovery.checks import check_items, check_source
from conceptforest.discovery.describing import describe
from conceptforest.discovery.findings import Findings, find
from conceptforest.discovery.layers import choose_layers, read_hierarchy
from conceptforest.discovery.model import Model, fit_model
from conceptforest.discovery.report_data import report_data
from conceptforest.discovery.result_tables import write_tables
from conceptforest.discovery.run_folder import RunFolder, claim
from conceptforest.discovery.settings import Settings
from conceptforest.discovery.source import Items, read_source, select_tags
from conceptforest.features.cache import FeatureCache
from conceptforest.progress import working
from conceptforest.report.page import write_report
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.tags import TagMatrix

__all__ = ["Discovery", "discover"]

Scores = list[tuple[str, float, str]]


@dataclass(frozen=True, eq=False)
class Discovery:
    """What a run found.

    Attributes
    ----------
    run : RunFolder
    settings : Settings
    items : Items
    tags : TagMatrix
        The tags that were learned from, (n_items, n_tags).
    model : Model
    findings : Findings
    scores : list of (label, value, hint)
        How well a known truth was met; empty where none is known.
    seconds : dict of str to float
        How long each step took.
    """

    run: RunFolder
    settings: Settings
    items: Items
    tags: TagMatrix
    model: Model
    findings: Findings
    scores: Scores
    seconds: dict[str, float]


def discover(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    cache: str | os.PathLike[str] | None = None,
    title: str | None = None,
    command: str = "",
    score: Callable[[Items, TagMatrix, Model], Scores] | None = None,
    n_jobs: int | None = -1,
    verbose: int = 0,
) -> Discovery:
    """Find the concepts of a collection, and write a run: tables, models and a report.

    Started again in the same folder it continues: pictures that were embedded and forests that
    were grown from the same data are used as they are, and the result is the same.

    Parameters
    ----------
    path : str or path-like
        A folder of pictures and videos, or a feature file.
    out : str or path-like
        The folder of the run; new, empty, or of an earlier run.
    settings : Settings or None, default=None
    cache : str or path-like or None, default=None
        File for features and thumbnails, which several runs may share; None: in `out`.
    title : str or None, default=None
        Heading of the report; None: the name of the collection.
    command : str, default=""
        What the report shows as the way to make it again.
    score : function or None, default=None
        For collections whose truth is known: gives scores to show, from the items, their tags and
        the model.
    n_jobs : int or None, default=-1
        Threads. The result does not depend on it.
    verbose : int, default=0
        1 shows progress bars.

    Returns
    -------
    Discovery
    """
    path, run = Path(path), RunFolder(Path(out))
    settings = Settings() if settings is None else settings
    clock = _Clock()
    with claim(run.root):
        source = read_source(path, settings.tags, out=run.root, verbose=verbose)
        check_source(source, settings)
        hierarchy = read_hierarchy(settings)
        run.model.parent.mkdir(exist_ok=True)
        clock.lap("reading")
        with FeatureCache(run.cache if cache is None else Path(cache)) as store:
            items = describe(
                source, store, settings, run.model.parent, n_jobs=n_jobs, verbose=verbose
            )
            check_items(items, settings)
            tags = select_tags(items.tags, settings.min_tag_count)
            clock.lap("features")
            layers = choose_layers(hierarchy or items.layers, tags, settings)
            run.forget_completion()
            _save_features(run, items)
            model = fit_model(items.X, tags, layers, settings, run, n_jobs=n_jobs, verbose=verbose)
            clock.lap("model")
            findings = find(items, tags, model, settings, n_jobs=n_jobs, verbose=verbose)
            scores = [] if score is None else score(items, tags, model)
            clock.lap("findings")
            found = Discovery(run, settings, items, tags, model, findings, scores, clock.seconds)
            with working("writing tables and report", show=verbose > 0):
                write_tables(found)
                write_report(run.report, report_data(found, store, title=title, command=command))
        run.write_settings(
            {
                "settings": settings.to_json(),
                "source": os.path.relpath(path.resolve(), run.root.resolve()),
                "features": {
                    "name": items.extractor[0],
                    "key": items.extractor[1],
                    "words": items.words,
                },
                "n_items": items.n_items,
                "n_clusters": model.clustering.n_clusters_,
            }
        )
        clock.lap("report")
    return found


def _save_features(run: RunFolder, items: Items) -> None:
    with whole_file(run.features) as file:
        np.save(file, items.X, allow_pickle=False)


class _Clock:
    """Measures steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.seconds[step] = now - self._last
        self._last = now
