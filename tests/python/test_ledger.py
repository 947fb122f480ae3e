"""The ledger: accounts that close, and a row for every copy of every packet."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import farlink as fl
import pyarrow.csv
import pyarrow.parquet
import pytest
from conftest import Cli

LOSSY = ("duration=5 s", "radio.antenna.frame_error_rate=0.3")


def sides(account: dict[str, Any]) -> tuple[int, int]:
    """Give what began and what ended or is in flight."""
    begun = account["originated"] + sum(account["duplicated"].values())
    groups = ("discarded", "dropped", "failed_attempts", "in_flight")
    return begun, account["delivered"] + sum(sum(account[group].values()) for group in groups)


@pytest.mark.parametrize("scenario", ["gateway", "frn", "underwater", "manet", "competition"])
def test_every_account_closes(farlink: Cli, scenario: str) -> None:
    run = farlink("run", scenario, "--set", "duration=6 s", "--seeds", "1,2", "--json")
    document = json.loads(run.stdout)
    assert {account["seed"] for account in document["ledger"]} == {1, 2}
    for account in document["ledger"]:
        begun, ended = sides(account)
        assert begun == ended > 0, account
    for flow in document["flows"]:
        mine = [each for each in document["ledger"] if (each["flow"], each["seed"]) == (flow["flow"], flow["seed"])]
        dropped = sum((Counter(account["dropped"]) for account in mine), Counter())
        assert dropped == flow["drops"]


def test_the_rows_of_a_lossy_channel_agree_with_its_accounts(farlink: Cli, tmp_path: Path) -> None:
    target = tmp_path / "copies.parquet"
    settings = [part for setting in LOSSY for part in ("--set", setting)]
    farlink("run", "chain_80211", *settings, "--seeds", "1..2", "--ledger", str(target), "--json")
    plain = fl.load("chain_80211").set("duration", "5 s").set("radio.antenna.frame_error_rate", 0.3)
    run = plain.run(seeds=[1, 2], series=False)
    rows = pyarrow.parquet.read_table(target).to_pylist()
    counted: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        head = (row["flow"], row["seed"], row["class"])
        made = ("originated", None) if row["made_by"] == "origin" else ("duplicated", row["made_by"])
        fate = "failed_attempts" if row["fate"] == "attempt_failed" else row["fate"]
        counted[(*head, *made)] += 1
        counted[(*head, fate, row["reason"])] += 1
        assert (row["end_s"] is None) == (fate == "in_flight")
        assert row["end_s"] is None or 0 <= row["begin_s"] <= row["end_s"] <= 5
    reported = {
        tuple(row[name] for name in ("flow", "seed", "class", "entry", "reason")): row["copies"]
        for row in run.ledger.to_pylist()
        if row["copies"]
    }
    assert counted == reported


def test_a_packet_has_one_fate_and_a_lost_acknowledgement_is_seen() -> None:
    # A lost ARP request would end most of these runs before the first segment.
    scenario = fl.load("chain_80211").set("duration", "5 s").set("radio.arp", "ideal")
    rows = scenario.set("radio.antenna.frame_error_rate", 0.3).run(series=False, ledger=True).copies.to_pylist()
    fates: dict[int, set[str]] = {}
    for row in rows:
        fates.setdefault(row["packet"], set()).add(row["packet_fate"])
    assert all(len(each) == 1 for each in fates.values())
    assert list(fates) == list(range(len(fates)))
    lost = [row for row in rows if row["link_ack"] == "lost"]
    again = {row["packet"] for row in rows if row["reason"] == "duplicate"}
    assert len(lost) > 20
    assert len({row["packet"] for row in lost} & again) > 10


def test_the_ledger_as_csv_has_the_same_rows(farlink: Cli, tmp_path: Path) -> None:
    table, text = tmp_path / "copies.parquet", tmp_path / "copies.csv"
    for target in (table, text):
        farlink("run", "gateway", "--set", "duration=2 s", "--ledger", str(target), "--json")
    read = pyarrow.csv.read_csv(text, convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True))
    first, second = pyarrow.parquet.read_table(table).to_pylist(), read.to_pylist()
    assert len(first) > 100
    assert first == second


def test_another_ending_is_refused_before_the_run(farlink: Cli, tmp_path: Path) -> None:
    run = farlink("run", "manet", "--ledger", str(tmp_path / "copies.txt"))
    assert run.returncode == 2 and ".parquet" in run.stderr and len(run.stderr.splitlines()) == 1


def test_without_being_asked_for_there_are_no_rows(link: Path) -> None:
    assert fl.load(link).run(series=False).copies.num_rows == 0
