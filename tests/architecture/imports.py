"""The imports of a crate, a Python package or a folder of TypeScript, as a graph of its files."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

Graph = dict[str, set[str]]
"""The modules that each module imports: `routing/aodv/table`."""


def rust(sources: Path) -> Graph:
    """The graph of a crate, from its `use` lines and the paths in its code; tests and doc comments left out."""
    modules = {_module(path.relative_to(sources)): path for path in sources.rglob("*.rs")}
    texts = {name: _code(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    modules = {name: path for name, path in modules.items() if not _is_test(name, texts)}
    return {name: {_target(path, modules) or "lib" for path in _paths(name, texts[name])} - {name} for name in modules}


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return "/".join(parts[:-1] if parts[-1] == "mod" else parts)


def _code(text: str) -> str:
    """The text without comments, strings and test modules written in place."""
    text = re.sub(r"""//[^\n]*|/\*.*?\*/|r#".*?"#|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'""", "", text, flags=re.DOTALL)
    while found := re.search(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\(\w+\))? )?mod \w+ \{", text):
        text = text[: found.start()] + text[_closing(text, found.end()) :]
    return text


def _closing(text: str, start: int) -> int:
    """Where the brace that was opened before `start` is closed."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place + 1
    raise ValueError("a brace is not closed")


def _is_test(module: str, texts: dict[str, str]) -> bool:
    """Whether a module, or one around it, is declared under `#[cfg(test)]`."""
    parts = module.split("/")
    for depth in range(1, len(parts) + 1):
        parent = texts.get("/".join(parts[: depth - 1]) or "lib", "")
        if re.search(rf"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod {parts[depth - 1]};", parent):
            return True
    return False


def _paths(module: str, text: str) -> Iterator[tuple[str, ...]]:
    """The paths that a module names, from the root of its crate."""
    here = () if module == "lib" else tuple(module.split("/"))
    children = set(re.findall(r"\bmod (\w+);", text))
    bodies = re.findall(r"\buse ([^;]+);", text)
    inline = re.findall(r"(?<![\w:$])((?:crate|super)(?:::(?:r#)?\w+)+)", re.sub(r"\buse [^;]+;", "", text))
    for path in [each for body in bodies for each in _leaves(body)] + [tuple(each.split("::")) for each in inline]:
        names = [name.removeprefix("r#") for name in path]
        if names[0] == "crate":
            yield tuple(names[1:])
        elif names[0] in ("super", "self"):
            rest = [name for name in names if name not in ("super", "self")]
            yield (*here[: len(here) - names.count("super")], *rest)
        elif names[0] in children:
            yield (*here, *names)


def _leaves(tree: str) -> Iterator[tuple[str, ...]]:
    """The paths of a `use` tree: `a::{b, c::D}` is `a::b` and `a::c::D`."""
    tree = re.sub(r"\s+as\s+\w+", "", tree).strip()
    head, brace, rest = tree.partition("{")
    if not brace:
        yield tuple(part.strip() for part in tree.split("::") if part.strip() not in ("", "*"))
        return
    depth, start, inner = 0, 0, rest[: rest.rindex("}")]
    for place, letter in enumerate([*inner, ","]):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if item := inner[start:place].strip():
                prefix = tuple(part.strip() for part in head.split("::") if part.strip())
                yield from ((*prefix, *leaf) for leaf in _leaves(item))
            start = place + 1


def _target(path: tuple[str, ...], modules: dict[str, Path]) -> str | None:
    """The module that a path leads into: its longest prefix that is one."""
    for length in range(len(path), 0, -1):
        if "/".join(path[:length]) in modules:
            return "/".join(path[:length])
    return None


def python(sources: Path) -> Graph:
    """The graph of a package, from its import statements, those of functions and of types too."""
    modules = {_module(path.relative_to(sources)): path for path in sources.rglob("*.py")}
    known = {name.removesuffix("/__init__"): path for name, path in modules.items()}
    known |= {path.stem: path for path in sources.glob("*.pyi")}
    root = sources.name
    graph = {}
    for name, path in known.items():
        found = _imported(ast.parse(path.read_text(encoding="utf-8")), root)
        graph[name] = {_target(parts, known) or "__init__" for parts in found} - {name}
    return graph


def _imported(tree: ast.AST, root: str) -> Iterator[tuple[str, ...]]:
    """What a module imports from its own package, without the package's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"line {node.lineno}: a relative import; write it from {root} on")
            names = [[*(node.module or "").split("."), alias.name] for alias in node.names]
        else:
            continue
        yield from (tuple(parts[1:]) for parts in names if parts[0] == root)


def typescript(sources: Path) -> Graph:
    """The graph of a folder of TypeScript: its relative imports and re-exports, those of types too."""
    modules = {_module(path.relative_to(sources)): path for path in sources.rglob("*.ts") if ".d." not in path.name}
    return {name: set(_relative(path, sources)) - {name} for name, path in modules.items()}


def _relative(path: Path, sources: Path) -> Iterator[str]:
    """The modules of the folder that a file imports; in TypeScript their names end in `.js`."""
    named = re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']*)\.js["']""", path.read_text(encoding="utf-8"))
    for target in (Path(os.path.normpath(path.parent / each)) for each in named):
        if target.is_relative_to(sources):
            yield "/".join(target.relative_to(sources).parts)


def inner(graph: Graph) -> Graph:
    """The graph without the arrows from a module to those below it, which it declares and puts together."""
    below = {name: "" if name in ("lib", "__init__") else f"{name}/" for name in graph}
    return {name: {other for other in others if not other.startswith(below[name])} for name, others in graph.items()}


def upward(graph: Graph, rooms: list[str]) -> list[str]:
    """The arrows to a room that comes later in the written order, and to rooms that are not in it."""
    place = {room: number for number, room in enumerate(rooms)}
    found = []
    for name, others in sorted(graph.items()):
        for other in sorted(others):
            here, there = name.split("/")[0], other.split("/")[0]
            if here not in place or there not in place or place[there] > place[here]:
                found.append(f"{name} -> {other}")
    return found


def circles(graph: Graph) -> list[list[str]]:
    """The groups of modules that import each other, directly or over others (Tarjan's strong components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in number:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == number[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return found
