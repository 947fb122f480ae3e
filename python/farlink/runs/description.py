"""What the files of a saved run hold, for those who read them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from msgspec import Meta

from farlink.tables import rows

if TYPE_CHECKING:
    import pyarrow as pa

Seed = Annotated[int, Meta(ge=0)]
"""Of 64 bits: `fault_of_seeds` refuses larger ones, since bounds of `Meta` fit into int64."""
Count = Annotated[int, Meta(ge=0)]
Measured = Annotated[float, Meta(ge=0)]
Causes = dict[str, Count]


def _described(name: str, columns: Mapping[str, Any], *, total: bool = True) -> Any:
    """Give the type of a table in JSON with these columns, all of them if `total`; it may have more."""
    return TypedDict(name, columns, total=total)  # type: ignore[operator]


def _rows(name: str, columns: Mapping[str, Any]) -> Any:
    """Give the type of a list of such tables."""
    return list[_described(name, columns)]  # type: ignore[misc]


EXPLANATION = _rows(
    "Explanation",
    {
        "flow": str,
        "seed": Seed,
        "text": str,
        "bottleneck": _described("Bottleneck", {"link": str, "utilisation": Measured}) | None,
        "limited_by": dict[str, Measured],
        # `place` is null before a route was chosen.
        "drops": _rows("Place", {"place": str | None, "cause": str, "packets": Count}),
    },
)
"""Why each flow was as fast as it was."""
ROWS: dict[str, dict[str, Any]] = {
    "flows": {
        "flow": str,
        "seed": Seed,
        "goodput_bps": Measured,
        **dict.fromkeys(("delay_mean_s", "rtt_mean_s"), Measured | None),
        **dict.fromkeys(("packets_sent", "packets_delivered"), Count),
        **dict.fromkeys(("packets_retransmitted", "timeouts", "fast_retransmits"), Count | None),
        "drops": Causes,
        "limited_by": dict[str, Measured] | None,
        "bottleneck": str | None,
    },
    # `flow` is null for messages of routing and of ARP.
    "drops_by_node": {"flow": str | None, "seed": Seed, "node": str, "cause": str, "packets": Count},
    "ledger": {"seed": Seed},
    "links": {"link": str, "utilisation": Measured | None},
    "stations": {
        **dict.fromkeys(("channel", "node"), str),
        **dict.fromkeys(("given_up_attempts", "undelivered", "missed"), Causes),
    },
    "airtime": {**dict.fromkeys(("channel", "node"), str), **dict.fromkeys(rows.SHARES, Measured)},
    "hops": {**dict.fromkeys(("channel", "from", "to"), str), "failed_attempts": Causes},
}
"""What readers depend on in the rows of tables; flows of TCP or of datagrams have more."""
WORKLOADS = _described(
    "Workloads",
    {
        "workloads": _rows(
            "workloads",
            {
                **dict.fromkeys(("workload", "class"), str),
                "seed": Seed,
                **dict.fromkeys(rows.COUNTS_OF_WORKLOADS, Count),
                **dict.fromkeys(rows.TIMES_OF_WORKLOADS, Measured | None),
            },
        )
    },
    total=False,
)
"""What one seed measured of workloads; runs of older versions do not have it."""
MEASURED = {
    **{name: _rows(name, columns) for name, columns in ROWS.items()},
    **dict.fromkeys(("drops", "failed_attempts"), Causes),
    "jain": Measured | None,
    "engine": _described("Engine", {"events": Count, "sim_s": Measured}),
}
PART = _described("Part", MEASURED)
"""What one seed measured."""
WARNING = {**dict.fromkeys(("file", "key", "message", "remedy"), str), **dict.fromkeys(("line", "column"), Count)}
DOCUMENT = _described(
    "Document",
    {
        **MEASURED,
        "schema": int,
        **dict.fromkeys(("farlink", "scenario"), str),
        "seeds": list[Seed],
        "warnings": _rows("Implausible", WARNING),
    },
)
"""The document of a run (docs/guide/json.md)."""


# As Arrow writes its types: what reads records needs no Arrow.
TEXT = ("string", "dictionary<values=string, indices=int32, ordered=0>")
NUMBER = ("uint64", "int64", "double")
SEED = ("uint64",)
SAMPLES = {
    "series": {
        "seed": SEED,
        "time_s": NUMBER,
        "flow": TEXT,
        "phase": TEXT,
        **dict.fromkeys(("cwnd_segments", "srtt_s", "jitter_s", "flight_bytes", "snd_nxt_bytes"), NUMBER),
        **dict.fromkeys(("received_bytes", "delivered_bytes", "rtt_s", "packets_sent", "packets_lost"), NUMBER),
    },
    "link_series": {"seed": SEED, "time_s": NUMBER, "link": TEXT, "queue_packets": NUMBER},
}
"""The columns that figures read, with their possible types."""


def fault_of_table(name: str, found: pa.Table) -> str:
    """Say which column of a table is missing or of another type than described; empty if none is."""
    # Without samples there is the seed alone.
    needed = SAMPLES.get(name, {"seed": SEED}) if found.num_rows else {"seed": SEED}
    for column, types in needed.items():
        if column not in found.column_names:
            return f"has no column {column}"
        kind = str(found.schema.field(column).type)
        if kind not in types:
            return f"column {column} is of type {kind}, not {' or '.join(types)}"
    return ""


def fault_of_seeds(seeds: Sequence[int], place: str, known: Iterable[int] | None = None) -> str:
    """Say which decoded seed has more than 64 bits or is none of those `known`; empty if none is at fault.

    In the `place` of a seed `{}` is its number.
    """
    for number, seed in enumerate(seeds):
        if seed >= 2**64:
            return f"seed {seed} is not a whole number of 64 bits - at `{place.format(number)}`"
        if known is not None and seed not in known:
            return f"seed {seed} is none of `seeds` in run.json - at `{place.format(number)}`"
    return ""


def fault_of_document(document: dict[str, Any], schema: int) -> str:
    """Say what in a decoded document contradicts the rest of it; empty if nothing does."""
    if document["schema"] != schema:
        return f"schema {document['schema']}, while this farlink reads schema {schema} - at `$.schema`"
    if fault := fault_of_seeds(document["seeds"], "$.seeds[{}]"):
        return fault
    for table in (*ROWS, "workloads"):
        for number, row in enumerate(document.get(table, [])):
            if row.get("seed") not in document["seeds"]:
                return f"expected one of `seeds`, got {row.get('seed')!r} - at `$.{table}[{number}].seed`"
    return ""
