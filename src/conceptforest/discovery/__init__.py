"""The main job: a folder and its tags in, concepts, suggestions and a report out."""

from conceptforest.discovery.main_job import Discovery, discover
from conceptforest.discovery.new_items import Prediction, predict
from conceptforest.discovery.planning import Plan, plan
from conceptforest.discovery.run_folder import RunFolder, RunFolderError
from conceptforest.discovery.settings import Settings

__all__ = [
    "Discovery",
    "Plan",
    "Prediction",
    "RunFolder",
    "RunFolderError",
    "Settings",
    "discover",
    "plan",
    "predict",
]
