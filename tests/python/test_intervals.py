"""One way to an interval for every command, named beside it; and what is said where seeds make no difference."""

import random
from dataclasses import replace
from pathlib import Path

import farlink as fl
import pyarrow as pa
import pytest
from conftest import LINK, Cli
from farlink import statistics
from farlink.results import latex
from farlink.results.measure import Measure
from farlink.runs import run_table
from farlink.runs.summary import summarise
from farlink.statistics import Interval
from farlink.store import manifest, order
from farlink.tables import labels

SKEWED = LINK.replace("rate = 1e-3", "rate = 0.05").replace('"5 s"', '"2 s"')
CERTAIN = LINK.replace('error = { name = "packet_error_rate", rate = 1e-3 }\n', "").replace('"5 s"', '"1 s"')
SEEDS = range(1, 21)


def test_a_run_and_a_sweep_of_the_same_seeds_give_the_same_intervals(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SKEWED)
    run = fl.load(tmp_path / "s.toml").run(seeds=SEEDS, series=False)
    results = fl.sweep(tmp_path / "s.toml", seeds=SEEDS).run(out=tmp_path / "store")
    measures = ("goodput_bps", "delay_mean_s", "packets_retransmitted")
    [row] = results.summary(measures).table.to_pylist()
    for measure in measures:
        found = getattr(run.summary[0], measure)
        assert (found.mean, found.low, found.high) == tuple(row[measure + end] for end in ("", "_low", "_high"))
        assert found.method == "t"


def test_intervals_do_not_depend_on_the_order_in_which_runs_end(link: Path, tmp_path: Path) -> None:
    vary = {"flows.0.tcp.congestion_control": ["reno", "cubic"]}
    done = fl.sweep(link, vary, seeds=12).run(out=tmp_path / "store", jobs=1)
    skewed = pa.array([float(2**seed) for seed in done.flows["seed"].to_pylist()])
    flows = done.flows.set_column(done.flows.column_names.index("goodput_bps"), "goodput_bps", skewed)
    shuffled = flows.take(random.Random(1).sample(range(len(flows)), len(flows)))
    tables = []
    for rows in (flows, shuffled):
        results = fl.Results(tmp_path / "store")
        results.__dict__["flows"] = rows
        tables.append([results.summary(["goodput_bps"], interval=name).table.to_pylist() for name in ("t", "bca")])
    assert tables[0] == tables[1]


def test_every_table_names_how_its_intervals_were_found(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SKEWED)
    (tmp_path / "sweep.toml").write_text(
        'scenario = "s.toml"\nseeds = "1..20"\n[cross]\n"flows.0.tcp.max_window" = ["2 packets", "9 packets"]\n'
    )
    run = farlink("run", "s.toml", "--seeds", "1..20")
    caption, bootstrap = "95 % CI: Student's t", "95 % CI: BCa bootstrap"
    assert caption in " ".join(run.stdout.split())
    for form in ("text", "csv", "markdown", "latex"):
        assert caption in farlink("sweep", "sweep.toml", "--format", form).stderr
    compare = ("compare", "sweep.results", "--by", "flows.0.tcp.max_window")
    assert caption in farlink(*compare).stderr
    for command in (("sweep", "sweep.toml"), compare):
        asked = farlink(*command, "--interval", "bca")
        assert bootstrap in asked.stderr and caption not in asked.stderr and asked.stdout != farlink(*command).stdout


def test_an_interval_that_is_unknown_or_without_effect_is_refused(farlink: Cli, link: Path, tmp_path: Path) -> None:
    results = fl.sweep(fl.load(link).set("duration", "1 s"), seeds=2).run(out=tmp_path / "store")
    with pytest.raises(fl.UsageError, match="interval `bcs`: did you mean `bca`"):
        results.summary(interval="bcs")
    refused = farlink("plot", "store", "--kind", "cdf", "--interval", "bca", "-o", "f.png")
    assert refused.returncode == 2 and "interval bca" in refused.stderr and refused.stderr.count("\n") == 1


def test_methods_are_named_once() -> None:
    one, other = (Interval(1.0, 0.5, 1.5, 9, method) for method in ("t", "bca"))
    assert statistics.method([one, None, one]) == "95 % CI: Student's t"
    assert statistics.method([other]) == "95 % CI: BCa bootstrap"
    assert statistics.method([None, Interval(1.0, None, None, 1, "single")]) == ""


