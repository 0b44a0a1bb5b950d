"""The table of suggestions: what is in it, in which order, and why."""

import numpy as np
import pytest
from tests.completion.small import METHODS, groups, small_forest

from conceptforest.completion import TagCompletion, suggestions


@pytest.fixture(scope="module", params=METHODS)
def fitted(request):
    X, tags, _ = groups()
    found = TagCompletion(
        request.param, forest=small_forest(), n_clusters=4, n_neighbors=8, random_state=0
    )
    return found.fit(X, tags), tags


def expected_rows(scores, tags, n, min_score=0.0):
    """Sort one item's tags at a time."""
    frequency = tags.sum(axis=0)
    rows = []
    for i, row in enumerate(scores.toarray()):
        good = [
            j for j in range(len(row)) if tags[i, j] == 0 and row[j] > 0 and row[j] >= min_score
        ]
        good.sort(key=lambda j: (-row[j], -frequency[j], j))
        rows += [(i, str(j), row[j]) for j in good[:n]]
    return rows


@pytest.mark.parametrize(("n", "min_score"), [(5, 0.0), (1, 0.0), (2, 0.05), (3, 2.0)])
def test_rows_are_the_highest_scores_in_order(fitted, n, min_score):
    found, tags = fitted
    table = found.suggest(n, min_score)
    assert list(table.columns) == ["item", "tag", "score", "why"]
    rows = list(zip(table["item"], table["tag"], table["score"], strict=True))
    assert rows == expected_rows(found.scores_, tags, n, min_score)


def test_some_items_give_their_part_of_the_table(fitted):
    found, _ = fitted
    table = found.suggest(3)
    part = found.suggest(3, items=[40, 7, 7])
    wanted = table[table["item"].isin([7, 40])].reset_index(drop=True)
    assert part.equals(wanted)
    assert len(found.suggest(items=[])) == 0
    assert list(found.suggest(items=[]).columns) == ["item", "tag", "score", "why"]


def test_why_names_the_nearest_carriers(fitted):
    found, tags = fitted
    affinity = found.forest_.affinity(dense=True)
    names = {name: j for j, name in enumerate(found.vocabulary_)}
    table = found.suggest(4, items=range(0, 120, 7))
    for i, tag, why in zip(table["item"], table["tag"], table["why"], strict=True):
        pool = [k for k in range(120) if tags[k, names[tag]] and k != i]
        if found.method == "affinity":
            near = found.neighbors_[[i]].indices
            pool = [k for k in pool if k in near]
        elif found.method == "cluster":
            labels = found.clustering_.labels_
            pool = [k for k in pool if labels[k] == labels[i]]
        else:
            pool = [k for k in pool if affinity[i, k] > 0]
        pool.sort(key=lambda k: (-affinity[i, k], k))
        assert [k for k, _ in why] == pool[:5]
        assert [value for _, value in why] == [affinity[i, k] for k in pool[:5]]
        assert why or found.method == "joint"  # where the item's other tags speak for it


def test_small_blocks_name_the_same(fitted, monkeypatch):
    found, _ = fitted
    whole = found.suggest(2)
    monkeypatch.setattr(suggestions, "_COUNTS", 300)
    assert found.suggest(2).equals(whole)


def test_why_can_be_read(fitted):
    table = fitted[0].suggest(1)
    assert all(isinstance(k, int) and isinstance(v, float) for k, v in table["why"][0])
    item, affinity = table["why"][0][0]
    assert str(table["why"][0]).startswith(f"[({item}, {affinity:.2f})")


def test_choosing_the_most_keeps_the_order_of_equals():
    rng = np.random.default_rng(0)
    for n in (0, 1, 4, 19, 20, 21, 300):
        counts, items = rng.integers(0, 4, size=n).astype(np.int32), np.arange(n) * 2
        expected = sorted(range(n), key=lambda k: (-counts[k], k))[:5]
        assert suggestions._most(counts, items).tolist() == [2 * k for k in expected]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 0}, ValueError, "n must be at least 1; got 0"),
        ({"n": 2.0}, TypeError, "n must be a whole number"),
        ({"n": 101}, ValueError, r"n=101, but only the n_scores=100 highest.*larger n_scores"),
        ({"min_score": "high"}, TypeError, "min_score must be a number; got 'high'"),
        ({"min_score": float("nan")}, TypeError, "min_score must be a number"),
        ({"items": [3, 120]}, ValueError, "items holds 120; items are numbered from 0 to 119"),
        ({"items": [-1]}, ValueError, "items holds -1"),
        ({"items": 3}, TypeError, "items must be a list of item numbers"),
        ({"items": [0.5]}, TypeError, "items must be a list of item numbers"),
        ({"items": ["a"]}, TypeError, "items must be a list of item numbers"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(fitted, arguments, error, message):
    with pytest.raises(error, match=message):
        fitted[0].suggest(**arguments)
