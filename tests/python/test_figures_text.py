"""The texts of figures: words, and room for them."""

import itertools

import farlink as fl
import numpy as np
import pytest
from farlink.tables.labels import Names
from farlink.tables.parameters import shared_by_items

NAMES = Names(flows=["first", "second"], links=["a–b"])  # noqa: RUF001


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("flows.*.tcp.congestion_control", "cubic", "congestion control of all flows cubic"),
        ("links.*.rate", "1 Mbit/s", "link rate 1 Mbit/s"),
        ("nodes.+", '{name="third"}', "further node third"),
        ("links.+", '{between=["third","left"],rate="1 Mbps"}', "further link third–left"),  # noqa: RUF001
        ("links.0.delay", '{csv="delay.csv"}', "link delay changed"),
        ("flows.1.tcp.congestion_control", '{name="hybla",rtt0="1 s"}', "congestion control of second hybla"),
        ("links.0.down", '["1 s..2 s", "3 s..4 s"]', "link down 1 s..2 s, 3 s..4 s"),
        ("duration", '"10 s"', "duration 10 s"),
    ],
)
def test_a_title_has_words_in_place_of_patterns_and_tables(path, text, expected):
    assert NAMES.setting(path, text) == expected


def test_a_parameter_of_all_flows_is_not_called_that_of_the_first():
    both = fl.load("dumbbell").set("flows.*.tcp.congestion_control", "hybla").validated.resolved
    one = fl.load("dumbbell").set("flows.0.tcp.congestion_control", "hybla").validated.resolved
    path = "flows.0.tcp.congestion_control"
    assert shared_by_items([path, "duration", "flows.0.label"], [both]) == {path}
    assert shared_by_items([path], [both, one]) == set()
    assert Names(flows=["first", "second"], shared=frozenset([path])).words(path) == "congestion control of all flows"


LONG = "the first transfer from the sender 0 to the receiver"


@pytest.fixture(scope="module")
def run() -> fl.Run:
    return fl.load("dumbbell").set("duration", "3 s").set("flows.0.label", LONG).run(seed=1)


def boxes(figure, texts):
    """Where texts are, in pixels; all within the figure."""
    figure.draw_without_rendering()
    found = [text.get_window_extent() for text in texts if text.get_text()]
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in found)
    return found


@pytest.mark.parametrize("style", ["screen", "print"])
def test_labels_of_panels_do_not_overprint_each_other(run, style):
    figure = run.plot(panels=["goodput", "cwnd", "rtt", "flight", "queue"], style=style)
    below = boxes(figure, [axes.yaxis.label for axes in figure.axes])
    assert all(one.y0 >= other.y1 for one, other in itertools.pairwise(below))
    for axes in figure.axes:
        ends = sorted(boxes(figure, axes.texts), key=lambda box: box.y0)
        assert all(one.y1 <= other.y0 + 1 for one, other in itertools.pairwise(ends))
        assert axes.get_window_extent().width > figure.bbox.x1 / 2


def test_a_long_title_has_lines(run):
    figure = run.plot(title="What the two flows of a dumbbell reach " * 5)
    boxes(figure, [axes.title for axes in figure.axes] + [figure.axes[0]._left_title])
    assert figure.axes[0].get_title("left").count("\n") >= 1


def test_a_label_is_beside_its_line_on_logarithmic_axes(run):
    axes = run.plot(log="y").axes[0]
    for text in axes.texts:
        [line] = [line for line in axes.get_lines() if line.get_label() == " ".join(text.get_text().split())]
        end = axes.transData.transform((0, float(np.mean(line.get_ydata()[-5:]))))[1]
        place = axes.transAxes.transform((0, text.xy[1]))[1]
        assert abs(end - place) < 0.25 * axes.bbox.height


def test_more_flows_than_colours_are_named_in_a_legend_with_their_styles():
    figure = fl.load("manet").set("duration", "6 s").run(seed=1).plot(panels=["goodput", "queue"])
    lines = figure.legends[0].get_lines()
    assert len(lines) > 7 and len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines)
    assert not figure.axes[0].texts


def test_a_long_name_leaves_the_axes_their_room(run, tmp_path):
    base = fl.load("dumbbell").set("duration", "3 s").set("flows.0.label", LONG)
    path = "flows.0.tcp.congestion_control"
    results = fl.sweep(base, {path: ["cubic", "reno"]}, seeds=1).run(out=tmp_path / "store")
    for style in ("screen", "print"):
        figure = results.plot(path, by="flow", style=style)
        boxes(figure, [figure.axes[0]._left_title, figure.axes[0].xaxis.label, *figure.legends[0].get_texts()])
        assert figure.axes[0].get_window_extent().width > figure.bbox.x1 / 2
        title = figure.axes[0]._left_title
        if title.get_text():
            assert title.get_window_extent().x1 <= figure.legends[0].get_window_extent().x0


@pytest.mark.parametrize("style", ["screen", "print"])
def test_long_names_of_values_leave_room_for_the_axes(link, tmp_path, style):
    results = fl.sweep(link, {"links.0.queue": ["red", "codel"]}, seeds=1).run(out=tmp_path / "store")
    name = "random early detection with the parameters of the paper"
    figure = results.plot(x="links.0.queue", labels={"red": name}, style=style)
    names = [label.get_text().replace("\n", " ") for label in figure.axes[0].get_xticklabels()]
    assert name in names
    boxes(figure, figure.axes[0].get_xticklabels())
    extent = figure.axes[0].get_window_extent()
    assert extent.width > figure.bbox.width / 2 and extent.height > figure.bbox.height / 2
