"""Flows that arrive: tables, measures by name, outputs, and the example of the guide."""

import json
import re
from pathlib import Path
from statistics import fmean

import farlink as fl
import pytest
from conftest import Cli
from farlink.system.toml import tomllib

ROOT = Path(__file__).resolve().parents[2]
(EXAMPLE,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/guide/workloads.md").read_text(encoding="utf-8"), re.DOTALL)
QUEUE = "links.0.queue"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("office") / "office.toml"
    path.write_text(
        EXAMPLE.replace('"60 s"', '"8 s"').replace("[[workloads]]", '[[workloads]]\nstop = "4 s"\nflows = "rows"')
    )
    return path


@pytest.fixture(scope="module")
def swept(office: Path, tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    store = tmp_path_factory.mktemp("swept") / "store"
    return fl.sweep(office, {QUEUE: ["drop_tail", "fq_codel"]}, seeds=3).run(out=store)


def test_the_example_of_the_guide_has_a_row_per_class_and_per_flow(office: Path) -> None:
    run = fl.load(office).run(seeds=2)
    rows = run.workloads.to_pylist()
    assert "web: completed" in repr(run) and "slowdown" in run._repr_html_()
    assert [row["class"] for row in rows[:4]] == ["all", "to_100kB", "100kB_to_10MB", "above_10MB"]
    assert rows == run.document["workloads"]
    for seed in run.seeds:
        of_all, *classes = [row for row in rows if row["seed"] == seed]
        flows = [row for row in run.arrivals.to_pylist() if row["seed"] == seed]
        assert of_all["arrivals"] == len(flows) == sum(row["arrivals"] for row in classes)
        times = [row["completion_s"] for row in flows if row["completion_s"] is not None]
        assert of_all["completed"] == len(times)
        assert of_all["completion_mean_s"] == pytest.approx(fmean(times))
        assert min(row["slowdown"] for row in flows if row["slowdown"] is not None) >= 1
        assert {(row["from"], row["to"]) for row in flows} == {("server", "client")}


def test_a_run_of_flows_and_workloads_shows_both(office: Path) -> None:
    [server] = tomllib.loads(office.read_text())["workloads"]
    flow = f'\n[[flows]]\nlabel = "long"\nfrom = "{server["from"]}"\nto = "{server["to"]}"\n'
    run = fl.Scenario.from_toml(office.read_text() + flow).run(seeds=2)
    for shown in (repr(run), run._repr_html_()):
        assert all(word in shown for word in ("goodput", "slowdown", "long", "web to 100kB"))


def test_variants_meet_the_same_arrivals(swept: fl.Results) -> None:
    counts = {
        (row[QUEUE], row["seed"]): row["arrivals"] for row in swept.workloads.to_pylist() if row["class"] == "all"
    }
    for seed in (1, 2, 3):
        assert counts["drop_tail", seed] == counts["fq_codel", seed] > 500


def test_columns_of_workloads_are_measures_by_name(swept: fl.Results) -> None:
    measure = "workloads.web.to_100kB.completion_p99_s"
    rows = swept.summary([measure.removesuffix("_s")]).table.to_pylist()
    by_queue = {row[QUEUE]: row for row in rows}
    for queue, row in by_queue.items():
        found = [
            each["completion_p99_s"]
            for each in swept.workloads.to_pylist()
            if each[QUEUE] == queue and each["class"] == "to_100kB"
        ]
        assert row[measure] == pytest.approx(fmean(found)) and row[f"{measure}_low"] < row[measure]
    [compared] = swept.compare(QUEUE, "workloads.web.completion_p99").table.to_pylist()
    assert compared["workloads.web.completion_p99_s_difference"] < 0 and compared["verdict"]


def test_a_tuning_and_a_stopping_rule_take_a_measure_of_a_workload(office: Path, tmp_path: Path) -> None:
    base = fl.load(office).set("duration", "2 s").set("workloads.0.stop", "1 s")
    measure = "workloads.web.completion_p50_s"
    described = fl.tune(base, {"links.0.delay": ["5 ms", "40 ms"]}, minimize=measure, seeds=3)
    tuned = described.run(out=tmp_path / "store")
    assert tuned.best == {"links.0.delay": "5 ms"} and tuned.document["minimize"] == measure
    counts: list[int] = []
    assert described.run(out=tmp_path / "store", resuming=lambda known, _: counts.append(known)).best == tuned.best
    assert counts == [tuned.runs]
    until = fl.Until("1 ns", measure=measure, seeds_at_most=7)
    assert fl.sweep(base, {}, seeds=5, until=until).run(out=tmp_path / "until").runs.num_rows == 7


@pytest.mark.parametrize(
    ("goal", "remedy"),
    [
        ({"minimize": "workloads.web.completion_p95"}, "write workloads.web.completion_p95_s"),
        ({"minimize": "workloads.mail.completion_p95_s"}, "there are workloads.web.completion_p95_s"),
        ({"minimize": "workloads.web.completion_p95_s", "flow": "web"}, "leave the flow out"),
        ({"minimize": "workloads.web.completion_s:p95"}, "write completion_p95_s"),
    ],
)
def test_a_goal_that_no_workload_has_is_refused(office: Path, goal: dict[str, str], remedy: str) -> None:
    with pytest.raises(fl.UsageError, match=re.escape(remedy)):
        fl.tune(office, {"links.0.delay": ["5 ms", "40 ms"]}, seeds=3, **goal)


def test_a_summary_of_runs_with_workloads_only_has_their_completion_times(swept: fl.Results) -> None:
    columns = swept.summary().table.column_names
    assert [f"workloads.web.completion_{of}_s" in columns for of in ("p50", "p95", "p99")] == [True] * 3
    assert swept.flows.num_rows == 0 and swept.varied == [QUEUE]


@pytest.mark.parametrize(
    ("measure", "remedy"),
    [
        ("workloads.mail.completion_p99", "there are workloads.web.completion_p99"),
        ("workloads.web.to_1kB.completion_p99", "workloads.web.to_100kB.completion_p99"),
        ("workloads.web.complete_p99", "did you mean `workloads.web.completion_p99_s`"),
        ("workloads.web.completion", "write one of workloads.web.completion_mean_s, workloads.web.completion_p50_s"),
        ("goodput", r"no \[\[flows\]\]; take workloads.web.completion_p50_s"),
    ],
)
def test_another_measure_is_refused_with_what_there_is(swept: fl.Results, measure: str, remedy: str) -> None:
    with pytest.raises(fl.UsageError, match=remedy):
        swept.summary([measure])


def test_a_measure_is_refused_before_the_sweep_runs(office: Path) -> None:
    sweep = fl.sweep(office, seeds=1)
    sweep.check_question(["workloads.web.slowdown_p50"], {})
    with pytest.raises(fl.UsageError, match=r"there are workloads\.web\.slowdown_p50"):
        sweep.check_question(["workloads.mail.slowdown_p50"], {})


def test_without_workloads_there_are_no_rows(link: Path, tmp_path: Path) -> None:
    results = fl.sweep(link, seeds=1).run(out=tmp_path / "store")
    assert results.workloads.num_rows == 0
    with pytest.raises(fl.UsageError, match="no run has workloads"):
        results.summary(["workloads.web.completion_p99"])


def test_flows_and_workloads_stand_beside_each_other(office: Path, tmp_path: Path) -> None:
    flow = '\n[[flows]]\nlabel = "bulk"\nfrom = "server"\nto = "client"\n'
    both = tmp_path / "both.toml"
    both.write_text(office.read_text() + flow)
    results = fl.sweep(both, {"flows.0.tcp.congestion_control": ["reno", "cubic"]}, seeds=2).run(out=tmp_path / "store")
    rows = results.summary(["goodput", "workloads.web.completion_p95"]).table.to_pylist()
    assert len(rows) == 2 and all(row["goodput_bps"] > 0 and row["workloads.web.completion_p95_s"] > 0 for row in rows)


def test_equal_bytes_on_one_and_two_threads(office: Path, farlink: Cli) -> None:
    def document(jobs: int) -> str:
        found = json.loads(farlink("run", str(office), "--seeds", "3", "--jobs", str(jobs), "--json").stdout)
        del found["engine"]["cpu_s"]
        return json.dumps(found)

    assert document(1) == document(2)


def test_the_command_line_shows_workloads_and_refuses_curves(office: Path, farlink: Cli, tmp_path: Path) -> None:
    assert "workloads: web" in farlink("check", str(office)).stdout
    table = farlink("run", str(office), "--out", str(tmp_path / "out")).stdout
    assert re.search(r"web +\d+ of \d+ ", table) and "to 100kB" in table and "above" not in table
    exported = farlink("export", str(tmp_path / "out"), "--table", "arrivals", "--format", "csv").stdout
    assert exported.startswith("seed,workload,number,from,to,size_bytes,start_s,completion_s,slowdown,")
    assert "no [[flows]]" in farlink("explain", str(tmp_path / "out")).stderr
    drawn = farlink("run", str(office), "--plot", str(tmp_path / "a.png"))
    assert drawn.returncode == 2 and "curves are of [[flows]]" in drawn.stderr


def test_captures_and_the_animation_show_packets_of_workloads(office: Path, farlink: Cli, tmp_path: Path) -> None:
    for option, name in [("--pcap", "a.pcap"), ("--trace", "a.tr"), ("--animate", "a.html"), ("--ledger", "a.csv")]:
        done = farlink("run", str(office), option, str(tmp_path / name))
        assert done.returncode == 0 and (tmp_path / name).stat().st_size > 10_000, done.stderr
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert all(",web," in row for row in rows[1:])
