"""VGG-16's fc1 from a user's weights, in a miniature of the same form."""

import numpy as np
import pytest
from safetensors.numpy import save_file

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402
from tests.features.networks import some_pictures, tiny_model, write_old, write_zip  # noqa: E402

from conceptforest.features import vgg16  # noqa: E402
from conceptforest.features.vgg16 import ARCHITECTURE, Architecture, Vgg16, build_vgg16  # noqa: E402

SMALL = Architecture(((1, 4), (2, 6), (1, 5)), n_hidden=7, size=32)


@pytest.fixture(autouse=True)
def miniature(monkeypatch):
    monkeypatch.setattr(vgg16, "ARCHITECTURE", SMALL)


def small_weights(seed=0):
    rng = np.random.default_rng(seed)
    scale = {1: 0.2, 2: 0.1, 4: 0.2}
    return {
        name: (rng.normal(size=shape) * scale[len(shape)]).astype(np.float32)
        for name, shape in SMALL.shapes()
    }


def prepared(network, count=2):
    return np.stack([network.prepare(picture) for picture in some_pictures(count)])


def test_the_weights_are_those_of_torchvision():
    shapes = dict(ARCHITECTURE.shapes())
    numbers = [name.split(".")[1] for name in shapes if name.endswith("weight")]
    assert numbers == [
        "0",
        "2",
        "5",
        "7",
        "10",
        "12",
        "14",
        "17",
        "19",
        "21",
        "24",
        "26",
        "28",
        "0",
    ]
    assert shapes["features.0.weight"] == (64, 3, 3, 3)
    assert shapes["features.28.weight"] == (512, 512, 3, 3)
    assert shapes["classifier.0.weight"] == (4096, 25088)
    assert sum(np.prod(shape) for shape in shapes.values()) == 117_479_232


@pytest.mark.parametrize("relu", [True, False])
def test_features_are_those_of_pytorch(tmp_path, relu):
    torch = pytest.importorskip("torch")
    layers = torch.nn.functional
    weights = {name: torch.from_numpy(array) for name, array in small_weights().items()}
    network = Vgg16(write_zip(tmp_path / "w.pth", small_weights()), relu=relu)
    x = torch.from_numpy(prepared(network))
    for place in (0, 3, 5, 8):
        if place in {3, 8}:
            x = layers.max_pool2d(x, 2)
        weight, bias = weights[f"features.{place}.weight"], weights[f"features.{place}.bias"]
        x = layers.relu(layers.conv2d(x, weight, bias, padding=1))
    x = layers.max_pool2d(x, 2).flatten(1)
    x = layers.linear(x, weights["classifier.0.weight"], weights["classifier.0.bias"])
    wanted = (layers.relu(x) if relu else x).numpy()
    assert (wanted < 0).any() != relu
    np.testing.assert_allclose(network.run(prepared(network)), wanted, rtol=1e-3, atol=1e-5)


def test_every_kind_of_file_gives_the_same(tmp_path):
    weights = small_weights() | {"classifier.3.weight": np.ones((2, 7), np.float32)}
    save_file(weights, tmp_path / "w.safetensors")
    (tmp_path / "w.onnx").write_bytes(build_vgg16(weights, SMALL).SerializeToString())
    networks = [
        Vgg16(write_zip(tmp_path / "zip.pth", weights)),
        Vgg16(write_old(tmp_path / "old.pth", weights)),
        Vgg16(tmp_path / "w.safetensors"),
        Vgg16(tmp_path / "w.onnx"),
    ]
    first = networks[0].run(prepared(networks[0]))
    assert first.shape == (2, 7)
    for network in networks[1:]:
        np.testing.assert_array_equal(network.run(prepared(network)), first)


def test_the_contract_of_extractors_is_kept(tmp_path):
    path = write_zip(tmp_path / "w.pth", small_weights())
    network = Vgg16(path)
    assert (network.name, network.n_features, network.batch_size) == ("vgg16", 7, 8)
    assert (network.run(prepared(network)) >= 0).all()
    other = Vgg16(write_zip(tmp_path / "other.pth", small_weights(1)))
    assert len({network.key, Vgg16(path, relu=False).key, other.key}) == 3
    assert Vgg16(path, n_jobs=2).key == network.key


