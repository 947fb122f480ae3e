"""Builds one wheel from two copies of the sources, in folders of different names, and compares the bytes.

`reproduce.py [PLATFORM]`: status 0 if both are equal, 1 with the members that differ.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from environment import epoch_of
from wheels import PLATFORMS, ROOT, build, lacking, refuse


def main(name: str = "manylinux-x86_64") -> int:
    """Build twice and compare."""
    if reasons := lacking([name]):
        return refuse(reasons)
    with tempfile.TemporaryDirectory() as scratch:
        made = []
        for folder in ("first", "another/deeper folder"):
            sources = Path(scratch) / folder
            copy(sources)
            if status := build(sources, PLATFORMS[name], sources / "dist", epoch_of(ROOT)):
                return status
            (wheel,) = (sources / "dist").glob("*.whl")
            made.append(wheel)
            print(f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}", flush=True)
            shutil.rmtree(sources / "target")
        if made[0].read_bytes() == made[1].read_bytes():
            print("equal bytes")
            return 0
        print("different:", *differences(*made), sep="\n  ", file=sys.stderr)
    return 1


def copy(folder: Path) -> None:
    """Copy what git tracks, as it is in the work tree."""
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z"], text=True).split("\0")[:-1]
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def differences(one: Path, other: Path) -> list[str]:
    """Name the members whose content, time or place in the archive differs."""

    def members(wheel: Path) -> dict[str, tuple[object, ...]]:
        with zipfile.ZipFile(wheel) as archive:
            return {
                each.filename: (each.header_offset, each.date_time, each.external_attr, archive.read(each))
                for each in archive.infolist()
            }

    first, second = members(one), members(other)
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(*sys.argv[1:]))
