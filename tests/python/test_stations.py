"""What is told about stations."""

import json
from pathlib import Path

import farlink as fl
import pyarrow.parquet
from conftest import Cli


def test_every_frame_to_one_neighbour_is_received_or_undelivered(farlink: Cli) -> None:
    run = farlink("run", "chain_80211", "--set", "duration=5 s", "--seeds", "1,2", "--json")
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
        # One frame may be in the air at the end.
        assert 0 <= sent - received - undelivered <= 1
        assert sum(each["retries"] for each in mine) > 0
        assert all(each["energy_j"] > 0 for each in mine)


def test_the_table_has_a_column_for_each_cause(tmp_path: Path) -> None:
    run = fl.load("chain_80211").set("duration", "2 s").run(series=False)
    table = run.stations
    assert table.column_names[:3] == ["channel", "node", "seed"]
    assert {"undelivered_out_of_reach", "undelivered_collision", "missed_below_threshold"} <= set(table.column_names)
    assert table["frames_sent"].to_pylist() == [each["frames_sent"] for each in run.document["stations"]]
    run.save(tmp_path)
    assert pyarrow.parquet.read_table(tmp_path / "stations.parquet").equals(table)


def test_a_scenario_without_channels_has_none(link: Path) -> None:
    run = fl.load(link).run(series=False)
    assert (run.stations.num_rows, run.document["stations"]) == (0, [])
