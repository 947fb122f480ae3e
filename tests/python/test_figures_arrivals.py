"""Figures of the flows that arrived in a saved run."""

from pathlib import Path

import farlink as fl
import numpy as np
import pytest
from conftest import Cli
from farlink.drawing import of_arrivals
from farlink.drawing.look import Look

TEXT = """
name = "office"
duration = "4 s"
nodes = [{ name = "server" }, { name = "client" }]
links = [{ between = ["server", "client"], rate = "2 Mbit/s", delay = "10 ms" }]
"""
WORKLOAD = """
[[workloads]]
label = "LABEL"
from = "server"
to = "client"
arrivals = { name = "poisson", rate = 10 }
size = { name = "fixed", size = "30 kB" }
flows = "rows"
"""


def office(*workloads: str) -> str:
    return TEXT + "".join(WORKLOAD.replace("LABEL", label) for label in workloads)


def test_each_workload_has_a_line_over_all_its_flows_which_unfinished_ones_do_not_reach(tmp_path: Path) -> None:
    path = tmp_path / "office.toml"
    path.write_text(office("web", "mail"))
    arrivals = fl.load(path).run(seeds=2).arrivals
    axes = of_arrivals.distribution(arrivals, "completion_s", Look()).axes[0]
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert axes.get_ylabel() == "share of flows" and set(lines) == {"web", "mail"}
    for label, line in lines.items():
        times = [row["completion_s"] for row in arrivals.to_pylist() if row["workload"] == label]
        known = sorted(time for time in times if time is not None)
        assert 0 < len(known) < len(times), "the link carries less than what arrives"
        assert np.array_equal(np.asarray(line.get_xdata())[1:], known)
        assert np.asarray(line.get_ydata())[-1] == len(known) / len(times)


def test_the_command_draws_a_saved_run_and_refuses_what_has_no_rows_or_no_value(tmp_path: Path, farlink: Cli) -> None:
    (tmp_path / "rows.toml").write_text(office("web"))
    (tmp_path / "folded.toml").write_text(office("web").replace('flows = "rows"', ""))
    for name in ("rows", "folded"):
        assert farlink("run", f"{name}.toml", "--out", name).returncode == 0
    drawn = farlink("plot", "rows", "--kind", "cdf", "--y", "slowdown", "-o", "f.svg")
    assert drawn.returncode == 0, drawn.stderr
    assert "unfinished" in (tmp_path / "f.svg").read_text()
    for arguments, said in (
        (["folded", "--kind", "cdf"], 'flows = "rows"'),
        (["rows", "--kind", "cdf", "--y", "rtt_s"], "completion_s or slowdown"),
        (["rows", "--kind", "cdf", "--bin", "1 s"], "--bin is not for a distribution"),
        (["rows", "--kind", "bar"], "--kind cdf"),
    ):
        refused = farlink("plot", *arguments, "-o", "g.svg")
        assert (refused.returncode, refused.stdout) == (2, "") and said in refused.stderr
        assert not (tmp_path / "g.svg").exists()


def test_a_slowdown_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "jitter.toml"
    path.write_text(
        office("web").replace('delay = "10 ms"', 'delay = "10 ms", jitter = { name = "uniform", max = "5 ms" }')
    )
    arrivals = fl.load(path).run().arrivals
    with pytest.raises(fl.UsageError, match="slowdown of web is not known; choose completion_s"):
        of_arrivals.distribution(arrivals, "slowdown", Look())
