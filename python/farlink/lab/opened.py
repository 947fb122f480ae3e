"""What the page opens: a scenario with its files, or a saved run with its results and curves."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink.animation import flow_curves, queue_curves
from farlink.errors import UsageError
from farlink.runs.saved import SavedRun
from farlink.runs.scenario import load
from farlink.system.files import read_bytes, read_text
from farlink.system.folders import is_run

if TYPE_CHECKING:
    import pyarrow as pa

    from farlink.drawing.recorded import Series

TOTALS = {"delivery": "delivered_bytes", "goodput": "received_bytes"}
OF_FLOWS = TOTALS | {"cwnd": "cwnd_segments", "rtt": "rtt_s"}
"""The page's names of curves, and their columns."""


def opened(name: str) -> dict[str, Any]:
    """Read the scenario or the folder of a run called `name`."""
    path = Path(name)
    if not path.is_dir():
        made = load(name)
        if plugged := sorted(set(made.validated.plugged.values())):
            raise UsageError(
                f"{name}: the laboratory has no `{plugged[0]}`, which is of a package; `farlink run` has it"
            )
        names = made.validated.file_hashes
        files = {each: base64.b64encode(read_bytes(made.folder / each)).decode() for each in names}
        return {"name": path.name, "toml": made.text, "files": files, "runs": []}
    if not is_run(path):
        raise UsageError(f"{name}: not a saved run; `farlink run --out {name}` makes one")
    # First the runs: they are refused with a remedy where the scenario is missing. Files are not saved with a run.
    runs = _runs(path)
    return {"name": path.name, "toml": read_text(path / "scenario.toml"), "files": {}, "runs": runs}


def _runs(folder: Path) -> list[dict[str, Any]]:
    """The runs of a folder, by seed."""
    run = SavedRun.open(folder)
    document, explanation, series = run.document(), run.explanation(), run.series()
    return [
        {
            "label": series.name,
            "seed": seed,
            "result": document | {"seeds": [seed]} | _rows_of_seed(document, seed),
            "explanation": [row for row in explanation if row["seed"] == seed],
            "series": _curves(series, seed),
        }
        for seed in document["seeds"]
    ]


def _rows_of_seed(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """The tables of a document, with the rows of one seed only."""
    return {
        name: [row for row in rows if row["seed"] == seed]
        for name, rows in document.items()
        if isinstance(rows, list) and name not in ("seeds", "warnings")
    }


def _curves(series: Series, seed: int) -> list[dict[str, Any]]:
    """The curves of one seed."""
    import pyarrow.compute as pc

    flows, links = (each.filter(pc.equal(each["seed"], seed)) for each in (series.flow_series, series.link_series))

    def totals(series: pa.Table) -> dict[str, Any]:
        return {column: series[column].to_pylist() for column in TOTALS.values()}

    return [
        {"measure": measure, "of": series.flows[curve["flow"]], "t": curve["time_s"], "v": curve[column]}
        for curve in flow_curves(flows, series.flows, totals)
        for measure, column in OF_FLOWS.items()
    ] + [
        {"measure": "queue", "of": queue["link"], "t": queue["time_s"], "v": queue["queue_packets"]}
        for queue in queue_curves(links)
    ]
