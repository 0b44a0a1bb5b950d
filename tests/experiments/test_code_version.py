"""Versions of code: comments and layout do not count, statements and what is imported do."""

import ast
import sys
from types import SimpleNamespace

import pytest

from conceptforest.experiments import code_version as module
from conceptforest.experiments.code_version import code_version
from conceptforest.experiments.running import code_version_of

SOURCE = '''"""What it is."""
from conceptforest.checks import whole

def f(x):
    """Check."""
    whole("x", x, 1)
    return x
'''


@pytest.fixture
def version_of(tmp_path, monkeypatch):
    """Give the version that a module of the package would have with some source."""
    import conceptforest

    monkeypatch.setattr(conceptforest, "__path__", [*conceptforest.__path__, str(tmp_path)])

    def version(source, name="some_new_module"):
        (tmp_path / f"{name}.py").write_text(source)
        sys.modules.pop(f"conceptforest.{name}", None)
        for function in (module._tree, module._imports, module._is, module._statements):
            function.cache_clear()
        return code_version(f"conceptforest.{name}")

    return version


def test_comments_docstrings_and_layout_do_not_count(version_of):
    changed = SOURCE.replace("What it is", "Something else").replace("return x", "return (x)  # x")
    changed = changed.replace('    """Check."""\n', "\n\n")
    assert version_of(changed) == version_of(SOURCE)


def test_what_is_imported_for_annotations_does_not_count(version_of):
    more = "from typing import TYPE_CHECKING\n"
    only_types = f"{more}if TYPE_CHECKING:\n    from conceptforest.metrics import audit\n{SOURCE}"
    assert version_of(only_types) == version_of(f"{more}{SOURCE}")


@pytest.mark.parametrize(
    ("old", "new"), [("x, 1)", "x, 2)"), ("return x", "return -x"), ("def f", "def g")]
)
def test_statements_count(version_of, old, new):
    assert version_of(SOURCE.replace(old, new)) != version_of(SOURCE)


def test_what_is_imported_counts(version_of):
    helper = "from conceptforest.a_helper import y\n"
    version_of("y = 1\n", "a_helper")
    one = version_of(helper)
    version_of("y = 2\n", "a_helper")
    assert version_of(helper) != one


def test_the_core_counts_by_the_sources_that_it_was_built_from(monkeypatch):
    names = "conceptforest.structure.clustering", "conceptforest.checks"
    with_core, without = map(code_version, names)
    monkeypatch.setattr(module, "_core", SimpleNamespace(SOURCES="others"))
    assert code_version(names[0]) != with_core
    assert code_version(names[1]) == without


@pytest.mark.parametrize(
    "name",
    [
        "conceptforest.metrics",
        "conceptforest.tags.hiding",
        "conceptforest.experiments.run_job",
        "conceptforest.experiments.building",
    ],
)
def test_what_scores_and_runs_a_method_counts(monkeypatch, name):
    before = code_version_of("KMeans")
    own = module._statements
    monkeypatch.setattr(module, "_statements", lambda of: "another" if of == name else own(of))
    assert code_version_of("KMeans") != before


def test_completion_by_clusters_depends_on_the_clustering():
    versions = {name: code_version_of(name) for name in ("KMeans(GC)", "SpClust(GC)", "KMeans")}
    assert len(set(versions.values())) == 3


def test_versions_do_not_depend_on_that_of_python():
    function = ast.parse("def f(x, *, y=None):\n    return [x, 1.0, 'a']").body[0]
    function.type_params = []  # as from 3.12 on
    arguments = "args=[arg(arg='x')], kwonlyargs=[arg(arg='y')], kw_defaults=[Constant()]"
    items = "[Name(id='x', ctx=Load()), Constant(value=1.0), Constant(value='a')]"
    assert module._written(function) == (
        f"FunctionDef(name='f', args=arguments({arguments}),"
        f" body=[Return(value=List(elts={items}, ctx=Load()))])"
    )


def test_a_nested_format_counts_the_same_with_every_version_of_python():
    text = ast.parse("f'{x:>{width}}'").body[0]
    written = module._written(text)
    layout = next(one for one in ast.walk(text) if isinstance(one, ast.FormattedValue)).format_spec
    if layout.values[-1].__class__ is ast.Constant:  # as from 3.12 on
        layout.values.pop()
    else:
        layout.values.append(ast.Constant(""))
    assert module._written(text) == written
    layout.values.append(ast.Constant("d"))
    assert module._written(text) != written
