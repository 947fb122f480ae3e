"""Sentences of the pages are short, and have none of the turns that make a reader go back (dictionary.toml)."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from test_language import DICTIONARY, ROOT

RULES = DICTIONARY["sentences"]


def sentences(page: str) -> list[str]:
    """The sentences of a page in Markdown, its list items and the cells of its tables; code is one word."""
    text = re.sub(r"^ *```.*?^ *```$|^ {4}\S.*$|<!--.*?-->", "", page, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "CODE", text)).replace("*", "")
    text = re.sub(r"^\s*(?:[-+]|\d+\.|#+|>) +|(?<!\\)\|", "\n\n", text, flags=re.MULTILINE)
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if re.search(r"\w", block)]
    return [
        each for block in blocks for each in re.split(r"(?<=[.!?:;])\s+(?=\W?(?:[A-Z0-9]|ns-))|;\s+", block) if each
    ]


def words(sentence: str) -> int:
    """How many words it has; a number with its unit is two."""
    return len(re.findall(r"[\w'][\w'.,%/-]*", sentence))


@pytest.fixture(scope="module")
def pages() -> dict[str, list[str]]:
    """The sentences of every page that people wrote."""
    if not (ROOT / ".git").exists():
        pytest.skip("NOT RUN: no list of tracked files here")
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z", "*.md"], text=True).split("\0")[:-1]
    kept = [name for name in names if not any(fnmatch(name, glob) for glob in RULES["skipped"])]
    return {name: sentences((ROOT / name).read_text(encoding="utf-8")) for name in kept if (ROOT / name).is_file()}


def test_sentences_are_short(pages: dict[str, list[str]]) -> None:
    long = [f"{name}: {each}" for name, page in pages.items() for each in page if words(each) > RULES["words"]]
    assert not long, f"more than {RULES['words']} words:\n" + "\n".join(long)


@pytest.mark.parametrize("pattern", RULES["pattern"], ids=lambda pattern: pattern["write"])
def test_sentences_are_read_once(pattern: dict[str, Any], pages: dict[str, list[str]]) -> None:
    assert re.search(pattern["regex"], pattern["found"]), "the sentence for which the pattern was made"
    met = [f"{name}: {each}" for name, page in pages.items() for each in page if re.search(pattern["regex"], each)]
    assert not met, f"write {pattern['write']}:\n" + "\n".join(met)


def test_a_page_is_cut_into_sentences() -> None:
    text = "# A title\n\nOne line\nis two. [See](x.md) `a b`: ns-2.35 has it.\n\n- an item; one more\n\n"
    found = sentences(f"{text}```sh\ncode\n```\n| a | b |\n|---|---|\n")
    assert found == ["A title", "One line is two.", "See CODE:", "ns-2.35 has it.", "an item", "one more", "a", "b"]
    assert words("Two runs of CODE take 0.7 ms.") == 7


def test_skipped_pages_exist(pages: dict[str, list[str]]) -> None:
    assert len(pages) > 80
    assert all(list(Path(ROOT).glob(glob)) for glob in RULES["skipped"])
