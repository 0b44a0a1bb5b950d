"""Reading TRECVID MED 2011: classes from judgements, tags from their text, layers and truth."""

import numpy as np
import pytest
from tests.datasets.published_trees import MED_TEXT, trecvid_med, write, write_csv

from conceptforest.datasets.trecvid_med import read_trecvid_med


def read(root, **options):
    return read_trecvid_med(root, **{"min_count": 2} | options)


def tags_of(found, row):
    names = np.array(found.tags.vocabulary)
    return set(names[found.tags.matrix.toarray()[row] == 1].tolist())


def test_the_class_of_a_clip_is_the_event_it_is_positive_for(tmp_path):
    found = read(trecvid_med(tmp_path))
    assert found.class_names == (
        "E001 Attempting a board trick",
        "E006 Birthday party",
        "E012 Parade",
    )
    assert [item.name for item in found.items] == sorted(item.name for item in found.items)
    assert found.items[0].name == "LDC2011E41/events/E001/HVC000105.mp4"
    assert {item.kind for item in found.items} == {"video"}
    assert found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    assert found.name == "trecvid-med-2011"
    assert found.truth is None


def test_tags_are_the_words_of_the_judgements(tmp_path):
    found = read(trecvid_med(tmp_path))
    assert tags_of(found, 0) == {"boy", "board", "trick", "park"}
    assert tags_of(found, 2) == {"people", "party", "food", "park"}  # "birthday" is of one clip
    assert "miss" not in found.tags.vocabulary
    assert found.tags.vocabulary == tuple(sorted(found.tags.vocabulary))
    assert "The tags are the" in found.notes[0]


def test_stop_words_endings_and_words_of_most_clips_are_no_tags(tmp_path):
    text = {c: (e, f"{words} with the dog and a girl's hat") for c, (e, words) in MED_TEXT.items()}
    text["000102"] = ("E006", "girl in the hat")
    found = read(trecvid_med(tmp_path, text))
    assert not {"the", "with", "and", "a", "girl", "hat", "dog"} & set(found.tags.vocabulary)
    assert not any("'" in tag for tag in found.tags.vocabulary)


def test_the_vocabulary_is_the_most_frequent_words(tmp_path):
    assert read(trecvid_med(tmp_path), n_tags=3).tags.n_tags == 3
    counts = read(tmp_path, n_tags=3).tags.counts
    every = read(tmp_path, n_tags=100, min_count=1).tags
    assert counts.min() >= np.sort(every.counts)[-3]


def test_words_that_name_an_event_are_the_abstract_layer(tmp_path):
    found = read(trecvid_med(tmp_path))
    assert found.layers[0] == ("board", "parade", "party", "trick")
    assert {"people", "food", "park", "street"} <= set(found.layers[1])
    assert sorted(found.layers[0] + found.layers[1]) == list(found.tags.vocabulary)


def test_there_are_no_layers_without_event_names(tmp_path):
    trecvid_med(tmp_path)
    (tmp_path / "databases" / "EVENTS_20110615_EventDB.csv").unlink()
    found = read(tmp_path)
    assert found.layers is None
    assert found.class_names == ("E001", "E006", "E012")


def test_clips_that_cannot_be_used_are_skipped_with_the_reason(tmp_path):
    extra = [["000101", "E012", "positive", ""]]
    found = read(
        trecvid_med(tmp_path, extra=extra, lost=["000103"], banned=["000106"]), min_count=1
    )
    assert [(one.name, one.reason) for one in found.skipped] == [
        ("HVC000101", "it is positive for several events: E006, E012"),
        ("HVC000103", "it is judged, but its video is not there"),
        ("HVC000106", "its use is banned by the distributor; delete the file"),
    ]
    assert len(found.items) == len(found.labels) == found.tags.n_items == 3


def test_clip_numbers_may_lack_their_zeros(tmp_path):
    extra = [["107", "E012", "positive", "a band in the street"]]
    trecvid_med(tmp_path, extra=extra)
    write(tmp_path / "HVC000107.avi", b"")
    assert "HVC000107.avi" in [item.name for item in read(tmp_path).items]


def test_a_table_gives_vocabulary_and_layers(tmp_path):
    rows = [["tag", "layer"], ["party", "1"], ["Parade", "1"], ["people", "2"], ["unseen", "2"]]
    table = write_csv(tmp_path / "layers.csv", rows)
    found = read(trecvid_med(tmp_path / "med"), tags=table)
    assert found.tags.vocabulary == ("Parade", "party", "people", "unseen")
    assert found.layers == (("Parade", "party"), ("people", "unseen"))
    assert tags_of(found, 2) == {"party", "people"}
    assert tags_of(found, 4) == {"Parade", "people"}


