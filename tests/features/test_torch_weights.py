"""Weights of PyTorch without PyTorch: what is written comes back, and nothing is ever run."""

import os
import pickle
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.features.networks import (
    STORAGES,
    Call,
    Name,
    listed,
    opcodes,
    pickled,
    some_weights,
    storage,
    tensor,
    write_old,
    write_zip,
)

from conceptforest.features import torch_weights
from conceptforest.features.tensor_pickle import interpret
from conceptforest.features.torch_weights import read_torch_weights, read_weights

WRITERS = {"zip": write_zip, "old": write_old}


@pytest.fixture(params=list(WRITERS))
def write(request):
    return WRITERS[request.param]


def assert_same(found, wanted):
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("dtype", STORAGES)
def test_what_is_written_comes_back(tmp_path, write, dtype):
    weights = {"a": np.arange(12).astype(dtype).reshape(3, 4), "b": np.zeros((2, 0), dtype)}
    assert_same(read_torch_weights(write(tmp_path / "w.pth", weights)), weights)


def test_neither_pytorch_nor_pickle_is_used(tmp_path, write, monkeypatch):
    path = write(tmp_path / "w.pth", some_weights())
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(pickle, "Unpickler", None)
    monkeypatch.setattr(pickle, "loads", None)
    assert_same(read_torch_weights(path), some_weights())


def test_only_wanted_tensors_are_read(tmp_path, write):
    path = write(tmp_path / "w.pth", some_weights())
    found = read_torch_weights(path, {"conv.bias", "other"})
    assert_same(found, {"conv.bias": some_weights()["conv.bias"]})


def test_a_tensor_may_be_a_part_of_a_storage_in_any_order(tmp_path):
    numbers = np.arange(12, dtype=np.float32)
    where = storage("FloatStorage", "0", 12)
    value = {"turned": tensor(where, 1, (2, 3), (1, 4)), "one": tensor(where, 11, (), ())}
    found = read_torch_weights(write_zip(tmp_path / "w.pth", {"x": numbers}, value=value))
    np.testing.assert_array_equal(found["turned"], [[1, 5, 9], [2, 6, 10]])
    assert found["one"] == 11


def test_a_big_endian_archive_is_read(tmp_path):
    path = write_zip(tmp_path / "w.pth", some_weights(), members={"byteorder": b"big"})
    for name, array in some_weights().items():
        np.testing.assert_array_equal(read_torch_weights(path)[name], array)


def test_a_packed_archive_is_refused(tmp_path):
    path = write_zip(tmp_path / "w.pth", some_weights(), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="packed, which PyTorch does not do"):
        read_torch_weights(path)


def test_brain_floats_become_single_precision(tmp_path):
    halves = np.array([0x3F80, 0xC000], np.uint16)
    value = {"a": tensor(storage("BFloat16Storage", "0", 2), 0, (2,), (1,))}
    path = write_zip(tmp_path / "w.pth", {"x": halves}, value=value)
    np.testing.assert_array_equal(read_torch_weights(path)["a"], np.float32([1, -2]))


def test_a_parameter_is_its_tensor(tmp_path):
    value = listed({"a": np.ones(3, np.float32)})
    parameter = Call(Name("torch._utils", "_rebuild_parameter"), (value["a"], True, None))
    path = write_zip(tmp_path / "w.pth", {"a": np.ones(3, np.float32)}, value={"a": parameter})
    np.testing.assert_array_equal(read_torch_weights(path)["a"], np.ones(3))


