"""That figures show no value that a run does not have."""

import math
from pathlib import Path

import farlink as fl
import numpy as np
import pytest
from farlink import statistics
from farlink.drawing.look import Look
from farlink.drawing.of_store import draw_over_parameter

VARIANT = "flows.first.tcp.congestion_control"


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    """Flows of which the first sends from 2 s to 5 s."""
    base = fl.load("dumbbell").set("duration", "8 s").set("flows.first.start", "2 s").set("flows.first.stop", "5 s")
    sweep = fl.sweep(base, {VARIANT: ["cubic", "reno"]}, seeds=2, series=True)
    return sweep.run(out=tmp_path_factory.mktemp("late") / "store")


def values_of(figure, panel=0, line=0):
    """The times and values of a line that are drawn."""
    drawn = figure.axes[panel].get_lines()[line]
    values = np.asarray(drawn.get_ydata(), dtype=float)
    known = np.isfinite(values)
    return np.asarray(drawn.get_xdata())[known], values[known]


@pytest.mark.parametrize("y", ["cwnd", "rtt", "rtt_s", "ssthresh_segments", "rto_s"])
def test_a_senders_measures_are_drawn_while_it_sends(late, y):
    figure = late.plot(kind="time", y=y, by=VARIANT, where={"flow": "first"})
    for line in range(2):
        times, values = values_of(figure, line=line)
        assert times[0] > 1.9 and 4.5 < times[-1] < 6 and min(values) > 0
    assert figure.axes[0].get_xlim() == (0, 8)


@pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")  # it starts too late, on purpose
def test_a_flow_that_sent_nothing_has_no_window(late):
    never = (
        fl.load("dumbbell").set("duration", "2 s").set("flows.second.start", "0 s").set("flows.first.start", "1.99 s")
    )
    store = fl.sweep(never, {VARIANT: ["cubic"]}, seeds=1, series=True).run(out=late.folder.parent / "never")
    with pytest.raises(fl.UsageError, match="values of srtt_s over time"):
        store.plot(kind="time", y="rtt", where={"flow": "first"})


def test_the_rtt_of_a_run_ends_with_its_flow():
    base = fl.load("dumbbell").set("duration", "8 s").set("flows.first.stop", "5 s")
    times, _ = values_of(base.run(seed=1).plot(panels=["rtt"]))
    assert 4.5 < times[-1] < 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "time", "y": "rtt", "where": {"flow": "first"}, "by": VARIANT, "log": "x"}, "the x axis is time"),
        ({"x": VARIANT, "by": "flow", "kind": "bar", "log": "xy"}, "the x axis is a row of bars"),
        ({"x": VARIANT, "by": "flow", "log": "x"}, "the x axis is of words, not numbers; choose y or none"),
        ({"by": VARIANT, "kind": "cdf", "where": {"flow": "first"}, "log": "y"}, "the y axis is a share of runs"),
        ({"x": VARIANT, "by": "flow", "kind": "bar", "bin": "1 s"}, "a bar has no time to average over"),
    ],
)
def test_an_option_without_effect_is_refused(late, arguments, message):
    with pytest.raises(fl.UsageError, match=message):
        late.plot(**arguments)


def test_a_logarithmic_axis_of_time_is_refused_for_a_run():
    with pytest.raises(fl.UsageError, match="the x axis is time; choose y or none"):
        fl.load("satellite").set("duration", "1 s").run().plot(log="x")


ROWS = [
    {"x": x, "loss_rate": y, "flow": "a"}
    for x, values in ((1, (0.0, 0.0)), (2, (0.1, 0.9)), (3, (1.0, 1.0)))
    for y in values
]


def test_an_interval_of_a_share_ends_at_1_and_markers_are_whole():
    axes = draw_over_parameter(ROWS, "x", "loss_rate", None, "line", Look(), []).axes[0]
    assert max(axes.collections[0].get_paths()[0].vertices[:, 1]) == 1
    assert axes.get_ylim() == (0, pytest.approx(1.05))
    assert not axes.get_lines()[0].get_clip_on()


def test_a_zero_is_no_point_of_a_logarithmic_axis():
    axes = draw_over_parameter(ROWS, "x", "loss_rate", None, "line", Look(log="y"), []).axes[0]
    assert np.isnan(axes.get_lines()[0].get_ydata()[0])
    assert min(axes.collections[0].get_paths()[0].vertices[:, 1]) == axes.get_ylim()[0] == pytest.approx(0.05)


TIMES = [
    {"x": x, "completion_p50_s": [time]}
    for x, times in ((1, [math.inf] * 9), (2, [1.0, 2.0, 3.0, 4.0, 5.0] + [math.inf] * 4), (3, [1.0] * 9))
    for time in times
]


