"""What the report says and shows in detail: wording, numbers, how pictures are cut, long lists."""

import base64
import re
from pathlib import Path

import numpy as np
import pytest
from tests.report.browser import Pages, chromium, wait_for_pictures
from tests.report.made_report import landscape, made_report
from tests.report.page_visits import PHONE, SECTIONS, go

from conceptforest.report.page import ClusterInfo, DuplicateGroup, Suggestion, write_report


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def look(browser, tmp_path):
    """Open reports of given data; whatever goes wrong is noted, and judged at the end."""
    pages = Pages(browser)

    def opened(data, section, **options):
        write_report(tmp_path / "report.html", data)
        return pages(tmp_path / "report.html", section, **options)

    yield opened
    pages.close()
    assert pages.wrong == []


def suggested(n, probability=0.8):
    return [Suggestion(f"tag {i}", probability - i / 100, [(1, 0.5)]) for i in range(n)]


def saved_table(page):
    with page.expect_download() as download:
        page.click("text=Save as CSV")
    return Path(download.value.path()).read_text("utf-8-sig").splitlines()


def test_a_card_shows_up_to_eight_suggestions_and_the_panel_all(look):
    page = look(made_report(3, suggestions=[suggested(8), suggested(11), []]), "suggestions")
    cards = page.locator(".card")
    assert cards.nth(0).locator(".suggestion").count() == 8
    assert cards.nth(0).locator(".and-more").count() == 0
    assert cards.nth(1).locator(".suggestion").count() == 8
    more = cards.nth(1).locator(".and-more")
    assert more.inner_text().startswith("and 3 more")
    more.click()
    assert page.locator("[data-shown='1']").count() == 1
    names = page.locator(".panel .suggestion .chip").all_inner_texts()
    assert names == [f"tag {i}" for i in range(11)]


def test_a_card_tells_how_many_tags_it_leaves_out(look):
    tags = [[f"word {i}" for i in range(n)] for n in (12, 15)]
    data = made_report(2, tags=tags, suggestions=[suggested(1), suggested(1)])
    page = look(data, "suggestions")
    cards = page.locator(".card")
    assert cards.nth(0).locator(".and-more").count() == 0
    assert cards.nth(1).locator(".chip:not(.new)").count() == 12
    cards.nth(1).locator(".and-more").click()
    assert page.locator(".panel .chip:not(.new)").count() == 15


def test_probabilities_are_percentages_and_explained(look):
    data = made_report(2, suggestions=[suggested(1, 0.234), []])
    page = look(data, "suggestions", accept_downloads=True)
    assert page.locator(".card .number").inner_text() == "23 %"
    assert page.locator("main .meaning").inner_text().startswith("A percentage is the share")
    assert page.locator("label[for=least]").inner_text() == "At least"
    assert page.locator("output").inner_text() == "0 %"
    assert saved_table(page)[0] == '"item","tag","probability","because_of"'


def test_scores_are_not_shown_as_probabilities(look):
    data = made_report(2, suggestions=[suggested(1, 0.234), []], calibrated=False)
    page = look(data, "suggestions", accept_downloads=True)
    assert page.locator(".card .number").inner_text() == "0.23"
    bar = page.locator(".card .bar > span")
    assert bar.evaluate("one => parseFloat(one.style.width)") == pytest.approx(23.4)
    assert "a score, not a probability" in page.locator("main .meaning").inner_text()
    page.locator("#least").fill("20")
    assert page.locator("label[for=least]").inner_text() == "Score at least"
    assert page.locator("output").inner_text() == "0.20"
    assert page.locator("#least").get_attribute("aria-valuetext") == "0.20"
    assert "%" not in page.locator("main").inner_text()
    table = saved_table(page)
    assert table[0] == '"item","tag","score","because_of"'
    assert ",0.234," in table[1]
    page.locator(".card a").first.click()
    assert page.locator(".panel .suggestion .number").inner_text() == "0.23"
    assert "a score, not a probability" in page.locator(".panel .meaning").inner_text()


@pytest.mark.parametrize(
    ("section", "place"), [("duplicates", ".group"), ("outliers", ".outliers")]
)
def test_what_is_to_be_compared_is_shown_whole(look, section, place):
    page = look(made_report(60), section)
    assert wait_for_pictures(page, f"{place} .tile img") >= 3
    ways = page.locator(f"{place} .tile img").evaluate_all(
        "all => all.map(one => getComputedStyle(one).objectFit)"
    )
    assert set(ways) == {"contain"}


@pytest.mark.parametrize(
    ("kinds", "noun"),
    [
        (["image"] * 12, "pictures"),
        (["video"] * 12, "videos"),
        (["item"] * 12, "items"),
        (["image", "video"] * 6, "items"),
    ],
)
def test_there_is_one_noun_for_what_is_shown(look, kinds, noun):
    said = {"notes": [], "skipped": [], "facts": [], "scores": [], "outliers": [(0, "far")]}
    page = look(made_report(12, kinds=kinds, **said), "overview")
    assert page.locator(".lead").inner_text().startswith(f"12 {noun} in ")
    others = {"pictures?", "videos?", "items?"} - {f"{noun}?"}
    for section in (*SECTIONS, "search/no such thing", "concepts/0~3"):
        go(page, section)
        # A badge says of a single one that it is a video, in whatever company.
        text = page.evaluate(
            """() => {
                document.querySelectorAll('.badge').forEach(one => one.remove());
                return document.body.innerText;
            }"""
        )
        assert not re.search(rf"\b({'|'.join(others)})\b", text), section