def test_an_interval_that_is_not_symmetric_shows_both_ends() -> None:
    assert run_table.format_mean(Interval(12.0, 11.0, 13.0, 9, "t")) == "12.0 ± 1.0"
    assert run_table.format_mean(Interval(12.0, 11.5, 14.5, 9, "bca")) == "12.0 [11.5, 14.5]"
    assert run_table.format_mean(Interval(12.0, None, None, 1, "single")) == "12"


def test_a_half_width_is_never_written_as_zero() -> None:
    assert run_table.format_mean(Interval(3.125, 3.125, 3.125, 9, "t")) == "3.12"
    assert run_table.format_mean(Interval(0.919, 0.919 - 1e-16, 0.919 + 1e-16, 9, "t")) == "0.919"
    assert run_table.format_mean(Interval(12.0, 11.9998, 12.0002, 9, "t")) == "12.000 ± 0.0002"
    tiny = Interval(0.05, 0.05 - 2e-5, 0.05 + 2e-5, 9, "t")
    assert run_table.format_mean(tiny) == "0.050 ± 2e-05"


def test_no_interval_of_a_measure_ends_below_zero(tmp_path: Path) -> None:
    values = [0.0, 0.0, 0.0, 9.0, 1.0]
    plain, of_measure = statistics.interval(values), statistics.of_measure(values)
    assert plain is not None
    assert of_measure is not None
    assert plain.low is not None
    assert plain.low < 0
    assert (of_measure.low, of_measure.high) == (0.0, plain.high)
    assert statistics.of_measure([-3.0, 3.0, 4.0]) == statistics.interval([-3.0, 3.0, 4.0])
    # Lost so often that some transfers deliver nothing.
    (tmp_path / "s.toml").write_text(LINK.replace("rate = 1e-3", "rate = 0.7").replace('"5 s"', '"4 s"'))
    tuned = fl.tune(tmp_path / "s.toml", {"flows.0.tcp.max_window": "1..3 packets"}, seeds=4).run(
        out=tmp_path / "store"
    )
    lows = [point.interval.low for point in tuned.points if point.interval and point.interval.low is not None]
    lows += [tuned.interval.low] if tuned.interval and tuned.interval.low is not None else []
    assert min(lows) == 0.0
    assert all(low is None or low >= 0 for low in tuned.table.table["goodput_bps_low"].to_pylist())


def test_equal_results_of_all_seeds_are_pointed_out(farlink: Cli, tmp_path: Path) -> None:
    equal = "farlink: all 3 seeds gave equal results: nothing random took effect\n"
    (tmp_path / "s.toml").write_text(CERTAIN)
    (tmp_path / "sweep.toml").write_text('scenario = "s.toml"\nseeds = "1..3"\n')
    assert farlink("run", "s.toml", "--seeds", "1..3").stderr == equal
    assert farlink("run", "s.toml").stderr == ""
    assert equal in farlink("sweep", "sweep.toml").stderr
    errors = '[cross]\n"links.0.error" = ["none", { name = "packet_error_rate", rate = 0.1 }]\n'
    (tmp_path / "both.toml").write_text(f'scenario = "s.toml"\nseeds = "1..3"\n{errors}')
    assert (
        "at 1 of 2 points (links.0.error none) all seeds gave equal results: nothing random took effect\n"
        in farlink("sweep", "both.toml").stderr
    )
    (tmp_path / "s.toml").write_text(SKEWED)
    assert "equal" not in farlink("run", "s.toml", "--seeds", "1..3").stderr


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("flows.0.tcp.congestion_control", ["westwood", "cubic", "reno"]),
        ("flows.*.tcp.congestion_control", [{"name": "hybla", "rtt0": "50 ms"}, "cubic"]),
        ("links.0.rate", ["9 Mbit/s", "10 Mbit/s", "500 kbit/s"]),
        ("links.0.error.rate", [0.01, 1e-3, 0.1]),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_baseline_is_the_first_variant_that_the_sweep_lists(
    farlink: Cli, tmp_path: Path, path: str, values: list[object], jobs: int
) -> None:
    (tmp_path / "s.toml").write_text(LINK.replace('"5 s"', '"1 s"'))
    results = fl.sweep(tmp_path / "s.toml", {path: values}, seeds=3).run(out=tmp_path / "store", jobs=jobs)
    by = path
    rows = results.compare(by).table.to_pylist()
    column = next(name for name in rows[0] if name.startswith(by))
    listed = manifest.read(tmp_path / "store").order[path]
    places = [order.place_of_value({path: listed}, column, row[column]) for row in rows]
    assert places == list(range(1, len(values)))
    against = "against_bps" if column.endswith("_bps") else "against"
    assert {order.place_of_value({path: listed}, column, row[against]) for row in rows} == {0}
    assert fl.Results(tmp_path / "store").compare(by).table.equals(results.compare(by).table)
    chosen = results.compare(by, baseline=rows[-1][column]).table.to_pylist()
    assert {row[against] for row in chosen} == {rows[-1][column]}


