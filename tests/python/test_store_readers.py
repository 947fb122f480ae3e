"""A store opens in pandas, polars and DuckDB as it lies on the disk."""

from pathlib import Path

import farlink as fl
import pytest

DELAY = "links.0.delay"
TABLES = ("runs", "flows", "links", "stations", "airtime", "hops", "drops", "timings")
RADIO = """
[[nodes]]
name = "relay"
position = ["200 m", "0 m"]

[[channels]]
name = "radio"
nodes = ["remote", "relay"]
mac = "dcf"

[[flows]]
from = "ground"
to = "relay"
"""
# What a column's name may end in, where what it holds has a unit.
UNITS = ("_s", "_bps", "_bytes", "_packets", "_segments")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    from conftest import LINK

    folder = tmp_path_factory.mktemp("readers")
    (folder / "link.toml").write_text(LINK + RADIO)
    base = fl.load(folder / "link.toml").set("duration", "2 s")
    return fl.sweep(base, {DELAY: ["20 ms", "300 ms"]}, seeds=3, series=True).run(out=folder / "store")


def rows(results: fl.Results, table: str) -> list[dict[str, object]]:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(results.folder / f"{table}.parquet").to_pylist()


def test_pandas_reads_every_table(results):
    import pandas

    for table in TABLES:
        frame = pandas.read_parquet(results.folder / f"{table}.parquet")
        assert len(frame) == len(rows(results, table)) > 0
    flows = pandas.read_parquet(results.folder / "flows.parquet")
    means = flows.groupby(f"{DELAY}_s")["goodput_bps"].mean()
    assert list(means.index) == [0.02, 0.3]
    assert means[0.02] > means[0.3] > 0
    taken = results.flows.to_pandas()
    pandas.testing.assert_frame_equal(*(each.set_index("key").sort_index() for each in (taken, flows)))


def test_polars_reads_every_table(results):
    import polars

    for table in TABLES:
        assert polars.read_parquet(results.folder / f"{table}.parquet").height == len(rows(results, table))
    flows = polars.read_parquet(results.folder / "flows.parquet")
    mean = flows.filter(polars.col(f"{DELAY}_s") == 0.02)["goodput_bps"].mean()
    near = [row["goodput_bps"] for row in rows(results, "flows") if row[f"{DELAY}_s"] == 0.02]
    assert mean == pytest.approx(sum(near) / len(near))
    # What Python holds is taken as it is, too.
    assert polars.DataFrame(results.flows).columns == results.flows.column_names
    assert polars.DataFrame(results.summary()).height == 4
    series = polars.read_parquet(Path(results.folder) / "series" / "*.parquet")
    assert set(series["key"]) == set(flows["key"])


def test_duckdb_reads_and_joins_every_table(results):
    import duckdb

    with duckdb.connect() as database:
        for table in TABLES:
            [(count,)] = database.sql(f"select count(*) from '{results.folder}/{table}.parquet'").fetchall()
            assert count == len(rows(results, table))
        joined = database.sql(
            f"""
            select "{DELAY}_s", max(cwnd_segments)
            from '{results.folder}/series/*.parquet' join '{results.folder}/flows.parquet' using (key, seed, flow)
            group by 1 order by 1
            """
        ).fetchall()
        assert [delay_s for delay_s, _ in joined] == [0.02, 0.3]
        assert all(window > 10 for _, window in joined)
        flows = results.flows
        assert database.sql("select count(*) from flows").fetchall() == [(len(flows),)]


def test_units_stand_in_the_names_of_the_columns(results):
    def of(table: str) -> set[str]:
        return set(rows(results, table)[0])

    flows = {name for name in of("flows") if not name.startswith("limited_by_")}
    shares_counts_and_names = {
        "key",
        "flow",
        "seed",
        "delivery_ratio",
        "timeouts",
        "fast_retransmits",
        "freezes",
        "route_probes",
        "loss_rate",
        "bottleneck",
        "bottleneck_utilisation",
    }
    counts = {
        f"packets_{what}" for what in ("sent", "delivered", "retransmitted", "reordered", "discarded", "lost")
    } | {
        "needless_retransmissions",
        "reverse_packets_repeated",
    }
    assert all(name.endswith(UNITS) for name in flows - shares_counts_and_names - counts)
    assert f"{DELAY}_s" in flows
    series_names = {"key", "seed", "flow", "phase", "packets_sent", "packets_delivered", "packets_lost"}
    assert all(name.endswith(UNITS) for name in set(results.series.column_names) - series_names)
    assert of("timings") == {"key", "cpu_s"}
