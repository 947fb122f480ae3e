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
    """Raise `UsageError` with the package, as the store in `folder` has it, in place of that of an unknown name."""
    try:
        yield
    except ScenarioError as error:
        if folder is None or not error.key.endswith(".congestion_control") or not is_store(folder):
            raise
        with suppress(StoreError):  # a damaged store is refused where it is opened
            for name, package in _packages(folder).items():
                if f"`{name}`" in error.message:
                    raise UsageError(
                        f"{error.key}: `{name}` is an entry point of {package}, which is not installed; runs of it are "
                        f"in {folder}; install it: pip install {'=='.join(package.split())}"
                    ) from None
        raise


def _packages(folder: Path) -> dict[str, str]:
    """The packages of the congestion controls in a store, by their names."""
    runs = snapshot.read_store(folder).table("runs", ["resolved"])
    texts = runs["resolved"].unique().to_pylist() if runs is not None else []
    return {name: package for text in texts for _, name, package, _ in PLUGGED.findall(text) if package}
