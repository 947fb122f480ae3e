"""The environment of a release build: equal sources give equal bytes wherever they lie.

https://reproducible-builds.org/docs/source-date-epoch/ and rustc's `--remap-path-prefix`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def reproducible(sources: Path, epoch: str, linker: list[str] | None = None) -> dict[str, str]:
    """Give the environment of a build: the time of its files, and names for folders that stand in panic messages."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    flags = [f"--remap-path-prefix={sources}=/farlink", f"--remap-path-prefix={cargo_home}=/cargo"]
    flags += [f"-Clink-arg={each}" for each in linker or []]
    return os.environ | {"SOURCE_DATE_EPOCH": epoch, "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}


def epoch_of(repository: Path) -> str:
    """Give `SOURCE_DATE_EPOCH`, or else the time of the commit that is checked out."""
    command = ["git", "-C", repository, "log", "-1", "--format=%ct"]
    return os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(command, text=True).strip()
