"""A congestion window over time and over bytes acknowledged, and the distance of two of them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import tcp_info
from recordings import Recording

Array = npt.NDArray[Any]
Alignment = Literal["time", "bytes"]
ALIGNMENTS: tuple[Alignment, ...] = ("time", "bytes")
POINTS = 6000
"""Of a comparison: every 10 ms of a minute, or the same number of steps of bytes acknowledged."""


@dataclass(frozen=True)
class Curve:
    """A flow's congestion window at the instants of its samples; constant between them."""

    time_s: Array
    cwnd: Array
    """In segments."""
    acked_bytes: Array
    is_open: Array
    """True where no loss is being repaired (`ca_state` Open or Disorder)."""

    def at(self, points: Array, alignment: Alignment) -> tuple[Array, Array]:
        """The window at these points, and whether no loss was being repaired."""
        positions = self.time_s if alignment == "time" else self.acked_bytes
        at = np.maximum(np.searchsorted(positions, points, side="right") - 1, 0)
        return self.cwnd[at], self.is_open[at]

    def end(self, alignment: Alignment) -> float:
        return float((self.time_s if alignment == "time" else self.acked_bytes)[-1])

    def start(self, alignment: Alignment) -> float:
        return float((self.time_s if alignment == "time" else self.acked_bytes)[0])


def recorded(recording: Recording, flow: int) -> Curve:
    samples = recording.samples(flow)
    return Curve(
        time_s=samples["time_us"] / 1e6,
        cwnd=samples["cwnd"],
        # The kernel counts the SYN.
        acked_bytes=np.maximum(samples["bytes_acked"] - 1, 0),
        is_open=samples["ca_state"] <= tcp_info.DISORDER,
    )


def rms_percent(reference: Curve, other: Curve, alignment: Alignment) -> float:
    """RMS of the difference outside recovery, in per cent of the reference's mean there.

    Points where either curve is in recovery are left out; so are those beyond the end of either.
    """
    start = max(reference.start(alignment), other.start(alignment))
    points = np.linspace(start, min(reference.end(alignment), other.end(alignment)), POINTS, endpoint=False)
    expected, is_open = reference.at(points, alignment)
    found, is_other_open = other.at(points, alignment)
    compared = is_open & is_other_open
    if not compared.any():
        return float("nan")
    difference = found[compared] - expected[compared]
    return float(100 * np.sqrt(np.mean(difference**2)) / np.mean(expected[compared]))
