"""No command writes over the results of another, or over what is not Farlink's."""

import json
from collections.abc import Callable
from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink.system.folders import is_store

RATE = "links.0.error.rate"
SHORT = ("--set", "duration=1 s")


def store(folder: Path, link: Path) -> None:
    fl.sweep(fl.load(link).set("duration", "1 s"), {RATE: [0.0, 1e-2]}, seeds=2).run(out=folder)


def store_in_part(folder: Path, link: Path) -> None:
    """One whose manifests were deleted is still a store: its runs can be repaired."""
    store(folder, link)
    for name in ("manifest.json", "manifest.copy.json"):
        (folder / name).unlink()


def other_program(folder: Path, link: Path) -> None:
    folder.mkdir()
    (folder / "run.json").write_text('{"epochs": 3}')
    (folder / "notes.txt").write_text("mine")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("make", [store, store_in_part, other_program])
def test_a_run_is_not_written_over_other_results(
    command: Command, link: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    make(tmp_path / "kept", link)
    before = contents(tmp_path / "kept")
    status, out, err = command("run", str(link), *SHORT, "--out", "kept")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "kept: " in err and "not a saved run; choose an empty or a new folder" in err
    with pytest.raises(fl.UsageError, match="not a saved run"):
        fl.load(link).set("duration", "1 s").run().save(tmp_path / "kept")
    assert contents(tmp_path / "kept") == before


def test_a_run_replaces_an_earlier_run_and_fills_an_empty_folder(command: Command, link: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for seed in ("1..2", "3..5"):
        assert command("run", str(link), *SHORT, "--seeds", seed, "--out", "kept", "--quiet")[0] == 0
    (tmp_path / "kept" / "figure.png").write_bytes(b"of the run")
    assert command("run", str(link), *SHORT, "--seeds", "6..7", "--out", "kept", "--quiet")[0] == 0
    assert json.loads((tmp_path / "kept/run.json").read_text())["seeds"] == [6, 7]
    assert (tmp_path / "kept" / "figure.png").exists()
    for arguments in (("sweep", "satellite.toml"), ("tune", str(link), "--param", f"{RATE}=0..0.01")):
        (tmp_path / "satellite.toml").write_text('scenario = "satellite"')
        status, _, err = command(*arguments, "--out", "kept")
        assert status == 2 and "not a store of results" in err


@pytest.mark.parametrize("mark", ["manifest.json", "manifest.copy.json", "runs.parquet"])
def test_a_store_is_known_by_each_of_its_files(link: Path, tmp_path: Path, mark: str) -> None:
    store(tmp_path / "kept", link)
    for path in (tmp_path / "kept").iterdir():
        if path.name != mark and path.is_file():
            path.unlink()
    assert is_store(tmp_path / "kept")


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "store", "--table", "runs", "-o", "store/flows.parquet"),
        ("run", "{link}", *SHORT, "--series", "store/links.parquet"),
        ("run", "{link}", *SHORT, "--ledger", "saved/ledger.parquet"),
        ("export", "saved", "-o", "saved/run.json"),
    ],
)
def test_a_file_of_results_is_not_replaced(
    command: Command, link: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    store(tmp_path / "store", link)
    fl.load(link).set("duration", "1 s").run().save(tmp_path / "saved")
    before = contents(tmp_path / "store") | contents(tmp_path / "saved")
    status, out, err = command(*(each.replace("{link}", str(link)) for each in arguments))
    assert (status, out) == (2, "")
    assert "belongs to the results in" in err and err.count("\n") == 1
    assert contents(tmp_path / "store") | contents(tmp_path / "saved") == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "link.toml", "--series", "delay.csv"),
        ("run", "link.toml", "--ledger", "./delay.csv"),
        ("movement", "link.toml", "--out", "delay.csv"),
        ("movement", "link.toml", "--out", "link.toml"),
    ],
)
def test_a_file_that_the_scenario_reads_is_not_replaced(
    command: Command, link: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "delay.csv").write_text("0,0.1\n1,0.2\n")
    before = contents(tmp_path)
    status, out, err = command(*arguments, "--set", 'links.0.delay={csv="delay.csv"}')
    assert (status, out) == (2, "")
    assert f"{Path(arguments[-1])}: the scenario reads this file; choose another name" in err and err.count("\n") == 1
    assert contents(tmp_path) == before


def test_a_capture_does_not_replace_a_file_that_the_scenario_reads(link: Path, tmp_path: Path) -> None:
    trace = tmp_path / "delay.tr"
    trace.write_text("0,0.1\n1,0.2\n")
    scenario = fl.load(link).set("links.0.delay", {"csv": "delay.tr"})
    with pytest.raises(fl.UsageError, match="the scenario reads this file"):
        scenario.run(trace=trace)
    assert trace.read_text() == "0,0.1\n1,0.2\n"


def test_a_run_is_not_saved_where_a_file_is(link: Path) -> None:
    before = link.read_bytes()
    with pytest.raises(fl.UsageError, match="is not a folder"):
        fl.load(link).set("duration", "1 s").run().save(link)
    assert link.read_bytes() == before


@pytest.mark.parametrize("make", [store, other_program])
@pytest.mark.parametrize("subcommand", ["report", "multiverse"])
def test_a_report_is_not_written_over_other_files(
    command: Command, link: Path, tmp_path: Path, make: Callable[[Path, Path], None], subcommand: str
) -> None:
    make(tmp_path / "kept", link)
    (tmp_path / "kept" / "figures").mkdir()
    before = contents(tmp_path / "kept")
    status, out, err = command("study", subcommand, "satellite", "--to", "kept", "--out", "runs")
    assert (status, out) == (2, "")
    assert "kept: not the folder of a report" in err and "choose an empty or a new folder" in err
    assert contents(tmp_path / "kept") == before
