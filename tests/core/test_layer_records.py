"""The core points into the arrays of a layer record: it takes them as they are or not at all."""

import numpy as np
import pytest
from tests.forest.by_hand import ONE, core_layer, grow

X = [0.0, 1.0, 2.0, 3.0]
ITEMS = [{0}, {1}, set(), [(0.5, 0.25), (0, 1)]]
# nanobind says it with a RuntimeError, Python with a TypeError.
REFUSED = (TypeError, RuntimeError)
ARRAYS = {
    "start": np.int64,
    "tag": np.int32,
    "positive": np.int32,
    "negative": np.int32,
    "base": np.int32,
    "soft": np.uint8,
    "weight": np.uint32,
}
OTHER_TYPES = [
    "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64", ">i4", ">i8",
]  # fmt: skip


def layer(**changes):
    record = core_layer(ITEMS, n_tags=2, weight=[1, 2])
    for name, value in changes.items():
        setattr(record, name, value)
    return record


def changed(name, change):
    return layer(**{name: change(getattr(layer(), name))})


def test_the_record_itself_is_taken():
    tree = grow(X, [layer()])
    assert tree.feature[0] == 0


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name, own in ARRAYS.items()
        for dtype in OTHER_TYPES
        if own != np.dtype(dtype)
    ],
)
def test_another_type_is_refused(name, dtype):
    with pytest.raises(REFUSED):
        grow(X, [changed(name, lambda array: array.astype(dtype))])


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(
    "change",
    [
        np.ndarray.tolist,
        lambda array: np.repeat(array, 2)[::2],
        lambda array: array[None],
    ],
    ids=["list", "strided", "two dimensions"],
)
def test_another_form_is_refused(name, change):
    with pytest.raises(REFUSED):
        grow(X, [changed(name, change)])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("start", [0, 1, 2, 2], "start does not fit the items"),
        ("start", [1, 1, 2, 2, 4], "start does not fit the items"),
        ("start", [0, 2, 1, 2, 4], "start must not decrease"),
        ("start", [0, 1, 2, 2, 5], "tag does not fit start"),
        ("tag", [0, 1, 0], "tag does not fit start"),
        ("tag", [0, 1, 0, 2], "tag out of range"),
        ("tag", [0, 1, 0, -1], "tag out of range"),
        ("positive", [ONE, ONE, 0], "evidence does not fit"),
        ("positive", [ONE, ONE, 0, ONE + 1], r"evidence must lie in \[0, 1\]"),
        ("negative", [0, 0, 0, -1], r"evidence must lie in \[0, 1\]"),
        ("base", [ONE, ONE, ONE], "evidence does not fit"),
        ("base", [ONE, ONE, ONE, ONE + 1], r"base must lie in \[0, 1\]"),
        ("soft", [0, 0, 0, 1, 1], "evidence does not fit"),
        ("weight", [1, 2, 3], "weight does not fit"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, value, message):
    with pytest.raises(ValueError, match=f"layer: {message}"):
        grow(X, [layer(**{name: np.array(value, ARRAYS[name])})])
