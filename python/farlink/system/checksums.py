"""The SHA-256 of every file of a folder, in the format that `sha256sum --check` reads."""

from __future__ import annotations

import re
from pathlib import Path

from farlink.system.folders import CHECKSUMS

NAME = CHECKSUMS

LINE = re.compile(r"([0-9a-f]{64})  ([^/\n]+)")


def to_text(folder: Path) -> str:
    """Write a line for every file of `folder` but the list itself."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != NAME)
    return "".join(f"{digest(path.read_bytes())}  {path.name}\n" for path in files)


def from_text(text: str) -> dict[str, str] | None:
    """Read the digests by file name; None for any other text."""
    lines = [LINE.fullmatch(line) for line in text.splitlines()]
    found = {line[2]: line[1] for line in lines if line}
    return found if found and len(found) == len(lines) else None


def digest(content: bytes | memoryview) -> str:
    """The SHA-256 in hexadecimal."""
    import hashlib

    return hashlib.sha256(content).hexdigest()
