"""The contract of all competing methods, run over every one of them."""

import inspect
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.memory import peak_growth
from tests.oracle import baselines as oracle

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.contract import GRADES
from conceptforest.baselines.tuning import MAX_CANDIDATES
from conceptforest.completion import keep

N, D, M, P = 60, 4, 6, 3
MEMBERS = [(name, mode) for name, cls in CLUSTERING.items() for mode in cls.modes]
EVERY = [*CLUSTERING.values(), *COMPLETION.values()]
# Where a method has them; that settings can be chosen is a test of its own.
QUICK = {"n_estimators": 100, "n_init": 3, "n_epochs": 30, "tune": False}
MODES = {"vision", "tags", "scores", "scores_held_out", "concatenated", "balanced"}

clustering = pytest.mark.parametrize(("name", "mode"), MEMBERS)
completion = pytest.mark.parametrize("name", COMPLETION)
every = pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)


@pytest.fixture
def collection(rng):
    """Three groups that features and tags tell apart; every fifth item has no tags."""
    group = np.arange(N) % P
    X = (6 * np.eye(P, D)[group] + rng.normal(scale=0.3, size=(N, D))).astype(np.float32)
    likely = np.kron(np.eye(P), [1, 1])[group]
    tags = (rng.random((N, M)) < np.where(likely, 0.7, 0.02)).astype(np.uint8)
    tags[::5] = 0
    return X, sparse.csr_array(tags)


def make(cls, quick=QUICK, **params):
    """Give a method with a seed where it takes one, and few clusters where it makes some."""
    known = cls().get_params()
    wanted = {"random_state": 0, "n_clusters": P, **quick, **params}
    if "params" in known:  # of the clustering method inside
        inner = cls.clustering().get_params()
        wanted["params"] = {key: value for key, value in quick.items() if key in inner}
    return cls(**{key: value for key, value in wanted.items() if key in known or key in params})


def answer(method):
    return method.labels_ if hasattr(method, "labels_") else method.scores_.toarray()


def assert_same(one, other):
    np.testing.assert_array_equal(answer(one), answer(other))


