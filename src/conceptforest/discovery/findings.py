"""What else is worth telling about a collection: its map, suggestions, doubles and odd ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conceptforest.progress import working
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.duplicates import near_duplicates
from conceptforest.structure.layout import lay_out
from conceptforest.structure.outliers import outliers
from conceptforest.tags.relations import related_tags
from conceptforest.tags.tree import tag_tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.discovery.model import Model
    from conceptforest.discovery.settings import Settings
    from conceptforest.discovery.source import Items
    from conceptforest.structure.duplicates import DuplicateGroup
    from conceptforest.structure.outliers import Outlier
    from conceptforest.tags import TagMatrix
    from conceptforest.tags.relations import Relation

__all__ = ["Findings", "find"]


@dataclass(frozen=True, eq=False)
class Findings:
    """What the report shows beside the clusters.

    Attributes
    ----------
    suggestions : pandas.DataFrame
        See :meth:`conceptforest.TagCompletion.suggest`.
    positions : ndarray of shape (n_items, 2), float32
        The map.
    duplicates : list of DuplicateGroup
    outliers : list of Outlier
    relations : list of Relation
    layers : list of list of str
        Tags from abstract to specific.
    tree : list of (str, str or None)
        Each tag and its parent.
    """

    suggestions: Any
    positions: NDArray[np.float32]
    duplicates: list[DuplicateGroup]
    outliers: list[Outlier]
    relations: list[Relation]
    layers: list[list[str]]
    tree: list[tuple[str, str | None]]


def find(
    items: Items,
    tags: TagMatrix,
    model: Model,
    settings: Settings,
    *,
    n_jobs: int | None,
    verbose: int,
) -> Findings:
    """Look at a collection from all sides, once its model is there."""
    clustering = model.clustering
    with working("comparing looks", show=verbose > 0):
        looks = cosine_graph(items.X)
    names = tags.vocabulary
    layers = [[names[j] for j in columns] for columns in clustering.forest_.layers_]
    return Findings(
        suggestions=model.completion.suggest(
            settings.n_suggestions, min_score=settings.min_probability
        ),
        positions=lay_out(
            clustering.graph_,
            embedding=clustering.embedding_,
            random_state=settings.seed,
            verbose=verbose,
        ),
        duplicates=near_duplicates(items.X, digests=items.digests, n_jobs=n_jobs, verbose=verbose),
        # By looks alone: the forest puts an item with a wrong tag beside items that carry it.
        outliers=outliers(looks, clustering.labels_, tags, visual=True),
        relations=related_tags(tags),
        layers=layers,
        tree=tag_tree(tags, layers),
    )
