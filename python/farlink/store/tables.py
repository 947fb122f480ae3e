"""The store's tables: `runs`, `flows` and so on, each row with its run's key and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from farlink import parameters, tables
from farlink.store.record import Record, settings

RUN = {"key": pa.string(), "scenario": pa.string(), "seed": pa.uint64(), "build": pa.string()}
RESOLVED = {"resolved": pa.string()}
TIMINGS = {"key": pa.string(), "cpu_s": pa.float64()}
PARAMETER = {b"farlink": b"parameter"}
"""Stands at the columns of parameters."""
NAMES = ("flows", "links", "stations", "hops", "drops", "runs", "timings")
"""In the order they are written: who stands in `runs` stands in all the others but `timings`."""


def path(folder: Path, name: str) -> Path:
    """Where a table lies."""
    return folder / f"{name}.parquet"


def read(folder: Path, name: str, columns: list[str] | None = None) -> pa.Table | None:
    """A table as it lies on the disk, or some of its columns; None before the first is written."""
    try:
        return pyarrow.parquet.read_table(path(folder, name), columns=columns)
    except FileNotFoundError:
        return None


def fold(folder: Path, records: Sequence[Record]) -> None:
    """Add records to the tables on the disk. Doing it twice adds nothing."""
    known = known_keys(folder)
    fresh = list({record.key: record for record in records if record.key not in known}.values())
    if not fresh:
        return
    new = {
        "runs": tables.from_rows([_run_row(record) for record in fresh], RUN | RESOLVED),
        "flows": _of_runs(fresh, tables.flow_rows),
        "links": _of_runs(fresh, tables.link_rows),
        "stations": _of_runs(fresh, tables.station_rows, tables.STATIONS),
        "hops": _of_runs(fresh, tables.hop_rows, tables.HOPS),
        "drops": _of_runs(fresh, tables.drop_rows, tables.DROPS),
        "timings": tables.from_rows([{"key": record.key, "cpu_s": record.cpu_s} for record in fresh], TIMINGS),
    }
    whole = {name: _joined(folder, name, table, known) for name, table in new.items()}
    runs = whole["runs"]
    texts = dict(zip(runs["key"].to_pylist(), runs["resolved"].to_pylist(), strict=True))
    varying = parameters.varying({text: settings(text) for text in dict.fromkeys(texts.values())})
    for name in NAMES:
        table = whole[name]
        if name != "timings":
            # Many rows have the same few scenarios; a table of stations has hundreds per run.
            of = [texts[key] for key in table["key"].to_pylist()]
            place = {text: index for index, text in enumerate(dict.fromkeys(of))}
            indices = pa.array([place[text] for text in of], pa.int64())
            for column, values in parameters.columns([varying[text] for text in place]).items():
                array = pa.array(values).take(indices)
                table = table.append_column(pa.field(column, array.type, metadata=PARAMETER), array)
        tables.write(table, path(folder, name))


def known_keys(folder: Path) -> set[str]:
    """The keys of the runs in the tables."""
    try:
        table = pyarrow.parquet.read_table(path(folder, "runs"), columns=["key"])
    except FileNotFoundError:
        return set()
    return set(table["key"].to_pylist())


def is_parameter(column: pa.Field) -> bool:
    """Whether a column is none of a measure: it is marked so, for `duration_s` could be either by its name."""
    return bool(column.metadata) and PARAMETER.items() <= column.metadata.items()


def _run_row(record: Record) -> tables.Row:
    measured = record.measured
    return {
        "key": record.key,
        "scenario": record.scenario,
        "seed": record.seed,
        "build": record.build,
        "resolved": record.resolved,
        "jain": measured["jain"],
        "events": measured["engine"]["events"],
        "sim_s": measured["engine"]["sim_s"],
    }


def _of_runs(
    records: Sequence[Record],
    rows_of: Callable[[Record], Iterable[tables.Row]],
    types: Mapping[str, pa.DataType] | None = None,
) -> pa.Table:
    rows = [{"key": record.key, **row} for record in records for row in rows_of(record)]
    return tables.from_rows(rows, {"key": pa.string()} | dict(types or {}))


def _joined(folder: Path, name: str, new: pa.Table, known: set[str]) -> pa.Table:
    """What lies on the disk, without parameters and without rows of runs that were cut short, then the new."""
    old = read(folder, name)
    if old is None:
        return new
    old = old.select([column.name for column in old.schema if not is_parameter(column)])
    kept = old.filter(pc.is_in(old["key"], value_set=pa.array(list(known), pa.string())))
    return pa.concat_tables([kept, new], promote_options="permissive")
