"""A flow of which nothing arrived has no delay: a mean over the other runs says how many they are, in every form."""

import csv
import json
from pathlib import Path

import farlink as fl
import pytest
from conftest import LINK, Command

LOSSY = LINK.replace("rate = 1e-3", "rate = 0.6").replace('"5 s"', '"1 s"')
SEEDS = 5


@pytest.fixture(scope="module")
def starved(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    """Runs in some of which no packet arrives."""
    folder = tmp_path_factory.mktemp("starved")
    (folder / "link.toml").write_text(LOSSY)
    vary = {"links.0.error.rate": [0.01, 0.6]}
    return fl.sweep(folder / "link.toml", vary, seeds=SEEDS).run(out=folder / "store", jobs=1)


def count(results: fl.Results) -> int:
    """How many of the runs with many losses have a delay."""
    rows = [row for row in results.flows.to_pylist() if row["links.0.error.rate"] == 0.6]
    known = sum(row["delay_mean_s"] is not None for row in rows)
    assert 1 < known < len(rows) == SEEDS
    return known


def test_a_table_counts_the_runs_that_have_a_value(starved: fl.Results, tmp_path: Path) -> None:
    table = starved.summary(["goodput", "delay_mean", "delay_mean:p50"])
    assert table.table["runs"].to_pylist() == [SEEDS, SEEDS]
    assert table.table["delay_mean_s_runs"].to_pylist() == [SEEDS, count(starved)]
    assert table.table["delay_mean_p50_s_runs"].to_pylist() == [SEEDS, count(starved)]
    assert "goodput_bps_runs" not in table.table.column_names
    note = "not every run has a value; those that have one are counted in delay_mean_runs"
    assert note in table.caption and note in table.render("latex")
    assert "mean delay, runs" in table.render("latex")
    assert table.render("latex").splitlines()[-3].split(" & ")[3] == str(count(starved))
    assert table.narrow().split()[-1] != "-" and "runs" in table.narrow().split("\n---")[0]
    for where in ({"links.0.error.rate": 0.6}, {"links.0.error.rate": 0.01}):
        chosen = starved.summary(["delay_mean"], where=where)
        assert ("delay_mean_runs" in chosen.caption) == (where["links.0.error.rate"] == 0.6)
    [last] = starved.summary(["delay_mean"], where={"links.0.error.rate": 0.6}).narrow().splitlines()[-1:]
    assert last.split()[-1] == str(count(starved)), "a count stays in its row, also if it is the only one"


def test_the_command_line_counts_the_runs_that_have_a_value(command: Command, starved: fl.Results) -> None:
    sweep = ("sweep", str(starved.folder.parent / "link.toml"), "--vary", "links.0.error.rate=0.01,0.6")
    ask = (*sweep, "--seeds", str(SEEDS), "--out", str(starved.folder), "--quiet", "--show", "delay_mean", "--format")
    _, out, err = command(*ask, "csv")
    assert [row["delay_mean_s_runs"] for row in csv.DictReader(out.splitlines())] == [str(SEEDS), str(count(starved))]
    assert "counted in delay_mean_runs" in err
    _, out, _ = command(*ask, "json")
    assert json.loads(out)["rows"][1]["delay_mean_s_runs"] == count(starved)


def test_a_run_with_many_seeds_marks_means_over_fewer(starved: fl.Results, command: Command) -> None:
    path = str(starved.folder.parent / "link.toml")
    _, out, _ = command("run", path, "--seeds", str(SEEDS))
    assert f"({count(starved)} of {SEEDS})" in out
    assert f"(n of {SEEDS}): the mean is over n seeds, the others have no value" in " ".join(out.split())
    _, out, _ = command("run", path, "--set", "links.0.error.rate=0.01", "--seeds", str(SEEDS))
    assert f"of {SEEDS})" not in out
    run = fl.load(path).run(seeds=SEEDS)
    assert f"({count(starved)} of {SEEDS})" in repr(run) and f"({count(starved)} of {SEEDS})" in run._repr_html_()


def test_a_figure_counts_the_runs_that_have_a_value(starved: fl.Results) -> None:
    where = {"links.0.error.rate": 0.6}
    cdf = starved.plot(kind="cdf", y="delay_mean", where=where).axes[0]
    assert cdf.get_ylabel() == "share of runs" and f"{count(starved)} runs" in cdf.get_title(loc="left")
    line = starved.plot("links.0.error.rate", "delay_mean").axes[0]
    assert f"mean of {count(starved)} to {SEEDS} runs" in line.get_title(loc="left").replace("\n", " ")
