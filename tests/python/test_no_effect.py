"""A parameter that was varied and on which no result depends is named: its rows are no measurement of an effect."""

import json
import random
import warnings
from pathlib import Path
from typing import Any

import farlink as fl
import pytest
from conftest import Command
from farlink.results import no_effect

CHAIN = """
name = "chain"
duration = "200 ms"
[topology]
name = "chain"
nodes = 5
link = { rate = "10 Mbit/s", delay = "1 ms", queue = { name = "drop_tail", limit = "20 packets" } }
[[flows]]
label = "transfer"
from = "n0"
to = "n4"
"""
NODES = "topology.nodes"


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    (tmp_path / "chain.toml").write_text(CHAIN)
    return tmp_path / "chain.toml"


def warned(sweep: fl.Sweep, store: Path) -> list[str]:
    """The keys that running it warns of in Python; those of its results are the same."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = sweep.run(out=store)
    keys = [each.message.key for each in caught if isinstance(each.message, fl.ScenarioWarning)]
    assert keys == [each.key for each in results.warnings]
    assert keys == [each.key for each in fl.ResultStore(store).warnings]
    return keys


def test_more_nodes_behind_the_end_of_a_flow_are_named(chain: Path, tmp_path: Path) -> None:
    sweep = fl.sweep(chain, {NODES: [5, 7], "flows.0.tcp.max_window": ["2 packets", "8 packets"]}, seeds=2)
    assert warned(sweep, tmp_path / "store") == [NODES]
    [warning] = fl.ResultStore(tmp_path / "store").warnings
    assert "n4" in warning.remedy


def test_a_flow_whose_end_goes_along_is_affected_by_the_nodes(chain: Path, tmp_path: Path) -> None:
    along = fl.sweep(chain, zip={NODES: [5, 7], "flows.0.to": ["n4", "n6"]}, seeds=1)
    assert warned(along, tmp_path / "along") == []
    derived = fl.sweep(chain, {NODES: [3, 5, 7]}, derive={"flows.0.to": "n{topology.nodes - 1:.0f}"}, seeds=1)
    assert warned(derived, tmp_path / "derived") == []


def test_paths_without_effect_that_vary_along_with_each_other_are_one_warning(chain: Path, tmp_path: Path) -> None:
    sweep = fl.sweep(chain, zip={NODES: [5, 7], "flows.0.tcp.max_window": ["900 packets", "950 packets"]}, seeds=1)
    [key] = warned(sweep, tmp_path / "store")
    [warning] = fl.ResultStore(tmp_path / "store").warnings
    assert {NODES, "flows.0.tcp.max_window"} <= {key, *warning.message.replace(",", "").split()}


def test_the_command_prints_a_line_and_a_row_of_its_document(chain: Path, command: Command) -> None:
    arguments = ("sweep", str(chain), "--vary", f"{NODES}=5,7", "--seeds", "1", "--out", "store")
    _, _, printed = command(*arguments)
    assert [line for line in printed.splitlines() if line.startswith(f"farlink: warning: store: {NODES}: ")]
    _, document, _ = command(*arguments, "--format", "json")
    assert [row["key"] for row in json.loads(document)["warnings"]] == [NODES]
    _, _, printed = command("compare", "store", "--by", NODES)
    assert f"{NODES}: has no effect" in printed


def test_a_parameter_that_only_one_of_two_scenarios_has_is_named(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    other = fl.sweep("satellite", {"links.0.error.rate": [1e-7, 1e-5], "duration": ["2 s"]}, seeds=1)
    assert warned(fl.sweep(chain, {NODES: [5, 7]}, seeds=1), store) == [NODES]
    other.run(out=store)
    assert [each.key for each in fl.ResultStore(store).warnings] == [NODES]


def test_a_column_is_named_exactly_if_no_result_depends_on_it() -> None:
    draws = random.Random(5)
    for _ in range(200):
        sizes = {name: draws.randint(2, 3) for name in "abc"}
        counted = {name for name in "abc" if draws.random() < 0.5}
        rows: list[dict[str, Any]] = []
        for a in range(sizes["a"]):
            for b in range(sizes["b"]):
                for c in range(sizes["c"]):
                    for seed in (1, 2):
                        point = {"a": a, "b": b, "c": c}
                        result = sum(point[name] * 10**place for place, name in enumerate("abc") if name in counted)
                        key = f"{a}{b}{c}{seed}"
                        rows += [{"key": key, "seed": seed, **point, "flow": f, "goodput": result + seed} for f in "xy"]
        draws.shuffle(rows)
        found = [each.column for each in no_effect.ineffective(rows, list("abc"))]
        assert set(found) == set("abc") - counted
    assert no_effect.ineffective(rows[:2], list("abc")) == []


def test_numbers_of_one_hash_are_different_results() -> None:
    rows = [{"key": str(value), "seed": 1, "a": value, "result": value} for value in (-1.0, -2.0)]
    assert no_effect.ineffective(rows, ["a"]) == []