class Attack:
    def __reduce__(self):
        return os.system, ("echo attacked > attacked",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_command_is_refused_by_name_and_not_run(tmp_path, protocol, monkeypatch):
    monkeypatch.chdir(tmp_path)
    attack = pickle.dumps({"a": Attack()}, protocol=protocol)
    path = write_zip(tmp_path / "w.pth", {}, members={"data.pkl": attack})
    with pytest.raises(ValueError, match=rf"asks for {os.system.__module__}\.system"):
        read_torch_weights(path)
    assert not (tmp_path / "attacked").exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"(S'ls'\nios\nsystem\n", "opcode STRING"),
        (b"(ios\nsystem\n", "opcode INST"),
        (b"\x82\x01", "opcode EXT1"),
        (b"cbuiltins\neval\n", "builtins.eval"),
        (b"ctorch\nload\n", "torch.load"),
        (b"}}b", None),
        (b"t", "mark is missing"),
        (b"R", "value is missing"),
        (b"(NR", "value is missing"),
        (b"h\x07", "no value 7"),
        (b"NNR", "no function"),
        (b"N)Q", "no storage"),
        (b"NNb", "attributes"),
        (b"N(NNu", "no dict"),
        (b"NNa", "no list"),
        (b"K\x01K\x02\x93", "no string"),
        (opcodes(Call(Name("torch", "FloatStorage"), (3,))), "do not fit"),
        (opcodes(Call(Name("collections", "OrderedDict"), ([],))), "do not fit"),
        (
            opcodes(Call(Name("torch._utils", "_rebuild_tensor_v2"), (1, 2, 3, 4))),
            "without a storage",
        ),
        (b"}(K\x01K\x02u", "key of type int"),
        (opcodes({"a": 1})[:-1] + opcodes("a") + opcodes(2) + b"u", "'a' twice"),
        (b"", "damaged"),
        (b"NN", "damaged"),
    ],
)
def test_each_opcode_is_checked(body, message):
    if message is None:
        assert interpret(b"\x80\x02" + body + b".")[0] == {}
        return
    with pytest.raises(ValueError, match=message):
        interpret(b"\x80\x02" + body + b".")


def test_values_that_hold_each_other_cost_nothing(tmp_path):
    bomb = b")q\x00" + b"".join(b"h\x00\x86q\x00" for _ in range(20_000))
    path = write_zip(
        tmp_path / "w.pth", {}, members={"data.pkl": b"\x80\x02}X\x01\0\0\0a" + bomb + b"s."}
    )
    with pytest.raises(ValueError, match="only tensors"):
        read_torch_weights(path)
    path = write_zip(tmp_path / "w.pth", {}, members={"data.pkl": b"\x80\x02}" + bomb + b"Ns."})
    with pytest.raises(ValueError, match="key of type tuple"):
        read_torch_weights(path)


@pytest.mark.parametrize(
    ("shape", "steps", "start", "message"),
    [
        ((5,), (1,), 0, "beyond its storage"),
        ((4,), (1,), 1, "beyond its storage"),
        ((2, 2), (3, 1), 0, "beyond its storage"),
        ((0,), (1,), 5, "beyond its storage"),
        ((4,), (-1,), 3, "step is no number"),
        ((-4,), (1,), 0, "length is no number"),
        ((4,), (1,), -1, "start is no number"),
        ((True,), (1,), 0, "length is no number"),
        (("4",), (1,), 0, "length is no number"),
        ((2**40,), (0,), 0, "repeats some"),
        ((4,), (1, 1), 0, "do not fit together"),
        ((1,) * 17, (1,) * 17, 0, "17 dimensions"),
    ],
)
def test_a_tensor_that_lies_is_refused(tmp_path, shape, steps, start, message):
    value = {"a": tensor(storage("FloatStorage", "0", 4), start, shape, steps)}
    path = write_zip(tmp_path / "w.pth", {"a": np.ones(4, np.float32)}, value=value)
    with pytest.raises(ValueError, match=message) as caught:
        read_torch_weights(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (storage("FloatStorage", "0", 2**40), "more than the"),
        (storage("FloatStorage", "0", 5), "not of its size"),
        (storage("DoubleStorage", "0", 4), "not of its size"),
        (storage("FloatStorage", "../0", 4), "missing"),
        (storage("FloatStorage", "0", 4, (1, 2, 3)), "view of another"),
    ],
)
def test_a_storage_that_lies_is_refused_without_its_memory(tmp_path, where, message):
    path = write_zip(
        tmp_path / "w.pth", {"a": np.ones(4, np.float32)}, value={"a": tensor(where, 0, (4,), (1,))}
    )
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            read_torch_weights(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_two_sayings_of_one_storage_are_refused(tmp_path):
    value = {
        "a": tensor(storage("FloatStorage", "0", 4), 0, (4,), (1,)),
        "b": tensor(storage("IntStorage", "0", 4), 0, (4,), (1,)),
    }
    path = write_zip(tmp_path / "w.pth", {"a": np.ones(4, np.float32)}, value=value)
    with pytest.raises(ValueError, match="two things"):
        read_torch_weights(path)


def test_tensors_that_share_a_storage_share_its_memory(tmp_path):
    where = storage("FloatStorage", "0", 100_000)
    value = {str(k): tensor(where, 0, (100_000,), (1,)) for k in range(1000)}
    path = write_zip(tmp_path / "w.pth", {"a": np.ones(100_000, np.float32)}, value=value)
    tracemalloc.start()
    try:
        found = read_torch_weights(path)
        assert len(found) == 1000
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"data.pkl": None}, "0 lists of tensors"),
        ({"data/0": None}, "missing"),
        ({"byteorder": b"middle"}, "byte order"),
        ({"data.pkl": pickled([1])}, "holds a list"),
        ({"data.pkl": pickled({"epoch": 3})}, "'epoch' is a int"),
        ({"data.pkl": b""}, "exhausted"),
    ],
)
def test_a_wrong_archive_is_refused(tmp_path, members, message):
    path = write_zip(tmp_path / "w.pth", some_weights(), members=members)
    with pytest.raises(ValueError, match=message):
        read_torch_weights(path)


