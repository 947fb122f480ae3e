"""A congestion control written in Python.

A class with these methods works as one; inheriting from `CongestionControl` is not needed. The class is called
without arguments, once per flow and seed. All calls of a flow get the same view, refilled each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from farlink._farlink import CongestionView
from farlink.errors import UsageError
from farlink.spelling import remedy


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
METHODS = tuple(name for name in vars(CongestionControl) if name.startswith("on_"))
REQUIRED = ("on_ack", "on_congestion")


def make_member(factory: Factory) -> object:
    """Call a factory; raises `UsageError` for a method of what it makes that is never called."""
    made = factory()
    refuse_unknown_methods(type(made))
    return made


def refuse_unknown_methods(factory: object) -> None:
    """Refuse a class with a further method `on_...`: an optional one that is misspelled would be left out silently."""
    for name in dir(factory):
        if name.startswith("on_") and name not in METHODS and callable(getattr(factory, name)):
            called = getattr(factory, "__qualname__", repr(factory))
            raise UsageError(f"{called} has a method {name}, which is never called; {remedy(name, METHODS)}")
