"""Image features by name."""

import numpy as np
import pytest
from tests.features.networks import some_pictures, tiny_model

from conceptforest.features import choose
from conceptforest.features.choose import available, make_extractor


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("onnxruntime")
    path = tmp_path / "tiny.onnx"
    path.write_bytes(tiny_model(size=("height", "width")).SerializeToString())
    return path


def test_without_the_extra_the_default_needs_no_weights(monkeypatch):
    monkeypatch.setattr(choose, "has_vision", lambda: False)
    assert available() == ["auto", "classic"]
    assert make_extractor("auto").name == make_extractor("classic").name == "classic"


def test_with_the_extra_the_default_is_the_network():
    pytest.importorskip("onnxruntime")
    assert available() == ["auto", "classic", "efficientnet-lite0"]
    auto = make_extractor("auto", n_jobs=2)
    assert auto.name == "efficientnet-lite0"
    assert auto.key == make_extractor("efficientnet-lite0").key


def test_an_onnx_file_is_named_with_its_settings(model):
    settings = "output=map,size=16x24,crop=1/2,mean=0.1/0.2/0.3,std=2,scale=1/255,pool=no"
    network = make_extractor(f"onnx:{model},{settings},channels=BGR,interpolation=bilinear")
    assert network.n_features == 5 * 16 * 24
    assert network.shortest == 48
    prepared = network.prepare(some_pictures(1)[0])
    assert prepared.shape == (3, 16, 24)
    assert "mean=0.1,0.2,0.3 std=2.0,2.0,2.0" in network.key
    assert "BGR" in network.key
    assert "bilinear" in network.key


def test_an_onnx_file_alone_has_the_default_settings(model):
    assert make_extractor(f"onnx:{model}").run(np.zeros((1, 3, 224, 224), np.float32)).shape == (
        1,
        6,
    )


def test_a_comma_may_be_part_of_a_file_name(model):
    other = model.rename(model.with_name("a,b=c,d.onnx"))
    assert make_extractor(f"onnx:{other},size=8").shortest == 10


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("efficientnet", "no image features 'efficientnet'"),
        ("efficientnet-lite", "Did you mean 'efficientnet-lite0'"),
        ("Auto", "Did you mean 'auto'"),
        ("onx:a.onnx", "Did you mean 'onnx'"),
        ("", "Use auto, classic"),
        ("onnx", "onnx needs a file. Write onnx:FILE"),
        ("vgg16:", "vgg16 needs a file"),
        ("classic:x", "no image features 'classic:x'"),
        ("onnx:a.onnx,sise=3", "Did you mean 'size'"),
        ("onnx:a.onnx,relu=no", "is no setting"),
        ("onnx:a.onnx,size=", "is no setting"),
        ("onnx:a.onnx,size=3,size=4", "size is set twice"),
        ("onnx:a.onnx,size=big", "size must be like 224"),
        ("onnx:a.onnx,size=1x2x3", "size must be like 224"),
        ("onnx:a.onnx,crop=1/0", "crop must be a number"),
        ("onnx:a.onnx,mean=1/2", "mean must be a number or three"),
        ("onnx:a.onnx,std=a", "std must be a number or three"),
        ("onnx:a.onnx,pool=perhaps", "pool must be yes or no"),
        ("vgg16:a.pth,size=3", "Settings are output, relu"),
    ],
)
def test_wrong_names_are_refused_with_advice(name, message):
    with pytest.raises(ValueError, match=message):
        make_extractor(name)


def test_a_name_is_a_string():
    with pytest.raises(TypeError, match="Use auto"):
        make_extractor(None)


@pytest.mark.parametrize("name", ["onnx:none.onnx", "vgg16:none.pth", "vgg16:none.onnx,relu=no"])
def test_a_missing_file_is_named(name):
    pytest.importorskip("onnxruntime")
    with pytest.raises(FileNotFoundError, match="no file 'none"):
        make_extractor(name)
