"""The store's tables: `runs`, `flows` and so on, each row with its run's key and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import pyarrow as pa
import pyarrow.parquet

from farlink.store.manifest import MEASURED, TABLES
from farlink.store.record import Record, settings
from farlink.tables import arrow, coordinates, parameters, rows
from farlink.tables.arrays import array_of
from farlink.tables.coordinates import Described, Written

SERIES_SHA256 = "series_sha256"
"""Of the file with the run's time series; null for a run without."""
RUN = {"key": pa.string(), "scenario": pa.string(), "seed": pa.uint64(), "build": pa.string()}
WRITTEN = "written"
"""How a run's scenario was written (`Written.to_text`)."""
RESOLVED = {"resolved": pa.string(), SERIES_SHA256: pa.string(), WRITTEN: pa.string()}
TIMINGS = {"key": pa.string(), "cpu_s": pa.float64()}
PARAMETER = {b"farlink": b"parameter"}
"""Stands at the columns of parameters."""


def encode(table: pa.Table) -> bytes:
    """Write as Parquet."""
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def merge_records(
    old: Mapping[str, pa.Table], records: Sequence[Record], written: Mapping[str, str] | None = None
) -> dict[str, pa.Table]:
    """Add records to tables; what they hold already, and rows of runs that are not in `runs`, is left out.

    A run whose series were made again, perhaps by another version of Arrow, has another checksum than before.
    `written` replaces by key how the scenarios of runs were written.
    """
    held = dict(zip(*(old["runs"][name].to_pylist() for name in ("key", SERIES_SHA256)), strict=True)) if old else {}
    fresh = {each.key: each for each in records if each.key not in held or each.series_sha256 != held[each.key]}
    known = held.keys() - fresh.keys()
    added = list(fresh.values())
    new = {
        "runs": arrow.from_rows([_run_row(record) for record in added], RUN | RESOLVED),
        **{name: _of_runs(added, name) for name in MEASURED},
        "timings": arrow.from_rows([{"key": record.key, "cpu_s": record.cpu_s} for record in added], TIMINGS),
    }
    whole = {name: _join_tables(old.get(name), new[name], known) for name in TABLES}
    runs, again = whole["runs"], {**_written_again(old, added), **(written or {})}
    pairs = zip(runs["key"].to_pylist(), runs[WRITTEN].to_pylist(), strict=True)
    column = array_of([again.get(key, text) for key, text in pairs], pa.string())
    whole["runs"] = runs = runs.set_column(runs.column_names.index(WRITTEN), WRITTEN, column)
    varying = coordinates.columns(
        {text: Described(settings(text), each) for text, each in written_by_scenario(runs).items()}
    )
    # Many runs have the same few scenarios.
    place = {text: index for index, text in enumerate(varying)}
    places = {key: place[text] for key, text in zip(*(runs[it].to_pylist() for it in ("key", "resolved")), strict=True)}
    columns = parameters.parameter_columns(varying.values())
    return {
        name: table if name == "timings" else _with_parameters(table, places, columns) for name, table in whole.items()
    }


def written_by_scenario(runs: pa.Table) -> dict[str, Written]:
    """How every scenario of these runs was written, by its identifying text."""
    pairs = dict.fromkeys(zip(runs["resolved"].to_pylist(), runs[WRITTEN].to_pylist(), strict=True))
    found: dict[str, Written] = {}
    # Of two sweeps over one scenario that wrote a value differently, the order in which runs ended does not decide.
    for text, written in sorted(pairs, key=lambda pair: pair[1]):
        found[text] = found.get(text, Written()).joined(Written.from_text(written))
    return {text: found[text] for text, _ in pairs}


def _written_again(old: Mapping[str, pa.Table], added: Sequence[Record]) -> dict[str, str]:
    """How runs were written that are made again, perhaps by a sweep that varies something else."""
    before = dict(zip(*(old["runs"][name].to_pylist() for name in ("key", WRITTEN)), strict=True)) if old else {}
    return {
        record.key: Written.from_text(record.written).joined(Written.from_text(before[record.key])).to_text()
        for record in added
        if record.key in before
    }


def _with_parameters(
    table: pa.Table, places: Mapping[str, int], columns: Mapping[str, Sequence[parameters.Scalar | None]]
) -> pa.Table:
    """Add a column per parameter that varies; `places` gives every run's scenario.

    All tables have the same columns, also one without rows of some scenarios.
    """
    indices = [places[key] for key in table["key"].to_pylist()]
    for name, values in columns.items():
        array = array_of([values[index] for index in indices], array_of(values).type)
        table = table.append_column(pa.field(name, array.type, metadata=PARAMETER), array)
    return table


def is_parameter(column: pa.Field) -> bool:
    """Whether a column is none of a measure: it is marked so, for `duration_s` could be either by its name."""
    return bool(column.metadata) and PARAMETER.items() <= column.metadata.items()


def _run_row(record: Record) -> rows.Row:
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
        SERIES_SHA256: record.series_sha256,
        WRITTEN: record.written,
    }


def _of_runs(records: Sequence[Record], name: str) -> pa.Table:
    found = [{"key": each.key, **row} for each in records for row in rows.in_table(name, each.measured, each.seed)]
    return arrow.from_rows(found, {"key": pa.string()} | arrow.types(name))


def _join_tables(old: pa.Table | None, new: pa.Table, known: Set[str]) -> pa.Table:
    """The old table, without parameters and without rows of runs that were cut short, then the new."""
    if old is None:
        return new
    import pyarrow.compute as pc

    old = old.select([column.name for column in old.schema if not is_parameter(column)])
    kept = old.filter(pc.is_in(old["key"], value_set=array_of(list(known), pa.string())))
    if new.num_rows == 0:  # has a column less where no row has a value
        return kept
    return pa.concat_tables([kept, new], promote_options="permissive")
