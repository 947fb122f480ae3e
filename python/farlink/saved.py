"""A run in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.errors import UsageError
from farlink.files import replacing_folder, write_text

if TYPE_CHECKING:
    from farlink.run import Run

EXPLANATION = "explanation.json"


def save(run: Run, folder: Path) -> None:
    """Write the document, the tables, the resolved scenario, the provenance and the explanation."""
    from farlink import tables  # heavy

    with replacing_folder(folder.absolute()) as part:
        write_text(part / "scenario.toml", run.scenario.resolved)
        write_text(part / "provenance.json", to_json(run.provenance))
        write_text(part / "run.json", to_json(run.document))
        write_text(part / EXPLANATION, to_json(run.explanation))
        for name in ("flows", "links", "stations", "hops", "drops", "ledger", "series", "link_series"):
            tables.write(getattr(run, name), part / f"{name}.parquet")


def explanation(folder: Path) -> list[dict[str, Any]]:
    """Read back why the flows of a saved run were slow."""
    try:
        text = (folder / EXPLANATION).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{folder}: not a folder that `farlink run --out` wrote") from None
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def to_json(value: object) -> str:
    """Write JSON that ends in a newline; a number that is not one is a bug, not JSON."""
    return json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
