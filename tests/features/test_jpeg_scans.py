import io

import pytest
from PIL import Image
from tests.features import pictures
from tests.features.pictures import encode, scene

from conceptforest.features.jpeg_scans import count_scans


def scans(data):
    return count_scans(io.BytesIO(data))


def test_an_ordinary_file_has_one_scan():
    assert scans(encode(scene(300, 300), "JPEG", quality=100)) == 1


def test_a_progressive_file_has_several():
    assert scans(encode(scene(), "JPEG", progressive=True)) > 3


def test_repeated_scans_are_counted():
    assert scans(pictures.jpeg_with_many_scans(50)) == scans(pictures.jpeg_with_many_scans(1)) + 49


def test_a_preview_within_the_file_is_not_counted():
    exif = b"Exif\0\0" + encode(scene(), "JPEG", progressive=True)
    assert scans(encode(scene(), "JPEG", exif=exif)) == 1


def test_a_second_picture_after_the_end_is_not_counted():
    data = encode(scene(), "JPEG")
    assert scans(data + data) == 1


def test_a_progressive_file_that_is_cut_after_its_first_scan_still_counts_as_several():
    data = encode(scene(), "JPEG", progressive=True)
    assert scans(data[: data.index(b"\xff\xda") + 20]) == 2


def test_a_scan_of_one_channel_of_three_counts_as_several():
    data = bytearray(encode(scene(), "JPEG"))
    data[data.index(b"\xff\xda") + 4] = 1
    assert scans(bytes(data)) == 2


def test_marks_without_end_count_as_scans_without_end():
    assert scans(b"\xff\xd8" + b"\xff\xe0\x00\x02" * 100_001) >= 100_000


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff\xd8", b"\xff\xd8\xff\xda", b"text"])
def test_what_is_no_whole_file_has_no_scans(data):
    assert scans(data) == 0


def test_marks_across_two_pieces_are_found(monkeypatch):
    data = encode(Image.fromarray(scene()), "JPEG", progressive=True)
    wanted = scans(data)
    for piece in (2, 3, 7):
        monkeypatch.setattr("conceptforest.features.jpeg_scans._PIECE", piece)
        assert scans(data) == wanted
