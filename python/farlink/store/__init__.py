"""A folder of results that a kill cannot hurt.

Finished runs go into a journal at once; folding moves them into Parquet tables, `flows.parquet` and so on, which
pandas, polars and DuckDB open as they are. A run is named by the hash of everything its results depend on, so it
is never run twice, and results of another build of the engine are kept apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from farlink.errors import UsageError
from farlink.files import replacing
from farlink.store import journal
from farlink.store.record import Record

JOURNAL = "journal"
LOCK = "lock"
SERIES = "series"


class Store:
    """A store opened for writing, which one process at a time can do."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock, Timeout

        check(folder, new=True)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = FileLock(folder / LOCK, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise UsageError(f"{folder}: another sweep is writing to this store; choose another") from None
        self._fold()
        self._journal = journal.Journal(folder / JOURNAL)
        self.keys = _known_keys(folder)

    def add(self, record: Record, series: bytes | None = None) -> None:
        """Keep a finished run; once this returns, the death of this process does not lose it."""
        if series is not None:
            target = self.folder / SERIES
            target.mkdir(exist_ok=True)
            with replacing(target / f"{record.key}.parquet") as part:
                part.write_bytes(series)
        self._journal.append(record.to_bytes())
        self.keys.add(record.key)

    def values(self, measure: str) -> dict[str, dict[str, float | None]]:
        """What is known of a measure: for every run that was finished when the store was opened, by flow."""
        from farlink.store import tables

        found: dict[str, dict[str, float | None]] = {}
        table = tables.read(self.folder, "flows", ["key", "flow", measure])
        for row in table.to_pylist() if table is not None else []:
            if row["key"] in self.keys:
                found.setdefault(row["key"], {})[row["flow"]] = row[measure]
        return found

    def close(self) -> None:
        """Fold, and let others write."""
        self._journal.close()
        self._fold()
        self._lock.release()

    def _fold(self) -> None:
        """Move the journal's records into the tables."""
        path = self.folder / JOURNAL
        records = [Record.from_bytes(record) for record in journal.read(path)]
        if records:
            from farlink.store import tables

            tables.fold(self.folder, records)
        path.unlink(missing_ok=True)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check(folder: Path, *, new: bool = False) -> None:
    """Refuse a folder that is no store; with `new`, one that could not become one."""
    if (folder / "runs.parquet").exists() or (folder / JOURNAL).exists():
        return
    if new and not folder.exists():
        return
    if new and folder.is_dir() and all(entry.name in (LOCK, SERIES) for entry in folder.iterdir()):
        return
    remedy = "choose an empty or a new folder" if new else "a store is what `farlink sweep --out` makes"
    raise UsageError(f"{folder}: not a store of results; {remedy}")


def forget(folder: Path) -> None:
    """Delete what a store holds; a folder that is none is refused."""
    check(folder, new=True)
    if not folder.exists():
        return
    for entry in (*folder.glob("*.parquet"), *folder.glob(f"{SERIES}/*.parquet"), folder / JOURNAL):
        entry.unlink(missing_ok=True)


def export(folder: Path) -> Iterator[str]:
    """Dump the tables, `timings` left out, as sorted lines of JSON: equal stores give equal lines."""
    from farlink.store import tables

    for name in sorted(set(tables.NAMES) - {"timings"}):
        table = tables.read(folder, name)
        rows = table.to_pylist() if table is not None else []
        yield from sorted(json.dumps({"table": name, **row}, sort_keys=True, ensure_ascii=False) for row in rows)


def _known_keys(folder: Path) -> set[str]:
    from farlink.store import tables

    return tables.known_keys(folder)
