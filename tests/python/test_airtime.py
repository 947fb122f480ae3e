"""Airtime as a measure of a run, and in the table that `farlink run` prints."""

from pathlib import Path
from statistics import fmean

import farlink as fl
import pytest
from conftest import Cli
from matplotlib.figure import Figure

WINDOW = "flows.0.tcp.max_window"
BUSY = "airtime.n2.busy_share"
SEEDS = 3


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    base = fl.load("chain_80211").set("duration", "2 s")
    store = tmp_path_factory.mktemp("chain") / "store"
    return fl.sweep(base, {WINDOW: ["1 packets", "4 packets"]}, seeds=SEEDS).run(out=store)


def values(chain: fl.Results, node: str, column: str) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for row in chain.airtime.to_pylist():
        if row["node"] == node:
            found.setdefault(row[f"{WINDOW}_packets"], []).append(row[column])
    return found


def test_the_airtime_of_a_station_is_a_measure_with_an_interval(chain: fl.Results) -> None:
    rows = chain.summary([BUSY, "airtime.n2.transmitting_s"]).table.to_pylist()
    busy, sent = (values(chain, "n2", column) for column in ("busy_share", "transmitting_s"))
    assert len(rows) == 2
    for row in rows:
        window = row[f"{WINDOW}_packets"]
        assert row[BUSY] == pytest.approx(fmean(busy[window])) and row["runs"] == SEEDS
        assert row["airtime.n2.transmitting_s"] == pytest.approx(fmean(sent[window]))
        assert row[f"{BUSY}_low"] < row[BUSY] < row[f"{BUSY}_high"] <= 1


def test_it_stands_beside_measures_of_flows_and_is_compared_and_drawn(chain: fl.Results, tmp_path: Path) -> None:
    both = chain.summary(["goodput", BUSY]).table.to_pylist()
    alone = chain.summary([BUSY]).table.to_pylist()
    assert [row[BUSY] for row in both] == [row[BUSY] for row in alone]
    [compared] = chain.compare(WINDOW, BUSY).table.to_pylist()
    busy = values(chain, "n2", "busy_share")
    assert compared[f"{BUSY}_difference"] == pytest.approx(fmean(busy[4]) - fmean(busy[1]))
    figure = chain.plot(x=WINDOW, y=BUSY, path=tmp_path / "busy.png")
    assert isinstance(figure, Figure) and figure.axes[0].get_ylabel() == "busy share at n2"


def test_it_is_said_to_be_of_the_whole_run_whatever_flows_are_chosen(chain: fl.Results) -> None:
    said, where = "airtime is of the whole run and of all its flows", {"flow": "transfer"}
    title = chain.plot(x=WINDOW, y=BUSY, where=where).axes[0].get_title(loc="left").replace("\n", " ")
    assert said in title and "transfer" not in title
    assert "transfer" in chain.plot(x=WINDOW, y="goodput", where=where).axes[0].get_title(loc="left")
    for made in (chain.summary([BUSY], where=where), chain.compare(WINDOW, BUSY, where=where)):
        assert said in made.caption and "transfer" not in made.render("latex")
    both = chain.summary(["goodput", BUSY], where=where)
    assert said in both.caption and "transfer" in both.render("latex")
    assert said not in chain.summary(["goodput"]).caption


@pytest.mark.parametrize(
    ("measure", "remedy"),
    [
        ("airtime.gateway.busy_share", "the stations are n0, n1, n2, n3, n4"),
        ("airtime.n2", "write airtime.STATION.busy_share"),
        ("airtime.n2.idle", "busy_share, transmitting_share, busy_s, transmitting_s"),
    ],
)
def test_another_station_or_column_is_refused_with_what_there_is(chain: fl.Results, measure: str, remedy: str) -> None:
    with pytest.raises(fl.UsageError, match=remedy):
        chain.summary([measure])


def test_without_shared_channels_there_is_none(link: Path, tmp_path: Path) -> None:
    results = fl.sweep(link, seeds=1).run(out=tmp_path / "store")
    with pytest.raises(fl.UsageError, match="no run has a shared channel"):
        results.summary(["airtime.gateway.busy_share"])


def test_a_run_shows_the_stations_where_the_medium_is_busiest_first(farlink: Cli) -> None:
    shown = farlink("run", "chain_80211", "--set", "duration=2 s", "--seeds", "2").stdout
    lines = shown[shown.index("medium busy %") :].splitlines()[2:7]
    assert {line.split()[0] for line in lines} == {"n0", "n1", "n2", "n3", "n4"}
    busy = [float(line.split()[1]) for line in lines]
    assert busy == sorted(busy, reverse=True) and busy[-1] > 0 and busy[0] <= 100


def test_of_many_stations_the_busiest_few_are_shown(farlink: Cli) -> None:
    many = ("--set", "topology.nodes=14", "--set", "flows.0.to=n13", "--set", "duration=1 s")
    shown = farlink("run", "chain_80211", *many).stdout
    assert "the 5 busiest of 14 stations: --json has all" in " ".join(shown.split())
    assert len([line for line in shown[shown.index("medium busy %") :].splitlines()[2:] if line[1:2] == "n"]) == 5


def test_without_channels_a_run_shows_no_stations(farlink: Cli, link: Path) -> None:
    assert "medium busy" not in farlink("run", link).stdout
