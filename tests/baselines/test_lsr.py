"""LSR and its Lasso problems: as the library and the definition say, and what it must find."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Lasso
from tests.ctrl_c import PATIENCE, CtrlC
from tests.oracle import lsr as oracle

from conceptforest.baselines import image_dictionary, lsr
from conceptforest.baselines.image_dictionary import ImageDictionary, unit_rows
from conceptforest.baselines.lsr import LSR
from conceptforest.baselines.sparse_codes import sparse_codes

SETTINGS = ("tag_weight", "image_share", "penalty", "tag_penalty")


def solve(gram, linear, penalty, **kwargs):
    """One problem alone."""
    found = sparse_codes(
        np.asarray(linear)[None],
        np.diag(gram),
        lambda _, atoms: gram[atoms],
        np.array([[penalty]]),
        **{"tolerance": 1e-9, "max_iter": 10_000, **kwargs},
    )
    return found[0]


@pytest.mark.parametrize("positive", [False, True])
def test_lasso_is_the_library_s(positive, rng):
    atoms = rng.normal(size=(40, 15)) + 0.5  # by column
    target = atoms[:, :4] @ [1.0, -2.0, 0.5, 1.5] + rng.normal(size=40)
    found = solve(atoms.T @ atoms, atoms.T @ target, 6.0, positive=positive)
    library = Lasso(6.0 / 40, fit_intercept=False, positive=positive, tol=1e-12, max_iter=10**6)
    np.testing.assert_allclose(found, library.fit(atoms, target).coef_, atol=1e-6)
    assert 0 < np.count_nonzero(found) < 15


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_atoms=st.integers(1, 8),
    d=st.integers(1, 6),
    share=st.floats(0.01, 1.2),
    positive=st.booleans(),
    doubles=st.booleans(),
)
def test_lasso_is_as_low_as_the_oracle_s(seed, n_atoms, d, share, positive, doubles):
    rng = np.random.default_rng(seed)
    atoms = rng.integers(-2, 3, size=(n_atoms, d)).astype(float)
    if doubles:
        atoms[rng.integers(n_atoms)] = atoms[0]
    target = rng.normal(size=d)
    gram, linear = atoms @ atoms.T, atoms @ target
    penalty = share * np.abs(linear).max()
    found = solve(gram, linear, penalty, positive=positive, max_iter=100_000)
    expected = oracle.lasso(gram.tolist(), linear.tolist(), penalty, positive=positive)
    low = oracle.objective(gram.tolist(), linear.tolist(), penalty, expected)
    value = oracle.objective(gram.tolist(), linear.tolist(), penalty, found.tolist())
    assert value == pytest.approx(low, rel=1e-6, abs=1e-9)
    assert not positive or (found >= 0).all()
    assert share < 1 or not found.any()


def test_problems_do_not_depend_on_their_company(rng):
    atoms = rng.normal(size=(30, 12, 7))
    grams = atoms @ atoms.transpose(0, 2, 1)
    linear = np.einsum("ijk,ik->ij", atoms, rng.normal(size=(30, 7)))
    limits = rng.uniform(0.01, 0.5, size=(30, 1)) * np.abs(linear).max(axis=1, keepdims=True)
    diagonal = np.diagonal(grams, axis1=1, axis2=2)
    together = sparse_codes(linear, diagonal, lambda which, j: grams[which, j], limits)
    for i in range(30):
        alone = sparse_codes(linear[[i]], diagonal[i], lambda _, j, i=i: grams[i][j], limits[[i]])
        np.testing.assert_array_equal(alone[0], together[i])


def test_atoms_that_are_ruled_out_or_empty_stay_out():
    gram = np.diag([1.0, 1.0, 0.0])
    limits = np.array([[np.inf, 0.1, 0.1]])
    found = sparse_codes(np.ones((1, 3)), np.diag(gram), lambda _, j: gram[j], limits)
    np.testing.assert_allclose(found, [[0, 0.9, 0]])


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 7),
    m=st.integers(1, 5),
    tag_weight=st.sampled_from([0.0, 0.3, 1.0]),
    positive=st.booleans(),
)
def test_scores_are_those_of_the_oracle(seed, n, m, tag_weight, positive):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    tags = (rng.random((n, m)) < 0.5).astype(int)
    tags[rng.integers(n, size=m), np.arange(m)] = 1
    values = (tag_weight, 0.6, 0.2, 0.15)
    with pytest.MonkeyPatch.context() as patch:
        exact = sparse_codes.__kwdefaults__ | {"tolerance": 1e-6, "max_iter": 100_000}
        patch.setattr(sparse_codes, "__kwdefaults__", exact)
        method = LSR(
            **dict(zip(SETTINGS, values, strict=True)),
            n_atoms=None,
            positive=positive,
            tune=False,
            n_scores=None,
        ).fit(X, tags)
    expected = np.array(oracle.scores(X, tags.tolist(), *values, positive=positive))
    found = method._score_fitted(slice(0, n))
    np.testing.assert_allclose(found, expected, atol=2e-3)  # products are single precision


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), positive=st.booleans())
def test_a_double_gets_its_removed_tag_back(seed, positive):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 8))
    tags = (rng.random((30, 12)) < 0.25).astype(int)
    tags[0, :3] = 1
    X[1], tags[1] = X[0], tags[0]
    tags[1, 2] = 0
    scores = LSR(image_share=1.0, positive=positive, tune=False).fit(X, tags).scores_.toarray()
    assert scores[1].argmax() == 2


def test_a_double_gets_its_removed_tag_back_by_default(rng):
    """Of fifty pairs of doubles each; other tags say little about the one that is removed."""
    X = np.repeat(rng.normal(size=(50, 16)), 2, axis=0)
    tags = np.repeat(np.argsort(rng.random((50, 30)), axis=1) < 5, 2, axis=0).astype(int)
    removed = np.array([rng.choice(np.flatnonzero(row)) for row in tags[1::2]])
    tags[1 + 2 * np.arange(50), removed] = 0
    scores = LSR(random_state=0).fit(X, tags).scores_.toarray()
    np.testing.assert_array_equal(scores[1::2].argmax(axis=1), removed)


def test_tags_that_go_together_are_found_without_looks(rng):
    """The fifth tag goes with the first, the sixth with the second, and so on."""
    left = (rng.random((200, 4)) < 0.3).astype(int)
    tags = np.hstack([left, left])
    lost = rng.choice(np.flatnonzero(left[:, 0]), 8, replace=False)
    tags[lost, 4] = 0
    X = rng.normal(size=(200, 30))
    method = LSR(image_share=0.0, tune=False).fit(X, tags)
    np.testing.assert_array_equal(method.scores_.toarray()[lost].argmax(axis=1), 4)
    assert method.tag_codes_[[0], [4]] > 0.5
    assert not method.tag_codes_.diagonal().any()
    new = method.predict(X[:1], [[0, 0, 1, 0, 0, 0, 0, 0]])
    assert new.toarray().argmax() == 6


@pytest.fixture
def collection(rng):
    group = np.arange(300) % 6
    X = np.eye(6)[group] + rng.normal(scale=0.2, size=(300, 6))
    tags = (rng.random((300, 12)) < np.repeat(np.eye(6), 2, axis=1)[group] * 0.7).astype(int)
    tags[::9] = 0
    return X, tags


def test_held_products_and_computed_ones_agree(collection, monkeypatch):
    method = LSR(n_atoms=20, tune=False)
    held = method.fit(*collection).scores_.toarray()
    monkeypatch.setattr(image_dictionary, "MOST_AT_ONCE", 10)
    monkeypatch.setattr(image_dictionary, "_TOGETHER", 3 * 20**2)
    np.testing.assert_allclose(method.fit(*collection).scores_.toarray(), held, atol=1e-3)


@pytest.mark.parametrize("n_atoms", [None, 30])
def test_a_new_item_is_reconstructed_as_one_of_the_collection(n_atoms, collection):
    X, tags = collection
    method = LSR(image_share=1.0, n_atoms=n_atoms, tune=False, n_scores=None)
    among = method.fit(X, tags).scores_.toarray()[:1]
    found = method.fit(X[1:], tags[1:]).predict(X[:1], tags[:1]).toarray()
    lacked = tags[:1] == 0
    assert among[lacked].any()
    # Both end within a hundredth of the penalty of the minimum, at different points.
    np.testing.assert_allclose(found[lacked], among[lacked], rtol=2e-2, atol=1e-3)


def test_atoms_are_the_nearest_others(collection):
    X, tags = collection
    matrix = sparse.csr_array(tags)
    method = LSR(tag_weight=0.5, n_atoms=10, tune=False).fit(X, tags)
    words = np.sqrt(0.5) * unit_rows(matrix).toarray()
    rows = np.hstack([unit_rows(X), words])
    far = ((rows[:, None] - rows) ** 2).sum(axis=2)
    far -= np.where(words.any(axis=1)[:, None], 0, (words**2).sum(axis=1))  # by looks alone
    np.fill_diagonal(far, np.inf)
    limit = np.partition(far, 9, axis=1)[:, 9] + 1e-5
    items, atoms = method.item_codes_.nonzero()
    assert len(items)
    assert (far[items, atoms] <= limit[items]).all()


def test_items_without_tags_are_completed_by_looks(collection):
    X, tags = collection
    scores = LSR(tune=False).fit(X, tags).scores_.toarray()
    right = scores[::9].argmax(axis=1) // 2 == np.arange(300)[::9] % 6
    assert right.mean() > 0.9


def test_a_copy_of_an_item_is_written_as_that_item(collection):
    X, tags = collection[0], sparse.csr_array(collection[1])
    looks, words = unit_rows(X), unit_rows(tags)
    sizes = {"tag_weight": 1.0, "n_atoms": 300, "penalty": 0.01, "positive": True}
    codes = ImageDictionary(looks, words, **sizes).codes_of(looks[:7], words[:7]).toarray()
    assert (codes.argmax(axis=1) == np.arange(7)).all()


def test_more_threads_do_not_change_bits(collection, monkeypatch):
    monkeypatch.setattr(image_dictionary, "_ROWS", 16)
    one, three = (LSR(tune=False, n_jobs=k).fit(*collection) for k in (1, 3))
    np.testing.assert_array_equal(one.scores_.toarray(), three.scores_.toarray())


def test_all_items_of_a_large_collection_are_refused(monkeypatch):
    monkeypatch.setattr(lsr, "MOST_AT_ONCE", 9)
    X = np.eye(10)
    assert LSR(n_atoms=None, tune=False).fit(X[:9], X[:9]).scores_.shape == (9, 10)
    with pytest.raises(ValueError, match=r"For 10 items .* about 0 minutes .* GB .* up to 9 items"):
        LSR(n_atoms=None).fit(X, X)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("tag_weight", -1.0),
        ("image_share", 1.5),
        ("penalty", 0),
        ("tag_penalty", np.inf),
        ("n_atoms", 0),
    ],
)
def test_wrong_settings_are_explained(name, wrong):
    with pytest.raises(ValueError, match=f"{name} must be .*got {wrong}"):
        LSR(**{name: wrong}).fit(np.eye(3), np.eye(3))


def test_ctrl_c_stops_it(rng):
    X = rng.normal(size=(8000, 200)).astype(np.float32)
    tags = (rng.random((8000, 40)) < 0.1).astype(np.uint8)
    with CtrlC(0.7) as ctrl_c, pytest.raises(KeyboardInterrupt):
        LSR(n_atoms=1000, penalty=0.01, tune=False, n_jobs=2).fit(X, tags)
    assert time.monotonic() - ctrl_c.sent < PATIENCE
