"""Pictures and videos to vectors.

:func:`make_extractor` gives what turns a picture into a vector, :func:`embed` applies it to files,
each content once, and :class:`FeatureCache` keeps what was computed. :class:`VideoWords` describes
what moves in videos.
"""

from conceptforest.features.cache import FeatureCache
from conceptforest.features.choose import available, make_extractor
from conceptforest.features.classic import ClassicDescriptor
from conceptforest.features.decode import UnreadableError, decode_image
from conceptforest.features.efficientnet_lite0 import EfficientNetLite0
from conceptforest.features.embed import Embedded, embed
from conceptforest.features.extractor import Extractor
from conceptforest.features.hog3d import Hog3d
from conceptforest.features.intersection_map import intersection_map
from conceptforest.features.onnx_network import OnnxNetwork
from conceptforest.features.vgg16 import Vgg16
from conceptforest.features.video_words import VideoWords

__all__ = [
    "ClassicDescriptor",
    "EfficientNetLite0",
    "Embedded",
    "Extractor",
    "FeatureCache",
    "Hog3d",
    "OnnxNetwork",
    "UnreadableError",
    "Vgg16",
    "VideoWords",
    "available",
    "decode_image",
    "embed",
    "intersection_map",
    "make_extractor",
]
