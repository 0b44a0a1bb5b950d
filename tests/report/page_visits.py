"""Going about a report in a browser, and waiting for what a step leads to, not for a time."""

import time

SECTIONS = (
    "overview", "map", "concepts", "concepts/1", "tags", "tags/2", "suggestions", "duplicates",
    "outliers", "notes", "about", "search/beach",
)  # fmt: skip
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PATIENCE = 20.0  # seconds

_FRAMES = """async () => {
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
}"""
# "hashchange" comes after the event by which the page learns of a new address.
_GO = """async hash => {
    if (location.hash === `#${hash}`) return;
    await new Promise(done => {
        addEventListener('hashchange', done, { once: true });
        location.hash = hash;
    });
}"""


def settle(page):
    """Wait until what the page has put off to its next frames is done."""
    page.evaluate(_FRAMES)


def go(page, address):
    """Lead an open page to one of its addresses."""
    page.evaluate(_GO, address)
    settle(page)


def until(done, patience=PATIENCE):
    """Ask again and again until the answer is yes; give the last answer."""
    end = time.monotonic() + patience
    while not (answer := done()) and time.monotonic() < end:
        time.sleep(0.02)
    return answer
