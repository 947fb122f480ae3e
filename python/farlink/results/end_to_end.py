"""What relays pass on, as a flow of its own: from the first sender to the receiver of the relay.

A relayed transfer crosses several connections. Where flows are pooled it counts once, end to end; what belongs to a
connection, such as timeouts, is that of the connections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from farlink.system.toml import tomllib
from farlink.tables import flow_groups
from farlink.tables.rows import Row

PAIR = "end_to_end"
"""In a row that is no flow but several: the first of them, the relay, and whether another relay passes that on."""
LABEL = "label"
"""In a row that has the name of its group as `flow`: the flow's own."""
ORIGIN = "end_to_end_origin"
PREFIX = "end_to_end_"
RECEIVED = {"end_to_end_bytes": "received_bytes"}
"""A column whose name is not that of a flow with the prefix."""
OF_TRANSFER = ("size_bytes",)
"""What a relay has of the transfer that it passes on."""


def with_pairs(rows: Iterable[Row], parameters: Iterable[str], resolved: Mapping[str, str]) -> list[Row]:
    """Add a row for every relay to these flows; `resolved` has the scenarios by the keys of runs."""
    rows = list(rows)
    texts = {resolved[row["key"]] for row in rows if row.get(ORIGIN)}
    relayed = {text: frozenset(relayed_flows(text).values()) for text in texts}
    kept = ["key", "seed", *parameters]
    return rows + [_pair(row, kept, relayed[resolved[row["key"]]]) for row in rows if row.get(ORIGIN)]


def names(resolved: str) -> list[str]:
    """Give the names of what the relays of a scenario pass on."""
    origins = relayed_flows(resolved)

    def first(label: str) -> str:
        return first(origins[label]) if label in origins else label

    return [flow_groups.end_to_end(first(label), label) for label in origins]


def _pair(relay: Row, kept: Iterable[str], relayed: frozenset[str]) -> Row:
    measured = {_column(name): value for name, value in relay.items() if name.startswith(PREFIX) and name != ORIGIN}
    origin, label = relay[ORIGIN], relay["flow"]
    return {
        **dict.fromkeys(relay),
        **{name: relay[name] for name in (*kept, *OF_TRANSFER) if name in relay},
        **measured,
        "flow": flow_groups.end_to_end(origin, label),
        PAIR: (origin, label, label in relayed),
    }


def _column(name: str) -> str:
    return RECEIVED.get(name, name.removeprefix(PREFIX))


def counted_once(rows: Iterable[Row]) -> list[Row]:
    """Give rows that are pooled so that what was relayed is in them once: as the whole, not as each connection."""
    rows = list(rows)
    pairs = [row for row in rows if PAIR in row]
    if not pairs:
        return rows
    connections = {(row["key"], label) for row in pairs for label in row[PAIR][:2]}
    whole = {(row["key"], row[PAIR][0]) for row in pairs if not row[PAIR][2]}
    measured = [_column(name) for name in rows[0] if name.startswith(PREFIX) and name != ORIGIN]
    without = dict.fromkeys([*measured, *OF_TRANSFER])
    return [
        {**row, **without} if (row["key"], row.get(LABEL, row["flow"])) in connections else row
        for row in rows
        if PAIR not in row or not row[PAIR][2] or (row["key"], row[PAIR][0]) not in whole
    ]


def relayed_flows(resolved: str) -> dict[str, str]:
    """Give by the label of each relay the flow that it passes on, whose bytes arrive once more with the relay."""
    flows = {flow["label"]: flow["application"] for flow in tomllib.loads(resolved).get("flows", [])}
    return {label: of["flow"] for label, of in flows.items() if isinstance(of, dict) and of.get("name") == "relay"}
