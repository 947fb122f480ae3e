"""A run in a folder. Every file is read here, and only if it is the one that was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from farlink.errors import UsageError
from farlink.printable import printable
from farlink.system import checksums
from farlink.system.files import decode_text, read_bytes, read_text
from farlink.tables import rows

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.recorded import Series


EXPLANATION = "explanation.json"
DOCUMENT = "run.json"
SCENARIO = "scenario.toml"
SCHEMA = 2
"""Of the document; a reader accepts no other."""
MOST_JSON = 64 << 20
"""Bytes of a file of JSON: a row per seed and flow, and of the document also per link, station and hop."""
MISSING = ("Object missing required field", "has no column")
"""Faults of a file that is the one which was written: its writer did not know the key or the column."""
TABLES = (*rows.KINDS, "arrivals", "series", "link_series")
"""A Parquet file each."""


class SavedRun(NamedTuple):
    """A folder that `farlink run --out` wrote."""

    folder: Path
    digests: Mapping[str, str]
    """The SHA-256 of its files."""

    @classmethod
    def open(cls, folder: Path) -> SavedRun:
        """Find a saved run; raises `UsageError` for any other folder, and for a run whose files have no checksums."""
        if not (folder / DOCUMENT).exists():
            raise UsageError(f"{folder}: not a folder that `farlink run --out` wrote")
        path = folder / checksums.NAME
        try:
            digests = checksums.from_text(read_text(path))
        except FileNotFoundError:
            raise _refused(path, "no such file") from None
        if digests is None:
            raise _refused(path, "not a list of SHA-256 checksums")
        return cls(folder, digests)

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read a file of `most` bytes; raises `UsageError` if it is not the one that was written."""
        path = self.folder / name
        try:
            content = read_bytes(path, most)
        except FileNotFoundError:
            raise _refused(path, "no such file") from None
        if checksums.digest(content) != self.digests.get(name):
            raise _refused(path, f"changed since it was written: its SHA-256 differs from that in {checksums.NAME}")
        return content

    def table(self, name: str) -> pa.Table:
        """Read a table; raises `UsageError` where columns are missing or of other types than described."""
        import pyarrow as pa

        from farlink.runs import description
        from farlink.tables import arrow

        path = self.folder / f"{name}.parquet"
        try:
            found = arrow.decode(self.read(path.name))
        except (pa.ArrowException, OSError):
            raise _refused(path, "not a Parquet file") from None
        if fault := description.fault_of_table(name, found):
            raise _refused(path, fault)
        return found

    def scenario_text(self) -> str:
        """Read the resolved scenario."""
        return decode_text(str(self.folder / SCENARIO), self.read(SCENARIO))

    def series(self) -> Series:
        """Read the time series."""
        from farlink.drawing.recorded import Series

        text, found, links = self.scenario_text(), self.table("series"), self.table("link_series")
        try:
            return Series.of(text, found["seed"].unique().to_pylist(), found, links)
        except UsageError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError):
            raise _refused(self.folder / SCENARIO, "not the scenario of a run") from None

    def document(self) -> dict[str, Any]:
        """Read the document."""
        from farlink.runs import description

        made: dict[str, Any] = self._json(DOCUMENT, description.DOCUMENT)
        self._check(DOCUMENT, made, description.WORKLOADS)
        if fault := description.fault_of_document(made, SCHEMA):
            raise _refused(self.folder / DOCUMENT, fault)
        return made

    def explanation(self) -> list[dict[str, Any]]:
        """Read why flows were slow."""
        from farlink.runs import description

        made: list[dict[str, Any]] = self._json(EXPLANATION, description.EXPLANATION)
        if fault := description.fault_of_seeds([row["seed"] for row in made], "$[{}].seed", self.document()["seeds"]):
            raise _refused(self.folder / EXPLANATION, fault)
        return made

    def _json(self, name: str, described: Any) -> Any:
        """Read JSON; raises `UsageError` with the place of the first value that is not as described."""
        import msgspec

        try:
            made = msgspec.json.decode(self.read(name, MOST_JSON))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise _refused(self.folder / name, printable(str(error))) from None
        self._check(name, made, described)
        return made

    def _check(self, name: str, made: Any, described: Any) -> None:
        """Refuse what is not as described."""
        import msgspec

        try:
            msgspec.convert(made, described)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise _refused(self.folder / name, printable(str(error))) from None


def _refused(path: Path, what: str) -> UsageError:
    if what.startswith(MISSING):
        what = f"another version of farlink wrote it: {what}"
    return UsageError(f"{path}: {what}; `farlink run --out {path.parent}` makes it again")


def to_json(value: object) -> str:
    """Write JSON that ends in a newline; a number that is not one is a bug, not JSON."""
    # Outside of strings JSON has no control character but the newline.
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return "\n".join(printable(line) for line in text.split("\n")) + "\n"
