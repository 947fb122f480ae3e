import json
import os
import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import farlink as fl
import pytest
from conftest import is_at, wait_for
from farlink import _farlink
from farlink.sweeps import description

pytestmark = pytest.mark.slow

RATES = "links.0.error.rate"
VARIANT = "flows.0.tcp.congestion_control"

LONGER = {"duration": "9 s"}

SWEEP = f"""
scenario = "link.toml"
seeds = "1..%d"
[set]
duration = "2 s"
[cross]
"{RATES}" = [0.001, 0.01]
"{VARIANT}" = ["reno", "hybla"]
"""


def small(link: Path, seeds: int = 3) -> fl.Sweep:
    base = fl.load(link).set("duration", "2 s")
    return fl.sweep(base, {RATES: [1e-3, 1e-2], VARIANT: ["reno", "hybla"]}, seeds=seeds)


def export(store: Path) -> str:
    command = [sys.executable, "-m", "farlink", "export", str(store)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_sweep_crosses_its_parameters(link, tmp_path):
    results = small(link).run(out=tmp_path / "store")
    runs = results.flows.select([RATES, VARIANT, "seed"]).to_pylist()
    assert len(runs) == 12
    assert {(run[RATES], run[VARIANT]) for run in runs} == {(r, v) for r in (1e-3, 1e-2) for v in ("reno", "hybla")}
    assert set(results.parameters) == {RATES, VARIANT}


def test_the_same_run_alone_and_in_a_sweep_measures_the_same(link, tmp_path):
    results = small(link).run(out=tmp_path / "store")
    alone = fl.load(link).set("duration", "2 s").set(RATES, 1e-2).set(VARIANT, "hybla").run(seed=2)
    [mine] = [row for row in results.flows.to_pylist() if (row[RATES], row[VARIANT], row["seed"]) == (1e-2, "hybla", 2)]
    [theirs] = alone.flows.to_pylist()
    assert {name: mine[name] for name in theirs} == theirs


def test_zipped_parameters_go_along_overrides_change_points_and_formulas_see_both(link):
    sweep = fl.sweep(
        link,
        {VARIANT: ["reno"]},
        zip={"links.0.rate": ["10 Mbit/s", "20 Mbit/s"], "links.0.delay": ["20 ms", "100 ms"]},
        overrides=[fl.Override(when={"links.0.rate": "20 Mbit/s"}, set={"duration": "7 s"})],
        derive={"links.0.queue.limit": "{2 * links.0.rate * links.0.delay / 8 / 1500:.0f} packets"},
        seeds=1,
    )
    slow, fast = (task.scenario.validated.resolved for task in sweep.tasks())
    assert 'delay = "20 ms"' in slow and 'limit = "33 packets"' in slow and 'duration = "5 s"' in slow
    assert 'delay = "100 ms"' in fast and 'limit = "333 packets"' in fast and 'duration = "7 s"' in fast


def test_groups_of_zipped_parameters_are_crossed(link, tmp_path):
    links = {"links.0.rate": ["10 Mbit/s", "20 Mbit/s"], "links.0.delay": ["20 ms", "100 ms"]}
    lasting = {RATES: [0.1, 0.2, 0.3], "duration": ["1 s", "2 s", "3 s"]}
    sweep = fl.sweep(link, {VARIANT: ["reno", "cubic"]}, zip=[links, lasting], seeds=1)
    points = [(point["links.0.delay"], point["duration"], point[VARIANT]) for point in sweep.grid.points()]
    assert points == [
        (delay, d, v) for delay in ("20 ms", "100 ms") for d in lasting["duration"] for v in ("reno", "cubic")
    ]
    assert (sweep.grid.count, len(sweep.tasks())) == (12, 12)
    groups = [f'"{path}" = {values}' for group in (links, lasting) for path, values in group.items()]
    text = "[[zip]]\n{}\n{}\n[[zip]]\n{}\n{}\n".format(*groups).replace("'", '"')
    (tmp_path / "sweep.toml").write_text(f'scenario = "link.toml"\nseeds = 1\n{text}')
    assert len(description.read(tmp_path / "sweep.toml").tasks()) == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"zip": [{RATES: [1, 2]}, {RATES: [1, 2]}]}, "leave one of them out"),
        ({"zip": [{RATES: [1, 2]}, {VARIANT: ["reno"], "duration": ["1 s", "2 s"]}]}, "equally many"),
        ({"zip": [{RATES: [1, 2]}, 3]}, "zip = 3: give a mapping"),
        ({"cross": {RATES: []}}, "with at least one"),
        ({"cross": {RATES: "x"}}, "a list of values"),
        ({"zip": {RATES: [1, 2], VARIANT: ["reno"]}}, "equally many"),
        ({"cross": {RATES: [1]}, "zip": {RATES: [1]}}, "leave one of them out"),
        ({"cross": {RATES: [1e-3]}, "derive": {"duration": "{links.0.rat} s"}}, "has no links.0.rat"),
        ({"cross": {RATES: [1e-3]}, "derive": {"duration": "{links.0.rate / 0} s"}}, "cannot be computed"),
        (
            {"cross": {RATES: [1e-3]}, "overrides": [fl.Override({"duration": "1 s"}, LONGER)]},
            "the sweep's parameters are",
        ),
        ({"cross": {RATES: [1e-3]}, "overrides": [fl.Override({RATES: 1e-2}, LONGER)]}, "no point has that"),
    ],
)
def test_a_sweep_that_makes_no_sense_is_refused(link, arguments, message):
    with pytest.raises(fl.UsageError, match=message):
        fl.sweep(link, **arguments).tasks()


