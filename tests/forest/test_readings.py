"""The worked examples of the choices that the paper leaves open, one by one, letter by letter."""

import dataclasses
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forest.by_hand import core_layer, grow, oracle_layer
from tests.oracle import hml_tree

import conceptforest as cf
from conceptforest.forest import evidence as evidence_module
from conceptforest.forest import hml_forest
from conceptforest.forest.evidence import ONE, gather_evidence
from conceptforest.tags import correlate, parse_tags

EVIDENCE = cf.Reading(child_weights="evidence")
NEGATIVE = cf.Reading(no_evidence="negative")


def gather(tags, layers, reading=None, *, correlation=True):
    return gather_evidence(
        parse_tags(tags),
        [np.array(layer, np.int32) for layer in layers],
        correlation=correlation,
        reading=reading or cf.Reading(),
        weights=None,
    )


def dense_evidence(layer):
    """Give the positive and negative masses of a LayerEvidence, items x tags, 1 as 1."""
    n = len(layer.start) - 1
    positive = np.zeros((n, layer.n_tags))
    base = np.ones(n) if layer.base is None else layer.base / ONE
    negative = np.tile(base[:, None], layer.n_tags)
    for x in range(n):
        for e in range(layer.start[x], layer.start[x + 1]):
            hard = layer.soft is None
            positive[x, layer.tag[e]] = 1 if hard else layer.positive[e] / ONE
            negative[x, layer.tag[e]] = 0 if hard else layer.negative[e] / ONE
    return positive, negative


def fit(X, tags, **params):
    X = np.array(X, dtype=float).reshape(len(X), -1)
    params = {
        "n_estimators": 1, "min_samples_leaf": 1, "max_features": None, "layers": 1
    } | params  # fmt: skip
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No tree could split")
        return cf.HMLForest(random_state=0, **params).fit(X, tags)


def split_gain(items, left, child_weights, n_tags=1):
    """Eq. 3, summed over tags, of the cut that sends the first `left` items left."""
    n = len(items)
    layer = oracle_layer(items, n_tags)
    everyone = list(range(n))
    return hml_tree.gain(layer, everyone, everyone[:left], everyone[left:], [1] * n, child_weights)


# A. Soft scores are fractional counts, each on its own side.

A_ITEMS = [{0}, {0}, [(0.2, 0)], [(0.2, 0)], set(), set()]


def test_a_impurity_of_fractional_counts():
    layer = oracle_layer(A_ITEMS)
    value = hml_tree.impurity(layer, 0, range(6), [1] * 6)
    assert float(value) == pytest.approx(0.4959, abs=5e-5)


@pytest.mark.parametrize(
    ("soft", "impurity"), [((1, 0), 0.4444), ((0.2, 0.8), 0.48)], ids=["share", "complement"]
)
def test_a_the_other_readings_would_give_other_impurities(soft, impurity):
    items = [item if isinstance(item, set) else [soft] for item in A_ITEMS]
    value = hml_tree.impurity(oracle_layer(items), 0, range(6), [1] * 6)
    assert float(value) == pytest.approx(impurity, abs=5e-5)


@pytest.mark.parametrize("evidence_weights", [False, True])
def test_a_core_gains_the_whole_impurity_from_a_perfect_split(evidence_weights):
    tree = grow([0, 0, 0, 0, 1, 1], [core_layer(A_ITEMS)], evidence_weights=evidence_weights)
    assert tree.gain[0] == pytest.approx(0.4959, abs=5e-5)
    assert tree.leaves.tolist() == [1, 1, 1, 1, 2, 2]


# B. Children weigh by their items, or by their evidence.

B_ITEMS = [[(0, 0)]] * 4 + [{0}, {0}, set(), set()]


def test_b_isolating_items_without_evidence_gains_by_count_only():
    assert split_gain(B_ITEMS, 4, "count") == Fraction(1, 4)
    assert split_gain(B_ITEMS, 4, "evidence") == 0


def test_b_core_makes_that_split_by_count_and_refuses_it_by_evidence():
    X = [0] * 4 + [1] * 4
    by_count = grow(X, [core_layer(B_ITEMS)])
    assert by_count.gain[0] == 0.25
    by_evidence = grow(X, [core_layer(B_ITEMS)], evidence_weights=True)
    assert by_evidence.feature.tolist() == [-1]


