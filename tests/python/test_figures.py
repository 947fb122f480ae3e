"""What `farlink plot` draws; that it is legible was looked at."""

import math
import statistics as standard
import struct
from pathlib import Path

import farlink as fl
import pytest

RATES = "links.0.error.rate"
VARIANT = "flows.0.tcp.congestion_control"
BEGINS = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    from conftest import LINK

    folder = tmp_path_factory.mktemp("figures")
    (folder / "link.toml").write_text(LINK)
    base = fl.load(folder / "link.toml").set("duration", "2 s")
    variants = ["reno", "hybla", "cubic", "vegas"]
    return fl.sweep(base, {RATES: [0.0, 1e-3, 1e-2], VARIANT: variants}, seeds=3, series=True).run(out=folder / "store")


KINDS = [
    ("line", "goodput_bps", ["--x", RATES, "--by", VARIANT]),
    ("bar", "delay_mean_s", ["--x", VARIANT, "--by", RATES]),
    ("cdf", "goodput_bps", ["--by", VARIANT, "--where", f"{RATES}=1e-3"]),
    ("time", "goodput_bps", ["--by", VARIANT, "--where", f"{RATES}=1e-3"]),
    ("time", "cwnd_segments", ["--by", RATES, "--where", f"{VARIANT}=hybla", "--where", "seed=2"]),
]


@pytest.mark.parametrize(("kind", "y", "options"), KINDS)
def test_every_kind_is_drawn(results, tmp_path, farlink, kind, y, options):
    target = tmp_path / "figure.png"
    done = farlink("plot", results.folder, "--kind", kind, "--y", y, *options, "-o", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    width, height = struct.unpack(">II", target.read_bytes()[16:24])
    assert width >= 1000 and height >= 600


@pytest.mark.parametrize("form", BEGINS)
def test_every_kind_is_written_in_every_format(results, tmp_path, form):
    target = tmp_path / f"figure{form}"
    for kind, x, where in (
        ("line", RATES, {}),
        ("bar", RATES, {}),
        ("cdf", None, {RATES: 1e-3}),
        ("time", None, {RATES: 1e-3}),
    ):
        results.plot(x, "goodput", by=VARIANT, kind=kind, where=where, path=target)
        assert target.read_bytes().startswith(BEGINS[form])
        if form == ".svg":
            drawn = target.read_text()
            assert all(f"<!-- {name} -->" in drawn for name in ("goodput [bit/s]", "reno", "hybla", "cubic", "vegas"))


def test_the_same_results_give_the_same_picture(results, tmp_path):
    for name in ("one.pdf", "two.pdf"):
        results.plot(RATES, by=VARIANT, path=tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def lines_of(figure, panel=0):
    return {line.get_label(): line for line in figure.axes[panel].get_lines()}


def test_a_line_goes_through_the_means_and_every_variant_has_its_own_look(results):
    figure = results.plot(RATES, by=VARIANT)
    lines = lines_of(figure)
    assert list(lines) == ["cubic", "hybla", "reno", "vegas"]
    flows = results.flows.to_pylist()
    for name, line in lines.items():
        means = [
            standard.fmean(flow["goodput_bps"] for flow in flows if (flow[VARIANT], flow[RATES]) == (name, rate))
            for rate in (0.0, 1e-3, 1e-2)
        ]
        assert list(line.get_xdata()) == [0.0, 1e-3, 1e-2]
        assert list(line.get_ydata()) == pytest.approx(means)
    for look in ("get_color", "get_linestyle", "get_marker"):
        assert len({getattr(line, look)() for line in lines.values()}) == 4
    assert figure.axes[0].get_ylabel() == "goodput [bit/s]"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(lines)


def test_a_time_series_is_what_the_series_say(results):
    where = {VARIANT: "reno", RATES: 1e-3}
    figure = results.plot(y="goodput_bps", kind="time", where=where)
    [line] = figure.axes[0].get_lines()
    assert figure.axes[0].get_title("left").startswith("mean of 3 runs, 95 % band; averaged over")
    mine = [flow for flow in results.flows.to_pylist() if (flow[VARIANT], flow[RATES]) == ("reno", 1e-3)]
    assert standard.fmean(line.get_ydata()) == pytest.approx(
        standard.fmean(flow["goodput_bps"] for flow in mine), rel=0.02
    )
    single = results.plot(y="cwnd_segments", kind="time", where=where | {"seed": 1})
    assert single.axes[0].get_title("left") == "one run"
    [key] = [flow["key"] for flow in mine if flow["seed"] == 1]
    windows = [row["cwnd_segments"] for row in results.series.to_pylist() if row["key"] == key]
    assert max(single.axes[0].get_lines()[0].get_ydata()) <= max(windows)


def test_a_threshold_that_is_not_there_yet_leaves_a_gap_and_nothing_else(results):
    figure = results.plot(y="ssthresh_segments", kind="time", where={VARIANT: "hybla", RATES: 1e-2, "seed": 1})
    drawn = list(figure.axes[0].get_lines()[0].get_ydata())
    known = [math.isfinite(value) for value in drawn]
    assert not known[0]
    assert all(known[known.index(True) :])


def test_many_time_series_get_axes_of_their_own(results):
    figure = results.plot(y="cwnd_segments", kind="time", by=VARIANT, where={RATES: 1e-3})
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["cubic", "hybla", "reno", "vegas"]
    assert all(len(axes.get_lines()) == 1 for axes in figure.axes)
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": RATES}, f"{VARIANT} differs, too: choose with --where"),
        ({"kind": "time"}, "differs, too"),
        ({"x": RATES, "kind": "cdf"}, "needs no x"),
        ({"by": VARIANT}, "needs a parameter as x"),
        ({"x": RATES, "kind": "pie"}, "choose line, bar, cdf or time"),
        ({"x": RATES, "by": VARIANT, "where": {"seed": 9}}, "no run has seed = 9; there are 1, 2, 3"),
        ({"x": RATES, "y": "gootput_bps", "by": VARIANT}, "did you mean `goodput_bps`"),
        ({"kind": "time", "y": "window", "by": VARIANT, "where": {RATES: 0}}, "there is no column window"),
    ],
)
def test_what_would_mislead_is_refused(results, arguments, message):
    with pytest.raises(fl.UsageError, match=message):
        results.plot(**arguments)


def test_without_series_there_is_no_time_series(link, tmp_path):
    base = fl.load(link).set("duration", "1 s")
    results = fl.sweep(base, {VARIANT: ["reno"]}, seeds=1).run(out=tmp_path / "store")
    with pytest.raises(fl.UsageError, match="series = true"):
        results.plot(kind="time")


def test_a_mistyped_condition_is_refused(results, tmp_path, farlink):
    done = farlink("plot", results.folder, "--x", RATES, "--where", "seed", "-o", Path("f.png"))
    assert done.returncode == 2
    assert "write PATH=VALUE" in done.stderr