class TestEveryMethod:
    @every
    def test_says_what_it_is(self, cls):
        named = [other.title for other in EVERY if other is not cls]
        assert cls.title
        assert cls.title not in named
        assert cls.source
        assert cls.grade in GRADES
        assert cls.__doc__
        extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
        assert cls.extra is None or cls.extra in extras["project"]["optional-dependencies"]

    @every
    def test_shows_progress_where_it_may_take_long(self, cls, collection, capsys):
        if "verbose" in cls().get_params():
            make(cls, verbose=1).fit(*collection)
            make(cls).fit(*collection)  # and nothing else
        assert not capsys.readouterr().out

    @every
    def test_doubles_of_items(self, cls, collection):
        X, tags = collection
        twice = np.repeat(np.arange(N // 2), 2)
        assert answer(make(cls).fit(X[twice], tags[twice])).shape[0] == N

    @every
    def test_one_tag_alone(self, cls, collection):
        X, tags = collection
        assert answer(make(cls).fit(X, tags[:, [0]])).shape[0] == N

    @every
    def test_all_items_tagged_alike(self, cls, collection):
        X = collection[0]
        assert answer(make(cls).fit(X, np.ones((N, 2), dtype=int))).shape[0] == N

    @every
    def test_a_feature_that_never_changes(self, cls, collection):
        X, tags = collection
        X = X.copy()
        X[:, 1] = 7
        assert answer(make(cls).fit(X, tags)).shape[0] == N

    @every
    def test_is_a_clone_of_itself(self, cls, collection):
        method = make(cls)
        copy = clone(method)
        assert copy.get_params() == method.get_params()
        assert copy.fit(*collection) is copy
        assert copy.get_params() == method.get_params()  # fit changes no parameter
        assert_same(copy, method.fit(*collection))

    @every
    def test_is_asked_for_features_and_tags_only(self, cls):
        assert list(inspect.signature(cls.fit).parameters) == ["self", "X", "tags"]

    @every
    def test_seed_decides(self, cls, collection):
        assert_same(make(cls).fit(*collection), make(cls).fit(*collection))
        if "random_state" in cls().get_params():
            states = [np.random.RandomState(7) for _ in range(2)]
            assert_same(*(make(cls, random_state=state).fit(*collection) for state in states))

    @every
    def test_threads_do_not_matter(self, cls, collection):
        if "n_jobs" in cls().get_params():
            one = make(cls, n_jobs=1).fit(*collection)
            for n_jobs in (2, -1):
                assert_same(one, make(cls, n_jobs=n_jobs).fit(*collection))

    @every
    def test_leaves_the_input_alone(self, cls, collection):
        X, tags = collection
        before = X.copy(), tags.copy()
        X.flags.writeable = False
        tags.data.flags.writeable = False
        make(cls).fit(X, tags)
        np.testing.assert_array_equal(X, before[0])
        assert (tags != before[1]).nnz == 0

    @every
    def test_takes_every_form_of_input(self, cls, collection):
        X, tags = collection
        names = [{f"t{j}" for j in np.flatnonzero(row)} for row in tags.toarray()]
        method = make(cls).fit(X, tags)
        assert_same(method, make(cls).fit(X, tags.toarray().tolist()))
        assert_same(method, make(cls).fit(X, tags.tocoo()))
        assert_same(method, make(cls).fit(X, names))
        assert make(cls).fit(X.astype(np.float16), tags).n_features_in_ == D
        assert make(cls).fit(np.rint(X).astype(int).tolist(), tags).n_features_in_ == D

    @every
    @pytest.mark.parametrize(
        ("change", "error", "message"),
        [
            ({"X": np.full((N, D), np.nan)}, ValueError, "NaN"),
            ({"X": np.ones(N)}, ValueError, "Expected 2D array"),
            ({"X": np.ones((N, 0))}, ValueError, "0 feature"),
            ({"X": np.ones((1, D)), "tags": [{"a"}]}, ValueError, "minimum of 2"),
            ({"tags": None}, ValueError, "tags is None"),
            ({"tags": np.ones((N - 1, 2))}, ValueError, f"X has {N} items but tags have {N - 1}"),
            ({"tags": np.full((N, 2), 0.5)}, ValueError, "0.5"),
            ({"tags": "sea"}, TypeError, "tags is of type str"),
        ],
    )
    def test_explains_bad_input(self, cls, collection, change, error, message):
        given = dict(zip(("X", "tags"), collection, strict=True)) | change
        with pytest.raises(error, match=message):
            make(cls).fit(**given)

    @every
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("random_state", "today"),
            ("random_state", -1),
            ("n_jobs", 0),
            ("n_jobs", 1.5),
            ("n_neighbors", 0),
            ("n_init", 0),
            ("max_iter", 0),
            ("cmb_scale", "z-score"),
            ("weights", "distance"),
            ("mode", "both"),
        ],
    )
    def test_explains_a_bad_parameter(self, cls, collection, name, value):
        if name in cls().get_params():
            with pytest.raises(ValueError, match=rf"{name}.* must be .*got {value!r}|{value}\."):
                make(cls, **{name: value}).fit(*collection)

    def test_memory_is_that_of_sparse_tags(self):
        grown = peak_growth(
            """
            import numpy as np
            from scipy import sparse
            from conceptforest.baselines import CLUSTERING, COMPLETION
            from conceptforest.completion import keep
            keep._CELLS = 2**19  # 4 MB a block
            n, m, rng = 500, 60_000, np.random.default_rng(0)
            X = rng.normal(size=(n, 2))
            rows, columns = np.repeat(np.arange(n), 3), rng.integers(0, m, size=3 * n)
            tags = sparse.csr_array((np.ones(3 * n), (rows, columns)), shape=(n, m))

            def quick(method):
                fewer = {"n_estimators": 10, "n_init": 1}
                return {k: fewer[k] for k in fewer if k in method().get_params()}
            """,
            """
            def measured(methods):
                # PyTorch alone takes more; test_dcca.py has a test of it. TCMR is about a dense
                # matrix of chances, and says so.
                kept = methods.keys() - {"TCMR"}
                return [methods[name] for name in sorted(kept) if methods[name].extra != "deep"]
            for cls in measured(CLUSTERING):
                for mode in set(cls.modes) - {"vision"}:
                    cls(2, mode=mode, random_state=0, **quick(cls)).fit(X, tags)
            for cls in measured(COMPLETION):
                method = cls(**quick(cls))
                if hasattr(method, "params"):  # a latent machine is as large as clusters x tags
                    method.set_params(n_clusters=2, params=quick(cls.clustering))
                method.fit(X, tags).predict(X[:300])
            """,
        )
        assert grown < 150e6  # a dense matrix of floats would take 240 MB


