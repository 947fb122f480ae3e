"""The studies of installed packages, which name them by entry points: `farlink-studies`, and those of third parties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from farlink.errors import UsageError

GROUP = "farlink.studies"
REMEDY = "no study is installed; `pip install farlink-studies` installs those of Farlink"


@dataclass(frozen=True)
class Installed:
    """A study of an installed package."""

    entry: EntryPoint

    @property
    def package(self) -> str:
        """The package that has it, as pip names it."""
        return self.entry.dist.name if self.entry.dist else "?"

    @property
    def module(self) -> str:
        """The Python package whose folder has the study's files."""
        return self.entry.value

    @cached_property
    def folder(self) -> Path:
        """Where its files are, found without an import of its module; raises `UsageError` where they are not."""
        try:
            spec = find_spec(self.module)
        except ImportError:
            spec = None
        for place in (spec and spec.submodule_search_locations) or ():
            if (Path(place) / "settings.toml").exists():
                return Path(place)
        raise UsageError(
            f"{self.package}: its study {self.entry.name} is `{self.module}`, which is no Python package with a "
            f"settings.toml; reinstall {self.package}, or correct its entry point in `{GROUP}`"
        )


def installed() -> dict[str, Installed]:
    """Every installed study by its name; raises `UsageError` where two packages have one of the same name."""
    found: dict[str, Installed] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        study = Installed(entry)
        if other := found.get(entry.name):
            raise UsageError(
                f"{other.package} and {study.package} both have a study {entry.name}; uninstall one of the two"
            )
        found[entry.name] = study
    return found
