"""Settings are chosen by hidden observed tags, with the same budget for all."""

import numpy as np
import pytest

from conceptforest.baselines import tuning
from conceptforest.baselines.tuning import MAX_CANDIDATES, choose_settings
from conceptforest.tags import parse_tags


@pytest.fixture
def tags(rng):
    group = np.arange(50) % 2
    likely = np.kron(np.eye(2), np.ones(5))[group]
    return parse_tags((rng.random((50, 10)) < 0.8 * likely).astype(int))


def by_company(settings, _X, seen, _seed):
    together = (seen.matrix.T.astype(float) @ seen.matrix).toarray()
    return seen.matrix @ (together if settings["good"] else 1 / (1 + together))


def test_the_best_candidate_is_chosen(tags):
    found, scores = choose_settings(
        [{"good": False}, {"good": True}], by_company, np.zeros((50, 1)), tags
    )
    assert found == {"good": True}
    assert scores[1] > scores[0]


def test_of_equal_ones_the_first(tags):
    candidates = [{"good": True, "n": n} for n in range(3)]
    assert choose_settings(candidates, by_company, np.zeros((50, 1)), tags)[0]["n"] == 0


def test_candidates_never_see_what_is_hidden(tags):
    seen_by = []

    def watch(settings, X, seen, seed):
        seen_by.append(seen.matrix)
        return by_company(settings, X, seen, seed)

    choose_settings([{"good": True}, {"good": False}], watch, np.zeros((50, 1)), tags)
    assert all(0 < seen.nnz < tags.matrix.nnz for seen in seen_by)
    assert (seen_by[0] != seen_by[1]).nnz == 0
    assert (seen_by[0] > tags.matrix).nnz == 0


def test_without_anything_to_hide_the_default_is_taken():
    tags = parse_tags([{"a"}, {"b"}, set()])
    candidates = [{"good": False}, {"good": True}]
    assert choose_settings(candidates, by_company, np.zeros((3, 1)), tags) == (candidates[0], [])


def test_large_collections_are_drawn_from(tags, monkeypatch):
    monkeypatch.setattr(tuning, "_MAX_ITEMS", 20)
    sizes = []

    def watch(settings, X, seen, seed):
        sizes.append((len(X), seen.n_items))
        return by_company(settings, X, seen, seed)

    choose_settings([{"good": True}, {"good": False}], watch, np.zeros((50, 1)), tags)
    assert sizes == [(20, 20)] * 2


def test_nobody_gets_more_candidates(tags):
    with pytest.raises(ValueError, match="7 candidates are more than the 6"):
        choose_settings(
            [{"good": True}] * (MAX_CANDIDATES + 1), by_company, np.zeros((50, 1)), tags
        )
