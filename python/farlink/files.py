"""Files appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farlink.errors import UsageError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `path` when the block ends, and vanishes if the block fails."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def check_target(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse, before a long run, a file that could not be written after it."""
    if path.suffix.lower() not in suffixes:
        raise UsageError(f"{path}: its name must end in {' or '.join(suffixes)}")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}")
