"""The report as people see it: in a browser, from a file, without a network."""

import re
import tempfile
import time
from itertools import combinations
from pathlib import Path

import pytest
from tests.report.browser import Pages, chromium, colours_of_map, wait_for_pictures
from tests.report.made_report import CONCEPTS, made_report
from tests.report.page_visits import PATIENCE, PHONE, SECTIONS, go, settle, until

from conceptforest.report.page import ClusterInfo, Suggestion, write_report

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "two\nlines & more",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "=cmd()|calc!A1",
    "javascript:alert(1)",
)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "report.html"
    write_report(path, made_report(600))
    return path


@pytest.fixture
def look(browser):
    """Open pages whose every error and every request is noted, and judged at the end."""
    pages = Pages(browser)
    yield pages
    pages.close()
    assert pages.wrong == []


def test_the_overview_shows_every_concept_with_a_picture(look, report):
    page = look(report)
    assert page.locator(".mosaic .cover").count() == len(CONCEPTS)
    names = page.locator(".cover-name").all_inner_texts()
    assert sorted(names) == sorted(concept.name for concept in CONCEPTS)
    assert wait_for_pictures(page, ".mosaic .large img") == 4
    assert page.locator(".facts dd").first.inner_text() == "600"
    assert page.locator(".score").all_inner_texts() == ["0.81", "0.68", "0.57"]


def test_concepts_are_galleries_with_names_tags_and_pictures(look, report):
    page = look(report, "concepts")
    first = page.locator(".concept").first
    assert page.locator(".concept").count() == len(CONCEPTS)
    assert first.locator("h2").inner_text() == "beach, sea"
    assert re.fullmatch("beach\\s+\\d\\.\\d\u00d7", first.locator(".chip").first.inner_text())
    assert wait_for_pictures(page, ".concept:first-of-type .gallery img") >= 6
    assert page.locator(".concept img").count() < 100


def test_many_concepts_come_in_pages_and_all_have_a_name(look, tmp_path):
    many = [ClusterInfo("", 1, [], [0], 0.5) for _ in range(90)]
    write_report(tmp_path / "r.html", made_report(30, clusters=many))
    page = look(tmp_path / "r.html", "concepts")
    assert page.locator(".concept").count() == 40
    wait_for_pictures(page, ".concept:first-of-type img")
    page.click(".pager button >> text=Next")
    page.click(".pager button >> text=Next")
    assert page.locator(".concept h2").all_inner_texts() == [f"Concept {i}" for i in range(81, 91)]


def test_show_all_leads_to_all_pictures_of_a_concept(look, report):
    page = look(report, "concepts")
    page.locator(".concept a.more").first.click()
    shown = int(re.search(r"\d+", page.locator(".concept-page h2").inner_text())[0])
    assert page.locator(".gallery li").first.get_attribute("aria-setsize") == str(shown)
    wait_for_pictures(page, ".gallery img")
    seen = set()
    for _ in range(20):
        seen |= set(page.locator(".gallery [data-item]").evaluate_all(
            "all => all.map(one => one.dataset.item)"))  # fmt: skip
        page.evaluate("window.scrollBy(0, 500)")
        settle(page)
    assert len(seen) == shown


def test_pictures_say_their_name_and_tags(look, report):
    page = look(report, "concepts")
    page.wait_for_selector(".gallery img")
    alt = page.locator(".gallery img").first.get_attribute("alt")
    assert re.fullmatch(r"water/beach-00000\.jpg: (no tags|[a-z]+(, [a-z]+)*)", alt)


def test_the_map_shows_points_pictures_and_names(look, report):
    page = look(report, "map")
    assert until(
        lambda: colours_of_map(page) > 200
    )  # points have one colour for a concept; pictures have many
    assert page.locator(".map-label:visible").count() == len(CONCEPTS)


def test_names_on_a_crowded_map_do_not_overlap(look, tmp_path, rng):
    write_report(tmp_path / "r.html", made_report(200, positions=rng.normal(size=(200, 2))))
    page = look(tmp_path / "r.html", "map")
    page.wait_for_selector(".map-label:visible")
    settle(page)
    boxes = page.locator(".map-label:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) >= 3
    for one, other in combinations(boxes, 2):
        beside = one["left"] >= other["right"] or other["left"] >= one["right"]
        assert beside or one["top"] >= other["bottom"] or other["top"] >= one["bottom"]


def test_the_map_answers_to_mouse_wheel_and_keys(look, report):
    page = look(report, "map")
    place = "document.querySelector('.map-label').style.transform"
    settle(page)
    start = page.evaluate(place)
    page.locator(".map-canvas").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"start => {place} !== start", arg=start)
    assert page.locator(".map-card").is_visible()
    assert page.locator("#announce").inner_text().startswith("In the middle: ")
    page.keyboard.press("0")
    page.wait_for_function(f"start => {place} === start", arg=start)
    page.keyboard.press("+")
    page.wait_for_function(f"start => {place} !== start", arg=start)
    page.keyboard.press("Enter")
    assert page.locator("dialog.panel").is_visible()


