"""What installed packages add, by their entry points; read only where Farlink has nothing of a name itself."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from farlink.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Addition(NamedTuple):
    """An entry point of an installed package."""

    entry: EntryPoint

    @property
    def name(self) -> str:
        """What users call it."""
        return self.entry.name

    @property
    def package(self) -> str:
        """The package that has it, with its version: `farlink-timid 0.1`."""
        return f"{self.entry.dist.name} {self.entry.dist.version}" if self.entry.dist else "a package"

    def load(self) -> object:
        """Import what it names; raises `UsageError` whatever goes wrong."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.error(f"{type(error).__name__}: {error}") from error

    def folder_with(self, files: str) -> Path:
        """Give the folder of the Python package that it names, which is not imported; raises `UsageError`.

        `files` is a pattern of the files that make the folder one.
        """
        from importlib.util import find_spec

        try:
            spec = find_spec(self.entry.value)
        except (Exception, SystemExit) as error:
            raise self.error(f"{type(error).__name__}: {error}") from error
        for place in map(Path, (spec and spec.submodule_search_locations) or ()):
            if any(place.glob(files)):
                return place
        raise self.error(f"there is no such Python package with {files}")

    def error(self, why: str, remedy: str = "reinstall the package") -> UsageError:
        """Make the error of an entry point that is of no use."""
        uninstall = f"uninstall it: pip uninstall {self.package.split()[0]}"
        place = f"{self.package}: entry point `{self.name} = {self.entry.value}` of `{self.entry.group}`"
        return UsageError(f"{place}: {why}; {remedy}, or {uninstall}")


def additions(group: str) -> list[Addition]:
    """Give the entry points of a group, by their names."""
    return _read(group, tuple(sys.path))


@cache
def _read(group: str, search: tuple[str, ...]) -> list[Addition]:
    """Read them, once for every path that Python searches: a sweep asks for each of its points."""
    from importlib.metadata import entry_points  # with email and zipfile, which no plain run needs

    del search
    return sorted(map(Addition, entry_points(group=group)), key=lambda each: (each.name, each.package))


def find(group: str, name: str) -> Addition | None:
    """Give the entry point of a name, if any; raises `UsageError` where two packages have one."""
    found = [each for each in additions(group) if each.name == name]
    if len(found) > 1:
        one, other, *_ = (each.package for each in found)
        raise UsageError(f"{one} and {other} both have an entry point `{name}` of `{group}`; uninstall one of them")
    return found[0] if found else None
