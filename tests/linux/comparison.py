"""Farlink beside the recordings of one scenario and congestion control, in numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from curve import Alignment, Curve, recorded, rms_percent
from recordings import Recording
from scenarios import DURATION_S
from simulated import ACK_BYTES, Setting, Simulated
from tcp_info import INFINITE_SSTHRESH

DATA_BYTES = 1500
"""Of an IP packet."""
HOST_SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Comparison:
    """All runs of a scenario with a congestion control."""

    recordings: list[Recording]
    replayed: list[Simulated]
    """For each recording, Farlink with its exits from slow start."""
    own: Simulated
    """Farlink with its own exits."""
    on_its_host: list[Simulated]
    """For each recording, Farlink with its own exits over the round-trip time that slow start met there."""
    hosts: list[Simulated]
    """Farlink with its own exits and hosts that take time as the recorded ones do, one run per seed."""

    def rms(self, alignment: Alignment) -> dict[str, float]:
        """RMS error of the window in per cent: Farlink with the exit replayed, with its own, on hosts; the kernel."""
        kernel = [_curves(each) for each in self.recordings]
        return {
            "replayed": _mean(
                _distance(each, other.curves, alignment) for each, other in zip(kernel, self.replayed, strict=True)
            ),
            "own": _mean(_distance(each, self.own.curves, alignment) for each in kernel),
            "hosts": _mean(_distance(each, run.curves, alignment) for each in kernel for run in self.hosts),
            "kernel": _mean(_distance(each, other, alignment) for each, other in permutations(kernel, 2)),
        }

    def goodput_mbps(self, flow: int | None = None) -> dict[str, list[float]]:
        """Of a flow, or of all together."""
        return {
            "kernel": [_mbps(_of(flow, each.facts["received_bytes"])) for each in self.recordings],
            "replayed": [_mbps(_of(flow, each.received_bytes)) for each in self.replayed],
            "own": [_mbps(_of(flow, self.own.received_bytes))],
            "hosts": [_mbps(_of(flow, each.received_bytes)) for each in self.hosts],
            "on its host": [_mbps(_of(flow, each.received_bytes)) for each in self.on_its_host],
        }

    def retransmissions(self, flow: int | None = None) -> dict[str, list[int]]:
        """Of a flow, or of all together."""
        return {
            "kernel": [_of(flow, each.facts["retransmissions"]) for each in self.recordings],
            "replayed": [_of(flow, each.retransmissions) for each in self.replayed],
            "own": [_of(flow, self.own.retransmissions)],
            "hosts": [_of(flow, each.retransmissions) for each in self.hosts],
            "on its host": [_of(flow, each.retransmissions) for each in self.on_its_host],
        }

    def completion_s(self) -> dict[str, list[list[float]]]:
        """Of each run and flow that ends: how long its transfer took."""
        kernel = [[each / 1e6 for each in run.facts.get("completion_us", ()) if each] for run in self.recordings]
        sides = {"replayed": self.replayed, "own": [self.own], "hosts": self.hosts}
        return {"kernel": kernel} | {
            key: [[each for each in run.completion_s if each is not None] for run in runs]
            for key, runs in sides.items()
        }

    @property
    def flows(self) -> int:
        return len(self.own.curves)

    def acks_per_segment(self) -> dict[str, list[float]]:
        counts = [
            zip(each.facts["acks_sent"], each.facts["data_segments_received"], strict=True) for each in self.recordings
        ]
        return {
            "kernel": [statistics.fmean(acks / segments for acks, segments in each) for each in counts],
            "replayed": [statistics.fmean(each.acks_per_segment) for each in self.replayed],
            "own": [statistics.fmean(self.own.acks_per_segment)],
            "hosts": [statistics.fmean(each.acks_per_segment) for each in self.hosts],
        }

    def exits(self) -> dict[str, list[list[int | None]]]:
        """ssthresh when slow start, or BBR's STARTUP, ended without a loss, of each flow."""
        return {
            "kernel": [each.exits() for each in self.recordings],
            "own": [self.own.exits],
            "on its host": [each.exits for each in self.on_its_host],
            "hosts": [each.exits for each in self.hosts],
        }


@dataclass(frozen=True)
class Settings:
    """What is simulated for the recordings of a scenario and congestion control."""

    own: Setting
    replayed: list[Setting]
    on_its_host: list[Setting]
    hosts: list[Setting]

    @property
    def all(self) -> list[Setting]:
        return [self.own, *self.replayed, *self.on_its_host, *self.hosts]


def settings_of(base: Setting, recordings: Sequence[Recording], *, has_hosts: bool = True) -> Settings:
    """For each recording its exits; for BBR its handshake and stalls; for cubic what its hosts added to the RTT."""
    is_bbr = base.congestion_control == "bbr"
    replayed = [
        replace(
            base,
            ssthresh=tuple(each.facts["hystart_exits"]),
            handshake_rtt_us=_handshake_rtt_us(each) if is_bbr else None,
            stalls_us=_stalls_us(each) if is_bbr else (),
        )
        for each in recordings
    ]
    on_its_host = [replace(base, host_us=0 if is_bbr else _host_us(each, base)) for each in recordings]
    hosts = [replace(base, host_delay="linux_vm", seed=seed) for seed in HOST_SEEDS] if has_hosts else []
    return Settings(base, replayed, on_its_host, hosts)


def _handshake_rtt_us(recording: Recording) -> int:
    """The smallest round-trip time before data gave one."""
    return int(recording.samples(0)["min_rtt_us"][0])


def _stalls_us(recording: Recording) -> tuple[tuple[int, int], ...]:
    return tuple((end, late) for end, late in recording.facts["stalls_us"])


def _host_us(recording: Recording, base: Setting) -> int:
    """By how much the smallest round-trip time in slow start exceeds that of a data packet and its ACK on the link.

    0 where the handshake's is smaller than that: a SYN needs less time on a slow link.
    """
    samples = recording.samples(0)
    after = np.flatnonzero(samples["ssthresh"] < INFINITE_SSTHRESH)
    smallest_us = int(samples["min_rtt_us"][after[0] if len(after) else -1])
    scenario = base.scenario
    transmissions_us = 8e6 * (DATA_BYTES / scenario.rate_bps + ACK_BYTES / scenario.back_bps)
    link_us = 2000 * scenario.delay_ms + transmissions_us
    return max(round(smallest_us - link_us), 0)


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