class TestClustering:
    @pytest.mark.parametrize("name", CLUSTERING)
    def test_modes_are_known(self, name):
        modes = CLUSTERING[name].modes
        assert isinstance(modes, tuple)
        assert modes
        assert set(modes) <= MODES
        assert CLUSTERING[name]().mode in modes
        assert CLUSTERING[name].__name__ == name

    @clustering
    def test_labels(self, name, mode, collection):
        method = make(CLUSTERING[name], mode=mode)
        labels = method.fit_predict(*collection)
        assert labels is method.labels_
        assert labels.shape == (N,)
        assert labels.dtype == np.int64
        sizes = np.bincount(labels)
        assert 1 < len(sizes) <= P
        assert (np.diff(sizes) <= 0).all()  # the largest cluster first, none empty

    @clustering
    def test_finds_groups_that_are_plain(self, name, mode, collection):
        X, tags = collection
        tagged = np.flatnonzero(np.diff(tags.indptr))
        method = make(CLUSTERING[name], quick=QUICK | {"n_init": 10}, mode=mode)
        labels = method.fit(X[tagged], tags[tagged]).labels_
        best = [np.bincount(labels[tagged % P == group]).max() for group in range(P)]
        assert sum(best) > 0.8 * len(tagged)

    @clustering
    def test_works_on_what_the_mode_says(self, name, mode, collection, rng):
        tags = collection[1]
        X, other_X = rng.normal(size=(2, N, D)).astype(np.float32)
        other_tags = sparse.csr_array((rng.random((N, M)) < 0.4).astype(np.uint8))
        base, other_look, other_words = (
            make(CLUSTERING[name], mode=mode).fit(*given).labels_
            for given in ((X, tags), (other_X, tags), (X, other_tags))
        )
        assert np.array_equal(base, other_look) == (mode == "tags")
        assert np.array_equal(base, other_words) == (mode == "vision")

    @clustering
    def test_untagged_items_are_clustered_too(self, name, mode, collection):
        X, tags = collection
        untagged = np.flatnonzero(np.diff(tags.indptr) == 0)
        labels = make(CLUSTERING[name], mode=mode).fit(X, tags).labels_
        assert (labels[untagged] >= 0).all()

    @pytest.mark.parametrize("name", CLUSTERING)
    def test_an_unknown_mode_is_explained(self, name, collection):
        known = CLUSTERING[name].modes[0]
        wrong = known[:-1]
        with pytest.raises(
            ValueError, match=rf"mode of {name} must be .*'{known}'.*'{wrong}'.*mean"
        ):
            make(CLUSTERING[name], mode=wrong).fit(*collection)

    @clustering
    def test_number_of_clusters(self, name, mode, collection):
        cls = CLUSTERING[name]
        assert (make(cls, mode=mode, n_clusters=1).fit(*collection).labels_ == 0).all()
        for wrong in (0, -1, N + 1):
            with pytest.raises(ValueError, match=f"n_clusters.*{wrong}"):
                make(cls, mode=mode, n_clusters=wrong).fit(*collection)
        for wrong in (2.0, "3", None, True):
            with pytest.raises(TypeError, match="n_clusters must be a whole number"):
                make(cls, mode=mode, n_clusters=wrong).fit(*collection)

    @clustering
    def test_as_many_clusters_as_distinct_items(self, name, mode, rng):
        X = np.repeat(rng.normal(size=(4, 2)), 3, axis=0)
        tags = np.repeat(np.eye(4, dtype=int), 3, axis=0)
        labels = make(CLUSTERING[name], mode=mode, n_clusters=4).fit(X, tags).labels_
        assert len(labels) == 12
        assert labels.max() < 4

    @clustering
    def test_no_tags_at_all(self, name, mode, collection):
        X, tags = collection
        method = make(CLUSTERING[name], mode=mode)
        if mode == "vision":
            assert len(method.fit(X, tags * 0).labels_) == N
        else:
            with pytest.raises(ValueError, match="No item carries a tag"):
                method.fit(X, tags * 0)


