"""What a discovery is asked to do, and the file that remembers it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from conceptforest.checks import whole
from conceptforest.tags.names import did_you_mean

__all__ = ["Settings"]

POOLS = ("mean", "max")

Pool = Literal["mean", "max"]


@dataclass(frozen=True)
class Settings:
    """All that decides what comes out, beside the pictures and tags themselves.

    Attributes
    ----------
    tags : tuple of str or None
        Where tags come from: files, folders, or the words "sidecars", "embedded", "folders". None
        takes what lies beside and inside the pictures.
    features : str
        "auto", "classic", "efficientnet-lite0", "onnx:FILE", "vgg16:FILE", or "hog3d" for videos.
    pool : "mean" or "max"
        How the frames of a video become one vector.
    n_clusters : int or None
        None chooses the number.
    layers : int
        Tag layers to estimate, where the collection brings none.
    hierarchy : str or None
        A file with a hierarchy of tags: a JSON tree, or a table of tags and parents.
    n_trees : int
    min_tag_count : int
        Tags on fewer items are shown but not learned from.
    n_suggestions : int
        Most suggested tags for an item.
    min_probability : float
        Least probability of a suggestion.
    seed : int
    """

    tags: tuple[str, ...] | None = None
    features: str = "auto"
    pool: Pool = "mean"
    n_clusters: int | None = None
    layers: int = 2
    hierarchy: str | None = None
    n_trees: int = 500
    min_tag_count: int = 2
    n_suggestions: int = 5
    min_probability: float = 0.02
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("layers", "n_trees", "min_tag_count", "n_suggestions"):
            whole(name, getattr(self, name), 1)
        whole("seed", self.seed, 0)
        if self.n_clusters is not None:
            whole("n_clusters", self.n_clusters, 2, " or None")
        if not 0 <= self.min_probability <= 1:
            raise ValueError(f"min_probability must be from 0 to 1; got {self.min_probability!r}.")
        if self.pool not in POOLS:
            raise ValueError(
                f'pool must be "mean" or "max"; got {self.pool!r}.{did_you_mean(self.pool, POOLS)}'
            )

    def to_json(self) -> dict[str, Any]:
        """Give the settings as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Any) -> Settings:
        """Build settings again from what :meth:`to_json` gave.

        Examples
        --------
        >>> import json
        >>> wanted = Settings(tags=("tags.csv",), n_trees=100)
        >>> Settings.from_json(json.loads(json.dumps(wanted.to_json()))) == wanted
        True
        """
        known = {field.name for field in fields(cls)}
        if not isinstance(given, dict) or not known.issuperset(given):
            raise ValueError("These are not the settings of a run. Make the run again.")
        given = dict(given)
        if given.get("tags") is not None:
            given["tags"] = tuple(given["tags"])
        return cls(**given)
