"""Results of jobs: named for good, written whole, read again or not at all."""

import json

import pytest

from conceptforest.experiments.cells import Cell, CellStore
from conceptforest.experiments.jobs import Job, frozen

JOB = Job("cluster", "KMeans", frozen({"mode": "tags"}), 0.3, 1)


def test_a_name_depends_on_everything_about_a_job():
    others = [
        Job("complete", "KMeans", JOB.params, 0.3, 1),
        Job("cluster", "SpClust", JOB.params, 0.3, 1),
        Job("cluster", "KMeans", frozen({"mode": "vision"}), 0.3, 1),
        Job("cluster", "KMeans", JOB.params, 0.5, 1),
        Job("cluster", "KMeans", JOB.params, 0.3, 2),
    ]
    names = {JOB.name("data"), JOB.name("other data"), *(job.name("data") for job in others)}
    assert len(names) == 7


def test_a_name_never_changes():
    assert JOB.name("data") == "89ab604245327c87e1e8962ee27a2eac"


def test_the_order_of_parameters_does_not_matter():
    assert frozen({"a": 1, "b": [1, 2]}) == frozen({"b": (1, 2), "a": 1})


def test_cells_come_back(tmp_path):
    cell = Cell({"nmi": 0.5, "ap": [0.1, 0.2]}, seconds=2.5, limit=9.0, peak_mb=30.0, code="x")
    CellStore(tmp_path, "data", "pets", 50).put(JOB, cell)
    assert CellStore(tmp_path, "data", "pets", 50).get(JOB) == cell
    assert CellStore(tmp_path, "other", "pets", 50).get(JOB) is None
    (path,) = CellStore(tmp_path, "data", "pets", 50)
    assert json.loads(path.read_text())["job"]["method"] == "KMeans"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"scores": 1}', b"\xff"])
def test_a_damaged_cell_is_none(tmp_path, content):
    store = CellStore(tmp_path, "data", "pets", 50)
    store.put(JOB, Cell({"nmi": 0.5}))
    (path,) = store
    path.write_bytes(content)
    assert CellStore(tmp_path, "data", "pets", 50).get(JOB) is None


def test_what_took_too_long_is_known_from_other_failures():
    assert Cell({}, "slow", seconds=10.0, limit=9.0).took_too_long
    assert not Cell({}, "broken", seconds=1.0, limit=9.0).took_too_long
    assert not Cell({"nmi": 1.0}, seconds=10.0, limit=9.0).took_too_long


def test_what_is_never_begun_takes_no_scores_away(tmp_path):
    foreseen = Cell({}, "slow", seconds=9.0, limit=1.0, facts={"foreseen": True})
    store = CellStore(tmp_path, "data", "pets", 50)
    store.put(JOB, Cell({"nmi": 0.5}, code="of last year"))
    store.put(JOB, foreseen)
    assert store.get(JOB) == foreseen  # what is told now
    assert CellStore(tmp_path, "data", "pets", 50).get(JOB).scores == {"nmi": 0.5}
