"""A page that plays a run: one file, without network access, with the data of the run in it."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from farlink._farlink import __version__
from farlink.drawing.recorded import longest_queues, outages_of_links
from farlink.printable import json_in_page
from farlink.system.files import write_text
from farlink.system.toml import tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from farlink._farlink import Scenario
    from farlink.execution.execute import Outcome

SCRIPTS = ("film.js", "layout.js", "stage.js", "slots.js", "charts.js", "player.js")
"""In the order they stand in the page; see each one's first line."""
MOST_POINTS = 40_000
"""Of all curves together."""
LONGEST_CURVE = 2_000
EDGES = 101
"""Of the bins that a delivery rate is averaged over: a hundredth of the run."""
MOST_OUTAGES = 2_000
"""Of all links together; more are too narrow to be seen."""


def write(scenario: Scenario, outcome: Outcome, path: Path) -> None:
    """Write the page of a run that was asked for its animation."""
    parts = {name: (files(__name__) / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", *SCRIPTS)}
    page = parts["page.html"].replace("{{ style }}", parts["page.css"])
    page = page.replace("{{ script }}", "\n".join(parts[name] for name in SCRIPTS))
    page = page.replace("{{ data }}", json_in_page(animation_document(scenario, outcome)))
    # The name comes last: it may look like another place to fill.
    write_text(path, page.replace("{{ title }}", escape(scenario.name)))


def animation_document(scenario: Scenario, outcome: Outcome) -> dict[str, Any]:
    """What the page plays: the engine's film of the run, its flows' curves and results."""
    from farlink.tables import arrow, rows

    assert outcome.animation is not None, "the run was asked for its animation"
    measured, rate = outcome.measured, partial(delivery_rate, duration_s=scenario.duration_ns / 1e9)
    of_flows = arrow.series([outcome.seed], [outcome.flow_series])
    of_links = arrow.series([outcome.seed], [outcome.link_series])
    return {
        "scenario": scenario.name,
        "seed": outcome.seed,
        "farlink": __version__,
        "film": json.loads(outcome.animation),
        "slots": slot_lengths(scenario),
        "curves": flow_curves(of_flows, scenario.flow_labels, rate),
        "queues": queue_curves(of_links),
        "outages": outages(scenario.resolved),
        "results": {
            "flows": rows.in_document("flows", measured, outcome.seed),
            "drops": dict(sorted(measured["drops"].items())),
            "failed_attempts": dict(sorted(measured["failed_attempts"].items())),
        },
    }


def slot_lengths(scenario: Scenario) -> list[float | None]:
    """How long the slots of each channel are, in seconds; None where a channel has none that hold a frame."""
    from farlink._farlink import quantity
    from farlink.tables import parameters

    values = parameters.flatten(scenario.resolved)
    lengths: list[float | None] = []
    while (channel := f"channels.{len(lengths)}.mac") in values:
        length = quantity(str(values[f"{channel}.slot"])) if values[channel] == "frn" else None
        lengths.append(length[0] if length else None)
    return lengths


def flow_curves(
    series: pa.Table, labels: Sequence[str], received: Callable[[pa.Table], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The time series of every flow: samples of its window and its RTT, and what `received` makes of them."""
    import pyarrow.compute as pc

    longest = min(LONGEST_CURVE, max(MOST_POINTS // max(len(labels), 1), 50))
    found = []
    for flow, label in enumerate(labels):
        mine = series.filter(pc.equal(series["flow"].cast("string"), label)) if series.num_rows else series
        if mine.num_rows:
            step = -(-mine.num_rows // longest)
            mine = mine.take(list(range(0, mine.num_rows, step)))
            found.append({"flow": flow} | _time_series(mine) | received(mine))
    return found


def _time_series(series: pa.Table) -> dict[str, list[float | None]]:
    return {
        "time_s": [round(time, 6) for time in series["time_s"].to_pylist()],
        "cwnd_segments": [_rounded_to_six_digits(value) for value in series["cwnd_segments"].to_pylist()],
        # 0 until the first sample of the RTT.
        "rtt_s": [_rounded_to_six_digits(value or None) for value in series["rtt_s"].to_pylist()],
    }


def delivery_rate(series: pa.Table, duration_s: float) -> dict[str, list[int]]:
    """The mean rate in the bin of each sample; bins are hundredths of the run, or samples."""
    import numpy as np

    from farlink import _farlink as bins

    time_s = series["time_s"].to_numpy()
    total = 8.0 * series["delivered_bytes"].to_numpy()
    edges = bins.bin_edges(0, duration_s, len(time_s), EDGES)
    rates = np.frombuffer(bins.binned_rate(edges, time_s.tobytes(), total.tobytes()))
    mine = np.searchsorted(np.frombuffer(edges), time_s, side="right") - 1
    return {"delivery_rate_bps": [round(rate) for rate in rates[np.minimum(mine, len(rates) - 1)].tolist()]}


def _rounded_to_six_digits(value: float | None) -> float | None:
    """Six digits are more than a screen shows."""
    return None if value is None else float(f"{value:.6g}")


def queue_curves(series: pa.Table) -> list[dict[str, Any]]:
    """The queues of the links that queued most, in the order of the scenario."""
    import pyarrow.compute as pc

    found = []
    for link in longest_queues(series):
        mine = series.filter(pc.equal(series["link"].cast("string"), link))
        mine = mine.take(list(range(0, mine.num_rows, -(-mine.num_rows // LONGEST_CURVE))))
        time_s = [round(time, 6) for time in mine["time_s"].to_pylist()]
        found.append({"link": link, "time_s": time_s, "queue_packets": mine["queue_packets"].to_pylist()})
    return found


def outages(resolved: str) -> list[dict[str, Any]]:
    """When which link was down in either direction, in seconds, up to the end of the run."""
    found = islice(outages_of_links(tomllib.loads(resolved)), MOST_OUTAGES)
    return [{"link": number, "begin_s": begin_s, "end_s": end_s} for number, begin_s, end_s in found]