def test_a_table_gives_the_tags_of_clips(tmp_path):
    rows = [["ClipID", "tag"], ["HVC000101", "party"], ["101", "New York"], ["555", "party"]]
    table = write_csv(tmp_path / "tags.csv", rows)
    found = read(trecvid_med(tmp_path / "med"), tags=table)
    assert found.tags.vocabulary == ("New York", "party")
    assert tags_of(found, 2) == {"New York", "party"}
    assert found.tags.matrix.nnz == 2


def test_the_truth_joins_the_observed_tags(tmp_path):
    table = write_csv(tmp_path / "t.csv", [["ClipID", "tag"], ["000105", "street"]])
    found = read(trecvid_med(tmp_path / "med"), truth=table)
    assert found.truth.vocabulary == found.tags.vocabulary
    added = found.truth.matrix.toarray() - found.tags.matrix.toarray()
    assert np.argwhere(added).tolist() == [[0, found.tags.vocabulary.index("street")]]
    assert "complete for 1 videos and 1 tags" in found.notes[-1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["ClipID", "tag"], ["000105", "nope"]], "line 2: the tag 'nope' is none of the"),
        ([["ClipID", "tag"], ["000999", "street"]], "'000999' is not in the collection"),
        ([["ClipID", "tag"], ["x", "street"]], "'x' is no clip; write 123, 000123 or HVC000123"),
        ([["clip", "tag"], ["000105", "street"]], "line 1: it has no column ClipID; it has clip"),
    ],
)
def test_a_damaged_table_of_truth_is_named(tmp_path, rows, message):
    table = write_csv(tmp_path / "t.csv", rows)
    with pytest.raises(ValueError, match=message) as caught:
        read(trecvid_med(tmp_path / "med"), truth=table)
    assert str(table) in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["tag", "layer"], ["a", "3"]], "line 2: the layer '3' is neither 1 nor 2"),
        ([["tag", "layer"], ["a", "1"], ["a", "2"]], "line 3: the tag 'a' has another layer"),
        ([["tag", "weight"], ["a", "1"]], "it must have a tag, and a column layer, ClipID or"),
        ([["tag", "layer"], ["", "1"]], "it must have a tag"),
        ([["tag", "layer"]], "it holds no tag"),
        ([["tag", "layer"], ["a"]], "line 2: it has 1 cells; the first line names 2 columns"),
        ([["tag", "tag"], ["a", "b"]], "must name the columns, each once"),
    ],
)
def test_a_damaged_table_of_tags_is_named(tmp_path, rows, message):
    table = write_csv(tmp_path / "t.csv", rows)
    with pytest.raises(ValueError, match=message):
        read(trecvid_med(tmp_path / "med"), tags=table)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["abc", "E001", "positive", ""], "line 9: 'abc' is no clip"),
        (["000107", "party", "positive", ""], "line 9: 'party' is no event"),
        (["000107", "E001", "positive"], "line 9: it has 3 cells"),
    ],
)
def test_a_damaged_judgement_is_named(tmp_path, row, message):
    with pytest.raises(ValueError, match=f"JudgementMD.*{message}"):
        read(trecvid_med(tmp_path, extra=[row]))


def test_a_quote_that_never_ends_is_an_error(tmp_path):
    trecvid_med(tmp_path)
    path = tmp_path / "databases" / "EVENTS_20110615_JudgementMD.csv"
    path.write_text(path.read_text() + '"000107","E001","pos')
    with pytest.raises(ValueError, match="it is no comma-separated table"):
        read(tmp_path)


def test_without_judgements_it_says_what_to_unpack(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no table \*_JudgementMD.csv below"):
        read(tmp_path)


def test_without_any_video_it_says_so(tmp_path):
    with pytest.raises(ValueError, match="None of the 6 positive clips has its video below"):
        read(trecvid_med(tmp_path, lost=MED_TEXT))


def test_judgements_without_text_need_a_table(tmp_path):
    text = {clip: (event, "") for clip, (event, _) in MED_TEXT.items()}
    with pytest.raises(ValueError, match="hold no text"):
        read(trecvid_med(tmp_path, text))


def test_too_rare_words_are_an_error_that_says_what_to_lower(tmp_path):
    with pytest.raises(ValueError, match=r"at least 7 and at most half.*Lower min_count"):
        read(trecvid_med(tmp_path), min_count=7)


@pytest.mark.parametrize("name", ["n_tags", "min_count"])
def test_bad_numbers_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1"):
        read(tmp_path, **{name: 0})
