"""Studies of packages: found by entry points, not imported to be listed, and refused with the package's name."""

import sys
from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink.studies.study import GROUP, NO_STUDY, load
from farlink.system import entry_points
from small_study import SETTINGS


def package(site: Path, name: str, entry: str) -> None:
    """A package in a folder of packages, as pip leaves it."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages beside those that are installed, with a study whose module cannot be imported."""
    folder = tmp_path / "site" / "toy_study"
    folder.mkdir(parents=True)
    (folder / "settings.toml").write_text(SETTINGS)
    (folder / "claims.csv").write_text((load("satellite").folder / "claims.csv").read_text())
    (folder / "__init__.py").write_text("raise ImportError('imported')\n")
    package(tmp_path / "site", "toy", "small = toy_study")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def test_a_study_of_another_package_is_listed_with_it_and_not_imported(site: Path, command: Command) -> None:
    status, printed, _ = command("study", "list")
    lines = {line.partition(":")[0]: line for line in printed.splitlines()}
    assert status == 0 and {"satellite", "small"} < set(lines)
    assert lines["small"].endswith("(toy 1.0)") and "(farlink-studies " in lines["satellite"]
    assert "toy_study" not in sys.modules
    assert load("small").folder == site / "toy_study"


@pytest.mark.parametrize("entry", ["broken = no_such_package.study", "broken = json"])
def test_a_study_without_files_is_refused_with_its_package(site: Path, command: Command, entry: str) -> None:
    package(site, "half", entry)
    status, printed, _ = command("study", "list")
    reason = f"half 1.0: entry point `{entry}` of `{GROUP}`"
    assert status == 0 and f"broken: broken: {reason}" in printed and "small: " in printed
    status, _, error = command("study", "run", "broken")
    assert status == 2 and reason in error
    assert load("small").name == "small"


def test_two_packages_with_a_study_of_the_same_name_are_refused(site: Path) -> None:
    package(site, "other", "small = toy_study")
    with pytest.raises(fl.UsageError, match=r"other 1\.0 and toy 1\.0 both have an entry point `small`"):
        load("small")
    assert load("satellite").name == "satellite"


def test_without_an_installed_study_the_remedy_is_named(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "_read", lambda group, search: [])
    for arguments in (["list"], ["run", "satellite"]):
        status, _, error = command("study", *arguments)
        assert status == 2 and NO_STUDY in error