class TestCompletion:
    @completion
    def test_scores(self, name, collection):
        X, tags = collection
        scores = make(COMPLETION[name]).fit(X, tags).scores_
        assert isinstance(scores, sparse.csr_array)
        assert scores.shape == (N, M)
        assert scores.dtype == np.float64
        assert scores.has_sorted_indices
        assert np.isfinite(scores.data).all()
        assert (scores.data > 0).all()
        assert COMPLETION[name].__name__ == name

    @completion
    @pytest.mark.parametrize("n_scores", [1, 2, M, 100])
    def test_highest_scores_are_kept(self, name, n_scores, collection, monkeypatch):
        X, tags = collection
        full = make(COMPLETION[name], n_scores=None).fit(X, tags).scores_.toarray()
        monkeypatch.setattr(keep, "_CELLS", 7 * M)  # several blocks
        found = make(COMPLETION[name], n_scores=n_scores).fit(X, tags).scores_
        counts = tags.toarray().sum(axis=0).tolist()
        for row in range(N):
            known = tags[[row]].toarray()[0]
            columns = oracle.kept(full[row], known, counts, n_scores)
            assert found[[row]].indices.tolist() == columns
            np.testing.assert_array_equal(found[[row]].data, full[row, columns])

    @completion
    def test_an_observed_tag_is_scored_as_if_it_were_not(self, name, collection):
        X, tags = collection
        if not COMPLETION[name].scores_own:
            found = make(COMPLETION[name], n_scores=None).fit(X, tags).scores_
            assert found.multiply(tags).nnz == 0
            return
        full = make(COMPLETION[name], n_scores=None).fit(X, tags).scores_.toarray()
        dense = tags.toarray()
        for row, column in np.argwhere(dense)[::9]:
            dense[row, column] = 0
            without = make(COMPLETION[name], n_scores=None).fit(X, dense).scores_
            dense[row, column] = 1
            assert without[row, column] == pytest.approx(full[row, column], abs=1e-12)

    @completion
    def test_new_items(self, name, collection):
        X, tags = collection
        method = make(COMPLETION[name], n_scores=2).fit(X, tags)
        found = method.predict(X[:7] + 0.01, tags[:7])
        assert isinstance(found, sparse.csr_array)
        assert found.shape == (7, M)
        assert (found.data > 0).all()
        assert (np.diff(method.predict(X[:7]).indptr) <= 2).all()
        np.testing.assert_array_equal(
            method.predict(X[:7], tags[:7]).toarray(), method.predict(X, tags)[:7].toarray()
        )

    @completion
    def test_bad_new_items_are_explained(self, name, collection):
        X, tags = collection
        with pytest.raises(NotFittedError):
            make(COMPLETION[name]).predict(X)
        method = make(COMPLETION[name]).fit(X, tags)
        with pytest.raises(ValueError, match="3 features"):
            method.predict(X[:, :3])
        with pytest.raises(ValueError, match="X has 2 items but tags have 3"):
            method.predict(X[:2], tags[:3])
        with pytest.raises(ValueError, match="sea"):
            method.predict(X[:1], [{"sea"}])

    @completion
    def test_settings_are_chosen_by_the_common_rule(self, name, collection):
        if "tune" in COMPLETION[name]().get_params():
            method = make(COMPLETION[name], tune=True, verbose=1).fit(*collection)
            candidates = method._candidates()
            assert 1 < len(candidates) <= MAX_CANDIDATES
            assert candidates[0].items() <= method.get_params().items()  # the default first
            assert method.tuned_ in candidates
            assert len(method.tuning_) == len(candidates)
            assert_same(method, make(COMPLETION[name], **method.tuned_).fit(*collection))

    @completion
    def test_no_tags_at_all(self, name, collection):
        with pytest.raises(ValueError, match="No item carries a tag"):
            make(COMPLETION[name]).fit(collection[0], collection[1] * 0)

    @completion
    @pytest.mark.parametrize(("wrong", "error"), [(0, ValueError), (2.5, TypeError)])
    def test_a_wrong_number_of_scores_is_explained(self, name, wrong, error, collection):
        with pytest.raises(error, match="n_scores must be"):
            make(COMPLETION[name], n_scores=wrong).fit(*collection)