def test_an_override_that_sets_nothing_is_refused(tmp_path):
    with pytest.raises(fl.UsageError, match="without `set` changes nothing"):
        fl.Override({RATES: 1e-2})
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP % 1 + f'[[override]]\nwhen = {{ "{RATES}" = 0.01 }}\n')
    with pytest.raises(fl.UsageError, match=r"sweep.toml: override 1: an override without `set`"):
        description.read(file)


def test_what_a_store_holds_is_not_run_again(link, tmp_path):
    first = small(link).run(out=tmp_path / "store")
    before = export(tmp_path / "store")
    shares = []
    again = small(link).run(out=tmp_path / "store", progress=shares.append)
    assert shares == []
    assert again.flows.equals(first.flows)
    assert export(tmp_path / "store") == before
    more = small(link, seeds=4).run(out=tmp_path / "store", progress=shares.append)
    assert len(shares) == 4
    assert more.runs.num_rows == 16


def test_threads_do_not_change_a_store(link, tmp_path):
    for jobs in (1, 2):
        small(link).run(out=tmp_path / f"{jobs}", jobs=jobs)
    assert export(tmp_path / "1") == export(tmp_path / "2")


def test_threads_do_not_change_what_any_congestion_control_gives(link, tmp_path):
    # A queue that marks: DCTCP and Prague answer, too.
    base = fl.load(link).set("duration", "2 s").set("links.0.queue", {"name": "dualpi2"})
    models = json.loads(_farlink.models())
    controls = [model["name"] for model in models if model["kind"] == "congestion_control"]
    assert len(controls) > 20
    for jobs in (1, 2):
        fl.sweep(base, {VARIANT: controls}, seeds=2).run(out=tmp_path / f"{jobs}", jobs=jobs)
    assert export(tmp_path / "1") == export(tmp_path / "2")


