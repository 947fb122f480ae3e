"""Why claims are missed, in words that stand in a study's `explanations.toml`; their numbers are measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from farlink.system import toml_file


@dataclass(frozen=True)
class Explanation:
    """What explains some claims."""

    claims: Sequence[str]
    sentences: Sequence[str]


@dataclass(frozen=True)
class Explanations:
    """What `explanations.toml` says."""

    explanation: Sequence[Explanation]


def read(path: Path) -> Mapping[str, Sequence[str]]:
    """The sentences for each claim, with names of facts in braces; none where there is no such file."""
    found: dict[str, list[str]] = {}
    if not path.exists():
        return found
    for each in toml_file.read(path, Explanations).explanation:
        for claim in each.claims:
            found.setdefault(claim, []).extend(each.sentences)
    return found


def text(sentences: Sequence[str], facts: Mapping[str, str]) -> str:
    """The sentences of which all facts are known; nothing where there is none."""
    filled = []
    for sentence in sentences:
        with suppress(KeyError):
            filled.append(sentence.format_map(facts))
    return f"cause: {' '.join(filled)}" if filled else ""
