"""Any ONNX network: its layers, its inputs, and the same bits in any company."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402
from tests.features.networks import some_pictures, tiny_model  # noqa: E402

from conceptforest.features import onnx_file  # noqa: E402
from conceptforest.features.onnx_network import OnnxNetwork  # noqa: E402


@pytest.fixture
def path(tmp_path):
    return save(tiny_model(), tmp_path)


def save(model, folder, name="tiny.onnx"):
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def embed(network, pictures):
    return network.run(np.stack([network.prepare(picture) for picture in pictures]))


def constants(model):
    return {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}


def by_hand(model, pictures):
    """Compute the tiny network in NumPy: map, shape (n, 5, 8, 8), and vector, shape (n, 6)."""
    kernel, matrix = constants(model)["kernel"], constants(model)["matrix"]
    x = np.pad(pictures.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    maps = sum(
        np.einsum("nchw,kc->nkhw", x[:, :, i : i + 8, j : j + 8], kernel[:, :, i, j])
        for i in range(3)
        for j in range(3)
    )
    return maps, maps.mean(axis=(2, 3)) @ matrix


def test_the_last_output_is_the_default(path):
    network = OnnxNetwork(path)
    pictures = some_pictures(3)
    prepared = np.stack([network.prepare(picture) for picture in pictures])
    _, vectors = by_hand(tiny_model(), prepared)
    assert network.n_features == 6
    assert network.name == "onnx:tiny.onnx"
    np.testing.assert_allclose(network.run(prepared), vectors, rtol=1e-4, atol=1e-5)


def test_an_inner_layer_is_pooled_or_flattened(path):
    prepared = OnnxNetwork(path).prepare(some_pictures(1)[0])[None]
    maps, _ = by_hand(tiny_model(), prepared)
    pooled = OnnxNetwork(path, output="map").run(prepared)
    flat = OnnxNetwork(path, output="map", pool=False).run(prepared)
    np.testing.assert_allclose(pooled, maps.mean(axis=(2, 3)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(flat, maps.reshape(1, -1), rtol=1e-4, atol=1e-5)


def test_tokens_are_averaged(tmp_path):
    model = tiny_model()
    shape = onnx.numpy_helper.from_array(np.array([0, 5, 64]), "as_tokens")
    model.graph.initializer.append(shape)
    model.graph.node.append(helper.make_node("Reshape", ["map", "as_tokens"], ["rows"]))
    model.graph.node.append(helper.make_node("Transpose", ["rows"], ["tokens"], perm=[0, 2, 1]))
    path = save(model, tmp_path)
    prepared = OnnxNetwork(path).prepare(some_pictures(1)[0])[None]
    maps, _ = by_hand(model, prepared)
    found = OnnxNetwork(path, output="tokens").run(prepared)
    np.testing.assert_allclose(found, maps.mean(axis=(2, 3)), rtol=1e-4, atol=1e-5)


def test_layers_that_are_not_needed_are_dropped():
    model = tiny_model()
    onnx_file.cut_at(model, "map")
    assert [node.op_type for node in model.graph.node] == ["Conv"]
    assert [tensor.name for tensor in model.graph.initializer] == ["kernel"]


def test_weights_listed_as_inputs_are_dropped_with_their_layers(tmp_path):
    model = tiny_model()
    for tensor in model.graph.initializer:
        model.graph.input.append(
            helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        )
    network = OnnxNetwork(save(model, tmp_path), output="map")
    assert network.n_features == 5


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_layout_and_type_are_found_from_the_model(tmp_path, layout, dtype):
    network = OnnxNetwork(save(tiny_model(layout=layout, dtype=dtype), tmp_path))
    prepared = network.prepare(some_pictures(1)[0])
    assert prepared.dtype == dtype
    assert prepared.shape == ((3, 8, 8) if layout == "NCHW" else (8, 8, 3))
    pixels = prepared if layout == "NCHW" else prepared.transpose(2, 0, 1)
    _, vectors = by_hand(tiny_model(), pixels[None])
    rough = 0.02 if dtype == np.float16 else 1e-4
    np.testing.assert_allclose(network.run(prepared[None]), vectors, rtol=rough, atol=rough)


def test_a_free_size_is_224_or_what_is_asked_for(tmp_path):
    path = save(tiny_model(size=("height", "width")), tmp_path)
    assert OnnxNetwork(path).prepare(some_pictures(1)[0]).shape == (3, 224, 224)
    network = OnnxNetwork(path, size=(10, 20), crop=0.5)
    assert network.prepare(some_pictures(1)[0]).shape == (3, 10, 20)
    assert network.shortest == 40


@pytest.mark.parametrize("n", ["n", 1, 3])
def test_a_vector_depends_on_its_picture_alone(tmp_path, n):
    path = save(tiny_model(n=n), tmp_path)
    pictures = some_pictures(8)
    alone, two = OnnxNetwork(path), OnnxNetwork(path, n_jobs=2)
    wanted = embed(alone, pictures)
    order = np.random.default_rng(1).permutation(8)
    for network in (alone, two):
        np.testing.assert_array_equal(embed(network, pictures), wanted)
        np.testing.assert_array_equal(embed(network, pictures[order]), wanted[order])
        np.testing.assert_array_equal(embed(network, pictures[3:4])[0], wanted[3])


def test_a_fixed_batch_of_any_length_is_not_allocated(tmp_path):
    with pytest.raises(ValueError, match="fixed length of 1,000,000,000"):
        OnnxNetwork(save(tiny_model(n=10**9), tmp_path))


def test_the_key_changes_with_whatever_changes_the_vectors(path, tmp_path):
    other = save(tiny_model(seed=1), tmp_path, "other.onnx")
    networks = [
        OnnxNetwork(path),
        OnnxNetwork(path, output="flat"),
        OnnxNetwork(path, output="map"),
        OnnxNetwork(path, output="map", pool=False),
        OnnxNetwork(path, crop=1),
        OnnxNetwork(path, mean=0),
        OnnxNetwork(other),
    ]
    assert len({network.key for network in networks}) == len(networks)


def test_the_key_is_that_of_the_content_not_of_threads_or_the_file_name(path, tmp_path):
    copy = save(tiny_model(), tmp_path, "copy.onnx")
    keys = {OnnxNetwork(path).key, OnnxNetwork(copy, n_jobs=2, batch_size=4).key}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"output": "vectr"}, ValueError, "Did you mean 'vector'"),
        ({"output": "nothing"}, ValueError, "the last are 'best', 'vector'"),
        ({"output": "best"}, ValueError, "array of int64. Choose an output of floats"),
        ({"size": 9}, ValueError, "takes pictures of 8 x 8"),
        ({"size": True}, TypeError, "size must be"),
        ({"size": "8"}, TypeError, "size must be"),
        ({"layout": "NHWC"}, ValueError, "is NCHW"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs must be"),
        ({"batch_size": 0}, ValueError, "batch_size must be"),
        ({"mean": float("inf")}, ValueError, "mean must be"),
        ({"scale": 1e39}, ValueError, "not finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_wrong_settings_are_refused(path, settings, error, message):
    with pytest.raises(error, match=message):
        OnnxNetwork(path, **settings)


def test_a_batch_of_another_shape_is_refused(path):
    with pytest.raises(ValueError, match="as prepare"):
        OnnxNetwork(path).run(np.zeros((1, 8, 8, 3), np.float32))


def test_a_map_of_a_wrong_size_gives_onnxruntimes_words(tmp_path):
    model = tiny_model(size=("height", "width"))
    matrix = onnx.numpy_helper.from_array(np.ones((320, 2), np.float32), "large")
    model.graph.initializer.append(matrix)
    model.graph.node.append(helper.make_node("MatMul", ["long", "large"], ["fitting"]))
    path = save(model, tmp_path)
    assert OnnxNetwork(path, output="fitting", size=8).n_features == 2
    with pytest.raises(ValueError, match=r"cannot run it .* Another size may fit"):
        OnnxNetwork(path, output="fitting", size=9)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x02}.", b"hello there", b"\xff" * 99])
def test_what_is_no_model_is_refused(tmp_path, data):
    path = tmp_path / "no.onnx"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"Cannot read .*no\.onnx"):
        OnnxNetwork(path)


def test_a_model_cut_anywhere_is_refused(path):
    data = path.read_bytes()
    for end in range(0, len(data), 97):
        path.write_bytes(data[:end])
        with pytest.raises(ValueError, match="network"):
            OnnxNetwork(path)


def test_an_operator_that_does_not_exist_is_refused(tmp_path):
    model = tiny_model()
    model.graph.node[0].op_type = "Convoluted"
    with pytest.raises(ValueError, match="Convoluted"):
        OnnxNetwork(save(model, tmp_path))


def test_a_model_of_two_inputs_or_grey_pictures_is_refused(tmp_path):
    model = tiny_model()
    model.graph.input.append(helper.make_tensor_value_info("words", 1, ["n", 4]))
    with pytest.raises(ValueError, match="inputs 'pixels', 'words'"):
        OnnxNetwork(save(model, tmp_path))
    model = tiny_model()
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 1
    with pytest.raises(ValueError, match="without a dimension of three colours"):
        OnnxNetwork(save(model, tmp_path))


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        OnnxNetwork(tmp_path / "none.onnx")
    with pytest.raises(ValueError, match="no regular file"):
        OnnxNetwork(tmp_path)
    with pytest.raises(TypeError, match="type int"):
        OnnxNetwork(3)


def test_a_model_over_two_gigabytes_is_refused(path, monkeypatch):
    monkeypatch.setattr(onnx_file, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="of up to 100 bytes"):
        OnnxNetwork(path)


# --- Weights beside the model --------------------------------------------------------------------


def put_beside(model, folder, location="tiny.bin", **entries):
    """Move the kernel of a model into a file."""
    tensor = model.graph.initializer[0]
    (folder / "tiny.bin").write_bytes(b"1234" + tensor.raw_data)
    entries = {"location": location, "offset": "4", "length": str(len(tensor.raw_data))} | entries
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return save(model, folder, "beside.onnx")


def test_weights_beside_the_model_are_read(path, tmp_path):
    beside = OnnxNetwork(put_beside(tiny_model(), tmp_path))
    whole = OnnxNetwork(path)
    pictures = some_pictures(2)
    np.testing.assert_array_equal(embed(beside, pictures), embed(whole, pictures))


def test_the_key_changes_with_the_weights_beside(tmp_path):
    path = put_beside(tiny_model(), tmp_path)
    before = OnnxNetwork(path).key
    data = bytearray((tmp_path / "tiny.bin").read_bytes())
    data[-1] ^= 1
    (tmp_path / "tiny.bin").write_bytes(data)
    assert OnnxNetwork(path).key != before


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"location": "../tiny.bin"}, "not in its own folder"),
        ({"location": "a/../../tiny.bin"}, "not in its own folder"),
        ({"location": "/etc/passwd"}, "not in its own folder"),
        ({"location": "C:\\tiny.bin"}, "not in its own folder"),
        ({"location": "..\\tiny.bin"}, "not in its own folder"),
        ({"location": ""}, "not in its own folder"),
        ({"location": "link.bin"}, "not in its own folder"),
        ({"location": "none.bin"}, "are missing"),
        ({"length": "99999"}, "reach beyond"),
        ({"offset": "-4"}, "reach beyond"),
        ({"offset": "x"}, "no number"),
        ({"length": "8"}, "no valid ONNX model|cannot load"),
    ],
)
def test_weights_elsewhere_are_refused(tmp_path, entries, message):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"\0" * 1000)
    (tmp_path / "tiny.bin").write_bytes(b"\0" * 1000)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(ValueError, match=message):
        OnnxNetwork(put_beside(tiny_model(), folder, **entries))


def test_a_file_that_is_named_often_is_counted_each_time(tmp_path, monkeypatch):
    path = put_beside(tiny_model(), tmp_path)
    monkeypatch.setattr(onnx_file, "MAX_BYTES", path.stat().st_size + 100)
    with pytest.raises(ValueError, match="with its weights"):
        OnnxNetwork(path)
