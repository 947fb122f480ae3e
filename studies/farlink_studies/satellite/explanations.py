"""Why a case is as fast as it is, in measured numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import numpy as np

from farlink_studies.satellite.runs import Case, Runs, SeedResult

PIPE_SEGMENTS = 5000
"""100 Mbit/s for 600 ms in packets of 1500 bytes."""
PACKET_BITS = 12000
WORTH_TELLING = 0.05


def limiting_cause(runs: Runs, case: Case, name: str) -> str:
    """Say what the sender of a case was held back by."""
    ones = [one for one in runs.of(case).values() if one.flow is not None]
    if not ones:
        return ""
    loss = -math.expm1(PACKET_BITS * math.log1p(-case.rate))
    parts = [f"{name}{f' at BER {case.rate:g}' if case.rate else ''}: {_limiting_shares(ones)}"]
    if kept := [one.series for one in ones if one.series]:
        # Of the later half: the start is another matter.
        later = [(each.cwnd[len(each.time_s) // 2 :], each.ssthresh[len(each.time_s) // 2 :]) for each in kept]
        window, threshold = (median(float(np.median(each)) for each in column) for column in zip(*later, strict=True))
        parts.append(
            f"median window {window:.0f} and threshold {threshold:.0f} of a pipe of {PIPE_SEGMENTS} packets, "
            f"of which {float(f'{window * loss:.2g}'):g} are lost per window"
        )
    parts.append(f"{fmean(one.flow['timeouts'] for one in ones if one.flow):.1f} timeouts")
    if (again := _arrived_again(ones)) > WORTH_TELLING:
        parts.append(f"{again:.0%} of the arrivals are duplicates")
    if (full := fmean(one.queue_full / one.flow["packets_sent"] for one in ones if one.flow)) > WORTH_TELLING:
        parts.append(f"{full:.0%} of the packets sent overflowed the queue")
    return ", ".join(parts)


def _limiting_shares(ones: Sequence[SeedResult]) -> str:
    shares = {
        name.removeprefix("limited_by_").replace("_", " "): fmean(one.flow[name] for one in ones if one.flow)
        for name in ones[0].flow or {}
        if name.startswith("limited_by_")
    }
    largest = sorted(shares.items(), key=lambda each: -each[1])[:2]
    return "limited by " + " and ".join(f"{name} {share:.0%}" for name, share in largest if share > WORTH_TELLING)


def _arrived_again(ones: Sequence[SeedResult]) -> float:
    return fmean(
        1 - one.flow["goodput_bps"] * 1500 / 1448 / one.flow["throughput_bps"]
        for one in ones
        if one.flow and one.flow["throughput_bps"] > 0
    )
