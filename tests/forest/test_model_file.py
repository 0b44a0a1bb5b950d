"""The model file keeps a forest bit for bit, and is written whole or not at all."""

import os
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from tests.forest.states import (
    assert_same,
    file_bytes,
    parts_of,
    random_trees,
    slow_audit,
    small_state,
)

from conceptforest.forest.model_file import (
    ForestState,
    ModelFileError,
    read_state,
    write_state,
)


def test_round_trip(tmp_path):
    path = tmp_path / "forest.safetensors"
    write_state(small_state(), path)
    state = read_state(path)
    assert_same(state, small_state())
    slow_audit(state)


def test_round_trip_of_a_path_given_as_str_and_of_a_model_without_feature_names(tmp_path):
    path = str(tmp_path / "forest.safetensors")
    write_state(small_state(feature_names=None), path)
    assert read_state(path).feature_names is None


def test_round_trip_of_nothing_but_roots_without_layers_tags_or_params(tmp_path):
    trees = small_state().trees.tree(1)
    state = small_state(
        trees=trees,
        leaves=np.zeros((4, 1), np.int32),
        tree_seeds=np.zeros(1, np.uint64),
        vocabulary=(),
        layers=(),
        params={},
    )
    write_state(state, tmp_path / "m")
    assert_same(read_state(tmp_path / "m"), state)


def test_arrays_that_do_not_lie_in_c_order_round_trip(tmp_path):
    state = small_state(leaves=np.asfortranarray(small_state().leaves))
    write_state(state, tmp_path / "m")
    assert_same(read_state(tmp_path / "m"), state)


def test_loaded_arrays_can_be_written_to(tmp_path):
    write_state(small_state(), tmp_path / "m")
    state = read_state(tmp_path / "m")
    assert state.leaves.flags.writeable
    assert state.trees.threshold.flags.writeable


def test_same_state_gives_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_state(small_state(), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_safetensors_library_reads_what_we_write(tmp_path):
    write_state(small_state(), tmp_path / "m")
    with safe_open(tmp_path / "m", "np") as file:
        assert set(file.metadata()) == {"conceptforest", "digest"}
        assert (file.get_tensor("leaves") == small_state().leaves).all()
        assert (file.get_tensor("trees.gain") == small_state().trees.gain).all()


def test_we_read_what_the_safetensors_library_writes(tmp_path):
    (tmp_path / "m").write_bytes(file_bytes(*parts_of(small_state(), tmp_path)))
    assert_same(read_state(tmp_path / "m"), small_state())


def test_tensors_are_aligned(tmp_path):
    write_state(small_state(), tmp_path / "m")
    assert int.from_bytes((tmp_path / "m").read_bytes()[:8], "little") % 8 == 0


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@st.composite
def states(draw):
    n_features, n_layers = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    trees, leaves = random_trees(
        rng, draw(st.integers(1, 4)), draw(st.integers(1, 12)), n_features, n_layers
    )
    vocabulary = draw(st.lists(NAMES, unique=True, max_size=8))
    ids = rng.permutation(len(vocabulary)).astype(np.int32)
    names = st.lists(NAMES, min_size=n_features, max_size=n_features).map(tuple)
    return ForestState(
        trees=trees,
        leaves=leaves,
        tree_seeds=rng.integers(0, 2**64 - 1, trees.n_trees, np.uint64, endpoint=True),
        seed=draw(st.integers(0, 2**64 - 1)),
        n_features=n_features,
        vocabulary=tuple(vocabulary),
        layers=tuple(np.array_split(ids, n_layers)),
        feature_names=draw(st.none() | names),
        params=draw(st.dictionaries(st.text(max_size=5), JSON, max_size=4)),
        bootstrap=draw(st.booleans()),
        library_version=draw(st.text(max_size=9)),
    )


@settings(max_examples=60, deadline=None)
@given(state=states())
def test_any_sound_forest_round_trips(state, tmp_path_factory):
    slow_audit(state)
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    write_state(state, path)
    assert_same(read_state(path), state)


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_interrupted_write_keeps_the_old_model_and_leaves_nothing(
    tmp_path, monkeypatch, step, error
):
    path = tmp_path / "m"
    write_state(small_state(seed=1), path)
    before = path.read_bytes()

    def fail(*_args, **_kwargs):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_state(small_state(seed=2), path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_write_replaces_an_old_model_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "m"
    for seed in (1, 2):
        write_state(small_state(seed=seed), path)
    assert read_state(path).seed == 2
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_are_those_of_any_new_file(tmp_path, mask):
    old = os.umask(mask)
    try:
        write_state(small_state(), tmp_path / "m")
        assert os.umask(mask) == mask
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o666 & ~mask


def test_write_into_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*gone; create it first"):
        write_state(small_state(), tmp_path / "gone" / "m")


def test_write_over_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: give a file name in it"):
        write_state(small_state(), tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed must be an int from 0 to 18446744073709551615, not -1"),
        ({"seed": np.uint64(3)}, "seed must be an int"),
        ({"n_features": 2**31}, "n_features must be an int"),
        ({"leaves": np.zeros((4, 2))}, "leaves must be int32 with 2 dimensions, not float64"),
        ({"leaves": np.zeros((4, 2), object)}, "leaves must be int32"),
        ({"tree_seeds": np.zeros((2, 1), np.uint64)}, "tree_seeds must be uint64 with 1 dim"),
        ({"layers": (np.array([0]),)}, "layers.ids must be int32"),
        ({"layers": (np.zeros((1, 1), np.int32),)}, "each layer must be an array of one dim"),
        ({"vocabulary": ("a", "\ud800")}, r"vocabulary must hold strings .*'\\ud800'; rename it"),
        ({"vocabulary": ("a", 3)}, "vocabulary must hold strings that UTF-8 can encode, not 3"),
        ({"vocabulary": ("a", "b", "c", "a")}, "vocabulary holds a name twice"),
        ({"feature_names": ("a",)}, "1 feature names for 3 features"),
        ({"params": {"a": (1, 2)}}, "params must be a JSON object"),
        ({"params": {1: 2}}, "params must be a JSON object"),
        ({"params": {"a": float("nan")}}, "params must be a JSON object .*: Out of range"),
        ({"params": {"a": object()}}, "params must be a JSON object .*not JSON serializable"),
        ({"params": [1]}, r"params must be a JSON object .*, not \[1\]"),
        ({"params": {"a": "x" * 2**26}}, "params take 67108877 bytes in the header, of at most"),
        ({"bootstrap": 1}, "bootstrap must be true or false, not 1"),
        ({"library_version": None}, "library_version must be a str"),
    ],
)
def test_an_unsound_state_is_not_written(tmp_path, changes, message):
    with pytest.raises(ModelFileError, match=f"cannot save the model as .*m: {message}"):
        write_state(small_state(**changes), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_params_of_the_largest_size_fit_the_header(tmp_path):
    text = '"' * (2**24 - 4)  # each takes two characters of JSON, and four in the header
    state = small_state(params={"a": text + "xxx"}, library_version="\U0001f332" * 100)
    write_state(state, tmp_path / "m")
    assert read_state(tmp_path / "m").params == {"a": text + "xxx"}
    with safe_open(tmp_path / "m", "np") as file:
        assert set(file.metadata()) == {"conceptforest", "digest"}
    with pytest.raises(ModelFileError, match="params take 67108865 bytes in the header, of at"):
        write_state(small_state(params={"a": text + "xxxx"}), tmp_path / "m")
