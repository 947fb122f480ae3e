"""The tables of a store, with the rows of the runs that are chosen of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from farlink.arguments import PLACE, TEXT, check_argument_types
from farlink.errors import UsageError
from farlink.results import selection
from farlink.results.versions import Versions, of_this_build
from farlink.store import check, note, snapshot
from farlink.store.series import read_series, series_checksums
from farlink.tables.frames import Frames, Table

if TYPE_CHECKING:
    import pyarrow as pa


class StoreTables(Frames):
    """The tables of all runs of one build of the engine, or of those of one sweep."""

    runs = Table("A row per run: key, seed, parameters, the resolved scenario.")
    flows = Table("A row per run and flow.")
    links = Table("A row per run and direction of a link.")
    stations = Table("A row per run and interface on a shared channel.")
    airtime = Table(
        "A row per run and interface on a shared channel: how long it transmitted, and the medium was busy there."
    )
    hops = Table("A row per run, station and neighbour it sent packets to.")
    drops = Table("A row per run, flow, node and cause.")
    series = Table("A row per run, sample and flow, of the runs that were asked for their series.")

    @check_argument_types(folder=PLACE, note=TEXT)
    def __init__(self, folder: str | Path, keys: Iterable[str] | None = None, *, note: str = "") -> None:
        self.folder = Path(folder)
        self.note = note
        check(self.folder)
        self._keys = None if keys is None else list(keys)

    @cached_property
    def _snapshot(self) -> snapshot.Snapshot:
        """The store when it was first read."""
        held = snapshot.read_store(self.folder)
        for line in held.notes:
            note(line)
        return held

    def _made(self, name: str) -> pa.Table:
        if name == "series":
            return self._all_series()
        whole = self._whole_table(name)
        if name != "runs":
            return self._versions.mark(selection.rows_of_runs(whole, list(self._resolved)))
        return of_this_build(whole, self.folder) if self._keys is None else selection.rows_of_runs(whole, self._keys)

    def _all_series(self) -> pa.Table:
        import pyarrow as pa

        parts = [found for key in self._resolved if (found := self._series_of(key)) is not None]
        return pa.concat_tables(parts) if parts else pa.table({"key": pa.array([], pa.string())})

    @cached_property
    def _checksums(self) -> dict[str, str]:
        return series_checksums(self._snapshot)

    def _series_of(self, key: str) -> pa.Table | None:
        """The series of a run; None if they were not asked for."""
        from farlink.tables import arrow

        if key not in self._checksums:
            return None
        return arrow.decode(read_series(self.folder, key, self._checksums[key]))

    @property
    def parameters(self) -> list[str]:
        """The columns of the parameters that differ between the runs."""
        from farlink.store import tables

        return [column.name for column in self.flows.schema if tables.is_parameter(column)]

    @property
    def varied(self) -> list[str]:
        """Those of `parameters` that differ between these runs."""
        columns = {name: set(self.flows[name].to_pylist()) for name in self.parameters}
        return [name for name, values in columns.items() if len(values) > 1]

    @cached_property
    def _resolved(self) -> dict[str, str]:
        """The scenario of every run by its key: what decides which of them are pooled."""
        return dict(zip(self.runs["key"].to_pylist(), self.runs["resolved"].to_pylist(), strict=True))

    @cached_property
    def _versions(self) -> Versions:
        """What tells runs apart that differ by a changed file or class only."""
        found = Versions(self._resolved)
        if found.note:
            note(f"{self.folder}: {found.note}")
        return found

    def _whole_table(self, name: str) -> pa.Table:
        table = self._snapshot.table(name)
        if table is None:
            raise UsageError(f"{self.folder}: no run was finished yet")
        return table
