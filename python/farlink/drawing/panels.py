"""The panels of a figure of a run over time."""

from __future__ import annotations

from collections.abc import Iterable

from farlink.errors import UsageError
from farlink.spelling import remedy

PANELS = {
    "delivery": "delivery_rate_bps",
    "goodput": "goodput_bps",
    "cwnd": "cwnd_segments",
    "rtt": "srtt_s",
    "flight": "flight_bytes",
    "loss": "loss_rate",
    "jitter": "jitter_s",
    "queue": "queue_packets",
}
"""What a panel shows, by the word that a user gives."""
DEFAULT = ("delivery", "cwnd")
NOTHING = "no flow received anything"
OF_TCP, OF_DATAGRAMS = "only flows of TCP have it", "only flows of datagrams have it"
WITHOUT = {
    "delivery": NOTHING,
    "goodput": NOTHING,
    "cwnd": OF_TCP,
    "rtt": OF_TCP,
    "flight": OF_TCP,
    "loss": OF_DATAGRAMS,
    "jitter": OF_DATAGRAMS,
    "queue": "no link queued a packet",
}
"""Why a panel has nothing to show."""


def column_over_time(word: str) -> str:
    """Give the column of a sweep's series that a word means; refuse that of links, which a sweep does not keep."""
    if word in ("queue", PANELS["queue"]):
        remedy_text = "`farlink run --out DIR` does, and `farlink plot DIR --panels queue` draws it"
        raise UsageError(f"{word}: a sweep keeps no time series of queues; {remedy_text}")
    return PANELS.get(word, word)


def parse(text: str) -> list[str]:
    """Take `goodput,rtt` apart; refuse what is no panel."""
    return check(panel.strip() for panel in text.removesuffix(",").split(","))


def check(panels: Iterable[str]) -> list[str]:
    """Refuse what is no panel; one named twice is drawn once."""
    chosen = list(dict.fromkeys(panels))
    for panel in chosen:
        if panel not in PANELS:
            raise UsageError(f"there is no panel {panel}; {remedy(panel, list(PANELS))}")
    return chosen