def test_a_later_sweep_into_the_same_store_adds_its_values_behind_the_others(link: Path, tmp_path: Path) -> None:
    by = "flows.0.tcp.congestion_control"
    for values in (["reno"], ["cubic", "reno"], ["bic", "cubic"]):
        fl.sweep(fl.load(link).set("duration", "1 s"), {by: values}, seeds=2).run(out=tmp_path / "store")
    assert manifest.read(tmp_path / "store").order == {by: ["reno", "cubic", "bic"]}
    fl.sweep(fl.load(link).set("duration", "1 s"), {by: ["bic", "reno"]}, seeds=2).run(
        out=tmp_path / "store", fresh=True
    )
    assert manifest.read(tmp_path / "store").order == {by: ["bic", "reno"]}


@pytest.mark.parametrize("damage", ["missing", "flipped"])
@pytest.mark.parametrize("files", [["manifest.json"], ["manifest.json", "manifest.copy.json"]])
def test_a_damaged_order_is_noticed_and_repaired(
    farlink: Cli, link: Path, tmp_path: Path, files: list[str], damage: str
) -> None:
    by = "flows.0.tcp.congestion_control"
    base = fl.load(link).set("duration", "1 s")
    sweep = fl.sweep(base, {by: ["reno", "cubic"]}, seeds=2)
    sweep.run(out=tmp_path / "store")
    intact = farlink("compare", "store", "--by", by).stdout
    for path in [tmp_path / "store" / file for file in files]:
        if damage == "missing":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes().replace(b"cubic", b"cucic"))
    done = farlink("compare", "store", "--by", by)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "manifest.json: is " in done.stderr and "--repair" in done.stderr
    sweep.run(out=tmp_path / "store", repair=True)
    assert farlink("compare", "store", "--by", by).stdout == intact


def test_a_complete_sweep_that_is_run_again_writes_nothing(link: Path, tmp_path: Path) -> None:
    by = "flows.0.tcp.congestion_control"
    sweep = fl.sweep(fl.load(link).set("duration", "1 s"), {by: ["reno", "cubic"]}, seeds=2)
    sweep.run(out=tmp_path / "store")

    def times() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "store").iterdir() if path.name != "lock"}

    before = times()
    sweep.run(out=tmp_path / "store")
    assert times() == before


def test_tables_and_figures_keep_the_order_of_the_sweep(link: Path, tmp_path: Path) -> None:
    by, values = "flows.0.tcp.congestion_control", ["reno", "bic", "hybla"]
    delays = ["300 ms", "20 ms"]
    sweep = fl.sweep(fl.load(link).set("duration", "1 s"), {"links.0.delay": delays, by: values}, seeds=2)
    results = sweep.run(out=tmp_path / "store", jobs=2)
    table = results.summary().table
    assert table[by].to_pylist() == values * 2
    assert table["links.0.delay_s"].to_pylist() == [0.3] * 3 + [0.02] * 3
    compared = results.compare(by).table
    assert compared["links.0.delay_s"].to_pylist() == [0.3] * 2 + [0.02] * 2
    bars = results.plot("links.0.delay", by=by, kind="bar")
    assert [text.get_text() for text in bars.axes[0].get_xticklabels()] == ["300 ms", "20 ms"]
    assert [text.get_text() for text in bars.legends[0].get_texts()] == values
    line = results.plot("links.0.delay", by=by).axes[0].get_lines()[0]
    assert list(line.get_xdata()) == [0.02, 0.3], "a line goes along its axis"
    by_words = results.plot(by, by="links.0.delay", kind="bar").axes[0].get_xticklabels()
    assert [text.get_text() for text in by_words] == values


def test_seeds_to_choose_from_are_listed_as_numbers(link: Path, tmp_path: Path) -> None:
    results = fl.sweep(fl.load(link).set("duration", "0.1 s"), seeds=[2, 10, 1]).run(out=tmp_path / "store")
    with pytest.raises(fl.UsageError, match="there are 1, 2, 10"):
        results.plot(kind="cdf", where={"seed": 77})


