"""Texts, comments, messages and names use the terms of the field (dictionary.toml)."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
DICTIONARY = tomllib.loads(Path(__file__).with_name("dictionary.toml").read_text(encoding="utf-8"))


Texts = dict[str, tuple[str, str]]
"""The tracked text files, as they are and as they are searched; the name of a file is its first line."""


def read(root: Path) -> Texts:
    """The texts that people read."""
    names = subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0")[:-1]
    found = {}
    for name in names:
        if any(fnmatch(name, glob) for glob in DICTIONARY["skipped"]) or not (root / name).is_file():
            continue
        try:
            text = f"{name}\n{(root / name).read_text(encoding='utf-8')}"
        except UnicodeDecodeError:
            continue
        found[name] = (text, searched(text))
    return found


def searched(text: str) -> str:
    """The text in lower case, with each name also taken apart: `failed_tries` and `FailedTries` are `failed tries`."""
    lines = text.splitlines()
    apart = [re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", line) for line in lines]
    return "\n".join(
        line if line == words else f"{line} {words}" for line, words in zip(lines, apart, strict=True)
    ).lower()


def places(pattern: dict[str, Any], texts: Texts) -> list[str]:
    """Where a pattern occurs and is no exception: `file:line: text`."""
    wanted = re.compile(pattern["regex"])
    found = []
    for name, (text, lower) in texts.items():
        numbers = sorted({lower.count("\n", 0, match.start()) for match in wanted.finditer(lower)})
        if not numbers:
            continue
        exceptions = [each for each in pattern.get("exceptions", []) if fnmatch(name, each["files"])]
        allowed = [re.compile(each.get("lines", "")) for each in exceptions]
        lines = text.splitlines()
        found += [
            f"{name}:{number}: {lines[number].strip()}"
            for number in numbers
            if not any(each.search(lines[number]) for each in allowed)
        ]
    return found


@pytest.fixture(scope="module")
def texts() -> Texts:
    """All of them."""
    if not (ROOT / ".git").exists():
        pytest.skip("NOT RUN: no list of tracked files here")
    return read(ROOT)


@pytest.mark.parametrize("pattern", DICTIONARY["pattern"], ids=lambda pattern: pattern["write"].split(",")[0])
def test_texts_and_names_use_the_terms_of_the_field(pattern: dict[str, Any], texts: Texts) -> None:
    found = places(pattern, texts)
    assert not found, f"write {pattern['write']}:\n" + "\n".join(found)


@pytest.mark.parametrize("line", ["the luck of a run", "let luck = 1;", "struct LuckOfBits;", "fn luck_of_bits()"])
def test_a_word_is_found_in_texts_and_in_names(line: str) -> None:
    text = f"a.rs\n{line}\n"
    assert places({"regex": r"\bluck\b"}, {"a.rs": (text, searched(text))}) == [f"a.rs:1: {line}"]


def test_an_exception_holds_for_its_files_and_lines_only() -> None:
    pattern = {"regex": "walk", "exceptions": [{"files": "docs/*", "lines": "os.walk", "reason": "Python's name"}]}
    texts = {
        name: f"{name}\n{text}" for name, text in {"docs/a.md": "os.walk\nwalk\n", "src/a.py": "os.walk\n"}.items()
    }
    found = places(pattern, {name: (text, searched(text)) for name, text in texts.items()})
    assert found == ["docs/a.md:2: walk", "src/a.py:1: os.walk"]


def test_every_exception_has_a_reason() -> None:
    assert all(each["reason"] for pattern in DICTIONARY["pattern"] for each in pattern.get("exceptions", []))
