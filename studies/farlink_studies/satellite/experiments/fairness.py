"""Two transfers behind one satellite: their shares of the link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies.comparisons import lower_end
from farlink.studies.experiments import Experiments
from farlink.studies.written import half_width
from farlink.tables import parameters
from farlink.tables.rows import grouped

from farlink_studies.satellite.findings import ENHANCED, NAMES

FROM_S = 100.0
"""What came before is left out: both are under way by then."""
LATER_S = 60.0
LONG_WIRE_S = 0.1
EVEN = 0.95
"""Jain's index from which a share counts as even: of two flows none has more than 61 %."""

Estimate = Callable[[Sequence[float]], Interval]
"""How a mean is estimated; see `farlink.studies.runs.Runs.interval`."""
TOGETHER, LATER, SHORTER = "together", "second 60 s later", "second with 300 ms"


class Pair(NamedTuple):
    """Two transfers on one link: their variants, start and bit error rate."""

    when: str
    first: str
    second: str
    rate: float


@dataclass(frozen=True)
class Shares:
    """Goodputs of both in Mbit/s, start by start."""

    first: list[float]
    second: list[float]

    @property
    def share(self) -> list[float]:
        """The part of the first."""
        return [one / (one + other) for one, other in zip(self.first, self.second, strict=True)]

    @property
    def jain(self) -> list[float]:
        """Jain's index: 1 when both get the same, 1/2 when one gets all."""
        pairs = zip(self.first, self.second, strict=True)
        return [(one + other) ** 2 / (2 * (one**2 + other**2)) for one, other in pairs]

    @property
    def together(self) -> list[float]:
        """What both get."""
        return [one + other for one, other in zip(self.first, self.second, strict=True)]


def of_results(results: Iterable[ResultStore]) -> dict[Pair, Shares]:
    """Read the goodputs from 100 s on out of the store."""
    found: dict[Pair, Shares] = {}
    for part in results:
        goodputs = _goodput_by_flow(part)
        for run in part.runs.to_pylist():
            shares = found.setdefault(_parse_pair(run["resolved"]), Shares([], []))
            shares.first.append(goodputs[run["key"], "first"])
            shares.second.append(goodputs[run["key"], "second"])
    return found


def report(found: dict[Pair, Shares], interval: Estimate) -> Experiments:
    """The table, the figure, and what follows."""
    from farlink_studies.satellite import drawing

    bars: dict[float, list[tuple[str, Interval, Interval]]] = {}
    for pair, shares in found.items():
        where = "" if pair.when == TOGETHER else f"\n({pair.when})"
        title = f"{pair.first} | {pair.second}{where}"
        bars.setdefault(pair.rate, []).append((title, interval(shares.first), interval(shares.together)))
    caption = "Fairness: two flows on one satellite link, 100 s to 200 s, mean and 95 % CI"
    return Experiments(
        findings=[*_finding_sentences(found, interval)],
        tables=[(caption, ReportTable.of(_pair_row(pair, shares, interval) for pair, shares in found.items()))],
        figures=[("Figure A: goodput of two flows on one link, 100 s to 200 s", drawing.draw_shares(bars))],
    )


def _pair_row(pair: Pair, shares: Shares, interval: Estimate) -> dict[str, Any]:
    return {
        "when": pair.when,
        "first": pair.first,
        "second": pair.second,
        "BER": f"{pair.rate:g}",
        "first [Mbit/s]": half_width(interval(shares.first)),
        "second [Mbit/s]": half_width(interval(shares.second)),
        "share of the first": half_width(interval(shares.share)),
        "Jain's index": half_width(interval(shares.jain)),
    }


def _finding_sentences(found: dict[Pair, Shares], interval: Estimate) -> Iterator[str]:
    name = NAMES[ENHANCED]
    for pair, shares in found.items():
        if name != pair.first:
            continue
        jain, share = interval(shares.jain), interval(shares.share)
        even = "evenly" if lower_end(jain) >= EVEN else "unevenly"
        other = "another" if pair.second == name else pair.second
        how = f"shared {even} (Jain's index {half_width(jain)})"
        yield (
            f"{name} and {other}, {pair.when}, BER {pair.rate:g}: the link is {how}, "
            f"the first gets {share.mean:.0%} of {half_width(interval(shares.together))} Mbit/s."
        )


def _goodput_by_flow(results: ResultStore) -> dict[tuple[str, str], float]:
    """Mbit/s by run and flow."""
    series = results.series
    columns = {name: np.asarray(series[name].to_pylist()) for name in ("key", "flow", "time_s", "received_bytes")}
    late = columns["time_s"] >= FROM_S - 1e-9
    samples = zip(*(column[late].tolist() for column in columns.values()), strict=True)
    found = grouped(((key, flow), (time_s, received)) for key, flow, time_s, received in samples)
    return {
        who: (series[-1][1] - series[0][1]) * 8 / (series[-1][0] - series[0][0]) / 1e6 for who, series in found.items()
    }


def _parse_pair(resolved: str) -> Pair:
    values = parameters.flatten(resolved)

    def name(flow: int) -> str:
        control = f"flows.{flow}.tcp.congestion_control"
        keeps = values.get(f"{control}.flight_share") == 1.0
        return NAMES[str(values[control])] + (" with the remedy" if keeps else "")

    is_later = parameters.si_number(values, "flows.1.start") >= LATER_S
    is_shorter = parameters.si_number(values, "links.1.delay") < LONG_WIRE_S
    when = LATER if is_later else SHORTER if is_shorter else TOGETHER
    return Pair(when, name(0), name(1), float(values["links.2.error.rate"]))
