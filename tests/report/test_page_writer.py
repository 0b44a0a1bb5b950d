import base64
import hashlib
import html
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.report.made_report import landscape, made_report

from conceptforest.report.page import ClusterInfo, DuplicateGroup, Suggestion, write_report

MARK = "conceptforest-thumbnails.txt"


def scripts(path):
    """Give the JSON blocks of a page by their names."""
    blocks = re.findall(
        r'<script type="application/json" id="([^"]+)">(.*?)</script>', path.read_text("utf-8")
    )
    return {name: json.loads(text) for name, text in blocks}


def test_a_small_report_is_one_file(tmp_path):
    written = write_report(tmp_path / "report.html", made_report(12))
    assert written == [tmp_path / "report.html"]
    assert list(tmp_path.iterdir()) == written


def test_the_page_holds_what_was_given(tmp_path):
    data = made_report(30)
    write_report(tmp_path / "report.html", data)
    page = scripts(tmp_path / "report.html")["data"]
    words = page["vocabulary"]
    start, ids = page["tagStart"], page["tagIds"]
    for item in range(30):
        assert [words[i] for i in ids[start[item] : start[item + 1]]] == list(data.tags[item])
    assert page["names"] == data.names
    assert page["labels"] == data.labels.tolist()
    suggested = [one for row in data.suggestions for one in row]
    assert [words[i] for i in page["suggestionTag"]] == [one.tag for one in suggested]
    assert page["voterItem"] == [item for one in suggested for item, _ in one.voters]


@pytest.mark.parametrize("calibrated", [True, False])
def test_the_page_knows_whether_numbers_are_probabilities(tmp_path, calibrated):
    write_report(tmp_path / "report.html", made_report(3, calibrated=calibrated))
    assert scripts(tmp_path / "report.html")["data"]["calibrated"] is calibrated


def test_thumbnails_are_in_the_page_as_they_were_given(tmp_path):
    data = made_report(300)
    write_report(tmp_path / "report.html", data)
    blocks = scripts(tmp_path / "report.html")
    pictures = blocks["thumbnails-0"] + blocks["thumbnails-1"]
    assert [base64.b64decode(one) for one in pictures] == [
        data.thumbnails(i)[0] for i in range(300)
    ]


def test_the_same_data_gives_the_same_bytes(tmp_path):
    for name in ("a.html", "b.html"):
        write_report(tmp_path / name, made_report(40))
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_map_places_keep_their_proportions(tmp_path):
    places = np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 0.5]])
    write_report(tmp_path / "report.html", made_report(3, positions=places))
    found = scripts(tmp_path / "report.html")["data"]["map"]
    assert (found["width"], found["height"]) == (10_000, 2_500)
    assert (found["x"], found["y"]) == ([0, 10_000, 5_000], [0, 2_500, 1_250])


@pytest.mark.parametrize("n", [0, 1])
def test_a_collection_may_be_tiny(tmp_path, n):
    write_report(tmp_path / "report.html", made_report(n))
    assert len(scripts(tmp_path / "report.html")["data"]["names"]) == n


def test_no_name_or_tag_can_end_its_script(tmp_path):
    nasty = "</script><script>alert(1)</script>&<!--\u2028"
    data = made_report(3, names=[nasty] * 3, title=nasty, tags=[[nasty]] * 3, notes=[nasty])
    write_report(tmp_path / "report.html", data)
    text = (tmp_path / "report.html").read_text("utf-8")
    block = re.search('id="data">(.*)</script>\n', text)[1]
    assert not set("<>&") & set(block)
    assert html.escape(nasty) in text  # the title, in its element
    assert "\u2028" not in text[text.index('id="data"') :]
    assert scripts(tmp_path / "report.html")["data"]["names"][0] == nasty


