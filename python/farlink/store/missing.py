"""A congestion control that a store has runs of, and whose package is no longer installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from farlink._farlink import ScenarioError
from farlink.errors import StoreError, UsageError
from farlink.store import snapshot
from farlink.store.record import PLUGGED
from farlink.system.folders import is_store


@contextmanager
def naming_packages(folder: Path | None) -> Iterator[None]:
    """Add the package to the error of an unknown name, where the store in `folder` has runs of it."""
    try:
        yield
    except (ScenarioError, UsageError) as error:
        line = str(error).partition("\n")[0]
        for name, package in _packages(folder).items() if folder and is_store(folder) else ():
            begin, unknown, _ = line.partition(f"unknown name `{name}`")
            if unknown:
                raise UsageError(
                    f"{begin}{unknown}, an entry point of {package}, which is not installed; runs of it are in "
                    f"{folder}; install it: pip install {'=='.join(package.split())}"
                ) from None
        raise


def _packages(folder: Path) -> dict[str, str]:
    """The packages of the congestion controls in a store, by their names."""
    texts: list[str] = []
    with suppress(StoreError):  # a damaged store is refused where it is opened
        runs = snapshot.read_store(folder).table("runs", ["resolved"])
        texts = runs["resolved"].unique().to_pylist() if runs is not None else []
    return {name: package for text in texts for _, name, package, _ in PLUGGED.findall(text) if package}
