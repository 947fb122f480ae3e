"""`farlink tune` and `fl.tune`: which points are tried with how many seeds, and how a user handles it."""

import json
import shlex
import signal
import sys
from pathlib import Path

import farlink as fl
import pytest
from conftest import held
from farlink.tuning import halving
from farlink.tuning.space import Choices, Range, space

RATE = "links.0.error.rate"
LIMIT = "links.0.queue.limit"
VARIANT = "flows.0.tcp.congestion_control"
WINDOW = "flows.0.tcp.max_window"


def short(link: Path) -> fl.Scenario:
    return fl.load(link).set("duration", "1 s")


def seeds_by_point(tuned: fl.Tuned) -> dict[str, int]:
    return {"".join(point.settings.values()): point.seeds for point in tuned.points}


def test_rounds_double_the_seeds_and_halve_the_points():
    assert halving.seeds_per_round(20) == [3, 5, 10, 20]
    assert halving.seeds_per_round(3) == [3]
    assert halving.largest_run_count(10, 20) == 10 * 3 + 5 * 2 + 3 * 5 + 2 * 10
    assert halving.largest_run_count(3, 20, begin=2) == 3 * 5 + 2 * 10
    assert halving.better_half(range(5), [1.0, 3.0, 3.0, 2.0, 0.0].__getitem__) == [1, 2, 3]


def test_a_range_has_whole_numbers_where_the_scenario_knows_nothing_between(link):
    given = {WINDOW: "1..10 packets", RATE: "0..1", "duration": "1..5 s", LIMIT: "3000..9000 B"}
    window, rate, duration, limit = space(short(link), given).parameters
    assert isinstance(window, Range) and isinstance(rate, Range)
    assert window.whole and window.count == 10
    assert not rate.whole
    assert isinstance(duration, Range) and not duration.whole
    assert isinstance(limit, Range) and limit.whole


def test_ends_may_differ_in_their_units(link):
    (delay,) = space(short(link), {"links.0.delay": "500 us..0.1 s"}, log=True).parameters
    assert delay == Range("links.0.delay", 0.0005, 0.1, "s", log=True)
    assert delay.write(delay.at(0.5)) == "0.007071 s"
    (choices,) = space(short(link), {VARIANT: ["reno", "hybla"]}).parameters
    assert choices == Choices(VARIANT, ("reno", "hybla"))