def test_a_sweep_killed_at_any_moment_loses_no_finished_run(link, tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP % 100)
    command = [sys.executable, "-m", "farlink", "sweep", "sweep.toml", "--out"]
    subprocess.run([*command, "undisturbed"], cwd=tmp_path, check=True, capture_output=True)
    draws = random.Random(1)
    kept = 0
    for _ in range(3):
        with subprocess.Popen([*command, "killed"], cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
            wait_for(partial(is_at, process, tmp_path / "killed", draws.randint(0, 100_000)))
            process.send_signal(signal.SIGKILL)
        lines = len(export(tmp_path / "killed").splitlines()) if (tmp_path / "killed" / "runs.parquet").exists() else 0
        assert lines >= kept
        kept = lines
    done = subprocess.run([*command, "killed"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "400 runs" in done.stderr
    assert export(tmp_path / "killed") == export(tmp_path / "undisturbed")


def test_a_comparison_is_paired_by_seed(link, tmp_path):
    results = small(link, seeds=6).run(out=tmp_path / "store")
    rows = results.compare(VARIANT, "goodput_bps", baseline="reno").table.to_pylist()
    assert [row[RATES] for row in rows] == [1e-3, 1e-2]
    flows = results.flows.to_pylist()
    for row in rows:
        goodput = {
            name: [flow["goodput_bps"] for flow in flows if (flow[RATES], flow[VARIANT]) == (row[RATES], name)]
            for name in ("reno", "hybla")
        }
        pairs = list(zip(goodput["hybla"], goodput["reno"], strict=True))
        assert row["pairs"] == 6
        assert row["goodput_bps_difference"] == pytest.approx(sum(one - other for one, other in pairs) / 6)
        assert row["goodput_bps_ratio_low"] < row["goodput_bps_ratio"] < row["goodput_bps_ratio_high"]


def test_what_is_compared_is_a_parameter_and_its_baseline_is_written_as_anywhere(link, tmp_path):
    results = small(link).run(out=tmp_path / "store")
    assert results.compare(RATES, baseline="1e-3").table == results.compare(RATES, baseline=0.001).table
    for wrong in ("seed", "goodput_bps"):
        with pytest.raises(fl.UsageError, match="there is no column"):
            results.compare(wrong)
    with pytest.raises(fl.UsageError, match=r"baseline 0.5: .* has 0.001, 0.01 where .* = reno"):
        results.compare(RATES, baseline=0.5)
    both = fl.sweep(link, zip={RATES: [1e-3, 1e-2], VARIANT: ["reno", "hybla"], "duration": ["1 s", "2 s"]}, seeds=2)
    with pytest.raises(fl.UsageError, match="differs, too; nothing to compare"):
        both.run(out=tmp_path / "both").compare(VARIANT)


def test_seeds_are_a_number_of_them_or_which(link, tmp_path):
    for text, seeds in (("3", (1, 2, 3)), ('"3"', (1, 2, 3)), ('"2..3"', (2, 3))):
        (tmp_path / "sweep.toml").write_text(f'scenario = "satellite"\nseeds = {text}\n')
        assert description.read(tmp_path / "sweep.toml").seeds == seeds


def test_parameters_are_columns_with_units(link, tmp_path):
    sweep = fl.sweep(fl.load(link).set("duration", "1 s"), {"links.0.delay": ["20 ms", "300 ms"]}, seeds=1)
    results = sweep.run(out=tmp_path / "store")
    assert results.flows["links.0.delay_s"].to_pylist() == [0.02, 0.3]
    assert results.summary(by=["links.0.delay"]).table["runs"].to_pylist() == [1, 1]


def test_what_comes_with_a_member_is_no_parameter_of_the_sweep(link, tmp_path):
    base = fl.load(link).set("duration", "1 s")
    variants = ["reno", "hybla", "enhanced_hybla", {"name": "hybla", "rtt0": "50 ms"}]
    results = fl.sweep(base, {VARIANT: variants}, seeds=1).run(out=tmp_path / "store")
    assert results.parameters == [VARIANT, f"{VARIANT}.rtt0_s"]


def test_a_parameter_of_the_whole_scenario_is_one_when_the_store_grows(link, tmp_path):
    for seeds in (1, 2):
        sweep = fl.sweep(fl.load(link), {"duration": ["1 s", "2 s"]}, seeds=seeds)
        results = sweep.run(out=tmp_path / "store")
    assert results.parameters == ["duration_s"]
    assert sorted(results.flows["duration_s"].to_pylist()) == [1.0, 1.0, 2.0, 2.0]


def test_series_are_kept_when_asked_for(link, tmp_path):
    base = fl.load(link).set("duration", "1 s")
    results = fl.sweep(base, {VARIANT: ["reno", "hybla"]}, seeds=2, series=True).run(out=tmp_path / "store")
    assert set(results.series["key"].to_pylist()) == set(results.runs["key"].to_pylist())


def test_runs_without_series_are_made_again_when_series_are_asked_for(link, tmp_path):
    base = fl.load(link).set("duration", "1 s")
    first = fl.sweep(base, {VARIANT: ["reno"]}, seeds=2).run(out=tmp_path / "store")
    assert first.series.num_rows == 0
    with_series = fl.sweep(base, {VARIANT: ["reno"]}, seeds=2, series=True)
    results = with_series.run(out=tmp_path / "store")
    assert set(results.series["key"].to_pylist()) == set(first.runs["key"].to_pylist())
    assert results.flows.equals(first.flows)
    files = {file.stat().st_ino for file in (tmp_path / "store/series").iterdir()}
    with_series.run(out=tmp_path / "store")
    assert {file.stat().st_ino for file in (tmp_path / "store/series").iterdir()} == files, "they are made once"


def test_a_store_that_is_none_and_columns_that_are_none_are_refused(link, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(fl.UsageError, match="not a store"):
        small(link).run(out=tmp_path)
    with pytest.raises(fl.UsageError, match="not a store"):
        fl.Results(tmp_path / "nothing")
    results = small(link).run(out=tmp_path / "store")
    with pytest.raises(fl.UsageError, match="did you mean `goodput_bps`"):
        results.summary(["gootput_bps"])
    assert (tmp_path / "file").read_text() == "mine"


def test_mistakes_in_a_file_are_pointed_at(link, tmp_path):
    cases = {
        "scenari = 'satellite'": "did you mean `scenario`",
        "seeds = '1..3'": "`scenario` is missing",
        "scenario = 'satellite'\ncross = 3": "must be a table",
        "scenario = 'satellite'\nzip = [3]": "an array of tables",
        "scenario = 'satellite'\n[cross]\n'links.0.rat' = ['1 Mbit/s']": "links.0.rat",
        "scenario = 'satellite'\nseeds = 'x'": "is not a seed",
        "scenario = 'satellite'\nseeds = [1, 2]": "or how many",
        "scenario = 'satellite'\noverride = [1]": "array of tables",
        "scenario = 'satellite'\n[derive]\n'duration' = 5": "must be a text",
        "scenario = = 3": "line 1",
    }
    for text, message in cases.items():
        (tmp_path / "sweep.toml").write_text(text)
        command = [sys.executable, "-m", "farlink", "sweep", "sweep.toml"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_a_cluster_gives_the_same_store_when_a_worker_is_killed(link, tmp_path):
    distributed = pytest.importorskip("distributed")
    sweep = small(link, seeds=40)
    sweep.run(out=tmp_path / "local")
    elsewhere = {"dashboard_address": "127.0.0.1:0"}  # the usual port may be taken
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, scheduler_kwargs=elsewhere
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed = []

        def kill(share: float) -> None:
            if share > 0.3 and not killed:
                killed.append(os.kill(victim, signal.SIGKILL))

        sweep.run(out=tmp_path / "dask", executor="dask", scheduler=cluster.scheduler_address, progress=kill)
    assert killed
    assert export(tmp_path / "dask") == export(tmp_path / "local")


def test_an_export_is_json(link, tmp_path):
    small(link).run(out=tmp_path / "store")
    rows = [json.loads(line) for line in export(tmp_path / "store").splitlines()]
    assert {row["table"] for row in rows} == {"runs", "flows", "links", "drops"}
