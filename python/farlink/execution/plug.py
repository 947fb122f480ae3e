"""Which code a class in Python is: its name, the hash of the source that it rests on, its package."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from farlink.errors import UsageError
from farlink.execution.congestion import Factory

MAIN, IN_PROCESS = "__main__", "__mp_main__"
"""What Python calls a script, and what it calls it in the processes that the script starts."""


@dataclass(frozen=True)
class Plug:
    """A factory with its identity, which is that of the process that describes the run, whoever makes it."""

    factory: Factory
    name: str
    sha256: str | None
    """Of the source that it rests on (`sources.sha256_of`), where that can be had."""
    package: str | None = None
    """That has it, with its version."""

    @classmethod
    def of(cls, factory: Factory) -> Plug:
        """Identify a factory here."""
        return factory if isinstance(factory, cls) else cls(factory, name_of(factory), _sha256_of(factory))

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

    def require_file(self) -> None:
        """Refuse what a sweep cannot tell from another version of it, or another process cannot import."""
        import pickle

        try:
            pickle.dumps(self.factory)
            is_in_file = self.sha256 is not None
        except (AttributeError, TypeError, pickle.PicklingError):
            is_in_file = False
        if not is_in_file:
            raise UsageError(
                f"{self.name}: a class in a sweep runs in processes, which must be able to import it; "
                "define it at the top level of a file"
            )


def name_of(factory: Factory) -> str:
    """Name a factory by module and qualified name.

    One of a notebook or a script has no module that others could import, and its own name only. One of a package has
    the name of its entry point.
    """
    if isinstance(factory, Plug):
        return factory.name
    name = str(getattr(factory, "__qualname__", repr(factory)))
    return name if factory.__module__ == MAIN else f"{factory.__module__}:{name}"


def _sha256_of(factory: Factory) -> str | None:
    from farlink.execution import sources

    while isinstance(factory, partial):
        factory = factory.func
    made = factory if hasattr(factory, "__qualname__") else type(factory)
    module = MAIN if made.__module__ == IN_PROCESS else made.__module__
    try:
        # A cluster sends a class of a script as a value; its file is not that of the worker's own script.
        attrgetter(made.__qualname__)(sys.modules[module])
    except (AttributeError, KeyError):
        return None
    bases = [base.__module__ for base in getattr(made, "__mro__", ())[1:]]
    return sources.sha256_of(module, [MAIN if base == IN_PROCESS else base for base in bases])
