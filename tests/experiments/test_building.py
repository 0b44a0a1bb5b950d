"""How experiments build methods."""

import pytest

from conceptforest.experiments.building import Task
from conceptforest.experiments.methods import METHODS

TASK = Task(3, None, 0, 1)


@pytest.mark.parametrize("name", ["AffinityPropagation", "AffinityPropagation(GC)"])
def test_no_collection_is_too_large_for_an_experiment_to_try(name):
    method = METHODS[name].build(TASK, {})
    inner = method if name == "AffinityPropagation" else method.clustering(**method.params)
    inner._check_size(10**6)
    with pytest.raises(ValueError, match="max_items"):
        type(inner)()._check_size(10**6)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_built(name):
    assert hasattr(METHODS[name].build(TASK, {}), "fit")
