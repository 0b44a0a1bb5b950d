"""A run as the report's page wants to be told about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.discovery.result_tables import is_calibrated, tag_names
from conceptforest.discovery.source import THUMBNAIL_SIZE
from conceptforest.forest.trees import LEAF
from conceptforest.report.page import ClusterInfo, DuplicateGroup, ReportData, Suggestion

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conceptforest.discovery.main_job import Discovery
    from conceptforest.features.cache import FeatureCache

__all__ = ["facts", "remarks", "report_data"]

_ALIKE = 12  # neighbours to walk to from an item
_CENTRAL = 24
_CHARACTERISTIC = 8

Thumbnail = tuple[bytes, int, int]


def report_data(
    found: Discovery, store: FeatureCache, *, title: str | None, command: str
) -> ReportData:
    """Bring all that a run found into the form of the page."""
    items, findings = found.items, found.findings
    root = found.run.root.resolve()
    return ReportData(
        title=title or items.name,
        names=items.names,
        links=[None if x is None else _link(x, root) for x in items.links],
        kinds=items.kinds,  # type: ignore[arg-type]
        thumbnails=_thumbnails(found, store),
        tags=tag_names(items.tags),
        labels=found.model.clustering.labels_,
        clusters=_clusters(found),
        tag_counts=dict(zip(items.tags.vocabulary, items.tags.counts.tolist(), strict=True)),
        suggestions=_suggestions(found),
        neighbours=_neighbours(found),
        positions=findings.positions,
        layers=findings.layers,
        tree=findings.tree,
        relations=[
            (r.first, r.second, r.lift, r.n_both, "apart" if r.kind == "apart" else "together")
            for r in findings.relations
        ],
        duplicates=[DuplicateGroup(g.items, g.similarity) for g in findings.duplicates],
        outliers=[(o.item, o.reason) for o in findings.outliers],
        skipped=[(s.name, s.reason) for s in items.skipped],
        notes=[*items.notes, *remarks(found)],
        facts=facts(found),
        scores=found.scores,
        command=command,
        calibrated=is_calibrated(found),
    )


def _link(path: Path, root: Path) -> str:
    """Give the way from the run to a file, whatever links lead to their folders."""
    return os.path.relpath(path.parent.resolve() / path.name, root)


def facts(found: Discovery) -> list[tuple[str, str]]:
    """Give the headline numbers, for the page and the terminal."""
    items, tags = found.items, found.items.tags
    kinds = {"image": "pictures", "video": "videos", "item": "items"}
    return [
        *(
            (label, f"{items.kinds.count(kind):,}")
            for kind, label in kinds.items()
            if kind in items.kinds
        ),
        ("concepts", f"{found.model.clustering.n_clusters_:,}"),
        ("tags", f"{tags.n_tags:,}"),
        ("tags an item", f"{tags.matrix.nnz / items.n_items:.1f}"),
        ("untagged", f"{tags.untagged.mean():.0%}"),
        ("suggestions", f"{len(found.findings.suggestions):,}"),
        ("left out", f"{len(items.skipped):,}"),
    ]


def remarks(found: Discovery) -> list[str]:
    """Say how it was made, a sentence each."""
    trees = found.model.clustering.forest_.trees_
    layer = trees.layer[trees.feature != LEAF]
    layers = found.findings.layers
    shares = np.bincount(layer, minlength=len(layers)) / max(1, len(layer))
    sizes = ", ".join(
        f"{len(x):,} tags ({share:.0%})" for x, share in zip(layers, shares, strict=True)
    )
    said = [
        f"Features: {found.items.extractor[0]}, {found.items.X.shape[1]:,} numbers an item.",
        f"{trees.n_trees:,} trees, split by {len(layers)} tag layers: {sizes}.",
    ]
    said += found.model.notes
    if found.items.tags.counts.max() < found.settings.min_tag_count:
        said.append(
            f"No tag is on {found.settings.min_tag_count} items or more, so all of them were"
            " learned from."
        )
    elif found.tags.n_tags < found.items.tags.n_tags:
        rare = found.items.tags.n_tags - found.tags.n_tags
        said.append(
            f"{rare:,} tags on fewer than {found.settings.min_tag_count} items were not learned"
            " from."
        )
    count = found.model.clustering.cluster_count_
    if count is not None and not found.model.notes:
        said.append(f"The number of concepts was chosen: {count}.")
    if is_calibrated(found):
        said.append(
            "A probability says how likely people would have given the tag who tag as those of this"
            " collection do. They leave out many tags that are right, so more suggestions are right"
            " than it says."
        )
    else:
        said.append("No item has two tags, so scores of suggestions are no probabilities.")
    return said


def _thumbnails(found: Discovery, store: FeatureCache) -> Callable[[int], Thumbnail | None]:
    digests = found.items.digests

    def thumbnail(item: int) -> Thumbnail | None:
        digest = digests[item]
        return None if digest is None else store.thumbnail(digest, THUMBNAIL_SIZE)

    return thumbnail


def _clusters(found: Discovery) -> list[ClusterInfo]:
    clustering, tags = found.model.clustering, found.tags
    column = {name: j for j, name in enumerate(tags.vocabulary)}
    summary = clustering.cluster_summary(top=_CENTRAL)
    columns: Any = tags.matrix.tocsc()
    clusters = []
    for row in summary.itertuples():
        here = clustering.labels_ == row.cluster
        shares = [
            here[columns.indices[columns.indptr[j] : columns.indptr[j + 1]]].sum() / row.size
            for j in (column[name] for name in row.tags[:_CHARACTERISTIC])
        ]
        clusters.append(
            ClusterInfo(
                name=row.name,
                size=int(row.size),
                tags=list(zip(row.tags, row.lift, map(float, shares), strict=False)),
                central=row.central,
                cohesion=float(row.cohesion),
            )
        )
    return clusters


def _suggestions(found: Discovery) -> list[list[Suggestion]]:
    suggestions: list[list[Suggestion]] = [[] for _ in found.items.names]
    for row in found.findings.suggestions.itertuples():
        voters = [(item, float(affinity)) for item, affinity in row.why]
        suggestions[row.item].append(Suggestion(row.tag, float(row.score), voters))
    return suggestions


def _neighbours(found: Discovery) -> list[list[tuple[int, float]]]:
    """Give each item its nearest others by the forest that groups, nearest first."""
    near = found.model.clustering.forest_.affinity(n_neighbors=_ALIKE)
    rows = []
    for first, end in zip(near.indptr[:-1], near.indptr[1:], strict=True):
        order = np.argsort(-near.data[first:end], kind="stable")
        others, affinity = near.indices[first:end][order], near.data[first:end][order]
        rows.append(list(zip(others.tolist(), affinity.tolist(), strict=True)))
    return rows
