"""IPTC keywords: their character sets, and lengths that lie."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.media_files import dataset, iptc_block

from conceptforest.datasets.iptc import read_iptc

UTF_8 = b"\x1b%G"


def test_keywords_come_in_order():
    assert read_iptc(iptc_block([b"boat", b"sea", b""])) == ("boat", "sea", "")


@pytest.mark.parametrize(
    ("word", "character_set"),
    [
        ("Küste".encode(), UTF_8),
        ("Küste".encode(), b""),
        ("Küste".encode("latin-1"), b""),
        ("Küste".encode("latin-1"), UTF_8),  # it lies
        ("Küste".encode("latin-1"), b"\x1b.A"),
    ],
)
def test_the_character_set_is_the_declared_one_or_the_one_that_fits(word, character_set):
    assert read_iptc(iptc_block([word], character_set)) == ("Küste",)


def test_a_declared_latin_1_is_believed():
    assert read_iptc(iptc_block(["ü".encode()], b"\x1b.A")) == ("Ã¼",)


def test_long_values_have_the_length_of_their_length():
    long = b"\x1c\x02\x19\x80\x04" + (4).to_bytes(4, "big") + b"boat"
    block = b"8BIM\x04\x04\0\0" + len(long).to_bytes(4, "big") + long
    assert read_iptc(block) == ("boat",)


@pytest.mark.parametrize(
    "data",
    [
        b"\x1c\x02\x19\x7f\xffboat",
        b"\x1c\x02\x19\xff\xffboat",
        b"\x1c\x02\x19\x80\x08" + b"\xff" * 8,
        dataset(2, 25, b"sound") + b"\x1c\x02\x19\x00\x09boat",
    ],
)
def test_lengths_that_lie_are_refused(data):
    block = b"8BIM\x04\x04\0\0" + len(data).to_bytes(4, "big") + data
    with pytest.raises(ValueError, match="its IPTC block says that it is longer than it is"):
        read_iptc(block)


def test_a_resource_that_lies_is_refused():
    with pytest.raises(ValueError, match="longer than it is"):
        read_iptc(b"8BIM\x04\x04\0\0\xff\xff\xff\xff\x1c\x02\x19\x00\x01a")


@pytest.mark.parametrize("data", [b"", b"8BIM", b"AgHg" + bytes(20), bytes(100)])
def test_other_data_has_no_keywords(data):
    assert read_iptc(data) == ()


@settings(deadline=None, max_examples=200)
@given(data=st.binary(max_size=60), place=st.integers(0, 80), cut=st.integers(0, 20))
def test_damage_is_found_or_harmless(data, place, cut):
    sound = iptc_block([b"boat", b"sea"], UTF_8)
    for content in (data, sound[:place] + data[:cut] + sound[place + cut :]):
        try:
            assert all(isinstance(word, str) for word in read_iptc(content))
        except ValueError as error:
            assert "longer than it is" in str(error)  # noqa: PT017
