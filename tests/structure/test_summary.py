import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import structure as oracle

from conceptforest.structure.graph import neighbour_graph
from conceptforest.structure.summary import (
    central_items,
    characteristic_tags,
    cluster_names,
    cohesion,
)
from conceptforest.tags import parse_tags

WORDS = ["ant", "bee", "cat", "dog", "eel"]
COLLECTIONS = st.lists(
    st.tuples(st.frozensets(st.sampled_from(WORDS), max_size=3), st.integers(0, 2)),
    min_size=1,
    max_size=15,
)


def names_of(tag_sets, labels):
    tags = parse_tags(tag_sets, vocabulary=sorted(set().union(*tag_sets)) or ["none"])
    labels = np.array(labels)
    n_clusters = int(labels.max()) + 1
    found = characteristic_tags(tags, labels, n_clusters)
    return cluster_names(tags, labels, found)


@given(COLLECTIONS)
def test_characteristic_tags_are_those_of_the_definition(items):
    tag_sets, labels = zip(*items, strict=True)
    tags = parse_tags(list(tag_sets), vocabulary=WORDS)
    for cluster, own in enumerate(characteristic_tags(tags, np.array(labels), 3, top=5)):
        expected = oracle.characteristic_tags(tag_sets, WORDS, labels, cluster)
        assert own.names == [WORDS[j] for j in own.columns]
        # Scores that are equal in theory may differ in their last bits.
        assert sorted(own.names) == sorted(tag for tag, _, _ in expected)
        scores = own.share * np.log(own.lift)
        assert (np.diff(scores) <= 1e-12).all()
        lifts = {tag: (lift, share) for tag, lift, share in expected}
        for tag, lift, share in zip(own.names, own.lift, own.share, strict=True):
            assert (lift, share) == pytest.approx(lifts[tag])


@given(COLLECTIONS)
def test_names_differ_and_none_is_empty(items):
    tag_sets, labels = zip(*items, strict=True)
    names = names_of(list(tag_sets), labels)
    assert len(set(names)) == len(names)
    assert all(names)


def test_a_tag_that_everything_carries_is_not_characteristic():
    names = names_of([{"photo", "cat"}] * 3 + [{"photo", "dog"}] * 3, [0, 0, 0, 1, 1, 1])
    assert names == ["cat", "dog"]


def test_lift_goes_before_raw_count():
    tag_sets = [{"people", "ski"}, {"people", "ski"}, {"people"}] + [{"people"}] * 7 + [set()]
    assert names_of(tag_sets, [0] * 3 + [1] * 8)[0] == "ski"


def test_a_name_takes_a_second_tag_when_the_first_speaks_of_few():
    tag_sets = [{"boat"}] * 3 + [{"gull"}] * 3 + [{"cow"}] * 6
    assert names_of(tag_sets, [0] * 6 + [1] * 6) == ["boat, gull", "cow"]


def test_clusters_without_tags_are_called_so():
    assert names_of([{"a"}, {"a"}, set(), set(), set()], [0, 0, 1, 1, 2]) == [
        "mixed",
        "untagged",
        "untagged 2",
    ]


def test_few_tags_do_not_name_a_cluster():
    tag_sets = [{"a"}, {"a"}] + [set()] * 9 + [{"b"}] * 5
    assert names_of(tag_sets, [0] * 11 + [1] * 5) == ["mostly untagged", "b"]


def test_a_cluster_whose_tags_say_little_is_called_mixed():
    tag_sets = [{"a"}] * 2 + [{f"only-{i}"} for i in range(10)] + [{"b"}] * 5
    assert names_of(tag_sets, [0] * 12 + [1] * 5) == ["mixed: a", "b"]


def test_two_typical_tags_make_a_name():
    tag_sets = [{"black", "bear"}] * 4 + [{"polar", "bear"}] * 4 + [{"cow"}] * 9
    names = names_of(tag_sets, [0] * 4 + [1] * 4 + [2] * 9)
    assert names == ["black, bear", "polar, bear", "cow"]


def test_clusters_of_the_same_tag_are_told_apart():
    tag_sets = [{"sky", "sun"}] * 4 + [{"sky", "moon"}] * 4 + [{"cow"}] * 9
    names = names_of(tag_sets, [0] * 4 + [1] * 4 + [2] * 9)
    assert names[0] != names[1]
    assert all(set(name.split(", ")) <= {"sky", "sun", "moon"} for name in names[:2])


@given(st.integers(0, 99))
def test_cohesion_and_central_items(seed):
    rng = np.random.default_rng(seed)
    n = 12
    affinity = np.round(rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3), 2)
    graph = neighbour_graph(sparse.csr_array(affinity))
    labels = rng.integers(3, size=n)
    dense = graph.toarray()
    expected = [oracle.cohesion(dense, labels, c) for c in range(3)]
    np.testing.assert_allclose(cohesion(graph, labels, 3), expected)
    for cluster, items in enumerate(central_items(graph, labels, 3, top=n)):
        members = np.flatnonzero(labels == cluster)
        assert sorted(items) == members.tolist()
        own = dense[items][:, members].sum(axis=1)
        assert (np.diff(own) <= 1e-9).all()
