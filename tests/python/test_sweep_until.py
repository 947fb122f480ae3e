"""More seeds until a mean is known well enough."""

import random
import signal
import statistics as standard
import subprocess
import sys
from functools import partial
from pathlib import Path

import farlink as fl
import pytest
from conftest import is_at, wait_for
from farlink.statistics import interval

pytestmark = pytest.mark.slow

RATES = "links.0.error.rate"
VARIANT = "flows.0.tcp.congestion_control"
POINT = (RATES, VARIANT)

SWEEP = f"""
scenario = "link.toml"
seeds = "1..5"
[set]
duration = "2 s"
[cross]
"{RATES}" = [0.001, 0.01]
"{VARIANT}" = ["reno", "hybla"]
[until]
half_width = "%s"
seeds_at_most = %d
"""


def rule(link: Path, until: fl.Until, seeds: int = 5) -> fl.Sweep:
    base = fl.load(link).set("duration", "2 s")
    return fl.sweep(base, {RATES: [1e-3, 1e-2], VARIANT: ["reno", "hybla"]}, seeds=seeds, until=until)


def seeds_by_point(results: fl.Results) -> dict[tuple[object, ...], list[int]]:
    found: dict[tuple[object, ...], list[int]] = {}
    for flow in results.flows.to_pylist():
        found.setdefault(tuple(flow[path] for path in POINT), []).append(flow["seed"])
    return found