def test_a_name_that_is_no_unicode_is_written(tmp_path):
    odd = "photo-\udcff.jpg"
    write_report(tmp_path / "report.html", made_report(1, names=[odd], links=[odd], title=odd))
    page = scripts(tmp_path / "report.html")["data"]
    assert page["names"] == [odd]
    assert page["links"] == ["./photo-%FF.jpg"]


def test_links_are_encoded_paths(tmp_path):
    links = ["a b/c#d?.jpg", "../x%.jpg", None, "javascript:alert(1)"]
    write_report(tmp_path / "report.html", made_report(4, links=links))
    assert scripts(tmp_path / "report.html")["data"]["links"] == [
        "./a%20b/c%23d%3F.jpg",
        "../x%25.jpg",
        "",
        "./javascript%3Aalert%281%29",
    ]


@pytest.mark.parametrize("link", ["/etc/passwd", "https://example.org/a.jpg", "\\\\host\\a.jpg"])
def test_links_out_of_the_folder_tree_are_refused(tmp_path, link):
    with pytest.raises(ValueError, match="relative to the report's folder"):
        write_report(tmp_path / "report.html", made_report(1, links=[link]))
    assert not list(tmp_path.iterdir())


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path):
    write_report(tmp_path / "report.html", made_report(3))
    text = (tmp_path / "report.html").read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        content = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_page_names_no_other_host(tmp_path):
    write_report(tmp_path / "report.html", made_report(3))
    text = (tmp_path / "report.html").read_text("utf-8")
    assert set(re.findall(r"https?://[^'\"\s]+", text)) == {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"links": [None]}, r"links must have one entry for each of the 3 names; got 1\."),
        ({"labels": np.array([0, 1, 99])}, "labels names number 99"),
        ({"labels": np.array([0, 1])}, r"labels must have shape \(3,\)"),
        ({"positions": np.zeros((3, 3))}, r"positions must have shape \(3, 2\)"),
        ({"positions": np.full((3, 2), np.nan)}, "positions holds a value that is not finite"),
        ({"neighbours": [[(7, 0.5)], [], []]}, "neighbours names number 7; the 3 items"),
        ({"suggestions": [[Suggestion("a", 1, [(-1, 1)])], [], []]}, "suggestions names number -1"),
        ({"duplicates": [DuplicateGroup([0, 3], 1)]}, "duplicates names number 3"),
        ({"outliers": [(3, "far")]}, "outliers names number 3"),
        ({"clusters": [ClusterInfo("a", 1, [], [9], 1)] * 3}, "clusters names number 9"),
        ({"tree": [("a", None), ("a", None)]}, "tree names a tag twice"),
        ({"tree": [("a", "b")]}, "parent 'b', which is not in it"),
        ({"tree": [("a", "b"), ("b", "a")]}, "tree goes in a circle at 'a'"),
        ({"thumbnails": lambda _: (b"<svg onload=alert(1)>", 1, 1)}, "no WebP, JPEG or PNG"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        write_report(tmp_path / "report.html", replace(made_report(3), **changes))
    assert not list(tmp_path.iterdir())


def test_many_thumbnails_go_to_a_folder_beside_the_page(tmp_path):
    data = made_report(1_003)
    written = write_report(tmp_path / "report.html", data, inline_bytes=5_000)
    folder = tmp_path / "report-thumbnails"
    assert (folder / "0000" / "000999.webp").read_bytes() == data.thumbnails(999)[0]
    assert (folder / "0001" / "001002.webp").read_bytes() == data.thumbnails(1_002)[0]
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert set(written) == files
    assert len(files) == 1_003 + 2
    assert list(scripts(tmp_path / "report.html")) == ["data"]


def test_the_bound_on_thumbnails_in_the_page_is_exact(tmp_path):
    data = made_report(3)
    total = sum(len(data.thumbnails(item)[0]) for item in range(3))
    assert len(write_report(tmp_path / "a.html", data, inline_bytes=total)) == 1
    assert len(write_report(tmp_path / "b.html", data, inline_bytes=total - 1)) == 5


def test_items_without_a_picture_need_no_file(tmp_path):
    def some(item):
        return landscape(0, item) if item % 2 else None

    data = made_report(6, thumbnails=some)
    written = write_report(tmp_path / "report.html", data, inline_bytes=0)
    assert [path.name for path in written[2:]] == ["000001.webp", "000003.webp", "000005.webp"]
    assert scripts(tmp_path / "report.html")["data"]["thumbnails"]["formats"] == "-w-w-w"


def test_jpeg_and_png_thumbnails_keep_their_format(tmp_path):
    from PIL import Image

    def encoded(item):
        file = io.BytesIO()
        Image.new("RGB", (4, 3), (10, 120, 90)).save(file, ("JPEG", "PNG")[item])
        return file.getvalue(), 4, 3

    data = made_report(2, thumbnails=encoded)
    written = write_report(tmp_path / "report.html", data, inline_bytes=0)
    assert [path.suffix for path in written[2:]] == [".jpg", ".png"]


def test_thumbnails_of_an_earlier_report_go(tmp_path):
    write_report(tmp_path / "report.html", made_report(1_010), inline_bytes=0)
    killed = tmp_path / "report-thumbnails" / "0001" / "001010.webp.4711.tmp"
    killed.write_bytes(b"half of a pic")
    written = write_report(tmp_path / "report.html", made_report(5), inline_bytes=0)
    assert set(written) == {path for path in tmp_path.rglob("*") if path.is_file()}
    write_report(tmp_path / "report.html", made_report(5))
    assert list(tmp_path.iterdir()) == [tmp_path / "report.html"]


def test_files_of_others_stay(tmp_path):
    write_report(tmp_path / "report.html", made_report(5), inline_bytes=0)
    folder = tmp_path / "report-thumbnails"
    elsewhere = tmp_path / "mine.webp"
    elsewhere.write_bytes(b"mine")
    (folder / "0000" / "holiday.webp").write_bytes(b"mine")
    (folder / "letters").mkdir()
    (folder / "letters" / "000001.webp").write_bytes(b"mine")
    (folder / "0000" / "000009.webp").symlink_to(elsewhere)
    write_report(tmp_path / "report.html", made_report(5))
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    assert left == {"0000/holiday.webp", "letters/000001.webp", "0000/000009.webp"}
    assert elsewhere.read_bytes() == b"mine"


def test_a_folder_that_is_not_ours_is_refused(tmp_path):
    folder = tmp_path / "report-thumbnails"
    (folder / "0000").mkdir(parents=True)
    (folder / "0000" / "000001.webp").write_bytes(b"mine")
    with pytest.raises(FileExistsError, match=f"holds other files .it has no {MARK}"):
        write_report(tmp_path / "report.html", made_report(5), inline_bytes=0)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [
        folder / "0000" / "000001.webp"
    ]


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "report-thumbnails").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError, match="is a link or a file"):
        write_report(tmp_path / "report.html", made_report(5), inline_bytes=0)
    assert not list((tmp_path / "other").iterdir())


def test_an_older_page_stays_whole_when_a_new_one_fails(tmp_path):
    write_report(tmp_path / "report.html", made_report(5))
    before = (tmp_path / "report.html").read_bytes()

    def broken(item):
        if item == 3:
            raise OSError("the disk is gone")
        return landscape(0, item)

    with pytest.raises(OSError, match="the disk is gone"):
        write_report(tmp_path / "report.html", made_report(5, thumbnails=broken))
    assert (tmp_path / "report.html").read_bytes() == before


def test_each_thumbnail_is_asked_for_once_and_in_order(tmp_path):
    asked = []

    def counted(item):
        asked.append(item)
        return landscape(0, 0)

    write_report(tmp_path / "report.html", made_report(8, thumbnails=counted), inline_bytes=3_000)
    assert asked == list(range(8))
