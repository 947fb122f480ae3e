"""Relays: the clock of the second connection, and what both together did."""

from pathlib import Path
from typing import Any

import farlink as fl
import pytest
from farlink.results.end_to_end import with_pairs
from farlink.results.measure import Measure, completions, distributions
from farlink.runs.summary import summarise_end_to_end
from farlink.statistics import Interval

BUFFER, PAIR = "flows.1.application.buffer", "wire to air, end to end"


@pytest.fixture(scope="module")
def split() -> fl.Run:
    return fl.load("gateway_split").run(seeds=2)


def test_the_pair_has_a_row_of_its_own(split: fl.Run) -> None:
    (pair,) = split.end_to_end
    assert pair.flow == "wire to air, end to end" and pair.completed == pair.transfers == 2
    first, second = split.flows.to_pylist()[:2]
    assert (first["end_to_end_origin"], second["end_to_end_origin"]) == (None, "wire")
    assert second["end_to_end_bytes"] == 500_000
    whole = second["start_s"] - first["start_s"] + second["completion_s"]
    assert second["end_to_end_completion_s"] == pytest.approx(whole)
    assert second["end_to_end_goodput_bps"] == pytest.approx(4e6 / whole)
    assert "wire to air, end to end" in repr(split)
    texts = {row["flow"]: row["text"] for row in split.explanation}
    assert "End to end, from `wire` on" in texts["air"] and "End to end" not in texts["wire"]


def test_the_start_of_the_source_shifts_no_measure(split: fl.Run) -> None:
    later = fl.load("gateway_split").set("flows.0.start", "20 s").run(seeds=2)
    for row, shifted in zip(split.flows.to_pylist(), later.flows.to_pylist(), strict=True):
        assert shifted.pop("start_s") - row.pop("start_s") == pytest.approx(20)
        shares = {name for name in row if name.startswith("limited_by_")}
        for name in ("goodput_bps", "completion_s", "end_to_end_completion_s", *shares):
            assert shifted[name] == pytest.approx(row[name], rel=1e-3, abs=1e-3) if row[name] is not None else True


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    sweep = fl.sweep("gateway_split", {BUFFER: ["8 kB", "32 kB"]}, seeds=2, series=True)
    return sweep.run(out=tmp_path_factory.mktemp("relays") / "store", jobs=1)


def test_a_sweep_keeps_what_the_pair_did(store: fl.Results) -> None:
    rows = store.summary(["end_to_end_completion_s"]).table.to_pylist()
    completions = [row["end_to_end_completion_s"] for row in rows if row["flow"] == "air"]
    assert len(completions) == 2 and completions[0] > completions[1] > 5


def test_the_pair_has_a_row_in_a_sweep_as_in_a_run(store: fl.Results, split: fl.Run) -> None:
    rows = {row["flow"]: row for row in store.summary().table.to_pylist() if row[f"{BUFFER}_bytes"] == 32e3}
    assert list(rows) == ["air", "wire", PAIR]
    (expected,) = split.end_to_end
    for name in ("goodput_bps", "delay_mean_s", "completion_s"):
        found = getattr(expected, name)
        assert [rows[PAIR][f"{name}{end}"] for end in ("", "_low", "_high")] == [found.mean, found.low, found.high]
    assert (rows[PAIR]["completed"], rows[PAIR]["transfers"], rows[PAIR]["timeouts"]) == (2, 2, None)
    compared = store.compare(BUFFER, "completion", where={"flow": PAIR}).table.to_pylist()
    assert [row["pairs"] for row in compared] == [2]
    assert PAIR in {row["flow"] for row in store.compare(BUFFER).table.to_pylist()}
    assert store.plot("flow", "completion", where={BUFFER: "8 kB"}, kind="bar")
    assert store.plot(kind="time", by="flow", where={BUFFER: "8 kB", "seed": 1})


@pytest.mark.parametrize("pooled", [{"where": {"flow": "*"}}, {"by": [BUFFER]}])
def test_flows_that_are_pooled_count_a_relayed_transfer_once(store: fl.Results, pooled: dict[str, Any]) -> None:
    alone = store.summary(["goodput", "completion"], where={"flow": PAIR}).table.to_pylist()
    together = store.summary(["goodput", "completion", "packets_sent"], **pooled).table.to_pylist()
    for one, all_ in zip(alone, together, strict=True):
        assert (all_["completed"], all_["transfers"]) == (2, 2)
        assert {name: all_[name] for name in one if name != "flow"} == {n: v for n, v in one.items() if n != "flow"}
        assert all_["packets_sent"] > 300  # of the connections
    values, runs = distributions(Measure("completion_s"), store._chosen_rows({"flow": "*"}, pools=True)[0], None)[None]
    assert (len(values), runs) == (4, 4)


def test_of_a_chain_of_relays_the_whole_counts() -> None:
    def row(flow: str, origin: str | None, completion_s: float) -> dict[str, Any]:
        whole = {"end_to_end_origin": origin, "end_to_end_completion_s": origin and completion_s + 1}
        return {
            "key": "k",
            "seed": 1,
            "flow": flow,
            "size_bytes": 9,
            "completion_s": completion_s,
            "timeouts": 2,
        } | whole

    def relay(label: str, flow: str) -> str:
        return f'[[flows]]\nlabel = "{label}"\napplication = {{ name = "relay", flow = "{flow}" }}\n'

    resolved = {"k": '[[flows]]\nlabel = "a"\napplication = "greedy"\n' + relay("b", "a") + relay("c", "b")}
    flows = [row("a", None, 1.0), row("b", "a", 2.0), row("c", "a", 3.0), row("other", None, 7.0)]
    rows = with_pairs(flows, [], resolved)
    assert [each["flow"] for each in rows[4:]] == ["a to b, end to end", "a to c, end to end"]
    assert Measure("completion_s").pooled(rows) == [7.0, 4.0]
    assert Measure("timeouts").pooled(rows) == [2, 2, 2, 2]
    assert completions(rows) == (2, 2) and completions(flows[:1]) == (1, 1)


def test_many_relays_are_folded_as_flows_are() -> None:
    groups = {f"{kind}{number}": f"{kind}*" for kind in ("up", "down") for number in range(9)}
    rows = [
        {"flow": f"down{number}", "seed": 1, "end_to_end_origin": f"up{number}", "size_bytes": 9}
        | {f"end_to_end_{name}": number for name in ("goodput_bps", "delay_mean_s", "completion_s")}
        for number in range(9)
    ]
    (pair,) = summarise_end_to_end(rows, groups)
    assert (pair.flow, pair.completed, pair.transfers) == ("up* to down*, end to end", 9, 9)
    assert pair.completion_s == Interval(4, None, None, 1, "single")


def test_flows_without_relays_have_no_such_columns(link: Path) -> None:
    flows = fl.load(link).set("flows.0.start", "1 s..2 s").run(seeds=3).flows
    assert not [name for name in flows.column_names if name.startswith("end_to_end")]
    starts = flows["start_s"].to_pylist()
    assert len(set(starts)) == 3 and all(1 <= start < 2 for start in starts)
