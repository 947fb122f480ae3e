"""Packets that arrive and are not taken: their causes in the tables, the document and the explanation."""

from pathlib import Path

import farlink as fl


def test_reordering_is_explained_by_its_discards(link: Path) -> None:
    error = {"name": "impair", "lose": 0.005, "reorder": 0.1, "hold": "120 ms"}
    run = fl.load(link).set("links.0.error", error).set("duration", "20 s").run(seed=1)
    (flow,) = run.document["flows"]
    assert sum(flow["discarded"].values()) == flow["packets_discarded"] > flow["needless_retransmissions"] > 0
    ledger = [row for row in run.ledger.to_pylist() if row["entry"] == "discarded"]
    counted: dict[str, int] = {}
    for row in ledger:
        counted[row["reason"]] = counted.get(row["reason"], 0) + row["copies"]
    assert counted == flow["discarded"]
    (row,) = run.flows.to_pylist()
    assert row["packets_discarded"] == flow["packets_discarded"] and row["packets_reordered"] > 0
    text = run.explanation[0]["text"]
    assert "needless" in text and "reordering" in text
