"""Arrow tables of what was measured."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from farlink.printable import printable
from farlink.system.files import replace_atomically

if TYPE_CHECKING:
    from farlink._farlink import Column

FORMATS = (".parquet", ".csv")
FORMULAS = ("=", "+", "-", "@")
"""How a text begins that spreadsheets compute; CSV has an apostrophe before it."""


class Measured(Protocol):
    """What one seed measured: the engine's part of the JSON document."""

    @property
    def seed(self) -> int:
        """The seed."""

    @property
    def measured(self) -> dict[str, Any]:
        """`flows`, `drops`, `ledger`, `links` and the other tables of the document, `jain` and `engine`."""


Row: TypeAlias = "dict[str, Any]"


def flows(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed and flow; what limited the flow stands in columns `limited_by_*`, null without TCP."""
    return from_rows([row for outcome in outcomes for row in flow_rows(outcome)])


def links(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed and direction of a link."""
    return from_rows([row for outcome in outcomes for row in link_rows(outcome)])


def stations(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed and interface on a shared channel; causes stand in columns `undelivered_*` and so on."""
    return from_rows([row for outcome in outcomes for row in station_rows(outcome)], STATIONS)


def airtime(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed and interface on a shared channel."""
    return from_rows([row for outcome in outcomes for row in airtime_rows(outcome)], AIRTIME)


def hops(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed, station and neighbour; causes stand in columns `failed_attempts_*`, null for none."""
    return from_rows([row for outcome in outcomes for row in hop_rows(outcome)], HOPS)


def drops(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed, flow, node and cause."""
    return from_rows([row for outcome in outcomes for row in drop_rows(outcome)], DROPS)


GROUPS = ("drops", "discarded", "failed_attempts", "limited_by")
"""What a flow has by cause: no columns of `flows`, or several."""


def flow_rows(outcome: Measured) -> Iterator[Row]:
    """The flows of one seed."""
    for flow in outcome.measured["flows"]:
        row = {key: value for key, value in flow.items() if key not in GROUPS}
        yield row | {f"limited_by_{cause}": share for cause, share in (flow["limited_by"] or {}).items()}


def link_rows(outcome: Measured) -> Iterator[Row]:
    """The links of one seed, a row per direction."""
    for link in outcome.measured["links"]:
        yield {"link": link["link"], "seed": outcome.seed, **link}


STATIONS = {"channel": pa.string(), "node": pa.string(), "seed": pa.uint64()}


def station_rows(outcome: Measured) -> Iterator[Row]:
    """The stations of one seed."""
    for station in outcome.measured["stations"]:
        row = {key: value for key, value in station.items() if not isinstance(value, dict)}
        for group in ("given_up_attempts", "undelivered", "missed"):
            row |= {f"{group}_{cause}": frames for cause, frames in station[group].items()}
        yield {"channel": row["channel"], "node": row["node"], "seed": outcome.seed, **row}


AIRTIME = STATIONS | dict.fromkeys(("transmitting_s", "transmitting_share", "busy_s", "busy_share"), pa.float64())


def airtime_rows(outcome: Measured) -> Iterator[Row]:
    """How long the stations of one seed transmitted, and the medium was busy there; none in runs of earlier builds."""
    for station in outcome.measured.get("airtime", ()):
        yield {"channel": station["channel"], "node": station["node"], "seed": outcome.seed, **station}


HOPS = {"channel": pa.string(), "from": pa.string(), "to": pa.string(), "seed": pa.uint64()}


def hop_rows(outcome: Measured) -> Iterator[Row]:
    """What stations sent to each neighbour in one seed."""
    for hop in outcome.measured["hops"]:
        row = {key: value for key, value in hop.items() if not isinstance(value, dict)}
        row |= {f"failed_attempts_{cause}": attempts for cause, attempts in hop["failed_attempts"].items()}
        yield {"channel": row["channel"], "from": row["from"], "to": row["to"], "seed": outcome.seed, **row}


DROPS = {"flow": pa.string(), "seed": pa.uint64(), "node": pa.string(), "cause": pa.string(), "packets": pa.int64()}


def drop_rows(outcome: Measured) -> Iterator[Row]:
    """The drops of one seed; the flow is None for packets that belong to none, the node in runs of earlier builds."""
    if "drops_by_node" in outcome.measured:
        yield from outcome.measured["drops_by_node"]
        return
    rest = dict(outcome.measured["drops"])
    for flow in outcome.measured["flows"]:
        for cause, packets in flow["drops"].items():
            rest[cause] = rest.get(cause, 0) - packets
            yield {"flow": flow["flow"], "seed": outcome.seed, "node": None, "cause": cause, "packets": packets}
    for cause, packets in rest.items():
        if packets > 0:
            yield {"flow": None, "seed": outcome.seed, "node": None, "cause": cause, "packets": packets}


LEDGER = {
    "flow": pa.string(),
    "seed": pa.uint64(),
    "class": pa.string(),
    "entry": pa.string(),
    "reason": pa.string(),
    "copies": pa.int64(),
}


def ledger(outcomes: Sequence[Measured]) -> pa.Table:
    """A row per seed, flow, class, entry and reason."""
    return from_rows([row for outcome in outcomes for row in ledger_rows(outcome)], LEDGER)


def ledger_rows(outcome: Measured) -> Iterator[Row]:
    """What became of the copies of packets in one seed; the flow is None for routing's messages."""
    for account in outcome.measured["ledger"]:
        head = {name: account[name] for name in ("flow", "seed", "class")}
        for entry, counted in account.items():
            if isinstance(counted, dict):
                for reason, copies in counted.items():
                    yield {**head, "entry": entry, "reason": reason, "copies": copies}
            elif entry not in head:
                yield {**head, "entry": entry, "reason": None, "copies": counted}


def series(seeds: Sequence[int], parts: Sequence[list[Column]]) -> pa.Table:
    """The series of all seeds under each other, with a column `seed`."""
    tables = [_series_table(seed, columns) for seed, columns in zip(seeds, parts, strict=True) if columns]
    return pa.concat_tables(tables) if tables else pa.table({"seed": pa.array([], pa.uint64())})


def _series_table(seed: int, columns: list[Column]) -> pa.Table:
    arrays = {name: _undefined_as_null(kind, values) for name, kind, values in columns}
    length = len(next(iter(arrays.values())))
    return pa.table({"seed": pa.repeat(pa.scalar(seed, pa.uint64()), length), **arrays})


UNDEFINED = 2**64 - 1
"""Of the engine's integers: what only TCP has, of other flows."""


def _undefined_as_null(kind: str, values: bytes | list[str] | tuple[bytes, list[str]]) -> pa.Array:
    if isinstance(values, list):
        return pa.array(values, pa.string()).dictionary_encode()
    assert sys.byteorder == "little", "the engine hands over little-endian words"
    if isinstance(values, tuple):
        places, words = values
        indices = pa.Array.from_buffers(pa.uint32(), len(places) // 4, [None, pa.py_buffer(places)])
        known = pc.if_else(pc.less(indices, len(words)), indices, pa.scalar(None, pa.uint32()))
        return pa.DictionaryArray.from_arrays(known.cast(pa.int32()), pa.array(words, pa.string()))
    word = pa.uint64() if kind == "integer" else pa.float64()
    array = pa.Array.from_buffers(word, len(values) // 8, [None, pa.py_buffer(values)])
    is_undefined = pc.is_nan(array) if kind == "number" else pc.equal(array, pa.scalar(UNDEFINED, word))
    return pc.if_else(is_undefined, pa.scalar(None, word), array)


def from_rows(rows: Sequence[Row], types: Mapping[str, pa.DataType] | None = None) -> pa.Table:
    """Make a table of rows; columns come in the order of appearance, those of `types` first."""
    known = dict(types or {})
    names = dict.fromkeys([*known, *(name for row in rows for name in row)])
    return pa.table({name: _typed_column(name, [row.get(name) for row in rows], known.get(name)) for name in names})


KINDS = {
    "seed": pa.uint64(),
    "bottleneck": pa.string(),
    "end_to_end_origin": pa.string(),
    "end_to_end_bytes": pa.int64(),
    **dict.fromkeys(("packets_retransmitted", "needless_retransmissions"), pa.int64()),
    **dict.fromkeys(("reverse_packets_repeated", "packets_lost"), pa.int64()),
    **dict.fromkeys(("timeouts", "fast_retransmits", "freezes", "route_probes", "size_bytes"), pa.int64()),
}
"""Of columns that may have no value at all."""


def _typed_column(name: str, values: list[Any], kind: pa.DataType | None) -> pa.Array:
    if kind is None and (name == "seed" or all(value is None for value in values)):
        # A column without any value and name here is one of numbers that no flow had. A mean is no whole number.
        kind = KINDS.get(name, pa.float64())
    return pa.array(values, kind)


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
        writer.writerows(zip(*(_safe_cells(column.to_pylist()) for column in batch.columns), strict=True))


def _safe_cells(values: list[Any]) -> list[Any]:
    return [_safe_cell(value) if isinstance(value, str) else value for value in values]


def _safe_cell(text: str) -> str:
    """Keep a spreadsheet from taking a text for a formula, and a terminal from taking it for a command."""
    text = printable(text)
    return f"'{text}" if text.startswith(FORMULAS) else text
