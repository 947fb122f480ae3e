"""Which code a class in Python is: its name, the hash of its source, its package."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass

from farlink.execution.congestion import Factory


@dataclass(frozen=True)
class Plug:
    """A factory with its identity, which is that of the process that describes the run, whoever makes it."""

    factory: Factory
    name: str
    sha256: str | None
    """Of its source, where that can be had."""
    package: str | None = None
    """That has it, with its version."""

    @classmethod
    def of(cls, factory: Factory) -> Plug:
        """Identify a factory here, by module and qualified name.

        One of a notebook or a script has no module that others could import, and its own name only. One of a package
        has the name of its entry point.
        """
        if isinstance(factory, cls):
            return factory
        name = str(getattr(factory, "__qualname__", repr(factory)))
        if factory.__module__ != "__main__":
            name = f"{factory.__module__}:{name}"
        try:
            sha256 = hashlib.sha256(inspect.getsource(factory).encode()).hexdigest()
        except (OSError, TypeError):
            sha256 = None
        return cls(factory, name, sha256)

    def __call__(self) -> object:
        """Make a member."""
        return self.factory()

    @property
    def identity(self) -> dict[str, str | None]:
        """What tells it from others."""
        return {"name": self.name, "sha256": self.sha256, "package": self.package}

    def is_same(self, here: Plug) -> bool:
        """Whether source and package are those of another process, as far as sources can be had."""
        return here.package == self.package and (None in (here.sha256, self.sha256) or here.sha256 == self.sha256)
