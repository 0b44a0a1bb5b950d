import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def python_blocks():
    text = README.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_there_is_something_to_run():
    assert python_blocks()


@pytest.mark.parametrize("block", python_blocks())
def test_python_in_the_readme_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102


def test_pictures_are_there():
    places = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert places
    assert [place for place in places if not (README.parent / place).exists()] == []
