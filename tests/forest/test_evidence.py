"""The sparse evidence is the evidence of the plain-Python oracle, whatever the reading."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.oracle import evidence as oracle_evidence

import conceptforest as cf
from conceptforest.forest import evidence as evidence_module
from conceptforest.forest.evidence import ONE, gather_evidence
from conceptforest.tags import parse_tags

READINGS = [
    cf.Reading("count", e, s)
    for e in ("none", "negative", "base")
    for s in ("layer", "tag", "sample", "joint", "mean")
]


@st.composite
def tagged(draw):
    """Tag matrices with tags that never occur and items without tags, and up to three layers."""
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    rare = draw(st.integers(1, 4))
    bit = st.integers(0, rare).map(lambda v: int(v == rare))
    Y = draw(st.lists(st.lists(bit, min_size=m, max_size=m), min_size=n, max_size=n))
    for j in draw(st.sets(st.integers(0, m - 1))):
        if draw(st.booleans()):
            for row in Y:
                row[j] = 0
    order = draw(st.permutations(range(m)))
    n_layers = draw(st.integers(1, min(3, m)))
    cuts = sorted(draw(st.permutations(range(1, m)))[: n_layers - 1])
    return Y, [sorted(order[a:b]) for a, b in zip([0, *cuts], [*cuts, m], strict=True)]


def gather(Y, layers, reading, *, correlation=True):
    return gather_evidence(
        parse_tags(np.array(Y)),
        [np.array(layer, np.int32) for layer in layers],
        correlation=correlation,
        reading=reading,
        weights=None,
    )


def densify(layer, n):
    positive = np.zeros((n, layer.n_tags), np.int64)
    base = np.full(n, ONE) if layer.base is None else layer.base
    negative = np.tile(np.asarray(base, np.int64)[:, None], layer.n_tags)
    for x in range(n):
        for e in range(layer.start[x], layer.start[x + 1]):
            i = layer.tag[e]
            positive[x, i] = ONE if layer.positive is None else layer.positive[e]
            negative[x, i] = 0 if layer.negative is None else layer.negative[e]
    return positive, negative


@settings(max_examples=300, deadline=None)
@given(data=tagged(), reading=st.sampled_from(READINGS), correlation=st.booleans())
@example(data=([[0, 0, 0]], [[0], [1, 2]]), reading=READINGS[0], correlation=True)
@example(data=([[0, 1], [0, 1]], [[0], [1]]), reading=READINGS[0], correlation=True)
def test_evidence_equals_oracle(data, reading, correlation):
    Y, layers = data
    expected = oracle_evidence.gather(Y, layers, correlation=correlation, reading=reading)
    found = gather(Y, layers, reading, correlation=correlation)
    for layer, columns, oracle in zip(found, layers, expected, strict=True):
        positive, negative = densify(layer, len(Y))
        # A tag that never occurs has no positive mass, so its impurity is 0 whatever is against it.
        occurs = np.array(Y)[:, columns].any(axis=0)
        np.testing.assert_array_equal(positive, oracle.positive)
        np.testing.assert_array_equal(negative[:, occurs], np.array(oracle.negative)[:, occurs])


@settings(deadline=None)
@given(data=tagged(), reading=st.sampled_from(READINGS))
def test_hard_items_are_stored_as_the_core_expects(data, reading):
    Y, layers = data
    for layer, columns in zip(gather(Y, layers, reading), layers, strict=True):
        if layer.soft is None:
            assert layer.positive is layer.negative is layer.base is None
            continue
        entry_is_hard = np.repeat(layer.soft == 0, np.diff(layer.start))
        assert (layer.base[layer.soft == 0] == ONE).all()
        assert (layer.positive[entry_is_hard] == ONE).all()
        assert (layer.negative[entry_is_hard] == 0).all()
        tagged_items = np.array(Y)[:, columns].any(axis=1)
        assert not layer.soft[tagged_items].any()


@settings(deadline=None)
@given(data=tagged(), reading=st.sampled_from(READINGS))
def test_entries_lie_in_the_unit_range_and_in_order(data, reading):
    Y, layers = data
    for layer in gather(Y, layers, reading):
        for x in range(len(Y)):
            row = layer.tag[layer.start[x] : layer.start[x + 1]]
            assert (np.diff(row) > 0).all()
        for masses in (layer.positive, layer.negative, layer.base):
            assert masses is None or ((masses >= 0) & (masses <= ONE)).all()


def test_missing_and_supported_items_are_counted():
    Y = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    top, low = gather(Y, [[0], [1, 2]], cf.Reading())
    assert (top.n_missing, top.n_supported) == (3, 2)
    assert (low.n_missing, low.n_supported) == (2, 0)


def test_weights_are_whole_numbers_of_a_unit():
    Y = np.eye(4, dtype=int)
    (layer,) = gather_evidence(
        parse_tags(Y),
        [np.arange(4, dtype=np.int32)],
        correlation=False,
        reading=cf.Reading(),
        weights=np.array([1.0, 0.5, 0.0, 1e-12]),
    )
    assert layer.weight.tolist() == [2**20, 2**19, 0, 1]
    assert layer.weight_unit == 2.0**-20


def test_every_layer_has_a_unit_of_its_own():
    layers = gather_evidence(
        parse_tags(np.eye(5, dtype=int)),
        [np.array(columns, np.int32) for columns in ([0, 1], [2], [3, 4])],
        correlation=True,
        reading=cf.Reading(),
        weights=np.array([1.0, 5.0, 1e7, 0.0, 0.0]),
    )
    assert [layer.weight.tolist() for layer in layers] == [[209_715, 2**20], [2**20], [0, 0]]
    assert [layer.weight_unit for layer in layers] == [5 / 2**20, 1e7 / 2**20, 1.0]


def test_a_table_too_large_for_base_rates_is_refused(monkeypatch):
    monkeypatch.setattr(evidence_module, "_MAX_DENSE", 5)
    Y = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    message = r"full table of 3 items without evidence x 2 tags.*Use another no_evidence"
    with pytest.raises(ValueError, match=message):
        gather(Y, [[0, 1, 2], [3]], cf.Reading(no_evidence="base"))
    gather(Y[:4], [[0, 1, 2], [3]], cf.Reading(no_evidence="base"))


def test_a_table_too_large_for_scaling_by_tag_is_refused(monkeypatch):
    monkeypatch.setattr(evidence_module, "_MAX_DENSE", 5)
    Y = [[1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]]
    with pytest.raises(ValueError, match=r"full table of 3 items x 2 tags.*Use another scale"):
        gather(Y, [[0, 1], [2]], cf.Reading(scale="tag"))