MASS = st.integers(0, 8).map(lambda v: v / 8)
SOFT = st.lists(st.tuples(MASS, MASS), min_size=1, max_size=1)
HARD = st.sampled_from([{0}, set()])


@settings(deadline=None)
@given(items=st.lists(SOFT | HARD, min_size=2, max_size=9), data=st.data())
def test_b_evidence_gain_is_never_negative(items, data):
    left = data.draw(st.integers(1, len(items) - 1))
    assert split_gain(items, left, "evidence") >= 0


@settings(deadline=None)
@given(items=st.lists(HARD, min_size=2, max_size=9), data=st.data())
def test_b_the_two_agree_when_nothing_is_missing(items, data):
    left = data.draw(st.integers(1, len(items) - 1))
    assert split_gain(items, left, "evidence") == split_gain(items, left, "count")


@settings(deadline=None)
@given(
    items=st.lists(SOFT | HARD, min_size=2, max_size=9),
    child_weights=st.sampled_from(["count", "evidence"]),
    data=st.data(),
)
def test_b_core_gain_of_one_cut_equals_the_formula(items, child_weights, data):
    left = data.draw(st.integers(1, len(items) - 1))
    X = [0] * left + [1] * (len(items) - left)
    expected = max(Fraction(0), split_gain(items, left, child_weights))
    tree = grow(X, [core_layer(items)], evidence_weights=child_weights == "evidence")
    assert tree.gain[0] == pytest.approx(float(expected), rel=1e-12)


def test_b_count_gain_can_be_negative_and_is_then_refused():
    items = [[(0.125, 0.125)]] * 3 + [{0}, {0}]
    assert split_gain(items, 3, "count") < 0 <= split_gain(items, 3, "evidence")
    assert grow([0, 0, 0, 1, 1], [core_layer(items)]).feature.tolist() == [-1]


# C. Items without any evidence bring no mass.

C_GAINS = [(0, 0.167), (2, 0.278), (4, 0.333), (8, 0.389)]


def collection_with_empty_rows(n_empty):
    """One 'a' and the empty rows on the left; 'a' and two others on the right of the only cut."""
    tags = [{"a"}] + [set()] * n_empty + [{"a", "low"}, {"b"}, {"b"}]
    return [0] * (1 + n_empty) + [1] * 3, tags


def gain_with_empty_rows(n_empty, **params):
    X, tags = collection_with_empty_rows(n_empty)
    layers = params.pop("layers", [["a", "b"], ["low"]])
    forest = fit(X, tags, layers=layers, tag_weights=[1, 0, 0], **params)
    return forest.trees_.gain[0]


@pytest.mark.parametrize(("n_empty", "gain"), C_GAINS)
def test_c_count_gain_of_a_fixed_cut_grows_with_empty_rows(n_empty, gain):
    items = [{0}] + [[(0, 0)]] * n_empty + [{0}, set(), set()]
    assert float(split_gain(items, 1 + n_empty, "count")) == pytest.approx(gain, abs=5e-4)
    assert gain_with_empty_rows(n_empty) == pytest.approx(gain, abs=5e-4)


@pytest.mark.parametrize("n_empty", [0, 2, 4, 8])
def test_c_evidence_gain_does_not_depend_on_empty_rows(n_empty):
    items = [{0}] + [[(0, 0)]] * n_empty + [{0}, set(), set()]
    assert split_gain(items, 1 + n_empty, "evidence") == Fraction(1, 6)
    assert gain_with_empty_rows(n_empty, reading=EVIDENCE) == pytest.approx(1 / 6)


@pytest.mark.parametrize("child_weights", ["count", "evidence"])
def test_c_as_negatives_empty_rows_change_the_gain_either_way(child_weights):
    reading = cf.Reading(child_weights, "negative")
    gains = [gain_with_empty_rows(n, reading=reading) for n in (0, 2, 4, 8)]
    assert gains[0] == pytest.approx(1 / 6)
    assert gains[1] == 0  # a third is positive on either side of the cut
    assert len({round(gain, 9) for gain in gains}) == 4


