"""The estimated hierarchy: agreement with naive loops, planted topics, odd collections."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import hierarchy as oracle

import conceptforest as cf
from conceptforest.tags import topics
from conceptforest.tags.topics import estimate_layers, k_means_topics

N_TOPICS = 4


def planted(rng, n_items=200):
    """Give items of four topics: three tags of their own each, and generic ones for everybody."""
    tags = []
    for i in range(n_items):
        own = {f"topic{i % N_TOPICS}-{k}" for k in range(3) if rng.random() < 0.8}
        tags.append(own | {f"generic{k}" for k in range(6) if rng.random() < 0.15})
    return tags


def columns(hierarchy):
    return [layer.tolist() for layer in hierarchy.layers_]


def names(hierarchy):
    return [{hierarchy.vocabulary_[j] for j in layer} for layer in hierarchy.layers_]


# Against the oracle.


@st.composite
def collections(draw):
    """Draw a 0/1 matrix with untagged items, repeated rows, unused and universal tags."""
    n, m = draw(st.integers(1, 25)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Y = rng.random((n, m)) < draw(st.sampled_from([0.1, 0.25, 0.6]))
    Y = Y[rng.integers(0, n, n)] if draw(st.booleans()) else Y
    Y[:, -1] |= draw(st.booleans())
    Y[0, 0] = True
    return Y


@settings(deadline=None, max_examples=60)
@given(
    Y=collections(), n_layers=st.integers(1, 5), n_topics=st.integers(1, 6), top=st.integers(1, 3)
)
def test_layers_equal_the_oracles(Y, n_layers, n_topics, top):
    assigned = {}

    def cluster(number, rows, k):
        assert len(rows.weights) >= k
        labels = k_means_topics(rows, k, n_init=2, seed=number)
        for i, label in enumerate(labels.tolist()):
            inside = rows.tfidf.indices[rows.tfidf.indptr[i] : rows.tfidf.indptr[i + 1]]
            assigned[number, frozenset(rows.columns[inside].tolist())] = label
        return labels

    matrix = sparse.csr_array(Y.astype(np.uint8))
    layers, found = estimate_layers(
        matrix, n_layers=n_layers, n_topics=n_topics, top=top, cluster=cluster
    )
    items = [set(np.flatnonzero(row).tolist()) for row in Y]
    expected = oracle.layer_tags(
        items, Y.shape[1], n_layers, top, lambda number, tags: assigned[number, frozenset(tags)]
    )
    assert [layer.tolist() for layer in layers] == expected[0]
    assert all(layer.dtype == np.int32 for layer in layers)
    found_tags = [sorted(list(topic.tags) for topic in group) for group in found]
    assert found_tags == [sorted(group) for group in expected[1]]
    scores = np.zeros(Y.shape[1])
    for topic in (topic for group in found for topic in group):
        np.maximum.at(scores, list(topic.tags), topic.scores)
    np.testing.assert_allclose(scores, expected[2], rtol=0, atol=1e-7)


@settings(deadline=None, max_examples=40)
@given(Y=collections(), n_layers=st.integers(1, 4), n_topics=st.integers(1, 5))
def test_every_tag_is_in_one_layer(Y, n_layers, n_topics):
    found = cf.TagHierarchy(n_layers, n_topics=n_topics, top=1, n_init=1, random_state=0).fit(Y)
    assert 1 <= len(found.layers_) <= n_layers
    assert all(layer.size for layer in found.layers_)
    assert all((np.diff(layer) > 0).all() for layer in found.layers_)
    assert sorted(np.concatenate(found.layers_).tolist()) == list(range(Y.shape[1]))
    assert len(found.topics_) in {len(found.layers_), len(found.layers_) - 1}
    for layer, group in zip(found.layers_, found.topics_, strict=False):
        assert set(layer.tolist()) == {j for topic in group for j in topic}
    picked = {j for group in found.topics_ for topic in group for j in topic}
    assert {j for j, score in enumerate(found.scores_) if score > 0} == picked
    assert len(found.to_frame()) == Y.shape[1]
    assert found.to_text()


@settings(deadline=None, max_examples=30)
@given(Y=collections(), data=st.data())
def test_topics_do_not_depend_on_names_and_places_of_tags(Y, data):
    """Without equal scores, which go by column, the layers are then the same as well."""
    order = np.array(data.draw(st.permutations(range(Y.shape[1]))))
    seen = [[], []]
    for record, table in zip(seen, (Y, Y[:, order]), strict=True):

        def cluster(number, rows, k, record=record):
            record.append((rows.tfidf.toarray().tobytes(), rows.weights.tolist()))
            return k_means_topics(rows, k, n_init=1, seed=number)

        estimate_layers(
            sparse.csr_array(table.astype(np.uint8)), n_layers=2, n_topics=3, top=1, cluster=cluster
        )
    assert seen[0] == seen[1]


# What is abstract.


@pytest.mark.parametrize("seed", range(5))
def test_planted_topics_are_the_first_layer(seed):
    tags = planted(np.random.default_rng(seed))
    found = cf.TagHierarchy(n_topics=N_TOPICS, random_state=seed).fit(tags)
    exclusive = [{f"topic{e}-{k}" for k in range(3)} for e in range(N_TOPICS)]
    assert names(found) == [set.union(*exclusive), {f"generic{k}" for k in range(6)}]
    topic_names = [{found.vocabulary_[j] for j in topic} for topic in found.topics_[0]]
    assert sorted(topic_names, key=min) == exclusive
    assert sum(found.topic_sizes_[0]) == sum(map(bool, tags))


def test_planted_topics_are_found_whatever_the_order_of_the_tags(rng):
    tags = planted(rng)
    order = rng.permutation(18)
    found = cf.TagHierarchy(n_topics=N_TOPICS, random_state=0).fit(tags)
    frame = pd.DataFrame({name: [name in item for item in tags] for name in found.vocabulary_})
    turned = cf.TagHierarchy(n_topics=N_TOPICS, random_state=0).fit(frame.iloc[:, order])
    assert turned.vocabulary_ != found.vocabulary_
    assert names(turned) == names(found)


def test_lower_layers_take_more_tags_from_every_topic(rng):
    Y = rng.random((300, 60)) < 0.1
    found = cf.TagHierarchy(4, n_topics=2, top=2, random_state=0).fit(Y)
    for number, group in enumerate(found.topics_, start=1):
        assert all(len(topic) == 2 * number for topic in group)
        assert len(found.layers_[number - 1]) <= 2 * 2 * number
    assert len(found.topics_) == 3


def test_more_layers_keep_the_layers_above(rng):
    Y = rng.random((80, 40)) < 0.1
    five = cf.TagHierarchy(5, n_topics=3, top=1, random_state=0).fit(Y)
    assert len(five.layers_) == 5
    for k in (2, 3, 4):
        fewer = cf.TagHierarchy(k, n_topics=3, top=1, random_state=0).fit(Y)
        assert columns(fewer)[:-1] == columns(five)[: k - 1]


def test_equal_scores_go_by_items_then_by_column():
    # One topic. Tags 0 and 1 are always together; tag 2 has the same score by more items.
    both = [[1, 1, 0]] * 2
    found = cf.TagHierarchy(n_topics=1, top=1).fit([*both, [0, 0, 1], [0, 0, 1]])
    assert columns(found) == [[2], [0, 1]]  # 2 items of weight 1 beat 2 of weight 0.71
    found = cf.TagHierarchy(n_topics=1, top=1).fit([*both, [0, 0, 1]])
    assert found.scores_[0] == pytest.approx(2 * np.sqrt(0.5))
    assert columns(found) == [[0], [1, 2]]  # tag 1 scores as tag 0 does
    tied = estimate_layers(
        sparse.csr_array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), n_layers=2, n_topics=1, top=2,
        cluster=lambda *_: np.zeros(3, int),
    )  # fmt: skip
    assert tied[0][0].tolist() == [0, 1]


def test_of_equal_scores_the_tag_of_more_items_is_picked(monkeypatch):
    """Scores equal to the bit by chance are rare, so the weights are set here."""

    def equal(matrix, weights):
        tfidf = matrix.astype(float)
        tfidf.data[:] = 1 / np.asarray(matrix.sum(axis=0)).ravel()[tfidf.indices]
        return topics.TopicRows(tfidf, np.arange(matrix.shape[1]), weights)

    monkeypatch.setattr(topics, "_weigh", equal)
    matrix = sparse.csr_array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0], [1, 1, 1]])
    layers, _ = estimate_layers(
        matrix, n_layers=2, n_topics=1, top=1, cluster=lambda *_: np.zeros(5, int)
    )
    assert [layer.tolist() for layer in layers] == [[2], [0, 1]]


# Odd collections.


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([{"a"}], [{"a"}]),
        ([{"a", "b"}], [{"a", "b"}]),
        ([{"a"}, set(), {"a"}], [{"a"}]),
        ([{"a", "b"}] * 9, [{"a", "b"}]),
        ([{"a"}, {"b"}], [{"a", "b"}]),
        ([{"a", "all"}, {"b", "all"}, {"all"}], [{"a", "b"}, {"all"}]),
        ([set(), {"a", "b"}, {"a"}], [{"b"}, {"a"}]),
    ],
    ids=["one", "one item", "untagged", "same", "two", "universal", "universal among tagged"],
)
@pytest.mark.parametrize("n_layers", [2, 3, 10**9])
def test_too_few_tags_give_fewer_layers(tags, expected, n_layers):
    found = cf.TagHierarchy(n_layers, random_state=0).fit(tags)
    assert names(found) == expected
    assert found.to_text()
    assert found.to_frame()["layer"].max() == len(expected)


def test_a_tag_on_all_items_that_are_left_is_not_picked():
    tags = [{"a", "w"}, {"b", "w"}, {"c"}]  # without a, b and c, w is on all that is left
    found = cf.TagHierarchy(9, n_topics=3, top=1, random_state=0).fit(tags)
    assert names(found) == [{"a", "b", "c"}, {"w"}]
    assert found.scores_[found.vocabulary_.index("w")] == 0


def test_a_tag_on_no_item_is_in_the_last_layer():
    Y = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 1]]
    assert columns(cf.TagHierarchy(5, random_state=0).fit(Y)) == [[0, 1, 3], [2]]
    found = cf.TagHierarchy(2, n_topics=1, top=1, random_state=0).fit(Y)
    assert 2 in columns(found)[-1]
    assert found.counts_.tolist() == [2, 1, 0, 2]


def test_one_layer_is_all_tags(rng):
    found = cf.TagHierarchy(1).fit(rng.random((20, 7)) < 0.3)
    assert columns(found) == [list(range(7))]
    assert found.topics_ == ()
    assert (found.scores_ == 0).all()


def test_few_distinct_rows_make_few_topics_and_no_warning():
    tags = [{"a", "x"}] * 40 + [{"b", "x"}] * 30 + [{"c"}] * 20
    found = cf.TagHierarchy(3, n_topics=50, top=1, random_state=0).fit(tags)
    assert found.topic_sizes_[0] == (40, 30, 20)
    assert names(found) == [{"a", "b", "c"}, {"x"}]


@pytest.mark.parametrize(("weights", "alone"), [([1, 1, 1], 2), ([100, 100, 1], 0)])
def test_repeated_items_weigh_like_items(weights, alone):
    """Points 0, 1 and 3: a heavy pair is not joined, though it is the nearest."""
    points = sparse.csr_array([[0.0], [1.0], [3.0]])
    rows = topics.TopicRows(points, np.arange(1), np.array(weights))
    labels = k_means_topics(rows, 2, n_init=10, seed=0)
    assert [i for i in range(3) if (labels == labels[i]).sum() == 1] == [alone]
    repeated = topics.TopicRows(
        points[np.repeat([0, 1, 2], weights)], rows.columns, np.ones(sum(weights))
    )
    same = k_means_topics(repeated, 2, n_init=10, seed=0) if sum(weights) > 3 else labels
    assert sorted(np.bincount(same)) == sorted(np.bincount(labels, weights=weights).astype(int))


@pytest.mark.parametrize("tags", [[set(), set()], np.zeros((3, 4)), np.zeros((0, 2)), []])
def test_no_tags_at_all(tags):
    with pytest.raises(ValueError, match=r"None of the \d items has a tag.*from_parents"):
        cf.TagHierarchy().fit(tags)


def test_no_more_topics_than_thirty_by_default(rng):
    found = cf.TagHierarchy(random_state=0, n_init=1).fit(rng.random((200, 50)) < 0.1)
    assert len(found.topics_[0]) == 30
