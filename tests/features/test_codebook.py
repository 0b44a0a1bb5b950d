"""Codebooks and the words of descriptors."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.features import codebook
from conceptforest.features.codebook import (
    Reservoir,
    assign,
    histogram,
    learn_codebook,
    load_codebook,
    save_codebook,
)


def nearest_word(point, words):
    distances = [
        sum(
            (Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(point, word, strict=True)
        )
        for word in words
    ]
    return distances.index(min(distances))


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(0, 12),
    n_words=st.integers(1, 8),
    d=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    block=st.integers(1, 13),
)
def test_each_descriptor_gets_its_nearest_word_and_the_first_of_equal_ones(
    n, n_words, d, seed, block
):
    rng = np.random.default_rng(seed)
    points, words = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, (n_words, d))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codebook, "_BLOCK", block)
        found = assign(points, words)
    assert found.tolist() == [nearest_word(point, words) for point in points]


def test_the_word_of_a_descriptor_does_not_depend_on_the_others(rng):
    points = rng.random((3000, 30), dtype=np.float32)
    words = points[:40] + 0.01
    together = assign(points, words)
    apart = np.concatenate([assign(part, words) for part in np.array_split(points, 7)])
    np.testing.assert_array_equal(together, apart)


def test_k_means_finds_groups(rng):
    centres = 10 * np.eye(8, 20)
    points = np.repeat(centres, 100, axis=0) + rng.normal(0, 0.1, (800, 20))
    words = learn_codebook(points, 8)
    assert words.dtype == np.float32
    nearest = assign(centres, words)
    assert sorted(nearest.tolist()) == list(range(8))
    np.testing.assert_allclose(words[nearest], centres, atol=0.1)


def test_the_same_seed_gives_the_same_words(rng):
    points = rng.random((5000, 10), dtype=np.float32)
    first, again, other = (learn_codebook(points, 30, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_few_descriptors_are_words_themselves():
    words = learn_codebook([[3.0, 1.0], [1.0, 2.0], [3.0, 1.0]], 5)
    assert words.tolist() == [[1.0, 2.0], [3.0, 1.0]]


def test_words_cannot_be_learnt_from_nothing():
    with pytest.raises(ValueError, match="no descriptors"):
        learn_codebook(np.empty((0, 300)))


def test_counts_add_up_to_one_or_nothing():
    assert histogram([1, 1, 3, 0], 4).tolist() == [0.25, 0.5, 0.0, 0.25]
    assert histogram([], 3).tolist() == [0.0, 0.0, 0.0]


def test_descriptors_of_another_length_are_refused():
    with pytest.raises(
        ValueError, match=r"shape \(2, 3\) do not go with a codebook of shape \(4, 5\)"
    ):
        assign(np.zeros((2, 3)), np.zeros((4, 5)))


def test_values_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="must be finite"):
        learn_codebook([[np.nan]])


def test_a_saved_codebook_comes_back(tmp_path, rng):
    words = rng.random((7, 5), dtype=np.float32)
    save_codebook(tmp_path / "words.npy", words)
    found = load_codebook(tmp_path / "words.npy")
    np.testing.assert_array_equal(found, words)
    assert found.flags.writeable
    assert not isinstance(found, np.memmap)


def test_what_is_no_codebook_is_refused(tmp_path):
    path = tmp_path / "words.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="is no codebook"):
        load_codebook(path)
    np.save(path, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="it holds float64, not float32"):
        load_codebook(path)
    np.save(path, np.full((2, 3), np.nan, np.float32))
    with pytest.raises(ValueError, match="must be finite"):
        load_codebook(path)
    path.write_bytes(b"words")
    with pytest.raises(ValueError, match="is no codebook"):
        load_codebook(path)
    with pytest.raises(FileNotFoundError):
        load_codebook(tmp_path / "gone.npy")


def test_a_codebook_that_claims_more_than_it_holds_is_refused(tmp_path):
    path = tmp_path / "words.npy"
    with path.open("wb") as file:
        head = {"descr": "<f4", "fortran_order": False, "shape": (2**40, 300)}
        np.lib.format.write_array_header_1_0(file, head)
    with pytest.raises(ValueError, match="is no codebook"):
        load_codebook(path)


@settings(deadline=None, max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 30), max_size=8),
    size=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_a_reservoir_keeps_rows_that_came_each_once_and_in_order(sizes, size, seed):
    reservoir = Reservoir(size, 1, seed)
    ends = np.cumsum([0, *sizes])
    for begin, end in itertools.pairwise(ends):
        reservoir.add(np.arange(begin, end, dtype=np.float32)[:, None])
    kept = reservoir.rows().ravel()
    assert len(kept) == min(size, ends[-1])
    assert (np.diff(kept) > 0).all()
    assert set(kept.tolist()) <= set(range(ends[-1]))


def test_a_reservoir_does_not_depend_on_how_rows_are_cut_into_pieces(rng):
    rows = rng.random((9000, 2), dtype=np.float32)
    samples = []
    for n_pieces in (1, 7, 100):
        reservoir = Reservoir(20, 2, seed=3)
        for piece in np.array_split(rows, n_pieces):
            reservoir.add(piece)
        samples.append(reservoir.rows())
    np.testing.assert_array_equal(samples[0], samples[1])
    np.testing.assert_array_equal(samples[0], samples[2])


def test_a_reservoir_is_fair(monkeypatch):
    monkeypatch.setattr(codebook, "_BLOCK", 0)
    counts = np.zeros(40)
    for seed in range(400):
        reservoir = Reservoir(10, 1, seed)
        for begin in range(0, 40, 5):
            reservoir.add(np.arange(begin, begin + 5, dtype=np.float32)[:, None])
        counts[reservoir.rows().astype(int).ravel()] += 1
    assert counts.sum() == 4000
    # 100 are expected; the standard deviation is below 9.
    assert counts.min() > 60
    assert counts.max() < 140
