"""`farlink export` of a store and of a saved run, and tables in readable units."""

import csv
import io
import json
from pathlib import Path

import farlink as fl
import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import LINK, Command
from farlink.tables import labels

RATE = "links.0.error.rate"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store and a saved run."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "link.toml").write_text(LINK)
    base = fl.load(folder / "link.toml").set("duration", "1 s")
    fl.sweep(base, {RATE: [0.0, 1e-2]}, seeds=2, series=True).run(out=folder / "store")
    base.run(seeds=[1, 2]).save(folder / "run")
    return folder


TABLES = [("store", name) for name in ("runs", "flows", "links", "stations", "airtime", "hops", "drops", "series")] + [
    ("run", name)
    for name in ("flows", "links", "stations", "airtime", "hops", "drops", "ledger", "series", "link_series")
]


@pytest.mark.parametrize(("results", "name"), TABLES)
def test_every_table_is_written_in_every_format(
    command: Command, folder: Path, tmp_path: Path, results: str, name: str
) -> None:
    arguments = ("export", str(folder / results), "--table", name)
    assert command(*arguments, "-o", "t.parquet") == (0, "", "")
    rows = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist()
    status, text, _ = command(*arguments, "--format", "csv")
    assert status == 0
    read = list(csv.DictReader(io.StringIO(text)))
    assert len(read) == len(rows)
    status, text, _ = command(*arguments)
    assert status == 0
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) == len(rows) and {line["table"] for line in lines} <= {name}
    if rows:
        assert list(read[0]) == list(rows[0])
    assert bool(rows) == (name not in ("stations", "airtime", "hops")) or name == "drops"


def test_a_file_is_written_as_its_name_ends(command: Command, folder: Path, tmp_path: Path) -> None:
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert command("export", str(folder / "run"), "-o", name) == (0, "", "")
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").num_rows == 2
    assert (tmp_path / "a.csv").read_text().count("\n") == 3
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["table"] == "flows"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "--table", "flow"], "did you mean `flows`?"),
        (["store", "--table", "ledger"], "there is no table ledger"),
        (["run", "--format", "parquet"], "-o FILE.parquet"),
        (["run", "--format", "csv", "-o", "a.parquet"], "must end in .csv"),
        (["run", "-o", "a.xls"], "must end in .json or .jsonl or .csv or .parquet"),
        (["."], "neither a store of results nor a saved run"),
    ],
)
def test_bad_usage_is_one_message_and_status_two(
    command: Command, folder: Path, arguments: list[str], expected: str
) -> None:
    status, out, err = command("export", str(folder / arguments[0]), *arguments[1:])
    assert (status, out) == (2, "")
    assert expected in err and err.count("\n") == 1


def test_a_damaged_table_of_a_run_is_one_message(command: Command, folder: Path, tmp_path: Path) -> None:
    saved = fl.load("satellite").set("duration", "1 s").run(seed=1)
    saved.save(tmp_path / "run")
    (tmp_path / "run" / "flows.parquet").write_bytes(b"PAR1")
    (tmp_path / "run" / "links.parquet").unlink()
    for name, expected in (("flows", "SHA-256"), ("links", "no such file")):
        status, out, err = command("export", "run", "--table", name)
        assert (status, out) == (2, "")
        assert expected in err and "farlink run --out" in err


def test_a_comparison_is_json_for_scripts(command: Command, folder: Path) -> None:
    status, out, _ = command("compare", str(folder / "store"), "--by", RATE, "--format", "json")
    made = json.loads(out)
    assert status == 0
    assert made["rows"][0]["pairs"] == 2 and made["intervals"].startswith("95 % CI")


def test_a_table_on_a_terminal_has_units_that_suit_its_values(command: Command, folder: Path) -> None:
    status, out, _ = command("compare", str(folder / "store"), "--by", RATE)
    assert status == 0
    assert "[Mbit/s]" in out and "e+0" not in out


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("goodput_bps", [89.8e6, None, 1e3], (1e6, "Mbit/s")),
        ("goodput_bps", [0.0], (1.0, "bit/s")),
        ("goodput_bps_difference", [-2e4], (1e3, "kbit/s")),
        ("goodput_bps_ratio", [2e4], (1.0, "")),
        ("delay_mean_s", [0.3], (1e-3, "ms")),
        ("delay_mean_s", [70.0], (1.0, "s")),
        ("queue_bytes", [1.5e9, float("nan")], (1e9, "GB")),
        ("radio.range_m", [2.5e5], (1e3, "km")),
        ("packets_sent", [1e9], (1.0, "")),
    ],
)
def test_units_suit_the_largest_value(column: str, values: list, expected: tuple[float, str]) -> None:
    assert labels.scale(column, values) == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("goodput_bps", "goodput [bit/s]"),
        ("cwnd_segments", "congestion window [segments]"),
        ("links.0.error.rate", "link error rate"),
        ("links.0.rate_bps", "link rate [bit/s]"),
        ("flows.1.tcp.congestion_control", "congestion control of upload"),
        ("flows.0.application.rate_bps", "application rate of download [bit/s]"),
        ("radio.mac.max_wait", "MAC max wait"),
        ("duration_s", "duration [s]"),
        ("goodput_bps_ratio", "goodput, ratio"),
    ],
)
def test_a_path_is_written_in_words(column: str, expected: str) -> None:
    assert labels.Names(flows=["download", "upload"], links=["a-b"]).label(column) == expected


def test_names_come_from_the_scenario() -> None:
    names = labels.Names.of_scenarios([fl.load("dumbbell").validated.resolved])
    assert len(names.flows) == 2 and names.links[0].count("–") == 1  # noqa: RUF001


def test_an_interval_keeps_its_unit(tmp_path: Path) -> None:
    rows = [
        {"goodput_bps": 8.98e7, "goodput_bps_low": 8.9e7, "goodput_bps_high": 9.06e7, "links.0.rate_bps": rate}
        for rate in (1e7, 1e8)
    ]
    text = fl.results.report_table.ReportTable(pa.Table.from_pylist(rows)).narrow()
    assert text.splitlines()[-1].split("  ")[0].strip() == "89.8"
    assert "89..90.6" in text and "100 Mbit/s" in text
