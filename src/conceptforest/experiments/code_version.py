"""Which code computed a result: a digest that changes when the computation may have changed.

Of Python files the statements count, not comments, docstrings or layout, and of the compiled core
the same: it holds a digest of the sources that it was built from.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["code_version"]

_PACKAGE = "conceptforest"
_SHOWN_ONLY = frozenset({f"{_PACKAGE}.progress"})  # what people see changes no result
_CORE = f"{_PACKAGE}._core"


def code_version(*modules: str, alone: Iterable[str] = ()) -> str:
    """Give the version of modules of this package with all that they import from the package.

    Parameters
    ----------
    *modules : str
        Their full names.
    alone : iterable of str, default=()
        Modules that count without what they import.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> version = code_version("conceptforest.checks")
    >>> len(version), version == code_version("conceptforest.metrics")
    (32, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(_closure(modules).union(alone)):
        digest.update(f"{name}:{_core.SOURCES if name == _CORE else _statements(name)}".encode())
    return digest.hexdigest()


def _closure(modules: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found or name in _SHOWN_ONLY:
            continue
        found.add(name)
        if name != _CORE:
            waiting += _imports(name)
    return found


@cache
def _tree(module: str) -> ast.AST:
    """Parse a module, without what is imported for annotations alone."""
    spec = find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ast.Module([], [])

    class Cut(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                return node.orelse
            return self.generic_visit(node)

    return Cut().visit(ast.parse(Path(spec.origin).read_bytes()))  # type: ignore[no-any-return]


@cache
def _imports(module: str) -> tuple[str, ...]:
    """List the modules of this package that a module imports when it runs."""
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{one.name}" for one in node.names}
            names |= inside
            if node.module != _PACKAGE or not all(map(_is, inside)):
                names.add(node.module)  # of `from conceptforest import _core`, the core alone
    return tuple(
        sorted(name for name in names if f"{name}.".startswith(f"{_PACKAGE}.") and _is(name))
    )


@cache
def _is(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # a function of a module, not a module
        return False


@cache
def _statements(module: str) -> str:
    """Give a digest of a module's statements."""
    tree = _tree(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return hashlib.blake2b(_written(tree).encode(), digest_size=16).hexdigest()


def _written(node: Any) -> str:
    """Write out a syntax tree, the same with every version of Python.

    Later versions add fields, such as parameters of types, that are empty in what earlier ones can
    read; ``ast.dump`` writes some of them. Python 3.12 ends a nested format with an empty text.
    What is empty is left out here.
    """
    if isinstance(node, ast.JoinedStr):
        node = ast.JoinedStr([one for one in node.values if getattr(one, "value", None) != ""])
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    filled = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []))
    return f"{type(node).__name__}({', '.join(f'{n}={_written(value)}' for n, value in filled)})"