def test_one_of_a_kind_is_not_spoken_of_as_many(look):
    data = made_report(
        1,
        kinds=["video"],
        tags=[["beach"]],
        tag_counts={"beach": 1},
        tree=[("beach", None)],
        layers=[["beach"]],
        relations=[],
        clusters=[ClusterInfo("beach", 1, [("beach", 1.0, 1.0)], [0], 1.0)],
        suggestions=[[]],
        outliers=[(0, "far")],
        skipped=[("a.mp4", "it is empty")],
    )
    page = look(data, "overview")
    lead, title = page.locator(".lead"), page.locator("h1")
    assert lead.inner_text() == "1 video in 1 concept, with 1 tag."
    assert page.locator("a.more").inner_text() == "The one concept"
    go(page, "tags")
    assert lead.inner_text() == "1 tag, and the videos that carry it."
    go(page, "tags/0")
    assert lead.inner_text() == "1 video carries this tag; layer 1 of 1."
    go(page, "concepts/0")
    assert page.locator("main h2").inner_text() == "The one video"
    go(page, "outliers")
    assert lead.inner_text() == "1 video that fits nowhere well."
    go(page, "map/beach")
    assert lead.text_content() == "1 video with “beach” stands out."
    go(page, "notes")
    assert title.inner_text() == "Notes and skipped files"
    assert page.locator("main h2").all_inner_texts() == ["Notes", "1 skipped file"]


@pytest.mark.parametrize(
    ("notes", "skipped", "title"),
    [
        (["A note."], [("a.jpg", "it is empty")], "Notes and skipped files"),
        (["A note."], [], "Notes"),
        ([], [("a.jpg", "it is empty")], "Skipped files"),
        ([], [], "Skipped files"),
    ],
)
def test_the_section_of_notes_is_named_after_what_it_holds(look, notes, skipped, title):
    page = look(made_report(3, notes=notes, skipped=skipped), "notes")
    assert page.locator("h1").inner_text() == title
    assert page.locator("nav a[href='#notes'] .nav-title").inner_text() == title


@pytest.mark.parametrize("longest", ["hat", "a" * 70])
def test_words_of_tags_stay_whole_on_a_phone(look, longest):
    words = ["food", "animal", "mammal", "people", "architecture", longest]
    rows = [(word, 6.1, 0.27) for word in words]
    data = made_report(5, clusters=[ClusterInfo("all", 5, rows, [0], 0.9)] * 5)
    page = look(data, "concepts/0", **PHONE)
    chips = page.locator(".tag-table .chip")
    heights = chips.evaluate_all("all => all.map(one => one.offsetHeight)")
    assert heights[:5] == [heights[0]] * 5
    assert (heights[5] > heights[0]) == (len(longest) > 60)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("query", ["tux~12", "~3", "100%~1"])
def test_a_search_may_hold_the_sign_that_marks_a_picture_in_addresses(look, query):
    names = [f"{query}.png", *(f"{i}.png" for i in range(19))]
    page = look(made_report(20, names=names), "overview")
    page.fill("#search", query)
    page.wait_for_function("() => location.hash.startsWith('#search/')")
    assert page.locator("dialog.panel").is_hidden()
    assert page.locator(".lead").inner_text() == f"1 item and 0 tags for “{query}”"
    page.reload()
    assert page.locator("#search").input_value() == query
    page.locator(".gallery a").first.click()
    assert page.locator("#panel-name").inner_text() == names[0]
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.panel", state="hidden")
    assert page.locator("#search").input_value() == query


def test_no_cover_enlarges_its_picture_more_than_twice(look):
    def small(item):
        picture, width, height = landscape(item % 10, item % 7)
        return (picture, width // 3, height // 3) if item % 2 else (picture, width, height)

    # 2,560 pixels: the widest that covers become.
    wide = {"viewport": {"width": 2560, "height": 1400}}
    page = look(made_report(300, thumbnails=small), "overview", **wide)
    wait_for_pictures(page, ".mosaic .large img")
    enlarged = page.locator(".cover img").evaluate_all(
        """all => all.map(one => Math.max(
            one.offsetWidth / one.getAttribute('width'),
            one.offsetHeight / one.getAttribute('height')))"""
    )
    assert 1 < max(enlarged) <= 2.02


def one_concept(n, **changes):
    """A report with one concept, whose pictures all differ; the last is the most typical."""
    return made_report(
        n,
        labels=np.zeros(n, dtype=int),
        thumbnails=lambda item: landscape(0, item),
        clusters=[ClusterInfo("all", n, [], list(range(n))[::-1], 0.9)],
        **changes,
    )


def covers(page):
    """Give the bytes of the pictures of the first cover."""
    wait_for_pictures(page, ".mosaic .large img")
    sources = page.locator(".mosaic .large img").evaluate_all("all => all.map(one => one.src)")
    return [base64.b64decode(source.split(",")[1]) for source in sources]


@pytest.mark.parametrize(("n", "shown"), [(1, 1), (2, 2), (3, 2), (4, 4), (5, 4)])
def test_the_large_cover_shows_four_two_or_one_of_its_concept(look, n, shown):
    page = look(one_concept(n, duplicates=[]), "overview")
    assert covers(page) == [landscape(0, n - 1 - i)[0] for i in range(shown)]


def test_a_cover_does_not_repeat_near_duplicates(look):
    data = one_concept(9, duplicates=[DuplicateGroup([8, 7, 5], 0.99)])
    assert covers(look(data, "overview")) == [landscape(0, item)[0] for item in (8, 6, 4, 3)]
