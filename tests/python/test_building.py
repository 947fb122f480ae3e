"""Scenarios that are built in code, or made of a dict, and written as TOML."""

import inspect
import json
import pickle
from pathlib import Path

import farlink as fl
import numpy as np
import pytest
from conftest import LINK, Cli


class Reno:
    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd += 1.0 / view.cwnd

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.ssthresh = view.cwnd = max(view.flight / 2.0, 2.0)


def mesh() -> fl.Scenario:
    return (
        fl.Scenario("my mesh", duration="5 s", seed=3, record={"interval": "50 ms"})
        .node("a")
        .node("b")
        .node("gateway", position=("200 m", "0 m"))
        .link("a", "b", rate="10 Mbit/s", delay="20 ms", queue={"name": "drop_tail", "limit": "50 packets"})
        .link("b", "gateway", rate="2 Mbit/s", delay="5 ms", down=["1 s..2 s"], reverse={"rate": "1 Mbit/s"})
        .flow("a", "gateway", label="transfer", congestion_control="cubic", tcp={"preset": "linux"})
        .flow("b", "a", start="1 s", application={"name": "constant_bit_rate", "rate": "100 kbit/s"})
    )


def test_what_is_built_runs_and_every_call_leaves_the_first_alone() -> None:
    begun = fl.Scenario("pair", duration="1 s").node("a").node("b")
    built = begun.link("a", "b", rate="1 Mbit/s", delay="1 ms").flow("a", "b")
    assert begun.settings == built.settings[:2]
    run = built.run()
    assert run.seeds == (1,)
    assert run.flows["flow"].to_pylist() == ["flow0"]
    assert run.flows["packets_delivered"][0].as_py() > 10


def test_a_link_delays_each_packet_by_its_jitter() -> None:
    jitter = {"name": "uniform", "max": "40 ms"}
    pair = fl.Scenario("pair", duration="5 s").node("a").node("b")
    built = pair.link("a", "b", rate="10 Mbit/s", delay="20 ms", jitter=jitter, reverse={"jitter": "none"})
    datagrams = built.flow("a", "b", application="constant_bit_rate").run(seed=1)
    (delay_s,) = datagrams.flows["delay_mean_s"].to_pylist()
    # 1028 bytes take 0.8 ms; four standard errors of the mean of 625 draws are 1.9 ms.
    assert abs(delay_s - 0.0408) < 0.0019


def test_what_is_built_is_saved_and_gives_the_same_results_on_the_command_line(farlink: Cli, tmp_path: Path) -> None:
    scenario = mesh()
    (tmp_path / "mesh.toml").write_text(scenario.to_toml())
    assert fl.load(tmp_path / "mesh.toml").validated.resolved == scenario.validated.resolved
    by_command = json.loads(farlink("run", "mesh.toml", "--json").stdout)
    assert by_command["seeds"] == [3]
    assert by_command["flows"] == scenario.run().document["flows"]


def test_a_dict_is_a_scenario() -> None:
    tables = {
        "name": "pair",
        "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [{"between": ["a", "b"], "rate": "1 Mbit/s", "delay": "1 ms", "error": {"name": "none"}}],
        "flows": [{"from": "a", "to": "b", "tcp": {"congestion_control": "hybla"}}],
        "record": {"interval": "1 s"},
        "duration": "1 s",
    }
    scenario = fl.Scenario.from_dict(tables)
    built = fl.Scenario("pair", duration="1 s", record={"interval": "1 s"}).node("a").node("b")
    built = built.link("a", "b", rate="1 Mbit/s", delay="1 ms").flow("a", "b", congestion_control="hybla")
    assert scenario.validated.resolved == built.validated.resolved
    tables["links"] = [{"between": ["a", "b"], "rate": "1 Mbit/x", "delay": "1 ms"}]
    with pytest.raises(fl.ScenarioError) as refused:
        _ = fl.Scenario.from_dict(tables).validated
    assert (refused.value.file, refused.value.key) == ("from_dict", "links.0.rate")


def test_a_loaded_text_keeps_its_comments_until_something_is_set(tmp_path: Path) -> None:
    scenario = fl.load("satellite")
    assert scenario.to_toml() == scenario.text
    changed = scenario.set("duration", "20 s").node("third")
    text = changed.to_toml()
    assert 'duration = "20 s"\n' in text
    assert text.count("[[nodes]]") == 3
    assert fl.Scenario.from_toml(text).validated.resolved == changed.validated.resolved


