"""What the files of a saved run hold, for those who read them back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from msgspec import Meta

if TYPE_CHECKING:
    import pyarrow as pa

Seed = Annotated[int, Meta(ge=0)]
"""Of 64 bits: `fault_of_seeds` refuses larger ones, since bounds of `Meta` fit into int64."""
Count = Annotated[int, Meta(ge=0)]
Measured = Annotated[float, Meta(ge=0)]
Causes = dict[str, Count]


class Place(TypedDict):
    """Where packets were dropped; `place` is null before a route was chosen."""

    place: str | None
    cause: str
    packets: Count


class Bottleneck(TypedDict):
    """The saturated link of a flow."""

    link: str
    utilisation: Measured


class Explanation(TypedDict):
    """Why a flow was as fast as it was."""

    flow: str
    seed: Seed
    text: str
    bottleneck: Bottleneck | None
    limited_by: dict[str, Measured]
    drops: list[Place]


class Flow(TypedDict):
    """What every flow has; those of TCP or of datagrams have more."""

    flow: str
    seed: Seed
    goodput_bps: Measured
    delay_mean_s: Measured | None
    rtt_mean_s: Measured | None
    packets_sent: Count
    packets_delivered: Count
    packets_retransmitted: Count | None
    timeouts: Count | None
    fast_retransmits: Count | None
    drops: Causes
    limited_by: dict[str, Measured] | None
    bottleneck: str | None


class Link(TypedDict):
    """A direction of a link."""

    link: str
    utilisation: Measured | None


class Station(TypedDict):
    """An interface on a shared channel."""

    channel: str
    node: str
    given_up_attempts: Causes
    undelivered: Causes
    missed: Causes


class Airtime(TypedDict):
    """How long an interface on a shared channel transmitted, and the medium was busy there."""

    channel: str
    node: str
    transmitting_s: Measured
    transmitting_share: Measured
    busy_s: Measured
    busy_share: Measured


Hop = TypedDict("Hop", {"channel": str, "from": str, "to": str, "failed_attempts": Causes})
"""What a station sent to a neighbour."""


class OfSeed(TypedDict):
    """A row of any table."""

    seed: Seed


class Engine(TypedDict):
    """What the run cost."""

    events: Count
    sim_s: Measured


class Drops(TypedDict):
    """Packets dropped at a node; `flow` is null for messages of routing and of ARP."""

    flow: str | None
    seed: Seed
    node: str
    cause: str
    packets: Count


class Implausible(TypedDict):
    """A warning of the scenario."""

    file: str
    line: Count
    column: Count
    key: str
    message: str
    remedy: str


class Part(TypedDict):
    """What one seed measured."""

    flows: list[Flow]
    drops: Causes
    drops_by_node: list[Drops]
    failed_attempts: Causes
    ledger: list[OfSeed]
    links: list[Link]
    stations: list[Station]
    airtime: list[Airtime]
    hops: list[Hop]
    jain: Measured | None
    engine: Engine


class Document(Part):
    """The document of a run (docs/guide/json.md), as far as readers depend on it."""

    schema: int
    farlink: str
    scenario: str
    seeds: list[Seed]
    warnings: list[Implausible]


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


def fault_of_seeds(seeds: Iterable[int]) -> str:
    """Say which of decoded seeds has more than 64 bits; empty if none has."""
    return next((f"seed {seed} is not a whole number of 64 bits" for seed in seeds if seed >= 2**64), "")


def fault_of_document(document: dict[str, Any], schema: int) -> str:
    """Say what in a decoded document contradicts the rest of it; empty if nothing does."""
    if document["schema"] != schema:
        return f"schema {document['schema']}, while this farlink reads schema {schema}"
    for table in ("flows", "drops_by_node", "ledger", "links", "stations", "airtime", "hops"):
        for number, row in enumerate(document[table]):
            if row.get("seed") not in document["seeds"]:
                return f"a seed of `seeds` is missing - at `$.{table}[{number}].seed`"
    return fault_of_seeds(document["seeds"])