def test_the_best_choice_gets_all_seeds_and_others_few(link, tmp_path):
    rates = ["0.0001", "0.001", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2"]
    tuned = fl.tune(short(link), {RATE: rates}, trials=8, seeds=12).run(out=tmp_path / "store")
    assert tuned.best == {RATE: "0.0001"}
    counts = seeds_by_point(tuned)
    assert counts["0.0001"] == 12
    assert counts["0.1"] == counts["0.2"] == 3
    assert sorted(counts.values()) == [3, 3, 3, 3, 6, 6, 12, 12]
    assert tuned.runs == halving.largest_run_count(8, 12) + 12 == 60
    assert tuned.points[0].behind is None
    assert all(point.behind.mean < 0 for point in tuned.points[1:])


def test_the_final_interval_comes_from_seeds_that_had_no_part_in_choosing(link, tmp_path):
    base = short(link)
    tuned = fl.tune(base, {VARIANT: "reno,hybla,cubic"}, trials=3, seeds=[4, 5, 9]).run(out=tmp_path / "store")
    assert list(tuned.fresh_seeds) == [10, 11, 12]
    fresh = base.set(VARIANT, tuned.best[VARIANT]).run(seeds=[10, 11, 12]).flows["goodput_bps"].to_pylist()
    assert tuned.interval.mean == pytest.approx(sum(fresh) / 3)
    assert tuned.document["value"]["low"] == tuned.interval.low


def test_what_is_minimized_becomes_small(link, tmp_path):
    def best(**goal: str) -> fl.Tuned:
        described = fl.tune(short(link), {"links.0.delay": ["10 ms", "20 ms", "40 ms"]}, seeds=3, **goal)
        return described.run(out=tmp_path / "store")

    assert best(minimize="delay_mean_s").best == {"links.0.delay": "10 ms"}
    assert best(maximize="delay_mean_s").best == {"links.0.delay": "40 ms"}


def test_optuna_finds_the_end_of_a_range_and_tries_no_point_twice(link, tmp_path):
    described = fl.tune(short(link), {LIMIT: "1..5000 packets", RATE: "1e-6..0.1"}, log=True, trials=24, seeds=3)
    tuned = described.run(out=tmp_path / "store")
    assert len({tuple(point.settings.values()) for point in tuned.points}) == 24
    assert float(tuned.best[RATE]) < 1e-4
    assert tuned.sweep_runs is None
    assert tuned.runs == 24 * 3 + 3


def test_a_space_with_few_points_left_is_searched_to_its_end(link, tmp_path):
    described = fl.tune(short(link), {LIMIT: "1..10 packets"}, trials=9, seeds=3)
    tuned = described.run(out=tmp_path / "store")
    assert len(seeds_by_point(tuned)) == 9


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_threads_and_executors_try_the_same_points(link, tmp_path, executor):
    described = fl.tune(short(link), {RATE: "1e-6..0.1"}, log=True, trials=12, seeds=3)
    one = described.run(out=tmp_path / "one", jobs=1)
    other = described.run(out=tmp_path / "other", jobs=2, executor=executor)
    assert one.document == other.document


def test_a_transfer_that_never_ends_is_worst(link, tmp_path):
    files = fl.load(link).set("flows.0.application", {"name": "file", "size": "500 kB"})
    described = fl.tune(files, {RATE: ["0.0", "0.9"]}, minimize="completion_s", seeds=3)
    good, bad = described.run(out=tmp_path / "store").points
    assert good.settings == {RATE: "0.0"}
    assert bad.interval is None and not bad.is_finished
    with pytest.raises(fl.UsageError, match="at every point there is a run without completion_s"):
        fl.tune(files, {RATE: ["0.8", "0.9"]}, minimize="completion_s", seeds=3).run(out=tmp_path / "store")


def test_the_command_prints_one_document_and_draws(link, tmp_path, farlink):
    command = ["tune", link, "--set", "duration=1s", "--param", f"{WINDOW}=1..8 packets", "--seeds", "1..3"]
    done = farlink(*command, "--param", f"{VARIANT}=reno,vegas", "--trials", "10", "--json", "--plot", "curve.svg")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["maximize"] == "goodput_bps"
    assert len(document["points"]) == 10
    assert document["best"] == document["points"][0]["settings"]
    assert document["sweep_runs"] == 48
    assert document["runs"] == 33
    drawn = (tmp_path / "curve.svg").read_text()
    assert "max window [packets]" in drawn and "goodput [Mbit/s]" in drawn and "vegas" in drawn
    again = farlink(*command, "--param", f"{VARIANT}=reno,vegas", "--trials", "10")
    assert "best: flows.0.tcp.max_window = 8 packets" in again.stdout
    assert "from 3 fresh seeds" in again.stdout
    assert "33 runs in results/tune-link" in again.stderr


def test_ctrl_c_keeps_what_was_finished_and_the_same_command_goes_on(link, tmp_path, farlink):
    command = ("tune", "link.toml", "--set", "duration=20s", "--out", "store", "--jobs", 2)
    command += ("--param", f"{RATE}=1e-4..0.1", "--trials", 40, "--json", "--quiet")
    done = held(tmp_path, *command, then=lambda process: process.send_signal(signal.SIGINT))
    assert done.returncode == 130
    kept = fl.Results(tmp_path / "store").runs.num_rows
    assert f"farlink: interrupted; {kept} of " in done.stderr
    assert done.stderr.endswith(f"are left; to resume: {shlex.join(['farlink', *map(str, command)])}\n")
    resumed = farlink(*command)
    assert 0 < kept < json.loads(resumed.stdout)["runs"]
    anew = farlink(*command, "--no-resume")
    assert anew.stdout == resumed.stdout


W = f"--param={WINDOW}"


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "Missing option '--param'"),
        ([f"--param={WINDOW}"], "write PATH=LOW..HIGH, or PATH=a,b,c"),
        ([f"{W}=a..b packets"], "`a` is no number; write LOW..HIGH, such as 1..10 packets or 0.1..5 s"),
        ([f"{W}=nan..5 packets"], "`nan` is no number"),
        ([f"{W}=1..inf packets"], "`inf packets` is no number"),
        ([f"{W}=10..1 packets"], "it ends before it begins"),
        ([f"{W}=3..3 packets"], "nothing to choose from"),
        ([f"{W}=0..3 packets"], f'{WINDOW}=0 packets: nothing fits into a size of zero; write at least "1 packets"'),
        ([f"{W}=0..3 packets", "--log"], "a logarithmic range begins above 0"),
        ([f"{W}=1.5..10"], 'expected a size such as "50 packets" or "64 kB"'),
        ([f"{W}=1 s..10 packets"], "its ends have different units"),
        ([f"{W}=1..10 packets", f"{W}=1..20 packets"], "is given twice"),
        (["--param=flows.0.tcp.max_windw=1..9 packets"], "unknown key `max_windw`; did you mean `max_window`?"),
        (["--param=flows.7.tcp.max_window=1..9 packets"], "there is no item 7"),
        ([f"--param={VARIANT}=reno,ren"], "unknown name `ren`"),
        ([f"--param={VARIANT}=reno"], "nothing to choose from"),
        ([f"--param={VARIANT}=reno,reno"], "a value is given twice"),
        ([f"--param={VARIANT}=reno,cubic", "--log"], "there is no range that could be logarithmic"),
        ([f"{W}=1..9 packets", "--maximize=goodput"], "there is no measure goodput; did you mean `goodput_bps`?"),
        ([f"{W}=1..9 packets", "--maximize=timeouts", "--minimize=timeouts"], "maximize or minimize, not both"),
        ([f"{W}=1..9 packets", "--flow=transfr"], "there is no flow transfr; did you mean `transfer`?"),
        ([f"{W}=1..9 packets", "--trials=0"], "'--trials': 0 is not in the range"),
        ([f"{W}=1..9 packets", "--seeds=1..2"], "2 seeds are too few to choose by; give 3 or more"),
        ([f"{W}=1..9 packets", "--plot=curve.gif"], "its name must end in"),
        ([f"{W}=1..9 packets", "--set=duration=0s"], "a run of no length"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(link, tmp_path, farlink, arguments, printed):
    done = farlink("tune", link, "--quiet", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    first, *rest = done.stderr.splitlines()
    assert first.startswith("farlink: ") and printed in first
    assert not rest or "| " in rest[0]
    assert not (tmp_path / "results").exists()


def test_without_optuna_all_points_can_be_tried_and_a_choice_says_what_to_install(link, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert fl.tune(short(link), {WINDOW: "1..3 packets"}, seeds=3).run(out=tmp_path / "store").runs == 12
    with pytest.raises(fl.UsageError, match=r"pip install 'farlink\[tune\]'"):
        fl.tune(short(link), {WINDOW: "1..300 packets"}, seeds=3).run(out=tmp_path / "other")