@pytest.mark.parametrize(
    "params", [{"layers": 1}, {"correlation": False}], ids=["FlatTags", "NoCorr"]
)
@pytest.mark.parametrize("n_empty", [2, 8])
def test_c_where_nothing_softens_empty_rows_are_negatives(n_empty, params):
    as_negatives = gain_with_empty_rows(n_empty, reading=NEGATIVE)
    assert gain_with_empty_rows(n_empty, **params) == as_negatives


def test_c_in_the_bottom_layer_empty_rows_are_negatives():
    _, tags = collection_with_empty_rows(4)
    lowest = gather(tags, [[2], [0, 1]])[1]
    positive, negative = dense_evidence(lowest)
    assert lowest.soft is None
    assert positive[1:5].tolist() == [[0, 0]] * 4
    assert negative[1:5].tolist() == [[1, 1]] * 4


# D. Missing means: no tag at all in the layer.


def test_d_an_item_with_one_tag_of_the_layer_is_hard_for_all_the_others():
    tags = [{"a", "low"}, {"b", "low"}, {"b"}, {"low"}]
    layer = gather(tags, [[0, 1], [2]])[0]
    positive, negative = dense_evidence(layer)
    assert layer.soft.tolist() == [0, 0, 0, 1]
    assert positive[:3].tolist() == [[1, 0], [0, 1], [0, 1]]
    assert negative[:3].tolist() == [[0, 1], [1, 0], [1, 0]]
    assert 0 < positive[3, 0] <= 1


# E. The bottom layer is hard, so one layer is FlatTags.


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("layers", [1, [list(range(6))]])
def test_e_one_layer_is_flat_tags_bit_for_bit(layers, bootstrap, rng):
    X, Y = rng.normal(size=(60, 5)), rng.random((60, 6)) < 0.15
    assert not Y.any(axis=1).all()
    a, b = (
        cf.HMLForest(
            10, layers=which, correlation=correlation, bootstrap=bootstrap, random_state=3
        ).fit(X, Y)
        for which, correlation in [(layers, True), (1, False)]
    )
    np.testing.assert_array_equal(a.leaves_, b.leaves_)
    for field in dataclasses.fields(a.trees_):
        one, other = getattr(a.trees_, field.name), getattr(b.trees_, field.name)
        assert one.tobytes() == other.tobytes()


# F. A layer is pure when every one of its tags is.


def test_f_one_mixed_tag_makes_the_layer_impure():
    top = [{0}, set(), {0}, set()]
    low = [{0}, {0}, set(), set()]
    assert hml_tree.target_layer([oracle_layer(top, 2), oracle_layer(low)], range(4), [1] * 4) == 0
    X = [[0, 0], [1, 0], [0, 1], [1, 1]]
    tree = grow(X, [core_layer(top, 2), core_layer(low)])
    assert tree.layer[0] == 0
    assert tree.feature[0] == 0


# G. Purity is judged by the same evidence as the gain.


def test_g_only_positive_evidence_leaves_the_layer_pure():
    party = [{0}, {0}, {0}, [(0.5, 0)], [(0.5, 0)], [(0.5, 0)]]
    low = [{0}, set(), set(), {0}, set(), set()]
    oracle = [oracle_layer(party), oracle_layer(low)]
    assert hml_tree.target_layer(oracle, range(6), [1] * 6) == 1
    tree = grow([0, 1, 1, 0, 1, 1], [core_layer(party), core_layer(low)])
    assert tree.layer[0] == 1
    raw = [item if isinstance(item, set) else set() for item in party]
    assert hml_tree.target_layer([oracle_layer(raw), oracle_layer(low)], range(6), [1] * 6) == 0
    assert grow([0, 1, 1, 0, 1, 1], [core_layer(raw), core_layer(low)]).feature.tolist() == [-1]


def test_g_the_same_from_tags():
    tags = [{"party", "cake", "dog"}, {"party", "cake"}, {"party", "cake"}]
    tags += [{"cake", "dog"}, {"cake"}, {"cake"}]
    layers = [["party"], ["cake", "dog"]]
    X = [0, 1, 1, 0, 1, 1]
    assert fit(X, tags, layers=layers).trees_.layer.tolist() == [1, -1, -1]
    assert fit(X, tags, layers=layers, correlation=False).trees_.layer.tolist() == [-1]


