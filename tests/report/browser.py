"""The system's Chromium, without a network, for looking at pages as people do."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium():
    """Give a browser; without one, skip, or fail where all tests must run."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        missing = "there is no browser to look at the report with: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class Pages:
    """Pages of a browser, and what went wrong in them: errors, dialogs, requests to anywhere."""

    def __init__(self, browser):
        self.wrong = []
        self.asked = []
        self._browser = browser
        self._contexts = []

    def __call__(self, path, section="overview", **options):
        """Open a page at one of its sections."""
        usual = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
        context = self._browser.new_context(**{**usual, **options})
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("request", self._note_request)
        page.on("pageerror", lambda error: self.wrong.append(f"failed: {error}"))
        page.on("dialog", self._note_dialog)
        page.on("console", self._note_message)
        page.goto(f"{path.as_uri()}#{section}")
        return page

    def close(self):
        for context in self._contexts:
            context.close()

    def _note_request(self, request):
        self.asked.append(request.url)
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")

    def _note_dialog(self, dialog):
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_message(self, message):
        if message.type in {"error", "warning"}:
            self.wrong.append(f"console: {message.text}")


def colours_of_map(page):
    """Count the colours of the map that are not its background."""
    page.wait_for_timeout(250)
    return page.evaluate(
        """() => {
            const canvas = document.querySelector('.map-canvas');
            const pen = canvas.getContext('2d');
            const dots = pen.getImageData(0, 0, canvas.width, canvas.height).data;
            const seen = new Set();
            for (let i = 0; i < dots.length; i += 4) {
                if (dots[i + 3] > 150) seen.add((dots[i] << 16) + (dots[i + 1] << 8) + dots[i + 2]);
            }
            return seen.size;
        }"""
    )


def shoot(page, name):
    """Keep a picture of the page where CONCEPTFOREST_SCREENSHOTS names a folder for it."""
    folder = os.environ.get("CONCEPTFOREST_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(400)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def wait_for_pictures(page, selector):
    """Wait until all pictures there are loaded and have an extent; give how many there are."""
    page.wait_for_function(
        """selector => {
            const all = [...document.querySelectorAll(selector)];
            return all.length && all.every(one => one.complete && one.naturalWidth > 0);
        }""",
        arg=selector,
    )
    return page.locator(selector).count()
