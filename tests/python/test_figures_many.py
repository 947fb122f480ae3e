"""Figures of many flows: a colour per group, a legend of a third of the page at most; a measure is no axis."""

from pathlib import Path

import farlink as fl
import pytest

HEAD = """
name = "many"
duration = "2 s"
nodes = [{ name = "a" }, { name = "b" }]
[[links]]
between = ["a", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = { name = "drop_tail", limit = "20 packets" }
"""
RATE = "links.0.rate"


def scenario(count: int, size: str = "20 kB") -> fl.Scenario:
    flows = "".join(
        f'[[flows]]\nlabel = "web{number}"\nfrom = "a"\nto = "b"\nstart = "{10 * number} ms"\n'
        f'application = {{ name = "file", size = "{size}" }}\n'
        for number in range(count)
    )
    return fl.Scenario.from_toml(f'{HEAD}{flows}[[flows]]\nlabel = "bulk"\nfrom = "a"\nto = "b"\n')


@pytest.fixture(scope="module")
def run() -> fl.Run:
    return scenario(40).run(seed=1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    rates = {RATE: ["10 Mbit/s", "20 Mbit/s"]}
    folder = tmp_path_factory.mktemp("many") / "store"
    return fl.sweep(scenario(20), rates, seeds=2, series=True).run(out=folder, jobs=1)


@pytest.mark.parametrize("style", ["screen", "print"])
def test_flows_of_a_group_have_one_colour_and_one_name(run: fl.Run, style: str) -> None:
    figure = run.plot(panels=["delivery", "queue"], style=style)
    flows = figure.axes[0].get_lines()
    colours = {line.get_color() for line in flows}
    assert len(flows) == 41 and len(colours) == 2
    assert sorted(text.get_text() for text in figure.axes[0].texts) == ["bulk", "web*"]
    assert {line.get_color() for line in figure.axes[1].get_lines()}.isdisjoint(colours)
    assert style == "print" or "40 of 41 flows have the colour of their group" in figure.axes[0].get_title("left")


def test_a_title_promises_a_band_only_where_a_line_has_one() -> None:
    grouped = scenario(20)
    only = fl.Scenario.from_toml(grouped.to_toml().partition('[[flows]]\nlabel = "bulk"')[0])
    for made, has_band in ((grouped, True), (only, False)):
        title = made.run(seeds=2).plot().axes[0].get_title("left")
        assert "mean of 2 seeds" in title and ("95 % band" in title) == has_band


def test_no_queue_has_the_colour_of_a_flow() -> None:
    for name in ("competition", "manet"):
        figure = fl.load(name).set("duration", "6 s").run(seed=1).plot(panels=["goodput", "queue"])
        flows, queues = ({line.get_color() for line in axes.get_lines()} for axes in figure.axes)
        assert flows and queues and flows.isdisjoint(queues)


def test_a_saved_run_has_the_groups_of_the_run(run: fl.Run, tmp_path: Path) -> None:
    from farlink.drawing.recorded import Series
    from farlink.runs.saved import SavedRun

    run.save(tmp_path / "saved")
    assert (
        SavedRun.open(tmp_path / "saved").series().groups
        == Series.of(run.scenario.resolved, run.seeds, run.series, run.link_series).groups
    )


def test_a_legend_takes_a_third_of_a_figure_at_most(store: fl.Results) -> None:
    for style in ("screen", "print"):
        for kind in ("line", "bar", "cdf"):
            x = None if kind == "cdf" else RATE
            where = {RATE: "10 Mbit/s"} if kind == "cdf" else {}
            figure = store.plot(x, by="flow", kind=kind, style=style, where=where)
            names = [text.get_text() for text in figure.legends[0].get_texts()]
            assert names == ["bulk", "web*"]


def test_flows_that_a_pattern_chooses_have_a_place_each(store: fl.Results) -> None:
    where = {RATE: "10 Mbit/s"}
    for chosen, places in (({}, ["bulk", "web*"]), ({"flow": "web*"}, sorted(f"web{number}" for number in range(20)))):
        axes = store.plot("flow", "goodput", kind="bar", where=where | chosen).axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == places


def test_a_legend_counts_the_names_that_it_has_no_room_for() -> None:
    from farlink.drawing.look import Look, draw_legend

    for style in ("screen", "print"):
        look = Look(style=style)
        with look.applied():
            figure = look.figure(7, 4.5)
            axes = figure.subplots()
            for number in range(60):
                axes.plot([0, 1], [number, 1], label=f"variant {number}")
            draw_legend(figure, look, "flow")
            figure.draw_without_rendering()
        texts = [text.get_text() for text in figure.legends[0].get_texts()]
        assert texts[-1] == f"and {60 - len(texts) + 1} more" and len(texts) > 9
        box = figure.legends[0].get_window_extent()
        assert box.width * box.height <= figure.bbox.width * figure.bbox.height / 2.5
        assert min(box.width / figure.bbox.width, box.height / figure.bbox.height) < 0.4


def test_a_measure_is_no_axis(store: fl.Results) -> None:
    for axes in ({"x": "goodput"}, {"x": "delay_mean_s"}, {"x": RATE, "by": "timeouts"}, {"x": "jain"}):
        with pytest.raises(fl.UsageError, match=r"a measure, .*choose links\.0\.rate_bps, flow, seed; .*--kind cdf"):
            store.plot(**axes, y="delay_mean_s", where={"flow": "bulk"})
    assert store.plot("seed", "goodput", where={"flow": "bulk", RATE: "10 Mbit/s"})


def test_time_series_of_many_flows_are_chosen(store: fl.Results) -> None:
    with pytest.raises(fl.UsageError, match=r"21 flows: .* 12 at most; choose flows, such as with --where flow=web"):
        store.plot(kind="time", by="flow", where={RATE: "10 Mbit/s"})
    assert store.plot(kind="time", by="flow", where={RATE: "10 Mbit/s", "flow": "web1?"})