def test_g_soft_scores_alone_make_a_layer_the_target():
    top = [[(s / 8, 1 - s / 8)] for s in (1, 2, 3, 5, 6, 7)]
    low = [{0}, set(), {0}, set(), {0}, set()]
    X = [[v, v % 2] for v in range(6)]
    oracle = [oracle_layer(top), oracle_layer(low)]
    assert hml_tree.target_layer(oracle, range(6), [1] * 6) == 0
    tree = grow(X, [core_layer(top), core_layer(low)])
    assert (tree.layer[0], tree.feature[0]) == (0, 0)
    raw = [core_layer([set()] * 6), core_layer(low)]
    assert grow(X, raw).layer[0] == 1


# H. Correlations are those of the whole collection.


def test_h_evidence_is_gathered_once_and_does_not_know_the_bag(monkeypatch, rng):
    seen = []

    def spy(*args, **kwargs):
        seen.append(gather_evidence(*args, **kwargs))
        return seen[-1]

    monkeypatch.setattr(hml_forest, "gather_evidence", spy)
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 6)) < 0.3
    for bootstrap, seed in [(False, 0), (True, 1)]:
        cf.HMLForest(7, layers=[[0, 1], [2, 3, 4, 5]], bootstrap=bootstrap, random_state=seed).fit(
            X, Y
        )
    assert len(seen) == 2
    for one, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(one.positive, other.positive)
        np.testing.assert_array_equal(one.negative, other.negative)


# I. Soft scores are divided by the largest of the layer; the others by something else.


def soft_positive(Y, layers, scale):
    return dense_evidence(gather(Y, layers, cf.Reading(scale=scale))[0])[0]


@pytest.mark.parametrize(("scale", "factor"), [("layer", 0.1), ("tag", 1.0)])
def test_i_weakening_one_tags_correlations(scale, factor, monkeypatch):
    # Tag 0 goes with tag 2 always, tag 1 with tag 3 half of the time; items 4 to 6 miss both.
    Y = np.array(
        [[1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0],
         [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0]]
    )  # fmt: skip
    before = soft_positive(Y, [[0, 1], [2, 3]], scale)

    def weakened(*args):
        found = correlate(*args)
        rows = found.cooccurrence.tocoo().row
        scaled = found.cooccurrence.copy()
        scaled.data = scaled.data * np.where(rows == 1, 0.1, 1.0)
        return dataclasses.replace(found, cooccurrence=scaled)

    monkeypatch.setattr(evidence_module, "correlate", weakened)
    after = soft_positive(Y, [[0, 1], [2, 3]], scale)
    assert before[4, 1] > 0
    assert after[4, 1] == pytest.approx(factor * before[4, 1], abs=1e-5)
    np.testing.assert_array_equal(after[:, 0], before[:, 0])


@pytest.mark.parametrize(("scale", "shrinks"), [("layer", True), ("mean", False)])
def test_i_one_item_with_thirty_tags_compresses_the_others(scale, shrinks):
    # Tags: 0 the target, 1 and 2 on the missing items, 3 to 32 beside the target.
    Y = np.zeros((8, 33), int)
    Y[:4, 0] = 1
    Y[:2, 1] = Y[2, 2] = 1
    Y[:4, 3:] = 1
    Y[4, 1] = Y[5, 2] = Y[6, [1, 2]] = 1
    layers = [[0], list(range(1, 33))]
    before = soft_positive(Y, layers, scale)[4:7, 0]
    with_many = np.vstack([Y, [[0] * 3 + [1] * 30]])
    after = soft_positive(with_many, layers, scale)[4:7, 0]
    assert (before > 0).all()
    if shrinks:
        assert (after < before / 10).all()
    else:
        np.testing.assert_array_equal(after, before)


# J. Bagging.


def test_j_share_of_distinct_items_in_a_bag(rng):
    forest = fit(rng.normal(size=3000), rng.random((3000, 1)) < 0.5, n_estimators=20,
                 min_samples_leaf=500, bootstrap=True)  # fmt: skip
    share = np.mean([np.mean(forest.in_bag(t) > 0) for t in range(20)])
    assert share == pytest.approx(1 - np.exp(-1), abs=0.005)