SHARES = ("jain", "delivery_ratio", "loss_rate", "bottleneck_utilisation", "limited_by_timeout")


@pytest.mark.parametrize("share", SHARES)
def test_no_interval_of_a_share_is_beyond_its_bounds(share: str) -> None:
    rng = random.Random(3)
    for count in (2, 3, 5, 9, 20):
        for centre in (0.02, 0.5, 0.98):
            ours, theirs = ([min(max(rng.gauss(centre, 0.3), 0), 1) for _ in range(count)] for _ in range(2))
            made = Measure(share).estimate(ours)
            assert made is not None and 0 <= (made.low or 0) <= made.mean <= (made.high or 1) <= 1
            difference, _ = Measure(share).compare(list(zip(ours, theirs, strict=True)))
            assert difference is not None and -1 <= (difference.low or 0) <= (difference.high or 0) <= 1
            plain = statistics.interval(ours)
            assert plain is not None and made == replace(plain, low=made.low, high=made.high, is_cut=made.is_cut)
    cut = Measure(share).estimate([0.5, 1.0])
    assert cut == Interval(0.75, 0.0, 1.0, 2, "t", is_cut=True)
    assert statistics.CUT in statistics.method([cut]) and statistics.CUT not in statistics.method([made])


@pytest.mark.parametrize(("name", "least", "most"), [("mos", 1.0, 4.5), ("r_factor", 0.0, 100.0)])
def test_no_interval_of_the_e_model_is_beyond_its_scale(name: str, least: float, most: float) -> None:
    middle = (least + most) / 2
    made = Measure(name).estimate([least, most])
    assert made == Interval(middle, least, most, 2, "t", is_cut=True)
    assert (plain := Measure(name).estimate([middle, middle + 0.1])) is not None and plain.high is not None
    assert least <= (plain.low or 0) < plain.high <= most
    difference, _ = Measure(name).compare([(least, most), (most, least)])
    assert difference == Interval(0.0, least - most, most - least, 2, "t", is_cut=True)


def test_every_column_between_0_and_1_is_a_share(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LINK.replace("rate = 1e-3", "rate = 0.3").replace('"5 s"', '"2 s"'))
    results = fl.sweep(tmp_path / "s.toml", seeds=2).run(out=tmp_path / "store", jobs=1)
    names = [name for name in results.flows.column_names if name.endswith(("_ratio", "_rate", "utilisation", "_share"))]
    names += [name for name in results.flows.column_names if name.startswith("limited_by_")]
    assert len(names) > 10 and {labels.bounds_of(name) for name in names} == {(0.0, 1.0)}


def test_a_run_and_latex_stay_within_the_bounds_of_a_share() -> None:
    rows = [
        {"flow": "a", "seed": seed, "loss_rate": share, "drops": {}, "limited_by": None, "bottleneck": None}
        | dict.fromkeys(("goodput_bps", "delay_mean_s", "packets_retransmitted", "delay_variation_mean_s"))
        | {"completion_s": None, "size_bytes": None}
        for seed, share in ((1, 1.0), (2, 0.9))
    ]
    assert summarise(rows)[0].loss_rate == Measure("loss_rate").estimate([1.0, 0.9])
    shown = latex.measure("x", "", 1.0, [(0.95, 0.31, 1.0), (0.5, 0.4, 0.6), (0.2, 0.0, 0.9)], (0.0, 1.0))
    assert shown.cells == ["{0.95 [0.31, 1.00]}", r"0.50 \pm 0.10", "{0.20 [0.00, 0.90]}"]


def test_variants_that_are_equal_at_every_seed_are_called_so(tmp_path: Path) -> None:
    # Of a window that is never reached twice as much is the same, and losses differ by seed.
    windows = {"flows.0.tcp.max_window": ["20000 packets", "40000 packets"]}
    base = fl.load("satellite").set("duration", "5 s").set("links.0.error.rate", 1e-6)
    results = fl.sweep(base, windows, seeds=3).run(out=tmp_path / "store", jobs=1)
    assert len(set(results.flows.column("goodput_bps").to_pylist())) == 3
    [row] = results.compare("flows.0.tcp.max_window").table.to_pylist()
    assert row["verdict"] == "equal" and row["goodput_bps_difference"] == 0
