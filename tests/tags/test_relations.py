"""Related tags are those of the oracle; rare pairs and chance do not lead the list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import relations as oracle

from conceptforest.datasets import make_tagged
from conceptforest.tags import parse_tags, relations
from conceptforest.tags.relations import related_tags


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_equals_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, m = data.draw(st.integers(1, 80)), data.draw(st.integers(1, 7))
    base = rng.uniform(size=(n, 2)) < 0.5
    rows = base[:, rng.integers(0, 2, m)] ^ (rng.uniform(size=(n, m)) < rng.uniform(0, 0.5, size=m))
    top, min_count = data.draw(st.integers(0, 12)), data.draw(st.integers(1, 6))
    block = data.draw(st.sampled_from([1, 50, 2**22]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relations, "_PAIRS", block)
        found = related_tags(parse_tags(rows), top=top, min_count=min_count)
    expected = oracle.related(rows.astype(int).tolist(), top, min_count)
    assert [(r.kind, int(r.first), int(r.second), r.n_both) for r in found] == [
        (kind, i, j, both) for kind, i, j, _, both in expected
    ]
    for relation, (_, _, _, lift, _) in zip(found, expected, strict=True):
        assert relation.lift == pytest.approx(float(lift))


def test_concepts_are_found_together_and_apart():
    made = make_tagged(2000, 6, removed=0.1, random_state=0)
    found = related_tags(parse_tags(made.tags))
    together = {frozenset((r.first, r.second)) for r in found if r.kind == "together"}
    apart = {frozenset((r.first, r.second)) for r in found if r.kind == "apart"}
    assert {frozenset(("beach", "seaside")), frozenset(("city", "urban"))} <= together
    assert frozenset(("beach", "city")) in apart
    assert len(together) == len(apart) == 20


def test_independent_tags_are_not_related():
    alarms = 0
    for seed in range(20):
        rows = np.random.default_rng(seed).uniform(size=(400, 40)) < 0.2
        alarms += len(related_tags(parse_tags(rows)))
    assert alarms <= 1


def test_a_rare_perfect_pair_stands_behind_a_frequent_good_one():
    rng = np.random.default_rng(0)
    frequent = rng.uniform(size=1000) < 0.3
    partner = np.where(rng.uniform(size=1000) < 0.9, frequent, ~frequent)
    rare = np.arange(1000) < 6
    tags = parse_tags(np.column_stack([frequent, partner, rare, rare, np.ones(1000)]))
    found = related_tags(tags)
    assert [{r.first, r.second} for r in found] == [{"0", "1"}, {"2", "3"}]
    assert found[1].lift > 10 * found[0].lift > 20


def test_untagged_items_make_no_relations():
    rows = np.random.default_rng(0).uniform(size=(300, 6)) < 0.4
    alone = related_tags(parse_tags(rows))
    with_others = related_tags(parse_tags(np.vstack([rows, np.zeros((3000, 6), dtype=bool)])))
    assert alone == with_others


def test_rare_tags_are_passed_over():
    tags = parse_tags([{"a", "b"}] * 4 + [{"c"}] * 100)
    assert related_tags(tags) == []
    assert [r.n_both for r in related_tags(tags, min_count=4)] == [4]


def test_places_that_one_kind_leaves_go_to_the_other():
    names = [{f"t{k}", f"u{k}"} for k in range(6) for _ in range(60)]
    kinds = [r.kind for r in related_tags(parse_tags(names), top=20)]
    assert kinds == ["together"] * 6 + ["apart"] * 14


def test_no_items_and_no_tags():
    assert related_tags(parse_tags(np.zeros((0, 3)))) == []
    assert related_tags(parse_tags(np.zeros((3, 0)))) == []
    assert related_tags(parse_tags([None, None])) == []
    assert related_tags(parse_tags([{"a"}] * 50)) == []


def test_large_vocabularies_stay_sparse():
    rng = np.random.default_rng(0)
    rows, columns = np.arange(40_000).repeat(5), rng.integers(0, 20_000, 200_000)
    columns[rows < 300] = rng.integers(0, 2, 1500)  # two tags that come together
    matrix = sparse.coo_array((np.ones(200_000), (rows, columns)), shape=(40_000, 20_000))
    found = related_tags(parse_tags(matrix))
    assert (found[0].first, found[0].second) in {("0", "1"), ("1", "0")}


@pytest.mark.parametrize("change", [{"top": -1}, {"min_count": 0}])
def test_bad_input_is_explained(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))} must be at least"):
        related_tags(parse_tags([{"a"}]), **change)
