"""Collections to work on: read from folders and files, or made from a seed without a download.

:func:`read_media` reads a folder of pictures and videos with their tags, :func:`load` files that
bring their features; the other readers know the layouts in which collections are published.
:func:`make_scenes` draws pictures, :func:`make_tagged`, :func:`make_trecvid_like` and
:func:`make_nuswide_like` make features.
"""

from conceptforest.datasets.collection import Collection
from conceptforest.datasets.corel5k import read_corel5k
from conceptforest.datasets.feature_file import write_feature_file
from conceptforest.datasets.loading import load
from conceptforest.datasets.media import MediaCollection, MediaItem, Skipped
from conceptforest.datasets.media_folder import read_media
from conceptforest.datasets.mirflickr import read_mirflickr
from conceptforest.datasets.nus_wide import read_nus_wide
from conceptforest.datasets.nuswide_like import make_nuswide_like
from conceptforest.datasets.openclipart import read_openclipart
from conceptforest.datasets.scenes import Scenes, make_scenes
from conceptforest.datasets.synthetic import TaggedSet, make_tagged
from conceptforest.datasets.trecvid_like import make_trecvid_like
from conceptforest.datasets.trecvid_med import read_trecvid_med

__all__ = [
    "Collection",
    "MediaCollection",
    "MediaItem",
    "Scenes",
    "Skipped",
    "TaggedSet",
    "load",
    "make_nuswide_like",
    "make_scenes",
    "make_tagged",
    "make_trecvid_like",
    "read_corel5k",
    "read_media",
    "read_mirflickr",
    "read_nus_wide",
    "read_openclipart",
    "read_trecvid_med",
    "write_feature_file",
]
