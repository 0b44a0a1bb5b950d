"""The report of the demo, from a run like any other, as people see it.

Where CONCEPTFOREST_SCREENSHOTS names a folder, the demo has its usual size, and pictures of the
page are kept there: those of the README.
"""

import os

import numpy as np
import pytest
from tests.report.browser import Pages, chromium, colours_of_map, shoot, wait_for_pictures

from conceptforest._demo import DEFAULT, run_demo

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    usual = {"n_items": 600, "n_trees": 300} if os.environ.get("CONCEPTFOREST_SCREENSHOTS") else {}
    small = {"n_items": 100, "n_trees": 40}
    return run_demo(
        tmp_path_factory.mktemp("demo"), **(usual or small), command="conceptforest demo"
    )


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def look(browser, demo):
    pages = Pages(browser)
    yield lambda section, **options: pages(demo.found.run.report, section, **options)
    pages.close()
    assert pages.wrong == []


def test_the_overview_has_covers_facts_and_scores(look, demo):
    page = look("overview")
    names = page.locator(".cover-name").all_inner_texts()
    assert set(names) <= set(demo.found.model.clustering.cluster_names_)
    assert len(names) == 15
    assert page.locator(".facts dd").first.inner_text() == f"{demo.found.items.n_items}"
    assert page.locator(".score").first.inner_text() == f"{demo.compared[DEFAULT]['nmi']:.2f}"
    assert wait_for_pictures(page, ".mosaic .large img") == 4
    shoot(page, "report-overview")


def test_every_concept_is_a_gallery_of_its_pictures(look, demo):
    page = look("concepts")
    assert page.locator(".concept").count() == 15
    assert wait_for_pictures(page, ".concept:first-of-type .gallery img") >= 3
    members = np.flatnonzero(demo.found.model.clustering.labels_ == 0)
    shown = page.locator(".concept:first-of-type [data-item]").evaluate_all(
        "all => all.map(one => Number(one.dataset.item))"
    )
    assert set(shown) <= set(members.tolist())
    shoot(page, "report-concepts")


def test_the_map_has_points_pictures_and_names(look):
    page = look("map")
    assert colours_of_map(page) > 200
    assert page.locator(".map-label:visible").count() >= 10
    shoot(page, "report-map")


def test_the_hierarchy_is_a_tree_of_the_tags(look, demo):
    page = look("tags")
    roots = page.locator("[role=tree] > li > .tree-row bdi").all_inner_texts()
    parents = dict(demo.found.findings.tree)
    assert roots
    assert all(parents[name] is None for name in roots)
    assert page.locator(".layers section").count() == len(demo.found.findings.layers)
    shoot(page, "report-tags")


def test_suggestions_have_probabilities_and_reasons(look, demo):
    page = look("suggestions")
    assert page.locator(".card").count() == 12
    table = demo.found.findings.suggestions
    surest = page.locator(".card .number").first.inner_text()
    assert float(surest.split()[0]) == pytest.approx(100 * table["score"].max(), abs=0.51)
    page.locator(".why").first.scroll_into_view_if_needed()
    assert wait_for_pictures(page, ".card:first-of-type .why img") >= 1
    shoot(page, "report-suggestions")


def test_a_picture_opens_with_more_like_it_and_leads_to_its_file(look, demo):
    page = look("concepts/0")
    page.locator(".gallery a").first.click()
    wait_for_pictures(page, ".panel-picture img")
    name = page.locator("#panel-name").inner_text()
    assert name in demo.found.items.names
    original = page.locator("dialog a[href*='pictures/']").first.get_attribute("href")
    assert (demo.found.run.root / original).is_file()
    shoot(page, "report-panel")


def test_it_fits_a_phone(look):
    page = look("overview", **PHONE)
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)
    shoot(page, "report-phone")
