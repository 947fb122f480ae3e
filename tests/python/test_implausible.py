"""A scenario that is valid but implausible: one line on standard error, a Python warning, rows of documents."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from farlink.studies.study import studies

SCENARIO = """
name = "mobile"
duration = "2 s"
[[nodes]]
name = "a"
[[nodes]]
name = "b"
[[links]]
between = ["a", "b"]
rate = { csv = "rate.csv" }
delay = "20 ms"
[[flows]]
from = "a"
to = "b"
"""


@pytest.fixture
def mobile(tmp_path: Path) -> Path:
    """A scenario whose rates are in Mbit/s, read as bit/s."""
    (tmp_path / "rate.csv").write_text("0,147\n1,60.5\n")
    path = tmp_path / "mobile.toml"
    path.write_text(SCENARIO)
    return path


VARY = ("--vary", "flows.0.start=0 s,1 s", "--seeds", "2", "-q", "--format", "json")


@pytest.mark.parametrize(
    ("command", "options"),
    [("check", ()), ("run", ("--json",)), ("explain", ("--json",)), ("sweep", VARY)],
)
def test_each_command_warns_in_one_line_and_strict_refuses(
    mobile: Path, tmp_path: Path, farlink: Cli, command: str, options: tuple[str, ...]
) -> None:
    out = ("--out", tmp_path / "store") if command == "sweep" else ()
    done = farlink(command, mobile, *options, *out)
    assert done.returncode == 0, done.stderr
    [line] = [line for line in done.stderr.splitlines() if "warning" in line]
    assert line.startswith(f"farlink: warning: {mobile}:10:8: links.0.rate: ")
    if options:
        [row] = json.loads(done.stdout)["warnings"]
        assert (row["file"], row["line"], row["key"]) == (str(mobile), 10, "links.0.rate")
        assert row["message"] in line and row["remedy"] in line
    refused = farlink(command, mobile, *options, "--strict")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--strict" in refused.stderr.splitlines()[-1]


def test_explain_gives_the_warnings_that_a_saved_run_had(mobile: Path, tmp_path: Path, farlink: Cli) -> None:
    saved = tmp_path / "saved"
    run = farlink("run", mobile, "--out", saved)
    explained = farlink("explain", saved, "--json")
    begin = "farlink: warning: "
    lines = [[line for line in done.stderr.splitlines() if line.startswith(begin)] for done in (run, explained)]
    assert len(lines[0]) == 1 and lines[0] == lines[1]
    found = json.loads(explained.stdout)["warnings"]
    assert found == json.loads((saved / "run.json").read_text())["warnings"] and len(found) == 1
    assert farlink("explain", saved, "--strict").returncode == 2


def test_run_issues_a_python_warning_where_it_was_called(mobile: Path) -> None:
    scenario = fl.load(mobile)
    assert [found.key for found in scenario.warnings] == ["links.0.rate"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = scenario.run().document
    [found] = [one for one in caught if issubclass(one.category, fl.ScenarioWarning)]
    assert (found.filename, document["warnings"][0]["line"]) == (__file__, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fl.ScenarioWarning)
        with pytest.raises(fl.ScenarioWarning, match=r"rate\.csv"):
            scenario.run()


def test_a_sweep_issues_each_warning_once(mobile: Path, tmp_path: Path) -> None:
    varied = {"flows.0.start": ["0 s", "1 s"]}
    described = fl.sweep(fl.load(mobile), varied, seeds=2)
    assert len(described.warnings) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        described.run(out=tmp_path / "store")
    [found] = [one for one in caught if issubclass(one.category, fl.ScenarioWarning)]
    assert found.filename == __file__


ROOT = Path(__file__).parents[2]


def files_of_the_project() -> list[Path]:
    """Every scenario in the repository but those found among random ones."""
    listed = subprocess.run(
        ["git", "ls-files", "*.toml", ":!tests/networks/found"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in paths if "[[flows]]" in path.read_text()]


@pytest.mark.parametrize("path", files_of_the_project(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_scenario_of_the_project_is_implausible(path: Path) -> None:
    try:
        found = fl.load(path).warnings
    except fl.ScenarioError:
        return  # part of a page, or a test's mistake
    assert [str(one) for one in found] == []


@pytest.mark.parametrize("name", studies())
def test_no_setting_of_a_study_is_implausible(name: str) -> None:
    found = [str(one) for _, sweep in studies()[name].settings.grids("full") for one in sweep.warnings]
    assert found == []
