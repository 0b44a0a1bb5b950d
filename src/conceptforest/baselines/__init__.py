"""Competing methods, by name: one file each, one contract for all.

Clustering methods have `modes` and give `labels_`; completion methods give `scores_`. Every
clustering method completes tags as well, by the votes of its clusters: "KMeans" as "KMeans(GC)".
"""

from conceptforest.baselines.aasc import AASC
from conceptforest.baselines.affinity_propagation import AffinityPropagation
from conceptforest.baselines.cc_forest import CCForest
from conceptforest.baselines.cca import CCA
from conceptforest.baselines.clust_rf import ClustRF
from conceptforest.baselines.cluster_completion import by_clusters
from conceptforest.baselines.contract import ClusteringBaseline, CompletionBaseline
from conceptforest.baselines.cooccurrence import CoOccurrence
from conceptforest.baselines.dcca import DCCA
from conceptforest.baselines.dccae import DCCAE
from conceptforest.baselines.fmmc import FMMC
from conceptforest.baselines.hdbscan import HDBSCAN
from conceptforest.baselines.k_means import KMeans
from conceptforest.baselines.leiden import Leiden
from conceptforest.baselines.linear_classifiers import LinearClassifiers
from conceptforest.baselines.lmmc import LMMC
from conceptforest.baselines.lsr import LSR
from conceptforest.baselines.mmc import MMC
from conceptforest.baselines.pca_k_means import PcaKMeans
from conceptforest.baselines.popularity import Popularity
from conceptforest.baselines.smmc import SMMC
from conceptforest.baselines.spclust import SpClust
from conceptforest.baselines.tag_prop import TagProp
from conceptforest.baselines.tcmr import TCMR
from conceptforest.baselines.three_view_cca import ThreeViewCCA
from conceptforest.baselines.visual_neighbours import VisualNeighbours

__all__ = ["CLUSTERING", "COMPLETION"]

CLUSTERING: dict[str, type[ClusteringBaseline]] = {
    "AASC": AASC,
    "AffinityPropagation": AffinityPropagation,
    "CCA": CCA,
    "CCForest": CCForest,
    "ClustRF": ClustRF,
    "DCCA": DCCA,
    "DCCAE": DCCAE,
    "FMMC": FMMC,
    "HDBSCAN": HDBSCAN,
    "KMeans": KMeans,
    "LMMC": LMMC,
    "Leiden": Leiden,
    "MMC": MMC,
    "PcaKMeans": PcaKMeans,
    "SMMC": SMMC,
    "SpClust": SpClust,
    "ThreeViewCCA": ThreeViewCCA,
}
COMPLETION: dict[str, type[CompletionBaseline]] = {
    "CoOccurrence": CoOccurrence,
    "LSR": LSR,
    "LinearClassifiers": LinearClassifiers,
    "Popularity": Popularity,
    "TCMR": TCMR,
    "TagProp": TagProp,
    "VisualNeighbours": VisualNeighbours,
    **{f"{name}(GC)": by_clusters(name, method) for name, method in CLUSTERING.items()},
}
