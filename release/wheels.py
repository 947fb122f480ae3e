"""Builds wheels of a release: `wheels.py FOLDER [PLATFORM ..]`, by default of every platform that this machine builds.

What a platform needs is looked for before anything is built.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from environment import epoch_of, reproducible

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Platform:
    """A Rust target, the least C library that a wheel asks for, and the linker."""

    target: str
    compatibility: str = ""
    linker: str = "zig"
    link_arguments: tuple[str, ...] = ()


PLATFORMS = {
    # Rust's own least glibc is that of manylinux2014, 2.17.
    "manylinux-x86_64": Platform("x86_64-unknown-linux-gnu", "manylinux2014"),
    "manylinux-aarch64": Platform("aarch64-unknown-linux-gnu", "manylinux2014"),
    "musllinux-x86_64": Platform("x86_64-unknown-linux-musl", "musllinux_1_2"),
    # Not zig: for it maturin exports `PyInit_` with the dotted name of the module, which no linker finds.
    "windows-x86_64": Platform(
        "x86_64-pc-windows-gnu", linker="x86_64-w64-mingw32-gcc", link_arguments=("-Wl,--no-insert-timestamp",)
    ),
}


def main(folder: str, *names: str) -> int:
    """Build the wheels named into `folder`; status 2 if something is missing."""
    chosen = names or tuple(PLATFORMS)
    if reasons := lacking(chosen):
        return refuse(reasons)
    for name in chosen:
        print(f"wheel for {name}", flush=True)
        if status := build(ROOT, PLATFORMS[name], Path(folder).absolute()):
            return status
    return 0


def lacking(names: Sequence[str]) -> list[str]:
    """Say why wheels for these platforms cannot be built here; empty if they can."""
    unknown = [f"{name}: unknown platform; known are {', '.join(PLATFORMS)}" for name in names if name not in PLATFORMS]
    return unknown or [f"{name}: {what}" for name in names for what in missing(PLATFORMS[name])]


def refuse(reasons: list[str]) -> int:
    """Say why nothing is built."""
    for reason in reasons:
        print(f"release/wheels.py: {reason}", file=sys.stderr)
    return 2


def missing(platform: Platform) -> list[str]:
    """Say what this machine lacks for a platform, and how to get it."""
    found = []
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", platform.target], capture_output=True, text=True
    ).stdout.strip()
    if not Path(libraries or "none").is_dir():
        found.append(f"the Rust target is missing: rustup target add {platform.target}")
    if platform.linker == "zig":
        if importlib.util.find_spec("ziglang") is None:
            found.append("zig is missing: pip install --require-hashes -r release/requirements.lock")
    elif shutil.which(platform.linker) is None:
        found.append(f"{platform.linker} is missing: apt-get install gcc-mingw-w64-x86-64")
    return found


def build(sources: Path, platform: Platform, folder: Path, epoch: str = "") -> int:
    """Build one wheel; maturin audits it and refuses one that needs more than its tag says."""
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--quiet", "--out", str(folder)]
    command += ["--target", platform.target, "--auditwheel", "check"]
    if platform.compatibility:
        command += ["--compatibility", platform.compatibility]
    environment = reproducible(sources, epoch or epoch_of(ROOT), list(platform.link_arguments))
    if platform.linker == "zig":
        command += ["--zig"]
        # Else it is sought beside the `python3` of PATH.
        environment["CARGO_ZIGBUILD_PYTHON_PATH"] = sys.executable
    return subprocess.run(command, cwd=sources, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
