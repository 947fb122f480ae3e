"""Farlink beside the recordings of one scenario and congestion control, in numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from curve import Alignment, Curve, recorded, rms_percent
from recordings import Recording
from scenarios import DURATION_S
from simulated import Setting, Simulated


@dataclass(frozen=True)
class Comparison:
    """All runs of a scenario with a congestion control."""

    recordings: list[Recording]
    replayed: list[Simulated]
    """For each recording, Farlink with its exits from slow start."""
    own: Simulated
    """Farlink with its own exits."""

    def rms(self, alignment: Alignment) -> dict[str, float]:
        """RMS error of the window in per cent: Farlink with the exit replayed, with its own, the kernel with itself."""
        kernel = [_curves(each) for each in self.recordings]
        return {
            "replayed": _mean(
                _distance(each, other.curves, alignment) for each, other in zip(kernel, self.replayed, strict=True)
            ),
            "own": _mean(_distance(each, self.own.curves, alignment) for each in kernel),
            "kernel": _mean(_distance(each, other, alignment) for each, other in permutations(kernel, 2)),
        }

    def goodput_mbps(self, flow: int | None = None) -> dict[str, list[float]]:
        """Of a flow, or of all together."""
        return {
            "kernel": [_mbps(_of(flow, each.facts["received_bytes"])) for each in self.recordings],
            "replayed": [_mbps(_of(flow, each.received_bytes)) for each in self.replayed],
            "own": [_mbps(_of(flow, self.own.received_bytes))],
        }

    def retransmissions(self, flow: int | None = None) -> dict[str, list[int]]:
        """Of a flow, or of all together."""
        return {
            "kernel": [_of(flow, each.facts["retransmissions"]) for each in self.recordings],
            "replayed": [_of(flow, each.retransmissions) for each in self.replayed],
            "own": [_of(flow, self.own.retransmissions)],
        }

    @property
    def flows(self) -> int:
        return len(self.own.curves)

    def acks_per_segment(self) -> dict[str, list[float]]:
        facts = [each.facts for each in self.recordings]
        return {
            "kernel": [sum(each["acks_sent"]) / sum(each["data_segments_received"]) for each in facts],
            "replayed": [statistics.fmean(each.acks_per_segment) for each in self.replayed],
            "own": [statistics.fmean(self.own.acks_per_segment)],
        }

    def exits(self) -> dict[str, list[list[int | None]]]:
        """ssthresh when slow start, or BBR's STARTUP, ended without a loss, of each flow."""
        return {"kernel": [each.exits() for each in self.recordings], "own": [self.own.exits]}


def settings_of(base: Setting, recordings: Sequence[Recording]) -> tuple[Setting, list[Setting]]:
    """That of Farlink's own exits, and for each recording that with its exits and, for BBR, its handshake."""
    replayed = [
        replace(
            base,
            ssthresh=tuple(each.facts["hystart_exits"]),
            handshake_rtt_us=_handshake_rtt_us(each) if base.congestion_control == "bbr" else None,
        )
        for each in recordings
    ]
    return base, replayed


def _handshake_rtt_us(recording: Recording) -> int:
    """The smallest round-trip time before data gave one."""
    return int(recording.samples(0)["min_rtt_us"][0])


def _curves(recording: Recording) -> list[Curve]:
    return [recorded(recording, flow) for flow in range(len(recording.facts["received_bytes"]))]


def _distance(expected: Sequence[Curve], found: Sequence[Curve], alignment: Alignment) -> float:
    return _mean(rms_percent(a, b, alignment) for a, b in zip(expected, found, strict=True))


def _mean(values: Iterable[float]) -> float:
    finite = [value for value in values if not math.isnan(value)]
    return statistics.fmean(finite) if finite else math.nan


def _of(flow: int | None, values: Sequence[int]) -> int:
    return sum(values) if flow is None else values[flow]


def _mbps(received_bytes: int) -> float:
    return 8 * received_bytes / DURATION_S / 1e6