def test_pictures_are_prepared_as_the_weights_want_it(tmp_path):
    network = Vgg16(write_zip(tmp_path / "w.pth", small_weights()))
    found = network.prepare(np.full((64, 64, 3), (10, 100, 200), np.uint8))
    wanted = (np.array([10, 100, 200]) / 255 - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    assert found.shape == (3, 32, 32)
    np.testing.assert_allclose(found[:, 5, 5], wanted, rtol=1e-6)


def test_what_differs_from_vgg_is_listed():
    weights = small_weights()
    del weights["features.3.bias"]
    weights["features.0.weight"] = np.ones((4, 1, 3, 3), np.float32)
    weights["classifier.0.weight"][0, 0] = np.nan
    with pytest.raises(ValueError, match="not the weights of VGG-16") as caught:
        build_vgg16(weights, SMALL)
    message = str(caught.value)
    assert "features.3.bias is missing" in message
    assert "features.0.weight has shape (4, 1, 3, 3) instead of (4, 3, 3, 3)" in message
    assert "classifier.0.weight holds what is no finite number" in message


def test_a_long_list_of_differences_is_cut():
    with pytest.raises(ValueError, match=r"; features\.8\.bias is missing and 2 more"):
        build_vgg16({}, SMALL)


def onnx_with(nodes, folder, **constants):
    """Save a network that ends in other layers after ``flat``, shape (n, 5)."""
    model = tiny_model(size=(32, 32))
    for name, array in constants.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    model.graph.node.extend(nodes)
    path = folder / "other.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_a_product_and_a_sum_are_one_layer(tmp_path):
    weight, bias = np.zeros((5, 7), np.float32), np.arange(-3, 4).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["flat", "w"], ["product"]),
        helper.make_node("Add", ["product", "b"], ["sum"]),
        helper.make_node("Relu", ["sum"], ["end"]),
    ]
    path = onnx_with(nodes, tmp_path, w=weight, b=bias)
    network = Vgg16(path, relu=False)
    np.testing.assert_array_equal(network.run(prepared(network, 1))[0], bias)
    network = Vgg16(path)
    np.testing.assert_array_equal(network.run(prepared(network, 1))[0], np.maximum(bias, 0))


def test_a_layer_may_be_a_convolution_or_transposed(tmp_path):
    bias = np.arange(-3, 4).astype(np.float32)
    conv = helper.make_node("Conv", ["pooled", "w", "b"], ["fc"])
    path = onnx_with([conv], tmp_path, w=np.zeros((7, 5, 1, 1), np.float32), b=bias)
    network = Vgg16(path, relu=False)
    np.testing.assert_array_equal(network.run(prepared(network, 1))[0], bias)
    gemm = helper.make_node("Gemm", ["flat", "w", "b"], ["fc"], transB=1)
    path = onnx_with([gemm], tmp_path, w=np.zeros((7, 5), np.float32), b=bias)
    network = Vgg16(path, relu=False)
    np.testing.assert_array_equal(network.run(prepared(network, 1))[0], bias)


def test_a_layer_may_be_named(tmp_path):
    assert Vgg16(onnx_with([], tmp_path), output="vector").n_features == 6


def test_a_network_without_the_layer_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no layer of 7 units"):
        Vgg16(onnx_with([], tmp_path))


def test_a_network_of_another_size_is_refused(tmp_path):
    (tmp_path / "w.onnx").write_bytes(tiny_model().SerializeToString())
    with pytest.raises(ValueError, match="8 x 8 pixels"):
        Vgg16(tmp_path / "w.onnx")


def test_an_output_without_onnx_is_refused(tmp_path):
    with pytest.raises(ValueError, match="onnx files only"):
        Vgg16(write_zip(tmp_path / "w.pth", small_weights()), output="fc1")
