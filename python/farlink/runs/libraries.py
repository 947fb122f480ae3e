"""Scenario libraries: folders of TOML files in installed packages, by the names of their entry points.

The file `geo.toml` of the library `timid` is the scenario `timid/geo`.
"""

from __future__ import annotations

from pathlib import Path

from farlink.errors import UsageError
from farlink.spelling import remedy
from farlink.system.entry_points import Addition, additions, find

GROUP = "farlink.scenarios"
FILES = "*.toml"


def path_of(name: str) -> Path | None:
    """Give the file of a scenario such as `timid/geo`; None where no package has such a library."""
    library, slash, scenario = name.partition("/")
    if not slash or (found := find(GROUP, library)) is None:
        return None
    files = files_of(found)
    if scenario not in files:
        raise UsageError(
            f"{found.package}: its library `{library}` has no scenario `{scenario}`; {remedy(scenario, list(files))}"
        )
    return files[scenario]


def files_of(library: Addition) -> dict[str, Path]:
    """Give the files of a library by the names of the scenarios; raises `UsageError` for one of a broken package."""
    return {path.stem: path for path in sorted(library.folder_with(FILES).glob(FILES))}


def names() -> list[str]:
    """The scenarios of all libraries; broken ones have none."""
    found: list[str] = []
    for library in additions(GROUP):
        try:
            found += [f"{library.name}/{scenario}" for scenario in files_of(library)]
        except UsageError:
            continue
    return found


def summary(path: Path) -> str:
    """Give the first line of a file if it is a comment."""
    with path.open(encoding="utf-8", errors="replace") as file:
        line = file.readline()
    return line.lstrip("#").strip() if line.startswith("#") else ""
