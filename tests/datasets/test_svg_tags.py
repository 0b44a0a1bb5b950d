"""Tags in SVG drawings: the forms that real files have, and hostile ones."""

import os
import sys
from pathlib import Path

import pytest
from tests.datasets.media_files import laughs, svg_drawing

from conceptforest.datasets.svg_tags import svg_tags

CLIPART = Path("/usr/share/openclipart/svg")


@pytest.fixture
def tags_of(tmp_path):
    def read(content):
        (tmp_path / "a.svg").write_bytes(content)
        return svg_tags(tmp_path / "a.svg")

    return read


def test_subjects_of_the_metadata_are_read(tags_of):
    assert tags_of(svg_drawing(["bird", "", " ", "unsorted", "a\n b"])) == (
        "bird",
        "unsorted",
        "a\n b",
    )


def test_a_drawing_without_metadata_has_no_tags(tags_of):
    assert tags_of(b'<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>') == ()


def test_what_follows_the_metadata_is_not_read(tags_of):
    head, tail = svg_drawing(["bird"]).split(b"<g>")
    assert tags_of(head + b"<g><broken" + tail) == ("bird",)


def test_the_entities_of_illustrator_are_known(tags_of):
    doctype = (
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" ['
        '<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY b "bird">]>'
    )
    data = svg_drawing(["X"], doctype).replace(b">X<", b">&b;<")
    assert tags_of(data.replace(b"http://www.w3.org/2000/svg'", b"&ns_svg;'")) == ("bird",)


def test_a_bomb_is_refused_by_name(tags_of):
    with pytest.raises(ValueError, match=r"Cannot read '.*a.svg': its entity 'e1' is more than"):
        tags_of(laughs())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.svg")
    with pytest.raises(OSError, match="is not a regular file"):
        svg_tags(tmp_path / "a.svg")


@pytest.mark.skipif(not CLIPART.is_dir(), reason="needs Debian's openclipart-svg")
def test_real_drawings_are_read():
    folder = CLIPART / "computer" / "icons" / "applications"
    files = sorted(path for path in folder.iterdir() if path.suffix == ".svg")
    with_tags = sum(bool(svg_tags(path)) for path in files)
    assert with_tags > 0.9 * len(files) > 0
