"""The tables of what a seed measured, as rows: of the JSON document, of Arrow tables, of stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Row: TypeAlias = "dict[str, Any]"
Measured: TypeAlias = "Mapping[str, Any]"
"""What the engine measured with one seed: `flows`, `links` and so on, and `jain` and `engine`."""


class Kind(NamedTuple):
    """A table with a row per seed and each of the columns `per`."""

    per: tuple[str, ...]
    by_cause: tuple[str, ...] = ()
    """Counts and shares by cause that become columns, such as `limited_by_handshake`; others are left out."""
    types: Mapping[str, str] = MappingProxyType({})
    """Of columns that are there without any row, too, by the names of Arrow."""


TIMES_OF_WORKLOADS = tuple(
    f"{measure}_{of}{unit}"
    for measure, unit in (("completion", "_s"), ("slowdown", ""))
    for of in ("mean", "p50", "p95", "p99")
)
COUNTS_OF_WORKLOADS = ("arrivals", "completed", "arrived_bytes", "received_bytes", "packets_retransmitted", "timeouts")
NUMBERS_OF_WORKLOADS = (*TIMES_OF_WORKLOADS, *COUNTS_OF_WORKLOADS)
SHARES = ("transmitting_s", "transmitting_share", "busy_s", "busy_share")
KINDS = {
    "flows": Kind(("flow",), by_cause=("limited_by",)),
    "workloads": Kind(
        ("workload", "class"),
        types={**dict.fromkeys(COUNTS_OF_WORKLOADS, "int64"), **dict.fromkeys(TIMES_OF_WORKLOADS, "double")},
    ),
    "links": Kind(("link",)),
    "stations": Kind(("channel", "node"), by_cause=("given_up_attempts", "undelivered", "missed")),
    "airtime": Kind(("channel", "node"), types=dict.fromkeys(SHARES, "double")),
    "hops": Kind(("channel", "from", "to"), by_cause=("failed_attempts",)),
    "drops": Kind(("flow",), types={"node": "string", "cause": "string", "packets": "int64"}),
    "ledger": Kind(("flow",), types={"class": "string", "entry": "string", "reason": "string", "copies": "int64"}),
}
"""By the names of tables."""
IN_DOCUMENT = {"drops": "drops_by_node"}
"""Names of tables in the document where they are others."""


def types(name: str) -> dict[str, str]:
    """The columns that a table begins with, and their types."""
    kind = KINDS[name]
    return {**dict.fromkeys(kind.per, "string"), "seed": "uint64", **kind.types}


def in_document(name: str, measured: Measured, seed: int) -> list[Row]:
    """The rows of a table as the document has them."""
    # Runs of older versions have no workloads.
    found = measured.get(name, []) if name == "workloads" else measured[IN_DOCUMENT.get(name, name)]
    return [{**{column: row[column] for column in KINDS[name].per}, "seed": seed, **row} for row in found]


def in_table(name: str, measured: Measured, seed: int) -> Iterator[Row]:
    """The rows of a table without tables in them."""
    for row in in_document(name, measured, seed):
        if name == "ledger":
            yield from _entries(row)
            continue
        groups = KINDS[name].by_cause
        plain = {column: value for column, value in row.items() if column not in groups and not isinstance(value, dict)}
        # Without TCP nothing limits a flow.
        counted = ((group, cause, value) for group in groups for cause, value in (row[group] or {}).items())
        yield plain | {f"{group}_{cause}": value for group, cause, value in counted}


def _entries(account: Row) -> Iterator[Row]:
    """What became of the copies of packets, a row per entry and reason; the flow is None for routing's messages."""
    head = {name: account[name] for name in ("flow", "seed", "class")}
    for entry, counted in account.items():
        if entry not in head:
            for reason, copies in (counted if isinstance(counted, dict) else {None: counted}).items():
                yield {**head, "entry": entry, "reason": reason, "copies": copies}


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Give the values of each key, keys and values in the order of appearance."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def stations(rows: Sequence[Mapping[str, Any]], run: str) -> list[str]:
    """Give the name of the station in each row: its node, or CHANNEL.NODE where a node has several in one run.

    `run` is the column that tells runs apart.
    """
    counts = Counter((row[run], row["node"]) for row in rows)
    several = {node for (_, node), count in counts.items() if count > 1}
    return [f"{row['channel']}.{row['node']}" if row["node"] in several else row["node"] for row in rows]
