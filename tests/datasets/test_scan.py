"""Finding media: what counts, what is left out with a reason, and what is passed over."""

import os
import sys

import pytest
from tests.datasets.media_files import make_tree

from conceptforest.datasets.scan import scan_folder

unix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of Unix")


def names(items):
    return [item.name for item in items]


def reasons(skipped):
    return {each.name: each.reason for each in skipped}


def test_pictures_and_videos_are_told_by_their_endings_and_come_by_name(tmp_path):
    make_tree(
        tmp_path, ["b/2.PNG", "b/1.jpeg", "a.webp", "b/c/film.MkV", "notes.txt", "jpg", "z.x"]
    )
    items, skipped = scan_folder(tmp_path)
    assert [(item.name, item.kind) for item in items] == [
        ("a.webp", "image"),
        ("b/1.jpeg", "image"),
        ("b/2.PNG", "image"),
        ("b/c/film.MkV", "video"),
    ]
    assert items[1].path == tmp_path / "b" / "1.jpeg"
    assert skipped == []


def test_hidden_names_and_leavings_of_systems_are_passed_over(tmp_path):
    hidden = [".a.jpg", ".git/a.jpg", "__MACOSX/a.jpg", "@eaDir/a.jpg", "b/.c/d.png"]
    make_tree(tmp_path, [*hidden, "seen.jpg"])
    items, skipped = scan_folder(tmp_path)
    assert names(items) == ["seen.jpg"]
    assert skipped == []


def test_a_folder_that_is_called_like_a_picture_is_a_folder(tmp_path):
    make_tree(tmp_path, ["a.jpg/b.jpg"])
    assert names(scan_folder(tmp_path)[0]) == ["a.jpg/b.jpg"]


def test_empty_files_are_left_out(tmp_path):
    make_tree(tmp_path, {"a.jpg": b"", "b.jpg": b"x"})
    items, skipped = scan_folder(tmp_path)
    assert names(items) == ["b.jpg"]
    assert reasons(skipped) == {"a.jpg": "it is empty"}


@pytest.mark.parametrize(
    "name",
    ["a\nb.jpg", "<script>alert(1)</script>.jpg".replace("/", "_"), "a'\"b.jpg", "=cmd().png"],
)
@unix
def test_odd_names_are_kept_as_they_are(tmp_path, name):
    make_tree(tmp_path, [name])
    assert names(scan_folder(tmp_path)[0]) == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_unicode_are_left_out_and_escaped(tmp_path):
    make_tree(tmp_path, ["a.jpg"])
    for name in (b"\xff.jpg", b"\xfe/inner.jpg"):
        make_tree(tmp_path, [os.fsdecode(name)])
    items, skipped = scan_folder(tmp_path)
    assert names(items) == ["a.jpg"]
    assert names(skipped) == ["\\udcfe", "\\udcff.jpg"]
    assert all("not valid Unicode" in each.reason for each in skipped)


@unix
def test_loops_of_links_end(tmp_path):
    make_tree(tmp_path, ["a/b/c.jpg"])
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "me.jpg").symlink_to("me.jpg")
    items, skipped = scan_folder(tmp_path)
    assert names(items) == ["a/b/c.jpg"]
    assert reasons(skipped) == {
        "a/b/up": "it is a link to a folder, and links to folders are not followed",
        "me.jpg": "it is a link to nothing",
    }


@unix
def test_a_link_is_an_item_only_if_its_file_is_not_there_otherwise(tmp_path):
    root = make_tree(tmp_path / "in", ["real.jpg"])
    outside = make_tree(tmp_path / "out", ["far.jpg", "data.bin"])
    (root / "a.jpg").symlink_to("real.jpg")
    (root / "b.jpg").symlink_to(root / "a.jpg")
    (root / "c.jpg").symlink_to(outside / "far.jpg")
    (root / "d.jpg").symlink_to(outside / "far.jpg")
    (root / "e.jpg").symlink_to(outside / "data.bin")
    (root / "f.jpg").symlink_to("gone.jpg")
    (root / "g.txt").symlink_to("gone.txt")
    items, skipped = scan_folder(root)
    assert names(items) == ["c.jpg", "e.jpg", "real.jpg"]
    assert reasons(skipped) == {
        "a.jpg": "it is a link to 'real.jpg', which is in the collection",
        "b.jpg": "it is a link to 'real.jpg', which is in the collection",
        "d.jpg": "it is a link to the same file as 'c.jpg', which is in the collection",
        "f.jpg": "it is a link to nothing",
    }


@unix
def test_the_folder_itself_may_be_a_link(tmp_path):
    make_tree(tmp_path / "real", ["a.jpg"])
    (tmp_path / "real" / "b.jpg").symlink_to("a.jpg")
    (tmp_path / "link").symlink_to("real")
    items, skipped = scan_folder(tmp_path / "link")
    assert names(items) == ["a.jpg"]
    assert names(skipped) == ["b.jpg"]


@unix
def test_a_pipe_is_left_out_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "a.jpg")
    assert reasons(scan_folder(tmp_path)[1]) == {"a.jpg": "it is not a regular file"}


@unix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may list any folder")
def test_a_folder_that_may_not_be_listed_is_left_out(tmp_path):
    make_tree(tmp_path, ["a.jpg", "closed/b.jpg"])
    (tmp_path / "closed").chmod(0)
    try:
        items, skipped = scan_folder(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert names(items) == ["a.jpg"]
    assert reasons(skipped) == {"closed": "the folder cannot be listed (Permission denied)"}


def test_a_folder_that_vanishes_is_left_out(tmp_path, monkeypatch):
    make_tree(tmp_path, ["a.jpg", "gone/b.jpg"])
    listing = os.scandir

    def refuse(path):
        if str(path).endswith("gone"):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert reasons(scan_folder(tmp_path)[1]) == {
        "gone": "the folder cannot be listed (Permission denied)"
    }
    monkeypatch.setattr(os, "scandir", lambda _: refuse("gone"))
    with pytest.raises(ValueError, match=r"Cannot list .*: Permission denied"):
        scan_folder(tmp_path)


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        scan_folder(tmp_path / "none")
    make_tree(tmp_path, ["a.jpg"])
    with pytest.raises(ValueError, match="is not a folder"):
        scan_folder(tmp_path / "a.jpg")
    with pytest.raises(TypeError, match="path is of type int"):
        scan_folder(3)
