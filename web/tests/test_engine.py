"""The engine in a browser gives what the command line gives, byte by byte; runs can be cancelled, and break alone."""

from __future__ import annotations

import hashlib
import json
import math
import operator
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import farlink as fl
import farlink._farlink as native
import pytest
from driver import Page
from farlink import statistics
from farlink.animation import animation_document
from farlink.execution.execute import Order, simulate

BUILT_IN = {name: text for name, _, text in native.built_in()}
# Some seconds of each, or as many minutes as its first packets need.
DURATION = {"asymmetric_access": "25 s", "underwater": "120 s", "frn": "20 s", "manet": "12 s", "leo": "20 s"}
SHORT = "6 s"


def shortened(name: str) -> str:
    return DURATION.get(name, SHORT)


def order(name: str, **more: Any) -> dict[str, Any]:
    variants = [{"label": name, "overrides": {"duration": shortened(name)}}]
    return {"toml": BUILT_IN[name], "variants": variants, "seeds": [1]} | more


def columns(table: list[native.Column]) -> list[list[Any]]:
    """As the page hashes them."""
    found: list[list[Any]] = []
    for name, kind, values in table:
        match kind:
            case "text":
                found.append([name, kind, "\n".join(values), []])
            case "word":
                places, words = values
                found.append([name, kind, hashlib.sha256(places).hexdigest(), words])
            case _:
                found.append([name, kind, hashlib.sha256(values).hexdigest(), []])
    return found


def numbers(values: list[float | None]) -> list[float]:
    """With NaN for what there is no number of."""
    return [math.nan if value is None else value for value in values]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_scenario_gives_the_bytes_of_the_command_line(lab: Page, name: str) -> None:
    [made] = lab("hashes", **order(name))
    scenario = fl.load(name).set("duration", shortened(name))
    simulation = native.Simulation(scenario.validated, 1, True)
    simulation.advance(scenario.validated.duration_ns)
    results = simulation.finish()
    assert made["json"] == results.json()
    flows, links = results.series()
    assert (made["flows"], made["links"]) == (columns(flows), columns(links))
    assert len(flows[0][2]) > 0
    run = scenario.run(seed=1)
    assert made["explanation"] == run.explanation
    document = json.loads(json.dumps(run.document))
    del document["engine"]["cpu_s"], made["result"]["engine"]["cpu_s"]
    assert made["result"] == document
    assert list(made["result"]["links"][0]) == list(document["links"][0])


def test_slices_join_to_the_series_of_the_whole_run(lab: Page) -> None:
    made = lab("slices", **order("satellite", variants=[{"label": "long", "overrides": {"duration": "300 s"}}]))
    times = made["times"]
    assert len(times) > 2 and times == sorted(times)
    assert (times[-1], made["duration"]) == (300, 300)
    flows = {name: values for name, values in made["series"].items() if not name.startswith("queue:")}
    assert set(flows) == {"delivery:transfer", "goodput:transfer", "cwnd:transfer", "rtt:transfer"}
    for name, values in flows.items():
        joined = made["joined"][name]
        assert joined["t"] == values["t"], name
        # JSON has no NaN.
        meanwhile, whole = ([each or 0 for each in one["v"]] for one in (joined, values))
        if name.startswith("delivery"):
            # A packet that arrives adds to samples since it was sent, also to some that were taken before.
            assert meanwhile[-1] == whole[-1] and all(map(operator.le, meanwhile, whole)), name
        else:
            assert meanwhile == whole, name


def test_curves_are_those_of_the_time_series(lab: Page) -> None:
    [made] = lab("run", **order("dumbbell"))
    run = fl.load("dumbbell").set("duration", SHORT).run(seed=1)
    for flow in run.scenario.flow_labels:
        rows = [row for row in run.series.to_pylist() if row["flow"] == flow]
        assert made["series"][f"cwnd:{flow}"]["t"] == [row["time_s"] for row in rows]
        assert made["series"][f"cwnd:{flow}"]["v"] == [row["cwnd_segments"] for row in rows]
        assert made["series"][f"rtt:{flow}"]["v"] == [row["rtt_s"] or None for row in rows]
        for measure, column in (("delivery", "delivered_bytes"), ("goodput", "received_bytes")):
            assert made["series"][f"{measure}:{flow}"]["v"] == [row[column] for row in rows]
    queued = {link for link in run.link_series["link"].to_pylist() if f"queue:{link}" in made["series"]}
    assert queued
    for link in queued:
        lengths = [row["queue_packets"] for row in run.link_series.to_pylist() if row["link"] == link]
        assert made["series"][f"queue:{link}"]["v"] == lengths


