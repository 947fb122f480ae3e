"""A run in a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink._farlink import quantity
from farlink.errors import UsageError
from farlink.printable import printable
from farlink.system.files import read_bytes, read_text

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.recorded import Series

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPLANATION = "explanation.json"
DOCUMENT = "run.json"
MOST_EXPLANATION = MOST_DOCUMENT = 64 << 20
"""Bytes of either: a row per seed and flow, and of the document also per link, station and hop."""


TABLES = ("flows", "links", "stations", "hops", "drops", "ledger", "series", "link_series")
"""A Parquet file each."""


def table(folder: Path, name: str) -> pa.Table:
    """Read back a table of a saved run."""
    import pyarrow as pa

    from farlink.tables import arrow

    path = folder / f"{name}.parquet"
    try:
        return arrow.decode(read_bytes(path))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; `farlink run --out {folder}` makes it again") from None
    except (pa.ArrowInvalid, OSError):
        raise UsageError(f"{path}: not a Parquet file; `farlink run --out {folder}` makes it again") from None


def series(folder: Path) -> Series:
    """Read back the time series of a saved run; refuse a run without."""
    from farlink.drawing.recorded import Series, outages_s

    path = folder / "scenario.toml"
    try:
        scenario = tomllib.loads(read_text(path))
        duration = quantity(scenario["duration"])
        flows = [flow["label"] for flow in scenario["flows"]]
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; `farlink run --out {folder}` makes it again") from None
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        duration = None
    if duration is None:
        raise UsageError(f"{path}: not the scenario of a run; `farlink run --out {folder}` makes it again")
    found = table(folder, "series")
    return Series(
        name=scenario["name"],
        flows=flows,
        duration_s=duration[0],
        seeds=found["seed"].unique().to_pylist(),
        flow_series=found,
        link_series=table(folder, "link_series"),
        outages_s=outages_s(scenario, duration[0]),
    )


def document(folder: Path) -> dict[str, Any]:
    """Read back the document of a saved run."""
    path = folder / DOCUMENT
    try:
        made = json.loads(read_text(path, MOST_DOCUMENT))
    except FileNotFoundError:
        raise UsageError(f"{folder}: not a folder that `farlink run --out` wrote") from None
    except (json.JSONDecodeError, RecursionError):
        made = None
    match made:
        case {"schema": int(), "seeds": [*_], "flows": [*_]}:
            return dict(made)
    raise UsageError(f"{path}: not the document of a run; `farlink run --out {folder}` makes it again")


def explanation(folder: Path) -> list[dict[str, Any]]:
    """Read back why the flows of a saved run were slow."""
    path = folder / EXPLANATION
    try:
        rows = json.loads(read_text(path, MOST_EXPLANATION))
    except FileNotFoundError:
        raise UsageError(f"{folder}: not a folder that `farlink run --out` wrote") from None
    except (json.JSONDecodeError, RecursionError):
        rows = None
    if not (isinstance(rows, list) and all(map(_is_explanation, rows))):
        raise UsageError(f"{path}: not the explanation of a run; `farlink run --out {folder}` makes it again")
    return rows


def _is_explanation(row: object) -> bool:
    match row:
        case {"flow": str(), "seed": int(), "text": str(), "limited_by": dict(shares)}:
            return all(isinstance(share, int | float) for share in shares.values())
    return False


def to_json(value: object) -> str:
    """Write JSON that ends in a newline; a number that is not one is a bug, not JSON."""
    # Outside of strings JSON has no control character but the newline.
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return "\n".join(printable(line) for line in text.split("\n")) + "\n"
