import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.tags import match_layers, resolve_layers

NAMES = ("animal", "scene", "cat", "dog", "beach")


@pytest.mark.parametrize(
    "layers",
    [
        [["animal", "scene"], ["cat", "dog", "beach"]],
        [["scene", "animal"], ["beach", "dog", "cat"]],
        [[0, 1], [2, 3, 4]],
        [["animal", np.int64(1)], {"cat", 3, 4}],
        (("animal", "scene"), frozenset({"cat", "dog", "beach"})),
        [np.array([1, 0]), np.array(["cat", "dog", "beach"])],
        [["animal", 0, "scene"], ["cat", "dog", "beach", "dog"]],
    ],
)
def test_names_and_numbers_mean_the_same(layers):
    found = resolve_layers(layers, NAMES)
    assert [layer.tolist() for layer in found] == [[0, 1], [2, 3, 4]]
    assert all(layer.dtype == np.int32 for layer in found)


def test_order_of_layers_is_kept():
    found = resolve_layers([[4], [0, 3], [2, 1]], NAMES)
    assert [layer.tolist() for layer in found] == [[4], [0, 3], [1, 2]]


@pytest.mark.parametrize("one", [1, np.int64(1)])
def test_one_is_a_single_layer_of_all_tags(one):
    (layer,) = resolve_layers(one, NAMES)
    assert layer.tolist() == [0, 1, 2, 3, 4]
    assert layer.dtype == np.int32


def test_larger_numbers_ask_for_the_estimator():
    with pytest.raises(ValueError, match=r"asks for estimated.*TagHierarchy\(n_layers=3\)\.fit"):
        resolve_layers(3, NAMES)


@pytest.mark.parametrize("number", [0, -2])
def test_no_layers_is_not_a_number_of_layers(number):
    with pytest.raises(ValueError, match=f"layers={number} is not a number of layers"):
        resolve_layers(number, NAMES)


@pytest.mark.parametrize("layers", [True, 2.0, "animal", None, {"a": ["cat"]}, {("cat",)}])
def test_other_kinds_of_layers_are_refused(layers):
    with pytest.raises(TypeError, match=r"layers is .* Give a list of layers"):
        resolve_layers(layers, NAMES)


@pytest.mark.parametrize("layer", ["animal", 0, np.int64(0), True])
def test_a_layer_must_be_a_collection(layer):
    with pytest.raises(TypeError, match=r"Layer 2 is the single value .* Write \["):
        resolve_layers([["cat"], layer], NAMES)


@pytest.mark.parametrize("layer", [None, 1.5, {"cat": 1}])
def test_a_layer_of_another_kind_is_refused(layer):
    with pytest.raises(TypeError, match="Layer 1 is of type"):
        resolve_layers([layer], NAMES)


@pytest.mark.parametrize("tag", [True, np.True_, 1.0, None, ("cat",)])
def test_a_tag_is_a_name_or_a_number(tag):
    with pytest.raises(TypeError, match=r"Layer 1 has the tag .* names \(str\) or column numbers"):
        resolve_layers([[tag]], NAMES)


def test_layers_may_not_share_a_tag():
    with pytest.raises(ValueError, match="'cat' is in layer 1 and in layer 3"):
        resolve_layers([["cat"], ["dog"], [2]], NAMES)


def test_unknown_names_get_a_hint():
    with pytest.raises(ValueError, match=r"'beech'.*Did you mean 'beach'\?"):
        resolve_layers([["beech"]], NAMES)


@pytest.mark.parametrize("number", [-1, 5])
def test_numbers_must_be_columns(number):
    with pytest.raises(ValueError, match=f"column number {number}; column numbers are 0 to 4"):
        resolve_layers([[number]], NAMES)


def test_numbers_cannot_be_columns_of_nothing():
    with pytest.raises(ValueError, match="there are no tags"):
        resolve_layers([[0]], ())


def test_a_layer_may_not_be_empty():
    with pytest.raises(ValueError, match="Layer 2 is empty"):
        resolve_layers([["cat"], []], NAMES)


def test_there_must_be_a_layer():
    with pytest.raises(ValueError, match="layers is empty"):
        resolve_layers([], NAMES)


def test_tags_in_no_layer_are_named():
    names = tuple("abcdefgh")
    with pytest.raises(ValueError) as caught:
        resolve_layers([["a"], ["b"]], names)
    message = str(caught.value)
    assert "6 of 8 tags are in no layer: 'c', 'd', 'e', 'f', 'g' and 1 more" in message
    assert 'unlayered="drop"' in message


def test_tags_in_no_layer_can_be_dropped():
    found = resolve_layers([["cat"], ["dog"]], NAMES, unlayered="drop")
    assert [layer.tolist() for layer in found] == [[2], [3]]


def test_unlayered_has_two_values():
    with pytest.raises(ValueError, match=r"'dropp'; allowed are .* Did you mean 'drop'\?"):
        resolve_layers([["cat"]], NAMES, unlayered="dropp")


@settings(deadline=None)
@given(st.permutations(range(8)), st.sets(st.integers(1, 7)), st.lists(st.booleans(), min_size=8))
def test_any_split_of_the_tags_is_a_hierarchy(order, cuts, by_name):
    names = tuple(f"tag{k}" for k in range(8))
    parts = np.split(np.array(order), sorted(cuts))
    layers = [[names[k] if by_name[k] else int(k) for k in part] for part in parts]
    found = resolve_layers(layers, names)
    assert [layer.tolist() for layer in found] == [sorted(part.tolist()) for part in parts]


# The part of a hierarchy that a collection has.


def test_tags_that_the_collection_lacks_and_layers_without_tags_drop_out():
    layers = [["thing"], ["animal", "scene", "tool"], ["pet"], ["dog", "cat"]]
    assert match_layers(layers, NAMES) == [["animal", "scene"], ["dog", "cat"]]


def test_a_hierarchy_of_other_tags_is_refused():
    with pytest.raises(ValueError, match=r"no tag in common.*'Dog'.*'animal'.*mean 'dog'\?"):
        match_layers([["Dog"], ["Cat"]], NAMES)
    with pytest.raises(ValueError, match="no tag in common"):
        match_layers([["Dog"]], ())
