"""The tables of a run: items, clusters, suggestions, layers, and what is odd or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.discovery.tables import write_table

if TYPE_CHECKING:
    from conceptforest.discovery.main_job import Discovery
    from conceptforest.tags import TagMatrix

__all__ = ["is_calibrated", "tag_names", "write_tables"]


def tag_names(tags: TagMatrix) -> list[list[str]]:
    """Name the tags of each item."""
    names, matrix = tags.vocabulary, tags.matrix
    return [
        [names[j] for j in matrix.indices[first:end]]
        for first, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    ]


def is_calibrated(found: Discovery) -> bool:
    """Tell whether scores of suggestions are probabilities."""
    return hasattr(found.model.completion, "calibration_")


def write_tables(found: Discovery) -> None:
    """Write every table of a run, as CSV and as Parquet."""
    tables = {
        "items": _items(found),
        "clusters": _clusters(found),
        "suggestions": _suggestions(found),
        "layers": _layers(found),
        "duplicates": _duplicates(found),
        "outliers": _outliers(found),
        "skipped": _skipped(found),
    }
    for name, columns in tables.items():
        write_table(found.run.root, name, columns)


def _items(found: Discovery) -> dict[str, Any]:
    items, clustering = found.items, found.model.clustering
    suggested: list[list[str]] = [[] for _ in items.names]
    for row in found.findings.suggestions.itertuples():
        suggested[row.item].append(row.tag)
    labels, positions = clustering.labels_, found.findings.positions
    return {
        "file": list(items.names),
        "kind": list(items.kinds),
        "cluster": labels,
        "cluster_name": [clustering.cluster_names_[c] for c in labels],
        "tags": tag_names(items.tags),
        "suggested": suggested,
        "map_x": positions[:, 0].astype(np.float64),
        "map_y": positions[:, 1].astype(np.float64),
        "content": list(items.digests),
    }


def _clusters(found: Discovery) -> dict[str, Any]:
    summary = found.model.clustering.cluster_summary(top=8)
    names = found.items.names
    return {
        "cluster": summary["cluster"].to_numpy(),
        "name": summary["name"].tolist(),
        "size": summary["size"].to_numpy(),
        "tagged": summary["tagged"].to_numpy(),
        "tags": summary["tags"].map(list).tolist(),
        "lift": [[f"{x:g}" for x in lifts] for lifts in summary["lift"]],
        "central": [[names[i] for i in items] for items in summary["central"]],
        "cohesion": summary["cohesion"].to_numpy(),
    }


def _suggestions(found: Discovery) -> dict[str, Any]:
    table, names = found.findings.suggestions, found.items.names
    return {
        "file": [names[i] for i in table["item"]],
        "tag": table["tag"].tolist(),
        "probability" if is_calibrated(found) else "score": table["score"].to_numpy(),
        "because_of": [[names[i] for i, _ in voters] for voters in table["why"]],
    }


def _layers(found: Discovery) -> dict[str, Any]:
    counts = dict(zip(found.tags.vocabulary, found.tags.counts.tolist(), strict=True))
    parents = dict(found.findings.tree)
    rows = [
        (number, tag, counts[tag], parents.get(tag))
        for number, layer in enumerate(found.findings.layers, start=1)
        for tag in sorted(layer, key=lambda name: (-counts[name], name))
    ]
    return {
        "layer": np.array([row[0] for row in rows], dtype=np.int64),
        "tag": [row[1] for row in rows],
        "count": np.array([row[2] for row in rows], dtype=np.int64),
        "parent": [row[3] for row in rows],
    }


def _duplicates(found: Discovery) -> dict[str, Any]:
    rows = [
        (number, found.items.names[item], group.similarity)
        for number, group in enumerate(found.findings.duplicates)
        for item in group.items
    ]
    return {
        "group": np.array([row[0] for row in rows], dtype=np.int64),
        "file": [row[1] for row in rows],
        "similarity": np.array([row[2] for row in rows], dtype=np.float64),
    }


def _outliers(found: Discovery) -> dict[str, Any]:
    odd, names = found.findings.outliers, found.items.names
    return {
        "file": [names[o.item] for o in odd],
        "score": np.array([o.score for o in odd], dtype=np.float64),
        "reason": [o.reason for o in odd],
    }


def _skipped(found: Discovery) -> dict[str, Any]:
    skipped = found.items.skipped
    return {"file": [s.name for s in skipped], "reason": [s.reason for s in skipped]}