def median(runs):
    return statistics.percentile_of_runs(runs, 50)


@pytest.mark.parametrize(("kind", "ends"), [("line", (1, 3)), ("bar", (-0.5, 2.5))])
def test_a_point_without_a_value_keeps_its_place_and_is_named(kind, ends):
    figure = draw_over_parameter(TIMES, "x", "completion_p50_s", None, kind, Look(), [], median, is_percentile=True)
    axes = figure.axes[0]
    low, high = axes.get_xlim()
    assert low <= ends[0] and high >= ends[1]
    title = axes.get_title(loc="left").replace("\n", " ")
    assert "no value at 1: " in title and "9 runs, 95 % CI" in title
    assert [mark.xy[1] for mark in axes.texts] == [5.0], "an arrow where the interval has no upper end"


def test_a_caption_blames_the_number_of_runs_only_where_it_is_the_reason():
    found = {
        text: draw_over_parameter(rows, "x", "completion_p50_s", None, "bar", Look(), [], median, is_percentile=True)
        for text, rows in (("few", TIMES[-5:]), ("unfinished", TIMES[5:18] + TIMES[:2]))
    }
    titles = {text: figure.axes[0].get_title(loc="left") for text, figure in found.items()}
    assert "too few" in titles["few"] and "too few" not in titles["unfinished"]


def over_places(kind="line", labels=None, log="auto", **points):
    """A figure of values at places, by the place."""
    from farlink.tables.labels import Names

    rows = [
        {"links.0.delay_s": int(name[1:]), "goodput_bps": each} for name, values in points.items() for each in values
    ]
    look = Look(names=Names(renamed=labels or {}), log=log)
    figure = draw_over_parameter(rows, "links.0.delay_s", "goodput_bps", None, kind, look, [])
    figure.draw_without_rendering()
    return figure.axes[0]


@pytest.mark.parametrize("kind", ["line", "bar"])
def test_a_point_of_one_run_is_hollow_and_one_beside_it_has_its_interval(kind):
    axes = over_places(kind, p1=[3.0], p2=[4.0, 5.0], p3=[4.0])
    assert "hollow: one run" in axes.get_title(loc="left").replace("\n", " ")
    if kind == "bar":
        hollow = [bar.get_facecolor() == (1, 1, 1, 1) for bar in axes.patches]
        assert hollow == [True, False, True]
    else:
        [segments] = [each.get_segments() for each in axes.collections if hasattr(each, "get_segments")]
        assert [[x for x, _ in each] for each in segments] == [[2, 2]]
        assert segments[0][0][1] < 4 and segments[0][1][1] > 5
        assert axes.lines[1].get_markerfacecolor() == "white" and list(axes.lines[1].get_xdata()) == [1, 3]
    whole = over_places(kind, p1=[3.0, 4.0], p2=[4.0, 5.0])
    assert "hollow" not in whole.get_title(loc="left") and len(whole.lines) == (
        1 if kind == "line" else len(whole.lines)
    )
    assert "hollow" not in over_places(kind, p1=[3.0], p2=[4.0]).get_title(loc="left"), "all are of one run"


@pytest.mark.parametrize("log", ["none", "x"])
def test_labels_of_numbers_are_the_ticks_of_an_axis_of_numbers(log):
    axes = over_places(labels={"2": "one hop", "3": "two hops"}, log=log, p2=[3.0, 4.0], p3=[4.0, 5.0], p4=[5.0, 6.0])
    assert [text.get_text() for text in axes.get_xticklabels() if text.get_text()] == ["one hop", "two hops", "4 s"]
    assert list(axes.get_xticks()) == [2, 3, 4] and axes.get_xlabel() == "link delay"


def test_a_logarithmic_axis_begins_below_the_lowest_interval():
    axes = over_places(log="xy", p1=[3.0, 3.1], p2=[6.0, 6.2])
    assert 2 < axes.get_ylim()[0] < 3.05 - 0.6


def test_a_figure_names_what_varies_with_its_axis(tmp_path: Path) -> None:
    zipped = {"links.0.rate": ["5 Mbit/s", "10 Mbit/s"], "links.0.delay": ["50 ms", "300 ms"]}
    base = fl.load("satellite").set("duration", "2 s")
    made = fl.sweep(base, zip=zipped, seeds=1).run(out=tmp_path / "store", jobs=1)
    for x, other in (("links.0.rate", "link delay"), ("links.0.delay", "link rate")):
        assert f"{other} varies with it" in made.plot(x).axes[0].get_title(loc="left")
    crossed = fl.sweep(base, zipped, seeds=1).run(out=tmp_path / "crossed", jobs=1)
    assert "with it" not in crossed.plot("links.0.rate", by="links.0.delay").axes[0].get_title(loc="left")