def export(store: Path) -> str:
    command = [sys.executable, "-m", "farlink", "export", str(store)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_point_gets_seeds_until_its_mean_is_known_and_no_more(link, tmp_path):
    results = rule(link, fl.Until("12 %", seeds_at_most=100)).run(out=tmp_path / "store")
    counts = {point: len(seeds) for point, seeds in seeds_by_point(results).items()}
    assert min(counts.values()) == 5
    assert 5 < max(counts.values()) < 100
    for row in results.summary(["goodput_bps"]).table.to_pylist():
        mean, low, high = (row[f"goodput_bps{end}"] for end in ("", "_low", "_high"))
        assert max(mean - low, high - mean) <= 0.12 * mean
    assert "at 4 of 4 points" in results.note


def test_points_share_their_first_seeds(link, tmp_path):
    results = rule(link, fl.Until("12 %", seeds_at_most=100)).run(out=tmp_path / "store")
    for seeds in seeds_by_point(results).values():
        assert seeds == list(range(1, len(seeds) + 1))
    # What has more seeds here is compared over those that both have.
    pairs = [row["pairs"] for row in results.compare(VARIANT, "goodput_bps", baseline="reno").table.to_pylist()]
    seeds = seeds_by_point(results)
    assert pairs == [min(len(seeds[rate, name]) for name in ("reno", "hybla")) for rate in (1e-3, 1e-2)]


def test_the_budget_ends_it(link, tmp_path):
    results = rule(link, fl.Until("0.01 %", seeds_at_most=12)).run(out=tmp_path / "store")
    assert {len(seeds) for seeds in seeds_by_point(results).values()} == {12}
    assert "at 0 of 4 points" in results.note


def test_time_ends_it_between_rounds_and_the_same_sweep_goes_on(link, tmp_path):
    store = tmp_path / "store"
    late = rule(link, fl.Until("0.01 %", seeds_at_most=12, time_at_most="1 ns")).run(out=store)
    assert {len(seeds) for seeds in seeds_by_point(late).values()} == {5}
    rule(link, fl.Until("0.01 %", seeds_at_most=12, time_at_most="1 h")).run(out=store)
    rule(link, fl.Until("0.01 %", seeds_at_most=12)).run(out=tmp_path / "whole")
    assert export(store) == export(tmp_path / "whole")


def test_an_absolute_width_is_in_the_unit_of_the_measure(link, tmp_path):
    results = rule(link, fl.Until("900 kbit/s", seeds_at_most=100)).run(out=tmp_path / "store")
    for row in results.summary(["goodput_bps"]).table.to_pylist():
        assert row["goodput_bps_high"] - row["goodput_bps"] <= 9e5
    for flow, wide in ((None, 12), ("transfer", 12)):
        count = fl.Until(0.5, measure="packets_retransmitted", flow=flow, seeds_at_most=wide)
        assert set(map(len, seeds_by_point(rule(link, count).run()).values())) == {wide}


def test_what_is_decided_depends_on_nothing_but_the_points_own_runs(link, tmp_path):
    until = fl.Until("10 %", seeds_at_most=40)
    for jobs in (1, 2):
        rule(link, until).run(out=tmp_path / f"{jobs}", jobs=jobs)
    assert export(tmp_path / "1") == export(tmp_path / "2")
    # A store that holds more seeds than are needed changes nothing.
    rule(link, until, seeds=9).run(out=tmp_path / "more")
    before = seeds_by_point(fl.Results(tmp_path / "1"))
    assert seeds_by_point(rule(link, until).run(out=tmp_path / "more")) == before
    alone = fl.load(link).set("duration", "2 s").set(RATES, 1e-2)
    one = fl.sweep(alone, {VARIANT: ["reno"]}, seeds=5, until=until).run(out=tmp_path / "alone")
    assert sorted(one.flows["seed"].to_pylist()) == before[1e-2, "reno"]


def test_a_cluster_decides_the_same(link, tmp_path):
    pytest.importorskip("distributed")
    until = fl.Until("10 %", seeds_at_most=40)
    rule(link, until).run(out=tmp_path / "local")
    rule(link, until).run(out=tmp_path / "dask", executor="dask", jobs=2)
    assert export(tmp_path / "dask") == export(tmp_path / "local")


def test_killed_and_started_again_it_ends_where_it_would_have(link, tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP % ("2 %", 100))
    command = [sys.executable, "-m", "farlink", "sweep", "sweep.toml", "--out"]
    subprocess.run([*command, "undisturbed"], cwd=tmp_path, check=True, capture_output=True)
    draws = random.Random(2)
    for _ in range(3):
        with subprocess.Popen([*command, "killed"], cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
            wait_for(partial(is_at, process, tmp_path / "killed", draws.randint(0, 100_000)))
            process.send_signal(signal.SIGKILL)
    subprocess.run([*command, "killed"], cwd=tmp_path, check=True, capture_output=True)
    assert export(tmp_path / "killed") == export(tmp_path / "undisturbed")


def test_the_command_line_sets_the_rule_over_the_files(link, tmp_path, farlink):
    (tmp_path / "sweep.toml").write_text(SWEEP % ("0.01 %", 100))
    done = farlink("sweep", "sweep.toml", "--seeds-at-most", 8)
    assert "32 runs in" in done.stderr
    assert "known to 0.01 % at 0 of 4 points" in done.stderr
    done = farlink("sweep", "sweep.toml", "--half-width", "1 s")
    assert done.returncode == 2
    assert "an amount in the unit of goodput_bps" in done.stderr
    (tmp_path / "plain.toml").write_text((SWEEP % ("1 %", 9)).partition("[until]")[0])
    assert "--half-width" in farlink("sweep", "plain.toml", "--seeds-at-most", 8).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("half_width = 'wide'", "write a share such as"),
        ("half_width = '10 ms'", "in the unit of goodput_bps"),
        ("half_width = '-3 %'", "must be positive"),
        ("half_width = true", "a share such as"),
        ("measure = 'goodput_bps'", "`half_width` is missing"),
        ("half_width = '5 %'\nmeasure = 'gootput_bps'", "did you mean `goodput_bps`"),
        ("half_width = '5 %'\nflow = 'transfr'", "did you mean `transfer`"),
        ("half_width = '5 %'\nseeds_at_most = 3", "less than the 5 seeds"),
        ("half_width = '5 %'\nseeds_at_most = 'many'", "must be a whole number"),
        ("half_width = '5 %'\ntime_at_most = '5 kg'", "write a duration"),
        ("half_width = '5 %'\nseed_at_most = 3", "did you mean `seeds_at_most`"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(link, tmp_path, farlink, text, message):
    (tmp_path / "sweep.toml").write_text(f"scenario = 'link.toml'\nseeds = '1..5'\n[until]\n{text}\n")
    done = farlink("sweep", "sweep.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_too_few_seeds_to_begin_with_are_refused(link):
    with pytest.raises(fl.UsageError, match="begin with 5 or more"):
        rule(link, fl.Until("5 %"), seeds=4)


def test_stopping_when_the_interval_is_narrow_costs_some_of_its_confidence():
    """As docs/guide/intervals.md says: how often the intervals of normal values then hold their mean."""
    rng = random.Random(1)

    def holds(first: int) -> bool:
        until = fl.Until(4.0, measure="timeouts", seeds_at_most=100)
        values: list[float] = []
        further = list(range(1, first + 1))
        while further:
            values += [rng.gauss(100, 10) for _ in further]
            further = until.further(range(1, len(values) + 1), [{"flow": value} for value in values])
        made = interval(values)
        assert made is not None and made.low is not None and made.high is not None
        return made.low <= 100 <= made.high

    share = {first: standard.fmean(holds(first) for _ in range(1000)) for first in (5, 10)}
    assert 0.91 < share[5] < 0.948
    assert 0.91 < share[10] < 0.948


@pytest.mark.parametrize("measure", ["jain", "total_goodput", "total_goodput_bps", "completion:p95"])
def test_a_measure_of_tables_only_is_refused_with_those_of_flows(link, measure: str) -> None:
    refused = rf"{measure}: tables and figures have it; .*: .*goodput_bps, .*completion_s"
    with pytest.raises(fl.UsageError, match=refused):
        fl.sweep(link, seeds=5, until=fl.Until(0.05, measure=measure))
    with pytest.raises(fl.UsageError, match=refused):
        fl.tune(link, {"flows.0.tcp.congestion_control": "reno,cubic"}, maximize=measure)
