"""The source files that what a module defines rests on: its own, and those that it imports and nobody installed."""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

INSTALLED = {"site-packages", "dist-packages"}
STANDARD = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
ENGINE = "farlink"
"""Is not followed: runs carry its build."""
MAIN = "__main__"


def sha256_of(module: str, bases: Collection[str] = ()) -> str | None:
    """Hash a module, those of base classes, and what they import; None where the module has no file.

    Of installed packages only that of the module is followed, and of other libraries only the files of `bases`.
    """
    sources = _Sources(module, {module, *bases})
    for name in (module, *bases):
        sources.follow(name)
    if module not in sources.contents:
        return None
    digest = hashlib.sha256()
    for name, content in sorted(sources.contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


class _Sources:
    def __init__(self, module: str, roots: Collection[str]) -> None:
        self.contents: dict[str, bytes] = {}
        """Of every file, by the name of its module."""
        self._package = module.partition(".")[0]
        self._roots = roots
        self._followed: dict[str, bool] = {}

    def follow(self, name: str) -> bool:
        """Take a module and what it imports, unless it is part of Python or installed; whether it was taken."""
        if name not in self._followed:
            parent = name.rpartition(".")[0]
            # An installed package is left alone: to look for its modules would import it.
            may_have = not parent or self.follow(parent) or name in self._roots
            spec = _spec(name) if may_have else None
            place = _place(spec)
            self._followed[name] = place is not None and self._rests_on(name, place)
            if spec and place and place.is_file() and self._followed[name]:
                self._take(name, place, spec.parent or "")
        return self._followed[name]

    def _rests_on(self, name: str, place: Path) -> bool:
        top = name.partition(".")[0]
        if INSTALLED.intersection(place.parts):
            return (top == self._package or name in self._roots) and top != ENGINE
        return top != ENGINE and not any(place.is_relative_to(folder) for folder in STANDARD)

    def _take(self, name: str, file: Path, package: str) -> None:
        content = file.read_bytes()
        imported: tuple[str, ...] = ()
        if file.suffix == ".py":
            content, imported = _read(content, package)
        self.contents[name] = content
        for each in imported:
            self.follow(each)


def _spec(name: str) -> ModuleSpec | None:
    if name == MAIN:
        script = sys.modules[MAIN]
        if (file := getattr(script, "__file__", None)) is None:
            return None
        package = getattr(script, "__package__", None) or ""
        spec = ModuleSpec(f"{package}.{MAIN}" if package else MAIN, None, origin=file)
        spec.has_location = True
        return spec
    try:
        return find_spec(name)
    except Exception:  # a parent that is no package, or cannot be imported: then nothing rests on it
        return None


def _place(spec: ModuleSpec | None) -> Path | None:
    """The file of a module, or the folder of a package without one; None for what is built in."""
    if spec is None:
        return None
    found = spec.origin if spec.has_location else next(iter(spec.submodule_search_locations or ()), None)
    return Path(found).resolve() if found else None


@lru_cache(maxsize=256)  # a sweep asks for each of its points
def _read(content: bytes, package: str) -> tuple[bytes, tuple[str, ...]]:
    """Give what of a file counts, and the modules that it imports."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return content, ()
    lines = content.splitlines(keepends=True)
    for guard in filter(_is_guard, tree.body):
        rest = [node for node in tree.body if node is not guard]
        if not _stored(guard) & {name for node in rest for name in _mentioned(node)}:
            lines[guard.lineno - 1 : guard.end_lineno] = [b""] * len(lines[guard.lineno - 1 : guard.end_lineno])
            tree.body = rest
    return b"".join(lines), tuple(dict.fromkeys(_imported(tree, package)))


def _is_guard(node: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":` alone, which the processes of a sweep do not execute."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == f"__name__ == '{MAIN}'"


def _stored(node: ast.AST) -> set[str]:
    """The names and attributes that a statement sets: what a cluster sends to its workers has them."""
    places = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)]
    return {name for place in places for name in _mentioned(place)}


def _mentioned(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            try:
                module = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:
                continue
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