def test_an_error_names_the_call_and_the_key() -> None:
    scenario = mesh().link("a", "gateway", rate="10 Mbit/s", delay="20 parsecs")
    with pytest.raises(fl.ScenarioError) as refused:
        _ = scenario.validated
    error = refused.value
    assert (error.file, error.key) == ('link("a", "gateway")', "links.2.delay")
    assert 'delay = "20 parsecs"' in str(error)
    with pytest.raises(fl.ScenarioError, match=r'flow\("a", "c"\):1:.*flows\.2\.to: unknown node `c`'):
        _ = mesh().flow("a", "c").validated
    with pytest.raises(fl.ScenarioError, match=r"my mesh:2:.*duration"):
        _ = fl.Scenario("my mesh", duration="5 parsecs").validated
    with pytest.raises(fl.UsageError, match=r'node\("d"\): position: b\'x\' cannot stand in a scenario'):
        fl.Scenario("x", duration="1 s").node("d", position=[b"x"])  # type: ignore[list-item]
    with pytest.raises(fl.UsageError, match="sender = 1: give a text"):
        mesh().flow(1, "a")  # type: ignore[arg-type]


def test_a_class_is_given_to_a_flow_with_a_label() -> None:
    begun = fl.Scenario("pair", duration="2 s").node("a").node("b").link("a", "b", rate="1 Mbit/s", delay="1 ms")
    built = begun.flow("a", "b").flow("b", "a", label="back", congestion_control=Reno)
    assert set(built.run().provenance["congestion_control"]) == {"back"}
    assert pickle.loads(pickle.dumps(built)) == built
    with pytest.raises(fl.UsageError, match=r'add label="\.\.\." to name its flow'):
        begun.flow("a", "b", congestion_control=Reno)
    with pytest.raises(fl.UsageError, match="given twice"):
        begun.flow("a", "b", congestion_control="reno", tcp={"congestion_control": "cubic"})
    with pytest.raises(fl.UsageError, match="flow back: a class cannot stand in a file"):
        built.to_toml()


def test_flows_that_arrive_are_added_between_nodes_or_lists_of_nodes() -> None:
    arrivals = {"name": "schedule", "flows": [["0 s", "20 kB"], ["0.1 s", "30 kB"]]}
    pair = fl.Scenario("pair", duration="5 s").node("a").node("b").link("a", "b", rate="10 Mbit/s", delay="5 ms")
    run = pair.workload("a", ["a", "b"], label="web", arrivals=arrivals, flows="rows").run(seed=1)
    assert run.arrivals["size_bytes"].to_pylist() == [20_000, 30_000]
    assert run.workloads["completed"][0].as_py() == 2


def test_numbers_of_numpy_are_values() -> None:
    scenario = fl.Scenario.from_toml(LINK).set("links.0.error", {"name": "bit_error_rate", "rate": np.float64(1e-7)})
    assert "rate = 1e-7" in scenario.set("seed", np.int64(3)).validated.resolved


def keys_of(schema: dict, *path: str) -> set[str]:
    for key in path:
        schema = schema["properties"][key]
        schema = schema.get("items", schema)
    return set(schema["properties"])


@pytest.mark.parametrize(
    ("call", "path", "otherwise"),
    [
        (fl.Scenario, [], {"nodes", "links", "channels", "flows", "workloads"}),
        (fl.Scenario.node, ["nodes"], set()),
        (fl.Scenario.link, ["links"], {"between"}),
        (fl.Scenario.channel, ["channels"], set()),
        (fl.Scenario.flow, ["flows"], {"from", "to"}),
        (fl.Scenario.workload, ["workloads"], {"from", "to"}),
    ],
)
def test_every_key_of_the_schema_is_an_argument(call: object, path: list[str], otherwise: set[str]) -> None:
    arguments = set(inspect.signature(call).parameters) - {"self", "a", "b", "sender", "receiver", "congestion_control"}
    assert arguments == keys_of(json.loads(fl._farlink.schema()), *path) - otherwise


def test_what_is_built_says_so_in_one_line() -> None:
    assert repr(fl.load("satellite")) == "<Scenario satellite>"
    assert repr(mesh()) == '<Scenario my mesh: node("a"), node("b"), node("gateway") and 4 more>'
    assert repr(fl.load("satellite").set("duration", "1 s")) == '<Scenario satellite: duration = "1 s">'
