import copy
from pathlib import Path

import farlink as fl
import pyarrow as pa
import pytest


def test_a_run_gives_tables_with_units_in_their_names(link: Path) -> None:
    run = fl.load(link).run(seeds=[1, 2])
    assert run.seeds == (1, 2)
    assert run.flows["seed"].to_pylist() == [1, 2]
    assert {"goodput_bps", "delay_mean_s", "limited_by_recovery"} <= set(run.flows.column_names)
    assert set(run.links["link"].to_pylist()) == {"ground->remote", "remote->ground"}
    assert {"queue_packets", "queue_bytes"} <= set(run.link_series.column_names)
    times = run.series.filter(pa.compute.equal(run.series["seed"], 1))["time_s"].to_pylist()
    assert times == sorted(times)
    assert times[-1] <= 5.0


def test_tables_are_arrow_streams(link: Path) -> None:
    run = fl.load(link).run(seed=1)
    for table in (run.flows, run.links, run.drops, run.series, run.link_series):
        assert pa.RecordBatchReader.from_stream(table).read_all().equals(table)


def test_drops_agree_with_the_flows(link: Path) -> None:
    run = fl.load(link).run(seeds=3)
    packets = sum(run.drops["packets"].to_pylist())
    assert packets == sum(run.document["drops"].values()) > 0


def test_set_leaves_the_first_scenario_alone(link: Path) -> None:
    scenario = fl.load(link)
    changed = scenario.set("duration", "1 s").set("links.0.error", {"name": "packet_error_rate", "rate": 0.5})
    assert (scenario.validated.duration_ns, changed.validated.duration_ns) == (5 * 10**9, 10**9)
    assert changed.run(seed=1).drops.num_rows > 0


@pytest.mark.parametrize("value", ["none", 'a "quoted" \\ word\n', "ünïcödé"])
def test_any_text_can_be_set(link: Path, value: str) -> None:
    assert fl.load(link).set("flows.0.label", value).validated.flow_labels == [value]


def test_a_refusal_says_where_and_what(link: Path) -> None:
    with pytest.raises(fl.ScenarioError) as refused:
        fl.load(link).set("links.0.rte", "1 Mbit/s").run()
    error = refused.value
    assert (error.file, error.line, error.key) == ('set("links.0.rte")', 1, "links.0.rte")
    assert "rate" in error.remedy
    assert isinstance(error, ValueError)


def test_provenance_makes_the_numbers_again(link: Path, tmp_path: Path) -> None:
    run = fl.load(link).set("flows.0.tcp.congestion_control", "hybla").run(seed=3)
    assert run.provenance["seeds"] == [3]
    (tmp_path / "again.toml").write_text(run.provenance["scenario"])
    again = fl.load(tmp_path / "again.toml").run(seeds=run.provenance["seeds"])
    assert again.flows.equals(run.flows)
    assert again.series.equals(run.series)


def test_slices_do_not_change_the_numbers(link: Path) -> None:
    scenario = fl.load(link).validated
    results = []
    for step_ns in (10**6, 10**12):
        simulation = fl._farlink.Simulation(scenario, 1, True)
        now_ns = step_ns
        while simulation.advance(now_ns):
            now_ns += step_ns
        result = simulation.finish()
        results.append((result.json(), result.series()))
    assert results[0] == results[1]


def test_a_finished_run_refuses_more(link: Path) -> None:
    simulation = fl._farlink.Simulation(fl.load(link).validated, 1, False)
    simulation.finish()
    with pytest.raises(RuntimeError, match="finished"):
        simulation.advance(1)


def test_runs_show_themselves(link: Path) -> None:
    run = fl.load(link).run(seeds=[1, 2])
    assert "link" in repr(run)
    assert "transfer" in repr(run)
    html = run._repr_html_()
    assert html.startswith("<table>")
    assert "±" in html


def test_seed_and_seeds_exclude_each_other(link: Path) -> None:
    with pytest.raises(fl.UsageError):
        fl.load(link).run(seed=1, seeds=[1])


def test_every_built_in_scenario_is_valid_and_runs() -> None:
    names = [name for name, _, _ in fl._farlink.built_in()]
    assert {"satellite", "dumbbell", "chain_wired", "asymmetric_access", "competition"} <= set(names)
    for name in names:
        run = fl.load(name).set("duration", "30 s").run(seed=1, series=False)
        assert run.flows.num_rows > 0


def test_a_plot_shows_every_flow_with_units(link: Path) -> None:
    figure = fl.load(link).run(seeds=[1, 2]).plot()
    upper, lower = figure.axes
    assert [line.get_label() for line in upper.get_lines()] == ["transfer"]
    assert upper.get_ylabel() == "delivery rate [Mbit/s]"
    assert lower.get_xlabel() == "time [s]"


def test_intervals_are_students() -> None:
    from farlink.statistics import half_width, interval

    sure = interval([1.0, 2.0, 3.0, 4.0])
    # t(0.975, 3) = 3.182446; s = 1.290994
    half = half_width([1.0, 2.0, 3.0, 4.0])
    assert half == pytest.approx(3.182446 * 1.290994 / 2, rel=1e-6)
    assert sure is not None and (sure.low, sure.mean, sure.high) == (2.5 - half, 2.5, 2.5 + half)
    assert interval([]) is None and half_width([1.0]) is None


def test_a_scenario_can_be_copied(link: Path) -> None:
    assert copy.copy(fl.load(link)) == fl.load(link)


def test_every_public_name_is_found_where_it_is_said_to_be() -> None:
    assert all(getattr(fl, name) is not None for name in fl.__all__)
    assert set(dir(fl)) == set(fl.__all__)
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        _ = fl.lod
