"""The time series of some of a store's flows, and when links are down in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.tables import parameters

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.outages import Spans


def series_by(
    rows: Iterable[Mapping[str, Any]],
    y: str,
    by: str | None,
    series_of: Callable[[str], pa.Table | None],
    folder: Path,
) -> tuple[str, dict[Any, list[pa.Table]]]:
    """Give the column that `y` means, and the series of these flows by the value of `by`."""
    import pyarrow.compute as pc

    from farlink.drawing.panels import column_over_time
    from farlink.drawing.time_series import TOTALS, columns_of

    y = column_over_time(y)
    found: dict[Any, list[pa.Table]] = {}
    for row in rows:
        table = series_of(row["key"])
        if table is None:
            remedy = "sweep again with --series, or `series = true` in the sweep's file (series=True in Python)"
            raise UsageError(f"{folder}: run {row['key'][:8]} has no series; {remedy}")
        table = table.filter(pc.equal(table["flow"].cast("string"), row["flow"]))
        known = [name for name in table.column_names if name not in ("key", "seed", "flow", "time_s")]
        y = parameters.find_column(y, [*(name for name in TOTALS if {*columns_of(name)} <= {*known}), *known])
        has_values = all(table[name].null_count < table.num_rows for name in columns_of(y))
        if table.num_rows > 1 and has_values:  # without TCP there are no windows
            found.setdefault(row[by] if by else None, []).append(table)
    if not found:
        whose = "windows are those of TCP, losses and jitter those of datagrams"
        raise UsageError(f"none of these flows has values of {y} over time; {whose}")
    return y, found


def outages(rows: Iterable[Mapping[str, Any]], runs: pa.Table) -> Spans:
    """Give when links are down in all runs of these rows."""
    from farlink.drawing import outages, recorded
    from farlink.system.toml import tomllib

    keys = {row["key"] for row in rows}
    pairs = zip(runs["key"].to_pylist(), runs["resolved"].to_pylist(), strict=True)
    texts = {text for key, text in pairs if key in keys}
    return outages.common(recorded.outages_s(tomllib.loads(text)) for text in texts)
