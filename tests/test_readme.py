import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES += sorted(ROOT.glob("benchmarks/*.md"))


def python_blocks():
    text = README.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def relative_links(page):
    """Links and pictures that lead to files, without the part after #."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```|`[^`]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    places = re.findall(r"\]\(([^)\s]+)[^)]*\)", text)
    places += re.findall(r"^\[[^\]]+\]:\s*(\S+)", text, re.MULTILINE)
    files = [place.partition("#")[0] for place in places if not re.match(r"[a-z]+:", place)]
    return [file for file in files if file]


def test_there_is_something_to_run():
    assert python_blocks()


@pytest.mark.parametrize("block", python_blocks())
def test_python_in_the_readme_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102
    assert (tmp_path / "forest.safetensors").stat().st_size > 0


def test_the_readme_has_pictures_and_links():
    links = relative_links(README)
    assert "LICENSE" in links
    assert any(link.endswith(".png") for link in links)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert [link for link in relative_links(page) if not (page.parent / link).exists()] == []
