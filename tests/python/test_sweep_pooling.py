"""Runs are pooled only if their scenarios are equal but for the seed, and every path that was varied is a column."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import farlink as fl
import pytest
from conftest import Command
from farlink.sweeps.work import Point
from farlink.tables import coordinates, parameters
from farlink.tables.coordinates import Written

CONTROL = "flows.*.tcp.congestion_control"
CHAIN = """
name = "chain"
duration = "100 ms"
[topology]
name = "chain"
nodes = 3
link = { rate = "10 Mbit/s", delay = "1 ms", queue = { name = "drop_tail", limit = "20 packets" } }
[[flows]]
from = "n0"
to = "n2"
[[flows]]
from = "n1"
to = "n2"
"""
RADIO = """
name = "radio"
duration = "100 ms"
[topology]
name = "random"
nodes = 4
area = ["300 m", "300 m"]
range = "250 m"
seed = 3
[radio]
propagation = "two_ray"
mac = "dcf"
[[flows]]
from = "n0"
to = "n1"
"""
RELAY = """
name = "relay"
duration = "100 ms"
[[nodes]]
name = "a"
[[nodes]]
name = "b"
[[nodes]]
name = "c"
[[links]]
between = ["a", "b"]
rate = { csv = "rate.csv" }
delay = "5 ms"
[[links]]
between = ["b", "c"]
rate = "5 Mbit/s"
delay = "5 ms"
[[flows]]
label = "first"
from = "a"
to = "b"
application = { name = "file", size = "20 kB" }
payload = "stored"
[[flows]]
label = "second"
from = "b"
to = "c"
application = { name = "relay", flow = "first", buffer = "16 kB" }
payload = "stored"
"""
WEB = """
name = "web"
duration = "100 ms"
nodes = [{ name = "a" }, { name = "b" }, { name = "c" }]
links = [
    { between = ["a", "b"], rate = "10 Mbit/s", delay = "1 ms" },
    { between = ["b", "c"], rate = "10 Mbit/s", delay = "1 ms" },
]
[[flows]]
from = "a"
to = "c"
[[workloads]]
label = "web"
from = "a"
to = ["b", "c"]
arrivals = { name = "poisson", rate = 50 }
size = { name = "fixed", size = "3 kB" }
"""
TCP = {
    CONTROL: ["reno", "newreno", "cubic"],
    "flows.0.tcp.preset": ["rfc", "linux"],
    "flows.0.start": ["0 s", "20 ms"],
    "duration": ["100 ms", "120 ms"],
}
AXES = {
    "chain": TCP
    | {
        "topology.nodes": [3, 4, 5],
        "topology.link.rate": ["1 Mbit/s", "2 Mbit/s"],
        "topology.link.delay": ["1 ms", "2 ms"],
        "topology.link.queue": [{"name": "drop_tail", "limit": "5 packets"}, "red"],
    },
    "radio": TCP
    | {
        "topology.seed": [3, 4, 7],
        "topology.area": [["300 m", "300 m"], ["350 m", "300 m"]],
        "topology": [{"name": "chain", "nodes": 3, "spacing": f"{spacing} m"} for spacing in (150, 200)],
        "radio.mac.rts_threshold": ["0 B", "1000 B"],
    },
    "relay": TCP
    | {
        "flows.second.application.buffer": ["16 kB", "32 kB"],
        "links.*.delay": ["5 ms", "7 ms"],
        "links.1.rate": ["5 Mbit/s", {"csv": "rate.csv"}],
    },
    "web": TCP
    | {
        "workloads.0.arrivals.rate": [50, 80],
        "workloads.web.size": [{"name": "fixed", "size": "3 kB"}, "web_search"],
        "workloads.*.tcp.congestion_control": ["reno", "cubic"],
        "workloads.0.to": ["c", ["b", "c"]],
        "links.*.delay": ["1 ms", "2 ms"],
    },
}


def random_sweep(draws: random.Random, folder: Path, name: str) -> fl.Sweep:
    """A sweep over two of the paths above, crossed or along with each other, perhaps with another value set."""
    (folder / "rate.csv").write_text(f"time_s,rate_bps\n0,{draws.choice([3, 4])}000000\n")
    axes = AXES[name]
    first, second, other = draws.sample(list(axes), 3)
    if "topology" in (first, second, other):
        first, second, other = "topology", CONTROL, "duration"
    base = fl.load(folder / f"{name}.toml")
    if draws.random() < 0.4:
        base = base.set(other, draws.choice(axes[other]))
    counts = [draws.randint(1, len(axes[path])) for path in (first, second)]
    values = {path: draws.sample(axes[path], count) for path, count in zip((first, second), counts, strict=True)}
    seeds = draws.sample(range(1, 5), 2)
    if draws.random() < 0.3:
        return fl.sweep(base, zip={path: each[: min(counts)] for path, each in values.items()}, seeds=seeds)
    return fl.sweep(base, values, seeds=seeds)


def scenarios(results: fl.Results) -> dict[str, str]:
    """By the key of a run all that its results depend on but the seed."""
    return dict(zip(results.runs["key"].to_pylist(), results.runs["resolved"].to_pylist(), strict=True))


def groups(results: fl.Results) -> Iterator[list[Mapping[str, Any]]]:
    """The rows of flows and of classes of workloads that agree in every parameter."""
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in results.flows.to_pylist() + results.workloads.to_pylist():
        of = [row.get(name) for name in ("flow", "workload", "class")]
        found.setdefault((*of, *(row[name] for name in results.parameters)), []).append(row)
    yield from found.values()


def require_pure_groups(results: fl.Results) -> None:
    of = scenarios(results)
    for rows in groups(results):
        assert len({of[row["key"]] for row in rows}) == 1, "different scenarios have equal parameters"
    flows = results.flows.to_pylist()
    points = {(row["flow"], of[row["key"]]) for row in flows}
    points |= {(f"{row['flow']}, end to end", of[row["key"]]) for row in flows if row.get("end_to_end_origin")}
    summary = results.summary(["goodput_bps"]).table.to_pylist()
    assert len(summary) == len(points), "a row for every flow and relay of every scenario"
    relays = sum(row.get("end_to_end_origin") is not None for row in flows)
    assert sum(row["runs"] for row in summary) == len(flows) + relays
    if results.workloads.num_rows:
        summary = results.summary(["workloads.web.arrivals"]).table.to_pylist()
        assert sorted(row["runs"] for row in summary) == sorted(Counter(of.values()).values())
    label = results.flows["flow"][0].as_py()
    if len({text for flow, text in points if flow == label}) > 1:
        with pytest.raises(fl.UsageError, match="differs, too"):
            results.plot(kind="cdf", where={"flow": label})


@pytest.mark.parametrize("seed", range(32))
def test_no_sweeps_into_one_store_pool_different_scenarios(tmp_path: Path, seed: int) -> None:
    draws = random.Random(seed)
    for name, text in (("chain", CHAIN), ("radio", RADIO), ("relay", RELAY), ("web", WEB)):
        (tmp_path / f"{name}.toml").write_text(text)
    mixed = draws.random() < 0.3
    name = draws.choice(list(AXES))
    for _ in range(draws.randint(1, 3)):
        chosen = draws.choice(list(AXES)) if mixed else name
        sweep = random_sweep(draws, tmp_path, chosen)
        results = sweep.run(out=tmp_path / "store", jobs=1)
        for each in (results, fl.Results(tmp_path / "store")):
            require_pure_groups(each)
        for path, values in sweep.overlay.axes.items():
            if len({repr(value) for value in values}) > 1:
                column = parameters.find_column(path, results.parameters)
                assert column == path or column.rpartition("_")[0] == path


def sweep_into(folder: Path, base: fl.Scenario, axes: dict[str, list[Any]], **more: Any) -> fl.Results:
    return fl.sweep(base, axes, seeds=2, **more).run(out=folder / "store", jobs=1)


def chain(folder: Path) -> fl.Scenario:
    (folder / "chain.toml").write_text(CHAIN)
    return fl.load(folder / "chain.toml")


def test_a_path_of_a_topology_is_a_column_as_written(command: Command, tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN)
    vary = ("--vary", "topology.nodes=3,4,5", "--seeds", "2", "--out", "store", "--quiet")
    status, out, _ = command("sweep", "chain.toml", *vary, "--format", "csv")
    assert status == 0 and [line.split(",")[1] for line in out.splitlines()] == ["topology.nodes", *"334455"][
        :1
    ] + list("345345")
    assert command("plot", "store", "--x", "topology.nodes", "--by", "flow", "-o", "nodes.png")[0] == 0
    assert fl.Results(tmp_path / "store").parameters == ["topology.nodes"]


def test_a_derived_value_may_make_a_point_valid(tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN.replace("nodes = 3", "nodes = 5").replace('"n2"', '"n4"'))
    derive = {"flows.*.to": "n{topology.nodes - 1:.0f}"}
    sweep = fl.sweep(tmp_path / "chain.toml", {"topology.nodes": [3, 5]}, derive=derive)
    assert ['to = "n2"' in point.identified for point in sweep.points()] == [True, False]
    unknown = fl.sweep(tmp_path / "chain.toml", {"topology.nodes": [3]}, derive={"duration": "{links.0.delay} s"})
    with pytest.raises(fl.ScenarioError, match="unknown node `n4`"):
        unknown.points()


def test_a_derived_value_may_use_keys_of_a_topology(tmp_path: Path) -> None:
    derive = {"flows.0.to": "n{topology.nodes - 1:.0f}"}
    results = sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4]}, derive=derive)
    rows = results.summary(["goodput_bps"], by=["flow", "topology.nodes"]).table
    assert rows["runs"].to_pylist() == [2, 2, 2, 2]
    assert set(results.flows["flows.0.to"].to_pylist()) == {"n2", "n3"}
    assert results.plot("topology.nodes", where={"flow": "flow0"}).axes


def test_overridden_and_derived_paths_are_columns_whatever_their_values(tmp_path: Path) -> None:
    one, two = "flows.0.tcp.congestion_control", "flows.1.tcp.congestion_control"

    def parameters_with(store: str, *, derive: dict[str, str] | None = None, **over: str) -> list[str]:
        overrides = [fl.Override({one: "reno"}, {two: over["second"]})] if over else []
        sweep = fl.sweep(
            chain(tmp_path).set(two, "cubic"), {one: ["cubic", "reno"]}, overrides=overrides, derive=derive
        )
        return sweep.run(out=tmp_path / store, jobs=1).parameters

    assert parameters_with("alone") == [one]
    assert parameters_with("equal", second="reno") == [one, two]
    assert parameters_with("other", second="vegas") == [one, two]
    assert parameters_with("constant", derive={"duration": "{0.1:.1f} s"}) == [one], "equal at every point"
    rate, delay = "topology.link.rate", "topology.link.delay"
    derived = sweep_into(
        tmp_path, chain(tmp_path), {rate: ["1 Mbit/s", "2 Mbit/s"]}, derive={delay: "{topology.link.rate / 1e9:.3f} s"}
    )
    assert derived.parameters == [f"{delay}_s", f"{rate}_bps"]


def test_a_comparison_along_paths_with_equal_values_names_them_together(tmp_path: Path) -> None:
    paths = [f"flows.{flow}.tcp.congestion_control" for flow in range(2)]
    variants = ["reno", "cubic"]
    base = chain(tmp_path).set("duration", "200 ms")
    results = fl.sweep(base, zip=dict.fromkeys(paths, variants), seeds=2).run(out=tmp_path / "zip", jobs=1)
    for by in (*paths, CONTROL):
        compared = results.compare(by)
        assert compared.table["pairs"].to_pylist() == [2, 2], "a row for each flow"
        assert "varies together with flows." in compared.caption and "equal in every run" in compared.caption
    drawn = results.plot(paths[0], "total_goodput", kind="bar").axes[0]
    assert drawn.get_xlabel() == "congestion control of all flows"
    other = base.set("flows.+", {"label": "third", "from": "n0", "to": "n2"})
    some = fl.sweep(other, zip=dict.fromkeys(paths, variants), seeds=1).run(out=tmp_path / "some", jobs=1)
    drawn = some.plot(paths[0], "total_goodput", kind="bar").axes[0]
    title = drawn.get_title(loc="left").replace("\n", " ")
    assert f"{paths[0]} varies together with {paths[1]}" in title
    assert "<img" in results._repr_html_(), "what varies together is one axis of the figure"


def test_a_further_sweep_knows_what_the_first_had_not_varied(tmp_path: Path) -> None:
    sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4]})
    sweep_into(tmp_path, chain(tmp_path), {"topology.link.delay": ["1 ms", "2 ms"]})
    results = fl.Results(tmp_path / "store")
    rows = results.summary(["goodput_bps"]).table.to_pylist()
    assert {(row["topology.nodes"], row["topology.link.delay_s"]) for row in rows} == {(3, 1e-3), (4, 1e-3), (3, 2e-3)}
    assert results.compare("topology.nodes").table["pairs"].to_pylist() == [2, 2]


def test_what_was_set_over_one_sweep_only_is_not_compared_with_another(tmp_path: Path) -> None:
    sweep_into(tmp_path, chain(tmp_path), {CONTROL: ["reno", "cubic"]})
    sweep_into(tmp_path, chain(tmp_path).set("duration", "150 ms"), {CONTROL: ["hybla", "bic"]})
    results = fl.Results(tmp_path / "store")
    assert results.parameters == [CONTROL, "duration_s"]
    compared = results.compare(CONTROL, baseline=None).table.to_pylist()
    assert {(row["against"], row[CONTROL]) for row in compared} == {("reno", "cubic"), ("hybla", "bic")}


def test_a_value_stands_in_its_column_as_it_was_written(tmp_path: Path) -> None:
    results = sweep_into(tmp_path, chain(tmp_path), {CONTROL: ["reno", "newreno"]})
    assert set(results.flows[CONTROL].to_pylist()) == {"reno", "newreno"}
    assert results.compare("flows.0.tcp.congestion_control").table.equals(results.compare(CONTROL).table)


def test_a_path_that_an_earlier_sweep_set_becomes_a_column_of_runs_that_are_found(tmp_path: Path) -> None:
    base = chain(tmp_path).set("topology.nodes", 4)
    first = sweep_into(tmp_path, base, {CONTROL: ["reno"]})
    assert first.parameters == []
    again = sweep_into(tmp_path, chain(tmp_path).set(CONTROL, "reno"), {"topology.nodes": [3, 4]})
    assert again.runs.num_rows == 4 and set(first.runs["key"].to_pylist()) < set(again.runs["key"].to_pylist())
    assert sorted(set(again.flows["topology.nodes"].to_pylist())) == [3, 4]


def test_what_sweeps_set_without_varying_it_is_a_column(tmp_path: Path) -> None:
    base = chain(tmp_path)
    sweep_into(tmp_path, base, {"duration": ["100 ms", "120 ms"]})
    sweep_into(tmp_path, base, {CONTROL: ["newreno"]})
    sweep_into(tmp_path, base.set("flows.+", {"label": "more", "from": "n0", "to": "n2"}), {CONTROL: ["reno"]})
    results = fl.Results(tmp_path / "store")
    assert results.parameters == ["duration_s", "flows.0.tcp.congestion_control", "flows.2.application"]
    assert set(results.flows["flows.0.tcp.congestion_control"].to_pylist()) == {"reno", "newreno"}
    require_pure_groups(results)


def test_resolved_keys_tell_apart_what_no_written_key_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Point, "written", Written().to_text())
    monkeypatch.setattr(fl.store.Store, "keep_written", lambda *_: None)
    require_pure_groups(sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4]}))


def test_all_tables_of_a_store_have_the_same_parameters(tmp_path: Path) -> None:
    sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4]})
    (tmp_path / "web.toml").write_text(WEB)
    sweep_into(tmp_path, fl.load(tmp_path / "web.toml"), {"workloads.0.arrivals.rate": [50]})
    results = fl.Results(tmp_path / "store")
    assert "topology.nodes" in results.parameters
    for table in (results.runs, results.flows, results.workloads):
        assert {*results.parameters} <= {*table.column_names}
    # Its flow ends at the third node.
    assert [warning.key for warning in results.warnings] == ["topology.nodes"]


def test_scenarios_that_no_column_tells_apart_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinates, "columns", lambda scenarios: {text: {} for text in scenarios})
    results = sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4]})
    assert results.parameters == []
    for ask in (results.summary, lambda: results.plot(kind="cdf")):
        with pytest.raises(fl.UsageError, match="runs of different scenarios agree"):
            ask()


def test_a_summary_over_fewer_columns_is_refused_rather_than_pooled(tmp_path: Path) -> None:
    results = sweep_into(tmp_path, chain(tmp_path), {"topology.nodes": [3, 4], CONTROL: ["reno", "cubic"]})
    with pytest.raises(fl.UsageError, match=r"topology\.nodes differs, too"):
        results.summary(by=["flow", CONTROL])


def test_resuming_says_how_many_runs_were_found(command: Command, tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN)
    sweep = ("sweep", "chain.toml", "--vary", "topology.nodes=3,4", "--out", "store", "--quiet", "--seeds")
    assert "found" not in command(*sweep, "2")[2]
    assert "farlink: store: 4 of 6 runs found, 2 to run\n" in command(*sweep, "3")[2]
    assert "farlink: store: 6 of 6 runs found, 0 to run\n" in command(*sweep, "3")[2]


def test_points_that_are_the_same_scenario_are_counted(command: Command, tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN)
    sweep = ("sweep", "chain.toml", "--vary", f"{CONTROL}=reno,newreno", "--seeds", "1", "--quiet")
    assert "points" not in command(*sweep)[2]
    status, _, err = command(*sweep, "--set", "flows.*.tcp.recovery=newreno", "--out", "same")
    assert status == 0 and "farlink: 2 points are 1 scenario: " in err
