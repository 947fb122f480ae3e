"""Relays: the clock of the second connection, and what both together did."""

from pathlib import Path

import farlink as fl
import pytest


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


def test_a_sweep_keeps_what_the_pair_did(tmp_path: Path) -> None:
    sweep = fl.sweep("gateway_split", {"flows.1.application.buffer": ["8 kB", "32 kB"]}, seeds=1)
    results = sweep.run(out=tmp_path / "store", jobs=1)
    rows = results.summary(["end_to_end_completion_s"]).table.to_pylist()
    completions = [row["end_to_end_completion_s"] for row in rows if row["flow"] == "air"]
    assert len(completions) == 2 and completions[0] > completions[1] > 5


def test_flows_without_relays_have_no_such_columns(link: Path) -> None:
    flows = fl.load(link).set("flows.0.start", "1 s..2 s").run(seeds=3).flows
    assert not [name for name in flows.column_names if name.startswith("end_to_end")]
    starts = flows["start_s"].to_pylist()
    assert len(set(starts)) == 3 and all(1 <= start < 2 for start in starts)
