"""Files that are no model, are damaged, or lie: each is refused with a reason and an advice."""

import gzip
import io
import json
import os
import pickle
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save
from tests.forest.states import (
    file_bytes,
    join_file,
    metadata_of,
    parts_of,
    sha256,
    small_state,
    split_file,
)

from conceptforest.forest.model_file import ModelFileError, read_state, write_state

DAMAGED = "the file is damaged: copy it again or save the model again"
UNSOUND = "that is no sound forest: fit it, or save it, again"


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good"
    write_state(small_state(), path)
    data = path.read_bytes()
    path.unlink()
    return data


@pytest.fixture
def assert_refused(tmp_path):
    """Check that a file of the given bytes is refused, with a message, and cheaply."""
    path = tmp_path / "model"

    def check(data, message):
        path.write_bytes(data)
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError, match=message) as caught:
                read_state(path)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert str(caught.value).startswith(f"cannot read the model file {path}: ")
        assert len(str(caught.value)) < 1000
        assert peak < 2**20 + 30 * len(data)

    return check


# The path.


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="gone"):
        read_state(tmp_path / "gone")


def test_folder(tmp_path):
    with pytest.raises(ModelFileError, match="it is a folder: give the path of a saved model"):
        read_state(tmp_path)


def test_pipe_does_not_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="it is not a regular file"):
        read_state(tmp_path / "pipe")


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "m"
    write_state(small_state(), path)

    def deny(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", deny)
    with pytest.raises(ModelFileError, match="Permission denied; check the path and its permiss"):
        read_state(path)


# Not a model file at all.


class Payload:
    """Unpickling this makes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (Path.touch, (self.marker,))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_is_refused_and_never_run(tmp_path, assert_refused, protocol):
    marker = tmp_path / "marker"
    attack = pickle.dumps(Payload(marker), protocol)
    assert_refused(
        attack, "it looks like a pickle, which is never opened.*give a file that HMLForest"
    )
    assert not marker.exists()
    pickle.loads(attack)  # noqa: S301 (shows that the attack would have worked)
    assert marker.exists()


def test_reading_needs_no_pickle(tmp_path, monkeypatch, good):
    def fail(*_args, **_kwargs):
        raise AssertionError("unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, fail)
    (tmp_path / "m").write_bytes(good)
    assert read_state(tmp_path / "m").seed == small_state().seed
    module = sys.modules["conceptforest.forest.model_file"]
    assert "pickle" not in vars(module)


def test_other_kinds_of_file(assert_refused):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a", "b")
    assert_refused(archive.getvalue(), "it looks like a zip archive, which is never opened")
    assert_refused(gzip.compress(b"x"), "it looks like gzip")
    assert_refused(b"\x89HDF\r\n\x1a\n" + bytes(100), "it looks like HDF5")
    assert_refused(
        b"a text of some length", "it is not a safetensors file with a header of at most"
    )
    assert_refused(bytes(100), "it is not a safetensors file")
    assert_refused(b"\x05", "it is not a safetensors file")
    assert_refused(b"", "it is empty; save the model again")


def test_other_safetensors_files(assert_refused):
    message = "it is a safetensors file, but no conceptforest model; give a file"
    assert_refused(save({"a": np.zeros(3)}), message)
    assert_refused(save({"a": np.zeros(3)}, {"format": "pt"}), message)


# Damage.


def test_every_truncation(tmp_path, good):
    path = tmp_path / "m"
    length = int.from_bytes(good[:8], "little") + 8
    for n in range(len(good)):
        path.write_bytes(good[:n])
        with pytest.raises(
            ModelFileError, match="empty" if n == 0 else "cut short|not a safet"
        ) as e:
            read_state(path)
        if n >= length:
            due, there = len(good) - length, n - length
            assert f"cut short: {due} bytes of tensors are due and {there} are th" in str(e.value)
            assert str(e.value).endswith(DAMAGED)


def test_appended_bytes(assert_refused, good):
    assert_refused(good + b"\0", f"something was appended to it: .*; {DAMAGED}")


def test_every_flipped_bit_of_the_tensors(tmp_path, good):
    path = tmp_path / "m"
    start = 8 + int.from_bytes(good[:8], "little")
    for byte in range(start, len(good)):
        data = bytearray(good)
        data[byte] ^= 1 << byte % 8
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match=f"does not match its digest; {DAMAGED}"):
            read_state(path)


def test_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch, good):
    path = tmp_path / "m"
    path.write_bytes(good[:-8])
    real = os.fstat

    def old_size(handle):
        fields = list(real(handle))
        fields[6] += 8
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", old_size)
    with pytest.raises(ModelFileError, match="it became shorter while it was read"):
        read_state(path)


# A header that lies.


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (2**63, "not a safetensors file"),
        (2**26 + 2**16 + 1, "not a safetensors file with a header of at most 67174400 bytes"),
        (2**26 + 2**16, "cut short at .* bytes, inside its header"),
        (0, "not a safetensors file"),
    ],
)
def test_header_length(assert_refused, good, length, message):
    assert_refused(length.to_bytes(8, "little") + good[8:], message)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"{" + b'"a":{' * 5000, "its header is not JSON"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "its header is not JSON"),
        (b'{"a":' + b"9" * 5000 + b"}", "its header is not JSON"),
        (b'{"a":1,"a":2}', "its header is not JSON .a key occurs twice"),
        (b'{"a":NaN}', "its header is not JSON .NaN is not JSON"),
        (b'{"\xff":1}', "its header is not JSON"),
        (b"{}", "no conceptforest model"),
        (b'{"__metadata__":[]}', "no conceptforest model"),
        (b'{"__metadata__":{"conceptforest":3}}', "no conceptforest model"),
    ],
)
def test_malformed_header(assert_refused, header, message):
    assert_refused(join_file(header, b""), message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": "I64"}, "tensor leaves must be I32 with 2 dim.* not 'I64' of shape"),
        ({"dtype": []}, "tensor leaves must be I32"),
        ({"shape": [8]}, r"tensor leaves must be I32 .* not 'I32' of shape \[8\]"),
        ({"shape": [10**18, 10**18]}, "tensor leaves must be I32"),
        ({"shape": [10**30, 0]}, "tensor leaves must be I32"),
        ({"shape": [-4, -2]}, "tensor leaves must be I32"),
        ({"shape": [4.0, 2]}, "tensor leaves must be I32"),
        ({"shape": [True, 8]}, "tensor leaves must be I32"),
        ({"shape": 8}, "tensor leaves must be I32"),
        ({"data_offsets": [0, 2**62]}, "starts at byte 0, where|is due|cut short"),
        ({"data_offsets": [0, 10**30]}, "entry for tensor leaves is malformed"),
        ({"data_offsets": [-8, 0]}, "entry for tensor leaves is malformed"),
        ({"data_offsets": None}, "entry for tensor leaves is malformed"),
        ({"more": 1}, "entry for tensor leaves is malformed"),
    ],
)
def test_lying_entry(assert_refused, good, changes, message):
    header, payload = split_file(good)
    header["leaves"] |= changes
    assert_refused(join_file(header, payload), message)


def test_huge_claim_at_the_end_of_the_file_allocates_nothing(assert_refused, good):
    header, payload = split_file(good)
    last = max(header.keys() - {"__metadata__"}, key=lambda k: header[k]["data_offsets"])
    header[last]["shape"] = [2**50]
    header[last]["data_offsets"][1] = header[last]["data_offsets"][0] + 2**50
    assert_refused(join_file(header, payload), "it is cut short: .* bytes of tensors are due")


def test_entry_that_is_no_object(assert_refused, good):
    header, payload = split_file(good)
    assert_refused(
        join_file(header | {"leaves": 3}, payload), "entry for tensor leaves is malformed"
    )


def test_overlapping_tensors(assert_refused, good):
    header, payload = split_file(good)
    header["trees.gain"]["data_offsets"] = header["trees.threshold"]["data_offsets"]
    assert_refused(join_file(header, payload), "starts at byte .*, where .* is due")


def test_swapped_tensors(assert_refused, good):
    header, payload = split_file(good)
    one, other = header["trees.gain"], header["trees.threshold"]
    header |= {"trees.gain": other, "trees.threshold": one}
    assert_refused(join_file(header, payload), "does not match its digest")


def test_missing_and_extra_tensors(assert_refused, tmp_path):
    document, tensors = parts_of(small_state(), tmp_path)
    del document["digests"]
    extra = tensors | {"code": np.zeros(3, np.uint8)}
    assert_refused(
        file_bytes(document, extra), r"its list of tensors lacks \[\] and has \['code'\] too"
    )
    for name in tensors:
        fewer = {k: v for k, v in tensors.items() if k != name}
        assert_refused(file_bytes(document, fewer), f"its list of tensors lacks .'{name}'.")


def test_digests_must_be_those_of_the_tensors(assert_refused, tmp_path):
    document, tensors = parts_of(small_state(), tmp_path)
    for digests in ({}, None, [], document["digests"] | {"more": ""}):
        assert_refused(
            file_bytes(document | {"digests": digests}, tensors), "its digests are not those"
        )
    changed = document | {"digests": document["digests"] | {"leaves": None}}
    assert_refused(file_bytes(changed, tensors), "tensor leaves does not match its digest")


# A document that lies.


def test_edited_document(assert_refused, good):
    header, payload = split_file(good)
    metadata = header["__metadata__"]
    metadata["conceptforest"] = metadata["conceptforest"].replace("sqrt", "log2")
    assert_refused(
        join_file(header, payload), f"its description does not match its digest; {DAMAGED}"
    )


def test_missing_digest_and_extra_metadata(assert_refused, good):
    header, payload = split_file(good)
    text = header["__metadata__"]["conceptforest"]
    for metadata in ({"conceptforest": text}, metadata_of(text) | {"more": "x"}):
        header["__metadata__"] = metadata
        assert_refused(join_file(header, payload), "its description does not match its digest")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "its description is not a JSON object"),
        ("", "its description is not JSON"),
        ("{", "its description is not JSON"),
        ("[" * 100_000, "its description is not JSON"),
        ('{"format": 1}', "its description lacks .*'bootstrap', 'digests'"),
        ('{"format": Infinity}', "its description is not JSON"),
        ('{"format": true}', "its format is True, not a version number"),
        ('{"format": 0}', "its format is 0, not a version number"),
        ('{"format": "1"}', "its format is '1', not a version number"),
        ("{}", "its format is None, not a version number"),
        ("\ud800", "its description"),
    ],
)
def test_malformed_document(assert_refused, good, text, message):
    header, payload = split_file(good)
    digest = sha256(text.encode("utf-8", "surrogatepass"))
    header["__metadata__"] = {"conceptforest": text, "digest": digest}
    assert_refused(join_file(header, payload), message)


def test_future_version(assert_refused):
    # Nothing else in the file needs to look like a file of today.
    header = {
        "__metadata__": metadata_of('{"format": 7, "new": 1}'),
        "new": {"dtype": "F4", "shape": [], "data_offsets": [0, 0]},
    }
    assert_refused(
        join_file(header, b""),
        r"made by a newer conceptforest \(format 7; this one reads up to 1\): upgrade",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"more": 1}, r"its description lacks \[\] and has \['more'\] too many"),
        ({"seed": -1}, "seed must be an int from 0 to 18446744073709551615, not -1"),
        ({"seed": 2**64}, "seed must be an int from 0"),
        ({"seed": 1.5}, "seed must be an int from 0"),
        ({"seed": True}, "seed must be an int from 0"),
        ({"n_features": 0}, "n_features must be an int from 1 to 2147483647, not 0"),
        ({"n_features": 2**31}, "n_features must be an int from 1"),
        ({"n_features": 2}, "3 feature names for 2 features"),
        ({"bootstrap": 0}, "bootstrap must be true or false, not 0"),
        ({"library_version": "1" * 101}, "library_version must be a str of at most 100"),
        ({"library_version": 1}, "library_version must be a str"),
        ({"params": []}, r"params must be a JSON object .*, not \[\]"),
        (
            {"params": {"a": ["x" * 2**26]}},
            "params take .* bytes in the header, of at most 67108864",
        ),
    ],
)
def test_unsound_document(assert_refused, tmp_path, changes, message):
    document, tensors = parts_of(small_state(), tmp_path)
    assert_refused(file_bytes(document | changes, tensors), message)


def test_number_that_overflows_to_infinity(assert_refused, good):
    header, payload = split_file(good)
    document = json.loads(header["__metadata__"]["conceptforest"])
    text = json.dumps(document | {"params": {"a": 12345}}).replace("12345", "1e999")
    header["__metadata__"] = metadata_of(text)
    assert_refused(join_file(header, payload), "params must be a JSON object .*Out of range")


# Tensors that lie, under sound digests: each rule of the audit is broken once.

NAN = float("nan")
INF = float("inf")


def array(values, dtype):
    return lambda _: np.array(values, dtype)


def put(index, value):
    def change(old):
        new = old.copy()
        new[index] = value
        return new

    return change


TREES = [
    ({"offsets": put(0, 1)}, "trees.offsets must strictly increase from 0 to 6"),
    ({"offsets": put(2, 7)}, "trees.offsets must strictly increase"),
    ({"offsets": array([0, 5, 5, 6], "i8")}, "trees.offsets must strictly increase"),
    ({"offsets": array([0, 5, 4, 6], "i8")}, "trees.offsets must strictly increase"),
    ({"offsets": array([0, -(2**63), 2**63 - 1, 6], "i8")}, "trees.offsets must strictly"),
    ({"offsets": array([0], "i8")}, "trees.offsets must strictly increase"),
    ({"offsets": array([], "i8")}, "trees.offsets must strictly increase"),
    ({"offsets": array([0, 5, 6, 6], "i8")}, "trees.offsets must strictly increase"),
    ({"count": lambda old: old[:-1]}, "trees.count has 5 entries for 6 nodes"),
    ({"layer": lambda old: old[:0]}, "trees.layer has 0 entries for 6 nodes"),
    ({"feature": put(2, 0)}, "tree 0, node 2: a leaf must have feature -1"),
    ({"layer": put(5, 0)}, "tree 1, node 0: a leaf must have layer -1"),
    ({"threshold": put(5, 1.0)}, "tree 1, node 0: a leaf must have threshold 0"),
    ({"threshold": put(5, NAN)}, "tree 1, node 0: a leaf must have threshold 0"),
    ({"gain": put(4, 1.0)}, "tree 0, node 4: a leaf must have gain 0"),
    ({"feature": put(1, 3)}, "tree 0, node 1: the feature must be from 0 to 2"),
    ({"feature": put(1, -1)}, "tree 0, node 1: the feature must be from 0 to 2"),
    ({"layer": put(1, 2)}, "tree 0, node 1: the layer must be from 0 to 1"),
    ({"layer": put(0, -1)}, "tree 0, node 0: the layer must be from 0 to 1"),
    ({"threshold": put(0, NAN)}, "tree 0, node 0: the threshold must be finite"),
    ({"threshold": put(0, -INF)}, "tree 0, node 0: the threshold must be finite"),
    ({"gain": put(1, 0.0)}, "tree 0, node 1: the gain must be above 0"),
    ({"gain": put(1, -0.5)}, "tree 0, node 1: the gain must be above 0"),
    ({"gain": put(1, NAN)}, "tree 0, node 1: the gain must be above 0"),
    ({"gain": put(1, INF)}, "tree 0, node 1: the gain must be above 0, finite"),
    (
        {"gain": lambda old: put(1, 0x7FF0000000000001)(old.view("u8")).view("f8")},
        "tree 0, node 1: the gain must be above 0",  # a signalling NaN
    ),
    ({"count": put(2, 0)}, "tree 0, node 2: the count must be above 0"),
    ({"count": put(5, -4)}, "tree 1, node 0: the count must be above 0"),
    ({"count": put(2, 2)}, "tree 0, node 0: the count must be the sum of the children's"),
    ({"count": put([3, 4], 2**31 - 1)}, "tree 0, node 1: the count must be the sum"),
    ({"left": put(1, 1)}, "tree 0, node 1: both children must come after their parent"),
    ({"left": put(1, 0)}, "tree 0, node 1: both children must come after their parent"),
    ({"left": put(1, -2)}, "tree 0, node 1: both children must come after their parent"),
    ({"left": put(1, 4)}, "tree 0, node 1: both children .* inside the tree"),
    ({"left": put(1, 2**31 - 1)}, "tree 0, node 1: both children .* inside the tree"),
    ({"left": put(0, 2)}, "tree 0, node 1: no node has it as a child"),
    ({"left": put(1, 2)}, "tree 0, node 4: no node has it as a child"),
    (
        {
            "left": put(2, 3),
            "feature": put(2, 0),
            "layer": put(2, 0),
            "gain": put(2, 1.0),
            "count": array([6, 3, 3, 2, 1, 4], "i4"),
        },
        "a node has two parents",
    ),
]


@pytest.mark.parametrize(("changes", "message"), TREES)
def test_unsound_trees(assert_refused, tmp_path, changes, message):
    document, tensors = parts_of(small_state(), tmp_path)
    del document["digests"]
    for name, change in changes.items():
        tensors[f"trees.{name}"] = change(tensors[f"trees.{name}"])
    assert_refused(file_bytes(document, tensors), f"{message}.*; {UNSOUND}")


OTHERS = [
    ("leaves", put((0, 0), 5), "leaves puts item 0 in node 5 of tree 0, which is not one of its"),
    ("leaves", put((3, 1), -1), "leaves puts item 3 in node -1 of tree 1"),
    ("leaves", put((1, 0), 1), "leaves puts item 1 in node 1 of tree 0"),
    ("leaves", put((2, 1), 2**31 - 1), "leaves puts item 2 in node 2147483647 of tree 1"),
    ("leaves", lambda old: old[:, :1], r"a column for each of 2 trees, not shape \(4, 1\)"),
    ("leaves", lambda old: old[:0], r"leaves must have a row an item .* not shape \(0, 2\)"),
    ("tree_seeds", lambda old: old[:1], "1 tree_seeds for 2 trees"),
    ("layers.ids", put(0, 4), r"the layers hold tag \[4\], but the vocabulary has 4 tags"),
    ("layers.ids", put(0, -1), r"the layers hold tag \[-1\]"),
    ("layers.ids", put(0, 3), "a tag is in the layers twice"),
    ("layers.offsets", array([0, 2, 1, 3], "i8"), "layers.offsets must not decrease from 0 to 3"),
    ("layers.offsets", array([0, 1, 2], "i8"), "layers.offsets must not decrease from 0 to 3"),
    ("layers.offsets", array([], "i8"), "layers.offsets must not decrease"),
    ("layers.offsets", array([0] * 2**15 + [3], "i8"), "32768 layers, of at most 32767"),
    ("vocabulary.offsets", put(1, 99), "vocabulary.offsets must not decrease from 0 to"),
    ("vocabulary.offsets", put(0, -1), "vocabulary.offsets must not decrease from 0 to"),
    ("vocabulary.offsets", lambda old: old[:0], "vocabulary.offsets must not decrease from 0"),
    ("vocabulary.offsets", put([1, 2], 0), "vocabulary holds a name twice"),
    ("vocabulary.text", put(1, 0xFF), "vocabulary holds a name that is not UTF-8"),
    ("vocabulary.text", put(2, 0xC3), "vocabulary holds a name that is not UTF-8"),
    ("feature_names.text", put(0, 0x80), "feature_names holds a name that is not UTF-8"),
    ("feature_names.offsets", array([0, 12], "i8"), "1 feature names for 3 features"),
]


@pytest.mark.parametrize(("name", "change", "message"), OTHERS)
def test_unsound_tensors(assert_refused, tmp_path, name, change, message):
    document, tensors = parts_of(small_state(), tmp_path)
    del document["digests"]
    tensors[name] = change(tensors[name])
    assert_refused(file_bytes(document, tensors), f"{message}.*; {UNSOUND}")
