"""Arrow tables of what was measured."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pyarrow as pa

from farlink.printable import printable
from farlink.system.files import replace_atomically
from farlink.tables import rows
from farlink.tables.arrays import array_of, scalar_of

if TYPE_CHECKING:
    from farlink._farlink import Column

FORMATS = (".parquet", ".csv")
FORMULAS = ("=", "+", "-", "@")
"""How a text begins that spreadsheets compute; CSV has an apostrophe before it."""


def measured(name: str, parts: Iterable[tuple[rows.Measured, int]]) -> pa.Table:
    """Make a table of `rows.KINDS` of what was measured with some seeds."""
    found = [row for measured, seed in parts for row in rows.in_table(name, measured, seed)]
    return from_rows(found, types(name))


def types(name: str) -> dict[str, pa.DataType]:
    """The columns that a table of `rows.KINDS` begins with."""
    return {column: pa.type_for_alias(kind) for column, kind in rows.types(name).items()}


def series(seeds: Sequence[int], parts: Sequence[list[Column]]) -> pa.Table:
    """The series of all seeds under each other, with a column `seed`."""
    tables = [_series_table(seed, columns) for seed, columns in zip(seeds, parts, strict=True) if columns]
    return pa.concat_tables(tables) if tables else pa.table({"seed": array_of([], pa.uint64())})


def _series_table(seed: int, columns: list[Column]) -> pa.Table:
    arrays = {name: _undefined_as_null(kind, values) for name, kind, values in columns}
    length = len(next(iter(arrays.values())))
    return pa.table({"seed": pa.repeat(scalar_of(seed, pa.uint64()), length), **arrays})


UNDEFINED = 2**64 - 1
"""Of the engine's integers: what only TCP has, of other flows."""


def _undefined_as_null(kind: str, values: bytes | list[str] | tuple[bytes, list[str]]) -> pa.Array:
    import pyarrow.compute as pc

    if isinstance(values, list):
        return array_of(values, pa.string()).dictionary_encode()
    assert sys.byteorder == "little", "the engine hands over little-endian words"
    if isinstance(values, tuple):
        places, words = values
        indices = pa.Array.from_buffers(pa.uint32(), len(places) // 4, [None, pa.py_buffer(places)])
        known = pc.if_else(pc.less(indices, scalar_of(len(words), pa.uint64())), indices, pa.nulls(1, pa.uint32())[0])
        return pa.DictionaryArray.from_arrays(known.cast(pa.int32()), array_of(words, pa.string()))
    word = pa.uint64() if kind == "integer" else pa.float64()
    array = pa.Array.from_buffers(word, len(values) // 8, [None, pa.py_buffer(values)])
    is_undefined = pc.is_nan(array) if kind == "number" else pc.equal(array, scalar_of(UNDEFINED, word))
    return pc.if_else(is_undefined, scalar_of(None, word), array)


def from_rows(found: Sequence[rows.Row], types: Mapping[str, pa.DataType] | None = None) -> pa.Table:
    """Make a table of rows; columns come in the order of appearance, those of `types` first."""
    known = dict(types or {})
    names = dict.fromkeys([*known, *(name for row in found for name in row)])
    return pa.table({name: _typed_column(name, [row.get(name) for row in found], known.get(name)) for name in names})


KINDS = {
    "seed": pa.uint64(),
    "bottleneck": pa.string(),
    "end_to_end_origin": pa.string(),
    "end_to_end_bytes": pa.int64(),
    **dict.fromkeys(("packets_retransmitted", "needless_retransmissions"), pa.int64()),
    **dict.fromkeys(("reverse_packets_repeated", "packets_lost", "packets_late"), pa.int64()),
    **dict.fromkeys(("timeouts", "fast_retransmits", "freezes", "route_probes", "size_bytes"), pa.int64()),
}
"""Of columns that may have no value at all."""


def _typed_column(name: str, values: list[Any], kind: pa.DataType | None) -> pa.Array:
    if kind is None and (name == "seed" or all(value is None for value in values)):
        # A column without any value and name here is one of numbers that no flow had. A mean is no whole number.
        kind = KINDS.get(name, pa.float64())
    return array_of(values, kind)


def write(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet or CSV, whole or not at all."""
    with replace_atomically(path) as part:
        if path.suffix.lower() == ".csv":
            with part.open("w", encoding="utf-8", newline="") as file:
                _write_csv(table, file)
        else:
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, part, compression="zstd")


def decode(content: bytes, columns: list[str] | None = None) -> pa.Table:
    """Read Parquet, or some of its columns."""
    import pyarrow.parquet

    # `read_table` starts threads, and Arrow aborts a process that ends at that moment.
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    return file.read(columns=columns, use_threads=False)


def to_csv(table: pa.Table) -> str:
    """Write a table as CSV."""
    text = io.StringIO(newline="")
    _write_csv(table, text)
    return text.getvalue()


def _write_csv(table: pa.Table, file: TextIO) -> None:
    """Write 10.0 as `10.0`: Arrow writes `10`, by which readers take the column for one of integers."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(_safe_cell, table.column_names))
    for batch in table.to_batches(max_chunksize=10_000):
        writer.writerows([map(_safe_cell, row) for row in zip(*batch.to_pydict().values(), strict=True)])


def _safe_cell(value: Any) -> Any:
    """Keep a spreadsheet from taking a text for a formula, and a terminal from taking it for a command."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(FORMULAS) else text
