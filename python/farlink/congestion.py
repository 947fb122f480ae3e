"""A congestion control written in Python.

A class with these methods works as one; inheriting from `CongestionControl` is not needed. The class is called
without arguments, once per flow and seed. All calls of a flow get the same view, refilled each time.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from typing import Literal, Protocol

from farlink._farlink import CongestionView


class CongestionControl(Protocol):
    """The role: steer `view.cwnd` and `view.ssthresh` (segments), perhaps `view.pacing_rate_bps`."""

    every: Literal["ack", "rtt"] = "ack"
    """Whether `on_ack` is called for every ACK or once per round trip."""

    def on_start(self, view: CongestionView) -> None:
        """The connection is established; may be left out."""

    def on_ack(self, view: CongestionView) -> None:
        """Data was acknowledged; grow only when `view.may_grow`."""

    def on_congestion(self, view: CongestionView) -> None:
        """Loss or ECN, once per episode: set `ssthresh`, and `cwnd` to what it shall be after recovery."""


Factory = Callable[[], object]


def identity(factory: Factory) -> dict[str, str | None]:
    """Name a factory by module and qualified name, with the hash of its source where that can be had."""
    name = f"{factory.__module__}:{getattr(factory, '__qualname__', repr(factory))}"
    try:
        source = inspect.getsource(factory)
    except (OSError, TypeError):
        return {"name": name, "sha256": None}
    return {"name": name, "sha256": hashlib.sha256(source.encode()).hexdigest()}
