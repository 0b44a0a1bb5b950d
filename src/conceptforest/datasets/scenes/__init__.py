"""Pictures drawn by code: scenes in all weathers, with everything that is true of them.

:func:`make_scenes` makes the collection. Pictures are drawn when they are asked for; only then is
Pillow needed.
"""

from conceptforest.datasets.scenes.collection import SceneImages, Scenes, make_scenes

__all__ = ["SceneImages", "Scenes", "make_scenes"]