def test_j_affinity_is_defined_for_every_pair(rng):
    X, Y = rng.normal(size=(40, 3)), rng.random((40, 3)) < 0.4
    forest = fit(X, Y, n_estimators=10, bootstrap=True)
    assert any((forest.in_bag(t) == 0).any() for t in range(10))
    dense = forest.affinity(dense=True)
    assert np.isfinite(dense).all()
    assert (np.diag(dense) == 1).all()


# K. min_samples_leaf is the fewest items of a leaf; repeated draws count.


@pytest.mark.parametrize("fewest", [1, 3, 7])
@pytest.mark.parametrize("bootstrap", [False, True])
def test_k_every_leaf_is_large_enough(fewest, bootstrap, rng):
    X, Y = rng.normal(size=(150, 4)), rng.random((150, 5)) < 0.3
    forest = fit(X, Y, n_estimators=8, min_samples_leaf=fewest, bootstrap=bootstrap)
    sizes = []
    for t in range(8):
        weighted = np.bincount(forest.leaves_[:, t], weights=forest.in_bag(t))
        leaf = forest.trees_.tree(t).left == -1
        np.testing.assert_array_equal(weighted[leaf], forest.trees_.tree(t).count[leaf])
        sizes.append(weighted[leaf].min())
    assert min(sizes) >= fewest
    assert min(sizes) <= fewest + 1


# L. A split must gain something; constant features do not count as tried.


def test_l_constant_features_are_not_counted(rng):
    X = np.zeros((40, 100))
    X[:, 37] = rng.normal(size=40)
    forest = fit(X, (X[:, [37]] > 0), n_estimators=200, max_features=1)
    roots = forest.trees_.offsets[:-1]
    assert (forest.trees_.feature[roots] == 37).all()


def test_l_a_tried_feature_without_gain_ends_the_branch():
    X = np.tile([[0.0], [1.0], [0.0], [1.0]], 100)
    X[:, 37] = [0, 0, 1, 1]
    Y = np.array([[1], [1], [0], [0]])
    forest = fit(X, Y, n_estimators=1000, max_features=1)
    split = forest.trees_.feature[forest.trees_.offsets[:-1]] != -1
    assert 0 < split.mean() < 0.03
    assert set(forest.trees_.feature.tolist()) == {-1, 37}


# M. Tags are summed without weights, unless some are given.


@pytest.mark.parametrize("how", ["duplicate", "weight"])
def test_m_a_tag_twice_or_with_weight_two_gains_twice(how, rng):
    X, Y = rng.normal(size=(60, 3)), rng.random((60, 1)) < 0.4
    once = fit(X, Y, n_estimators=5)
    if how == "duplicate":
        twice = fit(X, np.hstack([Y, Y]), n_estimators=5)
    else:
        twice = fit(X, Y, n_estimators=5, tag_weights=[2.0])
    np.testing.assert_allclose(twice.trees_.gain, 2 * once.trees_.gain, rtol=1e-9)
    np.testing.assert_array_equal(twice.leaves_, once.leaves_)


def test_m_a_duplicate_among_others_equals_its_weight(rng):
    X, Y = rng.normal(size=(80, 5)), rng.random((80, 3)) < 0.3
    twice = fit(X, np.hstack([Y, Y[:, :1]]), n_estimators=5)
    weighted = fit(X, Y, n_estimators=5, tag_weights=[2.0, 1.0, 1.0])
    np.testing.assert_allclose(weighted.trees_.gain, twice.trees_.gain, rtol=1e-9)
    np.testing.assert_array_equal(weighted.trees_.feature, twice.trees_.feature)
    np.testing.assert_array_equal(weighted.leaves_, twice.leaves_)


# W. The correlation conditions on the subordinate tag.


def test_w_correlation_is_the_share_of_the_subordinate_tags_items():
    tags = [{"i"}] * 45 + [{"i", "j"}] * 5 + [{"j"}] * 5 + [set()] * 45
    positive, negative = dense_evidence(gather(tags, [[0], [1]], cf.Reading(scale="mean"))[0])
    assert positive[50:55, 0].tolist() == [0.5] * 5
    assert negative[50:55, 0].tolist() == [0] * 5  # a lift of 1 excludes nothing
    np.testing.assert_array_equal(positive[55:], 0)