def test_results_come_by_variant_then_by_seed(lab: Page) -> None:
    ways = {"a": "reno", "b": "cubic"}
    variants = [{"label": label, "overrides": {"duration": "1 s", "flows.0.tcp.congestion_control": way}}
                for label, way in ways.items()]  # fmt: skip
    made = lab("run", toml=BUILT_IN["satellite"], variants=variants, seeds=[3, 1, 2])
    assert [(run["label"], run["seed"]) for run in made] == [(label, seed) for label in "ab" for seed in (3, 1, 2)]
    assert [run["result"]["seeds"] for run in made] == 2 * [[3], [1], [2]]


def test_a_run_is_cancelled_within_a_second_and_the_next_is_made(lab: Page) -> None:
    long = {"label": "long", "overrides": {"duration": "10 h"}}
    times = []
    for _ in range(3):
        done = lab("cancel", **order("satellite", variants=[long], seeds=[1, 2, 3]))
        assert done["runs"] == [{"label": "long", "seed": seed, "failed": "cancelled"} for seed in (1, 2, 3)]
        times.append(done["took_ms"])
    # The best of three: another process may have the processor for a second.
    assert min(times) < 1000
    [after] = lab("run", **order("satellite"))
    assert after["result"]["engine"]["sim_s"] == 6


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('"600 ms"', '"600 bananas"'), {}),
        (("congestion_control", "congestion_contrl"), {"remedy": "did you mean `congestion_control`?"}),
    ],
)
def test_a_bad_scenario_is_refused_at_its_key_as_on_the_command_line(
    lab: Page, change: tuple[str, str], expected: dict[str, str]
) -> None:
    toml = BUILT_IN["satellite"]
    assert change[0] in toml or "300 ms" in toml
    toml = toml.replace(*change) if change[0] in toml else toml.replace('"300 ms"', '"300 bananas"')
    [diagnostic] = lab("check", toml=toml)
    with pytest.raises(fl.ScenarioError) as refused:
        _ = fl.Scenario.from_toml(toml, origin="scenario").validated
    for part in ("line", "column", "key", "message", "remedy"):
        assert diagnostic[part] == getattr(refused.value, part)
    line = toml.splitlines()[diagnostic["line"] - 1]
    at_fault = line[diagnostic["column"] - 1 :][: diagnostic["length"]]
    assert at_fault in ('"600 bananas"', '"300 bananas"', "congestion_contrl")
    assert expected.items() <= diagnostic.items() or expected["remedy"] in diagnostic["remedy"]
    refusal = lab("refusal", toml=toml, seeds=[1])
    assert refusal == {"name": "ScenarioRefused", "diagnostics": [diagnostic]}


def test_a_bad_variant_is_refused_before_anything_runs(lab: Page) -> None:
    variants = [{"label": "bad", "overrides": {"flows.0.tcp.congestion_control": "renno"}}]
    refusal = lab("refusal", toml=BUILT_IN["satellite"], variants=variants, seeds=[1])
    assert refusal["diagnostics"][0]["file"] == "--set"
    assert "reno" in refusal["diagnostics"][0]["remedy"]


def test_valid_scenarios_have_no_diagnostics_and_a_description(lab: Page) -> None:
    made = {each["name"]: each["toml"] for each in lab("builtins")}
    assert made == BUILT_IN
    for name, toml in BUILT_IN.items():
        assert lab("check", toml=toml) == []
        validated = fl.load(name).validated
        found = lab("describe", toml=toml)
        assert (found["name"], found["flows"], found["resolved"]) == (name, validated.flow_labels, validated.resolved)
        assert found["events"] == pytest.approx(validated.estimate(True)[0][0])


def test_models_are_those_of_the_command_line(lab: Page) -> None:
    assert lab("models") == {"schema": json.loads(native.schema()), "models": json.loads(native.models())}


FLOOD = """
name = "flood"
duration = "1000 s"
nodes = [{ name = "a" }, { name = "b" }]

[[links]]
between = ["a", "b"]
rate = "1 kbit/s"
delay = "1 ms"
queue = { name = "drop_tail", limit = "1000000000 packets" }

[[flows]]
from = "a"
to = "b"
application = { name = "constant_bit_rate", rate = "100 Gbit/s", packet_size = "100 B" }
"""


def test_warnings_are_those_of_the_command_line(lab: Page) -> None:
    overrides = {"duration": "2 s", "flows.0.tcp.segment_size": "65000 B"}
    variants = [{"label": "large", "overrides": overrides}]
    [made] = lab("run", toml=BUILT_IN["chain_80211"], variants=variants, seeds=[1])
    scenario = fl.load("chain_80211")
    for path, value in overrides.items():
        scenario = scenario.set(path, value)
    expected = [(found.key, found.message, found.remedy) for found in scenario.warnings]
    assert len(expected) == 1
    found = [tuple(each[part] for part in ("key", "message", "remedy")) for each in made["result"]["warnings"]]
    assert found == expected


