"""What is reported of stations."""

import json
from collections import Counter
from pathlib import Path

import farlink as fl
import pyarrow.parquet
import pytest
from conftest import Cli
from farlink.store import manifest


def test_every_frame_to_one_neighbour_is_received_or_undelivered(farlink: Cli) -> None:
    # Requests of address resolution are broadcasts, which no neighbour has to receive and several may.
    settings = ("--set", "duration=5 s", "--set", "radio.arp=ideal")
    run = farlink("run", "chain_80211", *settings, "--seeds", "1,2", "--json")
    stations = json.loads(run.stdout)["stations"]
    assert [(each["channel"], each["node"], each["seed"]) for each in stations[:2]] == [
        ("radio", "n0", 1),
        ("radio", "n1", 1),
    ]
    assert len(stations) == 10
    for seed in (1, 2):
        mine = [each for each in stations if each["seed"] == seed]
        sent = sum(each["frames_sent"] for each in mine)
        received = sum(each["frames_received"] for each in mine)
        undelivered = sum(sum(each["undelivered"].values()) for each in mine)
        # One frame may be in transmission at the end.
        assert 0 <= sent - received - undelivered <= 1
        assert sum(each["retries"] for each in mine) > 0
        assert all(each["energy_j"] > 0 for each in mine)


def test_the_table_has_a_column_for_each_cause(tmp_path: Path) -> None:
    run = fl.load("chain_80211").set("duration", "2 s").run(series=False)
    table = run.stations
    assert table.column_names[:3] == ["channel", "node", "seed"]
    assert {"undelivered_out_of_range", "undelivered_collision", "missed_below_threshold"} <= set(table.column_names)
    assert table["frames_sent"].to_pylist() == [each["frames_sent"] for each in run.document["stations"]]
    run.save(tmp_path / "run")
    assert pyarrow.parquet.read_table(tmp_path / "run" / "stations.parquet").equals(table)


def test_a_scenario_without_channels_has_none(link: Path) -> None:
    run = fl.load(link).run(series=False)
    assert (run.stations.num_rows, run.document["stations"]) == (0, [])
    assert (run.airtime.num_rows, run.document["airtime"]) == (0, [])


def test_airtime_is_what_stations_transmit_and_sense() -> None:
    base = fl.load("chain_80211").set("duration", "5 s")
    run = base.run(series=False)
    rows = run.airtime.to_pylist()
    assert run.document["airtime"] == rows and [row["node"] for row in rows] == ["n0", "n1", "n2", "n3", "n4"]
    busy = {link["link"]: link["utilisation"] for link in run.document["links"]}
    for row in rows:
        assert 0 < row["transmitting_s"] < row["busy_s"] < 5
        assert row["busy_share"] == pytest.approx(row["busy_s"] / 5)
        assert row["transmitting_share"] == pytest.approx(busy[f"radio:{row['node']}"], abs=1e-3)
    # The stations in the middle sense more of the others.
    assert max(rows, key=lambda row: row["busy_s"])["node"] in ("n1", "n2", "n3")


def test_drops_are_counted_at_the_node_where_their_copies_ended() -> None:
    base = fl.load("chain_80211").set("duration", "20 s").set("routing", "aodv")
    run = base.run(series=False, ledger=True)
    ended = Counter()
    for copy in run.copies.to_pylist():
        if copy["fate"] == "dropped":
            ended[copy["flow"], copy["end_node"], copy["reason"]] += 1
    rows = run.drops.to_pylist()
    assert run.document["drops_by_node"] == rows
    assert {(row["flow"], row["node"], row["cause"]): row["packets"] for row in rows} == ended
    assert ended


def test_a_store_without_airtime_has_none(tmp_path: Path) -> None:
    base = fl.load("chain_80211").set("duration", "1 s")
    results = fl.sweep(base, {"flows.0.tcp.max_window": ["1 packets"]}, seeds=2).run(out=tmp_path / "store")
    assert results.airtime.num_rows == 2 * 5
    # As a build wrote it that knew no such table.
    held = manifest.read(tmp_path / "store")
    tables = {name: entries for name, entries in held.tables.items() if name != "airtime"}
    for name in (manifest.NAME, manifest.COPY):
        (tmp_path / "store" / name).write_bytes(manifest.Manifest(tables, held.has_journal, held.order).to_bytes())
    (tmp_path / "store" / "airtime.parquet").unlink()
    assert fl.Results(tmp_path / "store").airtime.num_rows == 0
    more = fl.sweep(base, {"flows.0.tcp.max_window": ["1 packets", "2 packets"]}, seeds=2)
    assert more.run(out=tmp_path / "store").airtime.num_rows == 2 * 5


def test_each_attempt_of_a_hop_succeeds_or_fails_for_one_cause(farlink: Cli) -> None:
    run = farlink("run", "chain_80211", "--set", "duration=20 s", "--json")
    document = json.loads(run.stdout)
    hops, stations = document["hops"], document["stations"]
    assert [(each["from"], each["to"]) for each in hops[:3]] == [("n0", "n1"), ("n1", "n0"), ("n1", "n2")]
    for hop in hops:
        failed = sum(hop["failed_attempts"].values())
        assert 0 < failed < hop["attempts"]
    for station in stations:
        mine = [hop for hop in hops if hop["from"] == station["node"]]
        assert sum(hop["packets_given_up"] for hop in mine) == station["packets_given_up"]
        # Seven requests without an answer, or four frames, and then the packet is given up.
        failed = sum(station["given_up_attempts"].values())
        assert 4 * station["packets_given_up"] <= failed
        assert failed <= sum(sum(hop["failed_attempts"].values()) for hop in mine)
    given_up = sum(station["packets_given_up"] for station in stations)
    assert document["drops"]["link_failure"] == given_up > 0


def test_a_failed_attempt_is_no_drop_unless_it_was_given_up(farlink: Cli) -> None:
    document = json.loads(farlink("run", "chain_80211", "--set", "duration=20 s", "--json").stdout)
    [flow] = document["flows"]
    assert set(flow["drops"]) <= {"link_failure", "queue_full"}
    assert flow["failed_attempts"] == document["failed_attempts"]
    # An RTS carries no packet: of a packet's attempts, those of its data frame alone are counted here.
    assert sum(flow["failed_attempts"].values()) <= sum(
        sum(hop["failed_attempts"].values()) for hop in document["hops"]
    )


def test_stations_and_hops_stand_in_the_store(tmp_path: Path) -> None:
    base = fl.load("chain_80211").set("duration", "2 s")
    results = fl.sweep(base, {"flows.0.tcp.max_window": ["1 packets", "8 packets"]}, seeds=2).run(
        out=tmp_path / "store"
    )
    assert results.stations.num_rows == 4 * 5
    hops = results.hops.to_pandas()
    assert {"from", "to", "attempts", "failed_attempts_collision"} <= set(hops.columns)
    share = hops.groupby("flows.0.tcp.max_window_packets")["failed_attempts_collision"].sum()
    assert len(share) == 2
