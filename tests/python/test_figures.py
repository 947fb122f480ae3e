"""What `farlink plot` draws; that it is legible was looked at."""

import math
import statistics as standard
import struct
from pathlib import Path

import farlink as fl
import matplotlib.text
import numpy as np
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
            assert all(f"<!-- {name} -->" in drawn for name in ("goodput [Mbit/s]", "reno", "hybla", "cubic", "vegas"))


def test_the_same_results_give_the_same_picture(results, tmp_path):
    for name in ("one.pdf", "two.pdf"):
        results.plot(RATES, by=VARIANT, path=tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def lines_of(figure, panel=0):
    return {line.get_label(): line for line in figure.axes[panel].get_lines()}


def test_a_line_goes_through_the_means_and_every_variant_has_its_own_look(results):
    figure = results.plot(RATES, by=VARIANT)
    lines = lines_of(figure)
    assert list(lines) == ["reno", "hybla", "cubic", "vegas"]
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
    assert figure.axes[0].get_ylabel() == "goodput [Mbit/s]"
    assert figure.axes[0].get_xlabel() == "link error rate"
    assert figure.axes[0].get_title("left") == "Goodput over link error rate\nlink; mean of 3 runs, 95 % CI"
    assert figure.legends[0].get_title().get_text() == "congestion control"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(lines)


def test_a_time_series_is_what_the_series_say(results):
    where = {VARIANT: "reno", RATES: 1e-3}
    figure = results.plot(y="goodput_bps", kind="time", where=where)
    [line] = figure.axes[0].get_lines()
    title = " ".join(figure.axes[0].get_title("left").split())
    assert title.startswith("Goodput over time link; congestion control reno; link error rate 0.001; mean of 3 runs")
    assert "averaged over" in title
    mine = [flow for flow in results.flows.to_pylist() if (flow[VARIANT], flow[RATES]) == ("reno", 1e-3)]
    assert standard.fmean(line.get_ydata()) == pytest.approx(
        standard.fmean(flow["goodput_bps"] for flow in mine), rel=0.02
    )
    single = results.plot(y="cwnd_segments", kind="time", where=where | {"seed": 1})
    assert single.axes[0].get_title("left").endswith("one run")
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
    assert titles == ["reno", "hybla", "cubic", "vegas"]
    assert all(len(axes.get_lines()) == 1 for axes in figure.axes)
    [(low, high)] = {axes.get_ylim() for axes in figure.axes}
    assert low == 0 and high > max(axes.dataLim.y1 for axes in figure.axes)


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
        ({"x": RATES, "by": VARIANT, "style": "poster"}, "choose screen or print"),
        ({"x": RATES, "by": VARIANT, "log": "z"}, "choose auto, none, x, y, xy"),
        ({"kind": "time", "by": VARIANT, "where": {RATES: 0}, "bin": "0 s"}, "write more than 0"),
        ({"kind": "time", "by": VARIANT, "where": {RATES: 0}, "bin": "1 packets"}, "write a time such as"),
        ({"kind": "time", "by": VARIANT, "where": {RATES: 0}, "bin": "1 us"}, "set record.interval"),
        ({"kind": "time", "by": VARIANT, "where": {RATES: 0}, "bin": "1.5 s"}, "write half of that at most"),
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


def test_no_figure_shows_a_path_or_an_axis_without_a_label(results):
    where = {RATES: 1e-3}
    figures = [
        results.plot(RATES, by=VARIANT),
        results.plot(VARIANT, by=RATES, kind="bar"),
        results.plot(kind="cdf", by=VARIANT, where=where),
        results.plot(kind="time", y="srtt_s", by=RATES, where={VARIANT: "reno"}),
        results.plot(kind="time", by=VARIANT, where=where),
    ]
    for figure in figures:
        figure.draw_without_rendering()
        written = [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_visible()]
        assert not [text for text in written if "flows.0" in text or "links.0" in text or "_" in text]
        axes = figure.axes[0]
        assert axes.get_xlabel() or figure.get_supxlabel() == "time [s]"
        assert axes.get_ylabel() or figure.get_supylabel().startswith("delivery rate [")


def test_axes_can_be_logarithmic(results):
    figure = results.plot(RATES, by=VARIANT, log="xy")
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("symlog", "log")
    assert results.plot(RATES, by=VARIANT, log="none").axes[0].get_xscale() == "linear"
    assert results.plot(kind="cdf", by=VARIANT, where={RATES: 1e-3}, log="x").axes[0].get_xscale() == "log"


def test_a_bin_has_the_width_that_was_asked_for(results):
    figure = results.plot(kind="time", where={VARIANT: "reno", RATES: 0.0, "seed": 1}, bin="0.5 s")
    along = figure.axes[0].get_lines()[0].get_xdata()
    assert list(along) == pytest.approx([0.25, 0.75, 1.25, 1.75])


def test_a_figure_for_print_is_as_wide_as_a_column_and_has_no_title(results, tmp_path):
    figure = results.plot(RATES, by=VARIANT, style="print", path=tmp_path / "print.png")
    width, _ = struct.unpack(">II", (tmp_path / "print.png").read_bytes()[16:24])
    assert width / 600 * 25.4 == pytest.approx(88, abs=0.5)
    assert figure.axes[0].get_title("left") == ""
    assert results.plot(RATES, by=VARIANT, style="print", title="mine").axes[0].get_title("left") == "mine"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    made = fl.load("competition").set("duration", "10 s").run(seed=1)
    made.save(folder / "saved")
    return made, folder / "saved"


def test_panels_of_a_run_show_flows_and_queues(run):
    figure = run[0].plot(panels=["goodput", "cwnd", "rtt", "flight", "queue"])
    labels = [" ".join(axes.get_ylabel().split()) for axes in figure.axes]
    assert labels[0].startswith("goodput [") and labels[1] == "congestion window [segments]"
    assert labels[2] == "smoothed RTT [ms]" and labels[3].startswith("data in flight [")
    assert labels[4] == "queue [packets]"
    assert "left->right" in lines_of(figure, 4)
    assert "cross_traffic" in lines_of(figure, 0) and "cross_traffic" not in lines_of(figure, 1)


def test_a_saved_run_is_drawn_as_the_run_was(run, tmp_path, farlink):
    made, folder = run
    made.plot(tmp_path / "made.svg", panels=["goodput", "queue"], bin="1 s")
    done = farlink("plot", folder, "--panels", "goodput,queue", "--bin", "1 s", "-o", tmp_path / "saved.svg")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "made.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["plot", "{run}", "--panels", "goodputt", "-o", "f.png"], "did you mean `goodput`?"),
        (["plot", "{run}", "--x", RATES, "-o", "f.png"], "--x is for the store of a sweep"),
        (["plot", "{run}", "--where", "seed=1", "-o", "f.png"], "--where is for the store of a sweep"),
        (["plot", "{store}", "--panels", "goodput", "-o", "f.png"], "--panels are those of a saved run"),
        (["plot", ".", "-o", "f.png"], "neither a store of results nor a saved run"),
        (
            ["plot", "{store}", "--kind", "bar", "-o", "f.png"],
            "--kind bar: name the parameter along the axis, --x",
        ),
        (["run", "satellite", "--panels", "rtt"], "give --plot F"),
        (["run", "satellite", "--panels", "goodput,,rtt", "--plot", "f.png"], "there is no panel"),
        (["run", "satellite", "--panels", "rt,", "--plot", "f.png"], "did you mean `rtt`?"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, results, command, arguments, expected):
    places = {"{run}": str(run[1]), "{store}": str(results.folder)}
    status, out, err = command(*(places.get(each, each) for each in arguments))
    assert (status, out) == (2, "")
    assert expected in err and err.count("\n") == 1


def test_a_panel_that_is_left_out_is_named_with_the_reason(link, command):
    for what in (("run", "link.toml", "--out", "run", "--quiet", "--plot", "f.png"), ("plot", "run", "-o", "f.png")):
        status, _, err = command(*what, "--panels", "goodput,loss")
        assert status == 0
        assert "farlink: panel loss is left out: it has no values; only flows of datagrams have it\n" in err
    assert command("plot", "run", "-o", "f.png")[2] == ""


def test_the_title_says_over_what_time_values_are_averaged(results):
    for y in ("goodput", "cwnd_segments"):
        figure = results.plot(kind="time", y=y, where={RATES: 1e-3, VARIANT: "reno"}, bin="0.5 s")
        assert "averaged over 0.5 s" in " ".join(figure.axes[0].get_title("left").split())


def test_a_panels_word_is_a_measure_over_time(results):
    where = {RATES: 1e-3, VARIANT: "reno"}
    labels = [results.plot(kind="time", y=y, where=where).axes[0].get_ylabel() for y in ("rtt", "srtt_s")]
    assert labels[0] == labels[1] == "smoothed RTT [ms]"


def test_the_window_is_drawn_while_the_flow_sends():
    made = fl.load("competition").set("duration", "10 s").set("flows.other.start", "4 s").set("flows.other.stop", "7 s")
    run = made.run(seed=1)
    figure = run.plot(panels=["cwnd"])
    (line,) = [line for line in figure.axes[0].get_lines() if line.get_label() == "other"]
    times = np.asarray(line.get_xdata())[np.isfinite(np.asarray(line.get_ydata(), dtype=float))]
    assert 3.9 < times[0] < 4.2 and 7 < times[-1] < 8


def test_the_title_of_a_run_names_what_was_set(command, tmp_path):
    settings = ("--set", "duration=1 s", "--set", "flows.transfer.tcp.congestion_control=reno")
    assert command("run", "satellite", *settings, "--plot", "run.svg", "--quiet")[0] == 0
    text = (tmp_path / "run.svg").read_text()
    assert "<!-- satellite (seed 1) -->" in text and "<!-- duration 1 s; congestion control reno -->" in text


# The run ends before the delays of the scenario change.
@pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")
def test_a_sweep_over_time_marks_the_outages_that_its_runs_share(tmp_path):
    variants = {VARIANT: ["reno", "cubic", "hybla", "bbr"]}
    leo = fl.load("leo").set("duration", "4 s").set("links.0.down", ["1 s..1.2 s every 2 s"])
    sweep = fl.sweep(leo, variants, seeds=2, series=True)
    figure = sweep.run(out=tmp_path / "store").plot(kind="time", by=VARIANT)
    assert [len(axes.patches) for axes in figure.axes] == [2] * 4
    assert [legend.get_texts()[0].get_text() for legend in figure.legends] == ["link down"]
    spans = {"links.0.down": [["1 s..2 s"], ["2 s..3 s"]]}
    differing = fl.sweep(leo, spans, seeds=2, series=True).run(out=tmp_path / "other")
    figure = differing.plot(kind="time", where={"links.0.down": ["1 s..2 s"]})
    assert [round(patch.get_x(), 3) for patch in figure.axes[0].patches] == [1]


# The run ends before the delays of the scenario change.
@pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")
def test_outages_are_marked_once_in_the_legend(tmp_path, command):
    down = ["1 s..1.2 s every 2 s", "8 s..9 s"]
    made = fl.load("leo").set("duration", "9 s").set("links.0.down", down).run(seed=1)
    figure = made.plot()
    bands = [[patch for patch in axes.patches if patch.get_width() < 9] for axes in figure.axes]
    spans = [(round(patch.get_x(), 3), round(patch.get_x() + patch.get_width(), 3)) for patch in bands[0]]
    assert spans == [(1, 1.2), (3, 3.2), (5, 5.2), (7, 7.2), (8, 9)]
    assert len(bands[1]) == 5
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["link down"]
    made.plot(tmp_path / "made.svg")
    made.save(tmp_path / "saved")
    assert command("plot", "saved", "-o", "saved.svg")[0] == 0
    assert (tmp_path / "made.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()
    assert fl.load("satellite").set("duration", "9 s").run().plot().legends == []