def test_a_click_on_the_map_opens_what_is_pointed_at(look, report):
    page = look(report, "map")
    page.wait_for_selector(".map-label:visible")
    settle(page)
    box = page.locator(".map-label:visible").first.bounding_box()
    below = (box["x"] + box["width"] / 2, box["y"] + box["height"] + 40)
    page.mouse.move(*below)
    page.wait_for_selector(".map-card:not([hidden])")
    pointed = page.locator(".map-card strong").inner_text()
    page.mouse.click(*below)
    assert page.locator("#panel-name").inner_text().endswith(pointed)


def test_two_fingers_enlarge_the_map(look, report):
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    page = look(report, "map", **phone)
    page.wait_for_selector(".map-label:visible")
    settle(page)
    labels = page.locator(".map-label:visible").count()
    before = page.evaluate("document.querySelector('.map-label').style.transform")
    fingers = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 20), ("touchMove", 60), ("touchMove", 90)):
        points = [{"x": 180 - apart, "y": 400}, {"x": 180 + apart, "y": 400}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert labels > 0
    page.wait_for_function(
        """before => {
            const label = document.querySelector('.map-label');
            return label.hidden || label.style.transform !== before;
        }""",
        arg=before,
    )
    assert page.locator("dialog.panel").is_hidden()


def test_search_stands_out_on_the_map(look, report):
    page = look(report, "map")
    page.fill("#search", "glacier")
    page.wait_for_function("() => location.hash === '#map/glacier'")
    assert re.match(r"\d+ items with “glacier” stand out", page.locator(".lead").inner_text())
    assert until(lambda: colours_of_map(page) > 20)


def test_the_hierarchy_is_a_tree_that_opens_by_keyboard(look, report):
    page = look(report, "tags")
    tree = page.locator("[role=tree]")
    assert tree.locator("> li > .tree-row bdi").all_inner_texts()[0] == "water"
    page.locator("[role=treeitem]").first.focus()
    before = tree.locator("[role=treeitem]:visible").count()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert tree.locator("[role=treeitem]:visible").count() == before + 3
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.querySelector('bdi').textContent"
    assert page.evaluate(focused) in CONCEPTS[0].tags[1:]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == "beach"
    page.keyboard.press("ArrowLeft")
    assert tree.locator("[role=treeitem]:visible").count() == before
    page.keyboard.press("Enter")
    assert page.locator("h1").inner_text() == "beach"
    wait_for_pictures(page, ".gallery img")


def test_relations_and_layers_are_there(look, report):
    page = look(report, "tags")
    assert page.locator(".pairs").nth(0).locator("li").count() == len(CONCEPTS)
    assert page.locator(".pairs").nth(1).locator(".bar.apart").count() == len(CONCEPTS) - 3
    assert page.locator(".layers section").count() == 3
    dots = "document.querySelector('.matrix').getContext('2d').getImageData(300, 300, 1, 1).data[3]"
    page.wait_for_function(f"() => {dots} > 0")


def test_suggestions_have_probabilities_and_the_pictures_behind_them(look, report):
    page = look(report, "suggestions")
    assert page.locator(".card").count() == 12
    shares = [float(t.split()[0]) for t in page.locator(".card .number").all_inner_texts()]
    widths = page.locator(".card .suggestion .bar > span").evaluate_all(
        "all => all.map(one => parseFloat(one.style.width))"
    )
    assert widths == pytest.approx(shares, abs=0.51)
    assert shares[0] == max(shares)
    page.locator(".why").first.scroll_into_view_if_needed()
    assert wait_for_pictures(page, ".card:first-of-type .why img") >= 1


def test_the_slider_and_the_tag_choose_suggestions(look, report):
    page = look(report, "suggestions")
    page.locator("#least").fill("90")
    shares = [int(text.split()[0]) for text in page.locator(".card .number").all_inner_texts()]
    assert min(shares) >= 90
    page.select_option("#of-tag", label=page.locator("#of-tag option").nth(1).inner_text())
    chosen = page.locator("#of-tag option:checked").inner_text().split(" (")[0]
    assert set(page.locator(".card .chip.new").all_inner_texts()) <= {chosen}
    said = page.locator("#announce").inner_text()
    assert said == page.locator(".found").inner_text()


def test_the_panel_opens_by_keyboard_and_gives_the_focus_back(look, report):
    page = look(report, "concepts/1")
    tile = page.locator(".gallery a").nth(2)
    tile.focus()
    page.keyboard.press("Enter")
    assert page.locator("#panel-name").inner_text().startswith("town/city-")
    wait_for_pictures(page, ".panel-picture img")
    for _ in range(60):  # all around, and never out
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.panel", state="hidden")
    assert page.evaluate("document.activeElement.dataset.item") == tile.get_attribute("data-item")


def test_more_like_this_leads_from_picture_to_picture(look, report):
    page = look(report, "concepts/0")
    page.locator(".gallery a").first.click()
    first = page.locator("#panel-name").inner_text()
    wait_for_pictures(page, ".more-like-this img")
    other = page.locator(".more-like-this a").nth(3)
    wanted = other.get_attribute("data-item")
    other.click()
    assert page.locator("[data-shown]").get_attribute("data-shown") == wanted
    assert page.locator("#panel-name").inner_text() != first
    page.go_back()
    assert page.locator("#panel-name").inner_text() == first
    page.go_forward()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.panel", state="hidden")
    assert page.url.endswith("#concepts/0")


def test_arrow_keys_go_through_the_gallery(look, report):
    page = look(report, "concepts/2")
    items = page.locator(".gallery a").evaluate_all("all => all.map(one => one.dataset.item)")
    page.locator(".gallery a").first.click()
    shown = page.locator("[data-shown]")
    page.keyboard.press("ArrowRight")
    assert shown.get_attribute("data-shown") == items[1]
    page.keyboard.press("ArrowLeft")
    assert shown.get_attribute("data-shown") == items[0]


def test_addresses_lead_to_views_and_pictures_and_back_works(look, report):
    page = look(report, "suggestions~7")
    assert page.locator("[data-shown='7']").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.panel", state="hidden")
    assert page.locator("h1").inner_text() == "Suggested tags"
    assert page.evaluate("document.activeElement.closest('main') !== null")
    page.click("nav a[href='#outliers']")
    assert page.locator("h1").inner_text() == "Outliers"
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.go_back()
    assert page.locator("h1").inner_text() == "Suggested tags"
    assert page.locator("nav [aria-current]").inner_text().startswith("Suggestions")


@pytest.mark.parametrize(
    "address", ["nowhere", "concepts/999", "tags/-1", "map/%E0%A4%A", "~99999"]
)
def test_addresses_that_lead_nowhere_still_show_something(look, report, address):
    assert look(report, address).locator("h1").count() == 1


def test_search_finds_names_and_tags(look, report):
    page = look(report)
    page.keyboard.press("/")
    page.keyboard.type("HARBOUR 0")
    page.wait_for_function("() => location.hash.startsWith('#search/')")
    page.wait_for_selector(".gallery img")
    alts = page.locator(".gallery img").evaluate_all("all => all.map(one => one.alt)")
    assert alts
    assert all("harbour" in alt and "0" in alt for alt in alts)
    page.fill("#search", "peak")
    page.wait_for_function("() => location.hash === '#search/peak'")
    assert page.locator(".part .chip").first.inner_text().startswith("peak")
    assert "1 tag for “peak”" in page.locator("#announce").inner_text()
    page.fill("#search", "no such thing")
    page.wait_for_selector(".nothing")


def test_duplicates_outliers_skipped_files_and_the_command_are_listed(look, report):
    page = look(report, "duplicates")
    assert page.locator(".group").count() == 3
    page.click("nav a[href='#outliers']")
    assert page.locator(".outliers li").count() == 8
    page.click("nav a[href='#notes']")
    assert page.locator("tbody tr").all_inner_texts() == [
        "broken/half.jpg\tthe file ends too early",
        "notes.png\tit holds no picture",
    ]
    page.click("nav a[href='#about']")
    assert page.locator("pre").inner_text().startswith("conceptforest discover photos")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    n = len(HOSTILE)
    data = made_report(
        n,
        title=HOSTILE[0],
        names=HOSTILE,
        links=HOSTILE,
        tags=[[text] for text in HOSTILE],
        tag_counts=dict.fromkeys(HOSTILE, 1),
        tree=[(text, None) for text in HOSTILE],
        layers=[HOSTILE],
        relations=[(HOSTILE[0], HOSTILE[1], 2.0, 3, "together")],
        skipped=[(text, text) for text in HOSTILE],
        notes=HOSTILE,
        facts=[(text, text) for text in HOSTILE],
        command=HOSTILE[1],
    )
    path = tmp_path_factory.mktemp("hostile") / "report<b>&.html"
    write_report(path, data, inline_bytes=0)
    return path


def test_hostile_names_and_tags_are_shown_as_they_are(look, hostile):
    page = look(hostile)
    assert page.locator("h1").inner_text() == HOSTILE[0]
    for section in SECTIONS:
        go(page, section)
    for item, name in enumerate(HOSTILE):
        go(page, f"tags~{item}")
        page.wait_for_selector(f"[data-shown='{item}']")
        assert page.locator("#panel-name").evaluate("one => one.textContent") == name
        assert page.locator(".panel-details .chip").first.evaluate("o => o.textContent") == name
        link = page.locator(".panel-details a.button").evaluate("one => one.href")
        assert link.startswith("file:///")
    wait_for_pictures(page, ".panel-picture img")
    assert page.locator("img[onerror], main script, dialog script").count() == 0


def test_saved_suggestions_hold_no_formulas(look, tmp_path):
    rows = [[Suggestion(tag, 0.8, [(0, 0.5)])] for tag in ("=cmd()", "+1", "@x", 'a "b", c')]
    names = ["=HYPERLINK(1)", "b.jpg", "-c.jpg", "d.jpg"]
    write_report(tmp_path / "r.html", made_report(4, suggestions=rows, names=names))
    page = look(tmp_path / "r.html", "suggestions", accept_downloads=True)
    page.select_option("#order", "name")
    with page.expect_download() as download:
        page.click("text=Save as CSV")
    text = Path(download.value.path()).read_text("utf-8-sig")
    assert text.splitlines() == [
        '"item","tag","probability","because_of"',
        '"\'-c.jpg","\'@x",0.800,"\'=HYPERLINK(1)"',
        '"\'=HYPERLINK(1)","\'=cmd()",0.800,"\'=HYPERLINK(1)"',
        '"b.jpg","\'+1",0.800,"\'=HYPERLINK(1)"',
        '"d.jpg","a ""b"", c",0.800,"\'=HYPERLINK(1)"',
    ]


def test_a_phone_shows_every_section_without_scrolling_sideways(look, report):
    page = look(report, **PHONE)
    page.locator(".nav-more").tap()
    page.locator("nav a[href='#suggestions']").tap()
    assert page.locator("h1").inner_text() == "Suggested tags"
    assert page.locator("nav .later").is_hidden()
    for section in (*SECTIONS, "concepts/0~3"):
        go(page, section)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, section
        assert page.locator("dialog.panel").evaluate("one => one.scrollWidth <= 360")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(look, report, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = look(report, color_scheme=scheme)
    rules = {"runOnly": ["wcag2a", "wcag2aa"], "resultTypes": ["violations"]}
    for section in (*SECTIONS, "concepts/0~3"):
        go(page, section)
        found = Axe().run(page, options=rules).response["violations"]
        broken = [(one["id"], node["html"]) for one in found for node in one["nodes"]]
        assert broken == [], section


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_collections_show_every_section(look, tmp_path, n):
    write_report(tmp_path / "r.html", made_report(n, tags=[[]] * n, suggestions=[[]] * n))
    page = look(tmp_path / "r.html")
    for section in SECTIONS:
        go(page, section)
        assert page.locator("h1").count() == 1


def test_items_without_pictures_are_cards_with_names(look, tmp_path):
    data = made_report(20, thumbnails=lambda _: None, kinds=["item"] * 20)
    write_report(tmp_path / "r.html", data)
    page = look(tmp_path / "r.html", "concepts/0")
    assert page.locator(".gallery .placeholder").first.inner_text() == "beach-00000.jpg"
    page.locator(".gallery a").first.click()
    assert page.locator(".panel-picture .placeholder").is_visible()
    page.keyboard.press("Escape")
    page.click("nav a[href='#map']")
    assert until(lambda: colours_of_map(page) >= 5)


@pytest.fixture
def large_report():
    # In memory where that is possible: 20,000 small files take some disks ten seconds.
    memory = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        path = Path(folder) / "report.html"
        write_report(path, made_report(20_000), inline_bytes=2**20)
        yield path


def test_twenty_thousand_pictures_are_no_burden(look, large_report):
    # A bound for slow machines: what takes the square of 20,000 steps is far above it.
    begin = time.perf_counter()
    page = look(large_report, "concepts/0")
    wait_for_pictures(page, ".gallery img")
    assert 1 < len(look.asked) < 200
    for _ in range(10):
        page.evaluate("window.scrollBy(0, 20_000)")
        settle(page)
    wait_for_pictures(page, ".gallery img")
    for section in ("map", "concepts", "tags", "suggestions", "search/a"):
        go(page, section)
        assert page.evaluate("document.querySelectorAll('*').length") < 5_000
    assert time.perf_counter() - begin < PATIENCE
    assert len(look.asked) < 1_500
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    heap = next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize")
    assert heap < 100 * 2**20