def test_a_member_twice_is_refused(tmp_path):
    path = write_zip(tmp_path / "w.pth", some_weights())
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("archive/data/0", b"x")
    with pytest.raises(ValueError, match="twice"):
        read_torch_weights(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": ["0", "1"]}, "list of storages is not"),
        ({"keys": ["0", "1", "1"]}, "list of storages is not"),
        ({"keys": [0, 1, 2]}, "list of storages is damaged"),
        ({"lengths": [48, 5, 1]}, "not of its size"),
        ({"lengths": [2**40, 4, 1]}, "not of its size"),
    ],
)
def test_a_wrong_old_file_is_refused(tmp_path, changes, message):
    path = write_old(tmp_path / "w.pth", some_weights(), **changes)
    with pytest.raises(ValueError, match=message):
        read_torch_weights(path)


def test_a_file_cut_anywhere_is_refused(tmp_path, write):
    path = write(tmp_path / "w.pth", some_weights())
    data = path.read_bytes()
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises(ValueError, match="Cannot read"):
            read_torch_weights(path)


@pytest.mark.parametrize("form", list(WRITERS))
@settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=st.lists(st.tuples(st.floats(0, 0.999), st.binary(max_size=4)), max_size=4))
def test_changed_bytes_raise_nothing_but_value_errors(tmp_path, form, changes):
    path = WRITERS[form](tmp_path / "w.pth", some_weights())
    data = bytearray(path.read_bytes())
    for place, replacement in changes:
        begin = int(place * len(data))
        data[begin : begin + max(len(replacement), 1)] = replacement
    path.write_bytes(data)
    try:
        found = read_torch_weights(path)
    except ValueError:
        return
    assert all(isinstance(array, np.ndarray) for array in found.values())


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60))
def test_random_opcodes_raise_nothing_but_value_errors(data):
    try:
        _, length = interpret(b"\x80\x02" + data)
    except ValueError:
        return
    assert length <= len(data) + 2


def test_a_missing_file_a_folder_and_a_number_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        read_weights(tmp_path / "none.pth")
    with pytest.raises(ValueError, match="no regular file"):
        read_weights(tmp_path)
    with pytest.raises(TypeError, match="type int"):
        read_weights(3)


def test_a_file_over_the_limit_is_refused(tmp_path, monkeypatch):
    path = write_zip(tmp_path / "w.pth", some_weights())
    monkeypatch.setattr(torch_weights, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="more than the 100"):
        read_torch_weights(path)


@pytest.mark.parametrize("old", [False, True])
def test_files_of_pytorch_itself_are_read(tmp_path, old):
    torch = pytest.importorskip("torch")
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    state = layers.state_dict()
    state["turned"] = torch.arange(12.0).reshape(3, 4).T[1:]
    state["half"] = torch.ones(3, dtype=torch.float16)
    state["parameter"] = torch.nn.Parameter(torch.ones(2))
    torch.save(state, tmp_path / "w.pth", _use_new_zipfile_serialization=not old)
    wanted = {name: value.detach().numpy() for name, value in state.items()}
    assert_same(read_weights(tmp_path / "w.pth"), wanted)


def test_brain_floats_of_pytorch_are_read(tmp_path):
    torch = pytest.importorskip("torch")
    values = torch.linspace(-3, 3, 9, dtype=torch.bfloat16)
    torch.save({"a": values}, tmp_path / "w.pth")
    found = read_torch_weights(tmp_path / "w.pth")["a"]
    np.testing.assert_array_equal(found, values.float().numpy())
