"""A congestion control written in Python.

A class with these methods works as one; inheriting from `CongestionControl` is not needed. The class is called
without arguments, once per flow and seed. All calls of a flow get the same view, refilled each time.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Plug:
    """A factory with its identity, which is that of the process that describes the run, whoever makes it."""

    factory: Factory
    name: str
    sha256: str | None

    @classmethod
    def of(cls, factory: Factory) -> Plug:
        """Identify a factory here."""
        found = factory_identity(factory)
        return cls(factory, str(found["name"]), found["sha256"])

    def is_same_here(self) -> bool:
        """Whether its source is the same in this process, as far as sources can be had."""
        here = factory_identity(self.factory)["sha256"]
        return None in (here, self.sha256) or here == self.sha256


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


def factory_identity(factory: Factory) -> dict[str, str | None]:
    """Name a factory by module and qualified name, with the hash of its source where that can be had.

    One of a notebook or a script has no module that others could import, and its own name only.
    """
    name = str(getattr(factory, "__qualname__", repr(factory)))
    if factory.__module__ != "__main__":
        name = f"{factory.__module__}:{name}"
    try:
        source = inspect.getsource(factory)
    except (OSError, TypeError):
        return {"name": name, "sha256": None}
    return {"name": name, "sha256": hashlib.sha256(source.encode()).hexdigest()}
