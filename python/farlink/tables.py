"""Arrow tables of what was measured."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from farlink import _farlink
from farlink.execution import Outcome
from farlink.files import replacing

FORMATS = (".parquet", ".csv")


def flows(outcomes: Sequence[Outcome]) -> pa.Table:
    """A row per seed and flow; what limited the flow stands in columns `limited_by_*`."""
    rows = []
    for outcome in outcomes:
        for flow in outcome.measured["flows"]:
            row = {key: value for key, value in flow.items() if not isinstance(value, dict)}
            row |= {f"limited_by_{cause}": share for cause, share in flow["limited_by"].items()}
            rows.append(row)
    return _from_rows(rows)


def links(outcomes: Sequence[Outcome]) -> pa.Table:
    """A row per seed and direction of a link."""
    return _from_rows(
        [
            {"link": link["link"], "seed": outcome.seed, **link}
            for outcome in outcomes
            for link in outcome.measured["links"]
        ]
    )


def drops(outcomes: Sequence[Outcome]) -> pa.Table:
    """A row per seed, flow and cause."""
    rows = []
    for outcome in outcomes:
        rest = dict(outcome.measured["drops"])
        for flow in outcome.measured["flows"]:
            for cause, packets in flow["drops"].items():
                rest[cause] = rest.get(cause, 0) - packets
                rows.append((flow["flow"], outcome.seed, cause, packets))
        rows += [(None, outcome.seed, cause, packets) for cause, packets in rest.items() if packets > 0]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    types = {"flow": pa.string(), "seed": pa.uint64(), "cause": pa.string(), "packets": pa.int64()}
    arrays = [pa.array(values, kind) for values, kind in zip(columns, types.values(), strict=True)]
    return pa.table(dict(zip(types, arrays, strict=True)))


def series(seeds: Sequence[int], parts: Sequence[list[_farlink.Column]]) -> pa.Table:
    """The series of all seeds under each other, with a column `seed`."""
    tables = [_series(seed, columns) for seed, columns in zip(seeds, parts, strict=True) if columns]
    return pa.concat_tables(tables) if tables else pa.table({"seed": pa.array([], pa.uint64())})


def _series(seed: int, columns: list[_farlink.Column]) -> pa.Table:
    arrays = {name: _array(kind, values) for name, kind, values in columns}
    length = len(next(iter(arrays.values())))
    return pa.table({"seed": pa.repeat(pa.scalar(seed, pa.uint64()), length), **arrays})


def _array(kind: str, values: bytes | list[str]) -> pa.Array:
    if isinstance(values, list):
        return pa.array(values, pa.string()).dictionary_encode()
    assert sys.byteorder == "little", "the engine hands over little-endian words"
    word = pa.uint64() if kind == "integer" else pa.float64()
    array = pa.Array.from_buffers(word, len(values) // 8, [None, pa.py_buffer(values)])
    if kind == "number":
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)
    return array


def _from_rows(rows: list[dict[str, Any]]) -> pa.Table:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column(name, [row.get(name) for row in rows]) for name in names})


def _column(name: str, values: list[Any]) -> pa.Array:
    if name == "seed":
        return pa.array(values, pa.uint64())
    # A column without any value is one of numbers that no flow had.
    return pa.array(values, pa.float64()) if all(value is None for value in values) else pa.array(values)


def write(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet or CSV, whole or not at all."""
    with replacing(path) as part:
        if path.suffix.lower() == ".csv":
            import pyarrow.csv

            pyarrow.csv.write_csv(table, part)
        else:
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, part, compression="zstd")
