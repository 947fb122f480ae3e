"""What a release consists of: metadata, the description on an index, the messages of its tools."""

import os
import re
import subprocess
import sys
from pathlib import Path

import farlink

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_description_on_a_package_index_has_no_link_that_is_broken_there() -> None:
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)|\[[^\]]*\]: *(\S+)|(?:src|href)=\"([^\"]*)\"", text)
    assert [target for found in targets for target in found if target and not target.startswith("https://")] == []


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"] == farlink.__version__
    assert "version" in PROJECT["dynamic"]
    studies = tomllib.loads((ROOT / "studies/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert studies["version"] == farlink.__version__
    assert studies["dependencies"] == [f"farlink=={farlink.__version__}"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+?),? ", changes, re.MULTILINE)[0] == farlink.__version__


def wheels(*arguments: str, path: str) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "release/wheels.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})


def test_a_tool_that_is_missing_is_named_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "rustc").write_text("#!/bin/sh\n")
    (tmp_path / "rustc").chmod(0o755)
    done = wheels(str(tmp_path / "out"), "windows-x86_64", path=str(tmp_path))
    assert done.returncode == 2 and done.stdout == ""
    assert "rustup target add x86_64-pc-windows-gnu" in done.stderr
    assert "x86_64-w64-mingw32-gcc is missing: apt-get install gcc-mingw-w64-x86-64" in done.stderr


def test_an_unknown_platform_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    done = wheels(str(tmp_path), "amiga", path=os.environ["PATH"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("release/wheels.py: amiga: unknown platform; known are manylinux-x86_64")


def test_the_clean_root_is_not_begun_without_a_source_distribution(tmp_path: Path) -> None:
    done = subprocess.run([ROOT / "release/clean-root", tmp_path / "no.tar.gz"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.endswith("no.tar.gz: there is no such file: make sdist\n")


def test_the_page_lists_the_platforms_that_are_built() -> None:
    refused = wheels("out", "amiga", path=os.environ["PATH"]).stderr
    known = refused.partition("known are ")[2].strip().split(", ")
    page = (ROOT / "docs/releasing.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+-\w+)` \|", page, re.MULTILINE) == known
