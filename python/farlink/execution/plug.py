"""Which code a class in Python is: its name, the hash of its source, its package."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass

from farlink.execution import packaged
from farlink.execution.congestion import Factory
from farlink.execution.packaged import Packaged


@dataclass(frozen=True)
class Plug:
    """A factory with its identity, which is that of the process that describes the run, whoever makes it."""

    factory: Factory
    name: str
    sha256: str | None
    package: str | None = None

    @classmethod
    def of(cls, factory: Factory) -> Plug:
        """Identify a factory here."""
        found = factory_identity(factory)
        return cls(factory, str(found["name"]), found["sha256"], found["package"])

    def is_same_here(self) -> bool:
        """Whether its source and its package are the same in this process, as far as sources can be had."""
        here = Plug.of(packaged.named(self.name) if self.package else self.factory)
        return here.package == self.package and (None in (here.sha256, self.sha256) or here.sha256 == self.sha256)


def factory_identity(factory: Factory) -> dict[str, str | None]:
    """Name a factory by module and qualified name, with the hash of its source where that can be had.

    One of a notebook or a script has no module that others could import, and its own name only. One of a package has
    the name of its entry point.
    """
    if isinstance(factory, Packaged):
        return {**factory_identity(factory.made), "name": factory.name, "package": factory.package}
    name = str(getattr(factory, "__qualname__", repr(factory)))
    if factory.__module__ != "__main__":
        name = f"{factory.__module__}:{name}"
    try:
        sha256 = hashlib.sha256(inspect.getsource(factory).encode()).hexdigest()
    except (OSError, TypeError):
        sha256 = None
    return {"name": name, "sha256": sha256, "package": None}