def test_a_run_that_breaks_the_engine_ends_alone(lab: Page) -> None:
    variants = [
        {"label": "flood", "overrides": {}},
        {"label": "trickle", "overrides": {"flows.0.application.rate": "1 kbit/s", "duration": "2 s"}},
    ]
    made = lab("run", toml=FLOOD, variants=variants, seeds=[1, 2])
    assert ["failed" in run and "memory" in run["failed"] for run in made] == [True, True, False, False]
    [after] = lab("run", **order("satellite"))
    assert after["result"]["engine"]["sim_s"] == 6


def test_files_that_a_scenario_names_come_from_memory(lab: Page, tmp_path: Path) -> None:
    from base64 import b64encode

    toml = FLOOD.replace('"1 kbit/s"', '{ csv = "rate.csv" }', 1).replace("100 Gbit/s", "10 kbit/s")
    lines = b"time_s,rate_bps\n0,1000000\n5,500000\n"
    overrides = {"duration": "10 s"}
    [refused] = lab("check", toml=toml)
    assert 'cannot read "rate.csv"' in refused["message"]
    variants = [{"label": "traced", "overrides": overrides}]
    files = {"rate.csv": b64encode(lines).decode()}
    [made] = lab("run", toml=toml, files=files, variants=variants, seeds=[1])
    (tmp_path / "rate.csv").write_bytes(lines)
    run = fl.Scenario.from_toml(toml, folder=tmp_path).set("duration", "10 s").run(seed=1)
    assert made["result"]["flows"] == json.loads(json.dumps(run.document["flows"]))


def test_animations_are_those_of_the_command_line(lab: Page) -> None:
    for name in ("leo", "frn", "chain_80211"):
        scenario = fl.load(name).set("duration", "5 s")
        toml = scenario.to_toml()
        made = lab("animation", toml=toml, seed=2)
        whole = (0, scenario.validated.duration_ns)
        outcome = simulate(Order(scenario.validated, [2], window_ns=whole), 2, lambda _: True)
        assert outcome is not None
        expected = json.loads(json.dumps(animation_document(scenario.validated, outcome)))
        assert made["film"] == expected["film"]
        assert set(made) == set(expected)
        for key in ("scenario", "seed", "farlink", "slots", "outages", "results", "queues"):
            assert made[key] == expected[key], key
        for ours, theirs in zip(made["curves"], expected["curves"], strict=True):
            assert ours["flow"] == theirs["flow"]
            for column in ("time_s", "delivery_rate_bps", "cwnd_segments", "rtt_s"):
                assert numbers(ours[column]) == pytest.approx(numbers(theirs[column]), rel=1e-5, abs=1, nan_ok=True), (
                    column
                )
    page = lab("animationPage", toml=toml, seed=2)
    assert page.startswith("<!doctype html>") and "{{" not in page and "<title>chain_80211" in page


def test_captures_are_those_of_the_command_line(lab: Page, tmp_path: Path) -> None:
    scenario = fl.load("satellite").set("duration", "3 s")
    scenario.run(seed=2, pcap=tmp_path / "run.pcap")
    found = lab("pcap", toml=scenario.to_toml(), seed=2)
    assert found == hashlib.sha256((tmp_path / "run.pcap").read_bytes()).hexdigest()


def test_means_have_the_intervals_of_the_command_line(lab: Page) -> None:
    draw = random.Random(7)
    lists = [[draw.gauss(5, 1) for _ in range(count)] for count in range(1, 41)]
    lists += [[draw.expovariate(1) ** 2 for _ in range(count)] for count in range(2, 41)]
    lists += [[draw.expovariate(1) ** 2 for _ in range(count)] for count in (127, 128, 129, 300)]
    lists += [[1e-9, 3e-9], [0.0] * 5, [5e8 + index for index in range(12)], [0.0] * 19 + [1.0], [-1.0, 2.0, 0.5]]
    found = lab("summarise", lists=[[], *lists])
    assert found[0] is None
    methods = set()
    for values, ours in zip(lists, found[1:], strict=True):
        theirs = statistics.of_measure(values)
        assert theirs is not None
        methods.add(theirs.method)
        assert (ours["method"], ours["count"]) == (theirs.method, theirs.count), values
        # jStat inverts the incomplete beta function to 1e-8; an end is a difference, and may be close to zero.
        width = (theirs.high or 0) - (theirs.low or 0)
        assert numbers([ours["mean"], ours["low"], ours["high"]]) == pytest.approx(
            numbers([theirs.mean, theirs.low, theirs.high]), rel=1e-7, abs=1e-7 * width, nan_ok=True
        )
    assert methods == {"single", "t"}


def test_the_command_line_prints_the_document_that_the_page_has(lab: Page, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "farlink", "run", "gateway", "--set", "duration=6 s", "--seeds", "3..3", "--json"]
    command += ["--series", "series.csv"]  # samples count as events
    printed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout)
    [made] = lab("run", **order("gateway", seeds=[3]))
    del printed["engine"]["cpu_s"], made["result"]["engine"]["cpu_s"]
    assert made["result"] == printed
