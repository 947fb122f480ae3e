"""Why connections open or do not, in experiments: effect of lasting shadowing, other routes and more nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies.experiments import Experiments
from farlink.studies.written import t_half_width
from farlink.tables.parameters import Scalar

from farlink_studies.manet.runs import NODES, SeedResult, Setting, read

OPENING, DENSITY = "opening", "density"
"""The grids in `experiments.toml`."""
COMMITTED = "as committed: shadowing drawn for every frame"
LASTING = "shadowing constant for seconds"
SHADOWS = {"frame": COMMITTED, "time": LASTING, "link": "constant shadowing"}
STILL = "no shadowing"
NO_RTS = "no RTS"
RFC = "AODV as in RFC 3561"
IDEAL = "ideal shortest paths"
WAYS = (*SHADOWS.values(), STILL, NO_RTS, RFC, IDEAL)
"""What was tried, one change at a time from what is committed."""


class Density(NamedTuple):
    """How far frames reach, how long shadows last, how many nodes there are."""

    exponent: float
    shadows: str
    nodes: int


class Connecting:
    """What the experiments gave."""

    def __init__(self, opening: ResultStore, density: ResultStore) -> None:
        self.ways: dict[str, dict[int, SeedResult]] = {}
        self.densities: dict[Density, dict[int, SeedResult]] = {}
        for setting, seed, one in read(opening):
            self.ways.setdefault(_shadowing_name(setting.values), {})[seed] = one
        for setting, seed, one in read(density):
            self.densities.setdefault(_parse_density(setting), {})[seed] = one

    def report(self) -> Experiments:
        """Both tables, and what follows."""
        opening = "Conditions for connections to open: 100 nodes, 8 connections, NewReno, no errors, runs of 100 s"
        density = "Effect of more nodes: 2 connections, NewReno, no errors, runs of 100 s, over the path-loss exponent"
        ways = [{"what": way, **_goodput_row(list(self.ways[way].values()))} for way in WAYS]
        dense = [
            {**each._asdict(), **_goodput_row(list(ones.values()))} for each, ones in sorted(self.densities.items())
        ]
        return Experiments(
            findings=list(self._finding_sentences()),
            tables=[(opening, ReportTable.of(ways)), (density, ReportTable.of(dense))],
        )

    def facts(self) -> dict[str, str]:
        """What the explanations of claims name: more nodes with the shortest range and constant shadowing."""
        shortest = max(each.exponent for each in self.densities)
        few, many = (self.densities[Density(shortest, LASTING, nodes)] for nodes in (100, 300))
        return {
            "dense_open_first": delivering_share(few.values()),
            "dense_open_last": delivering_share(many.values()),
            "dense_rising": f"{_count_rising(few, many)} of {len(few)}",
            "dense_first": f"{_median_goodput(few):.3g}",
            "dense_last": f"{_median_goodput(many):.3g}",
        }

    def _finding_sentences(self) -> Iterator[str]:
        shares = {way: delivering_share(ones.values()) for way, ones in self.ways.items()}
        yield (
            "Connections among 100 nodes that deliver anything within 100 s: "
            + ", ".join(f"{shares[way]} ({way})" for way in WAYS)
            + "."
        )
        yield (
            "There are routes, then, and AODV finds them where shadowing lasts. Where every frame has a new random "
            "draw, its requests travel far over links on which its replies, and data with RTS, CTS and ACK, do not "
            "come back."
        )
        for exponent in sorted({each.exponent for each in self.densities}):
            few, many = (self.densities[Density(exponent, LASTING, nodes)] for nodes in (100, 300))
            rising = _count_rising(few, many)
            yield (
                f"Exponent {exponent:g}, shadowing constant for seconds: from 100 to 300 nodes the share of "
                f"connections that deliver goes from {delivering_share(few.values())} to "
                f"{delivering_share(many.values())}, goodput rises in {rising} of {len(few)} seeds, its median "
                f"from {_median_goodput(few):.3g} to {_median_goodput(many):.3g} kbit/s."
            )


def delivering_share(ones: Iterable[SeedResult]) -> str:
    """How many of the connections delivered anything."""
    found = list(ones)
    return f"{sum(one.delivering for one in found)} of {sum(one.connections for one in found)}"


def _median_goodput(ones: Mapping[int, SeedResult]) -> float:
    return median(one.goodput for one in ones.values())


def _count_rising(few: Mapping[int, SeedResult], many: Mapping[int, SeedResult]) -> int:
    return sum(many[seed].goodput > few[seed].goodput for seed in few)


def _goodput_row(ones: Sequence[SeedResult]) -> dict[str, Any]:
    return {
        "connections that deliver": delivering_share(ones),
        "goodput [kbit/s]": t_half_width([one.goodput for one in ones]),
        "delay [s]": t_half_width([one.delay_s for one in ones if one.delay_s is not None]),
        "packets dropped": f"{sum(one.dropped for one in ones) / len(ones):.3g}",
        "runs": len(ones),
    }


def _shadowing_name(values: Mapping[str, Scalar]) -> str:
    if str(values.get("routing.name", values.get("routing"))) == "shortest_path":
        return IDEAL
    if values["routing.preset"] == "rfc":
        return RFC
    if values["channels.0.mac.rts_threshold"] != "0 B":
        return NO_RTS
    if values["channels.0.propagation.deviation"] == "0 dB":
        return STILL
    return SHADOWS[str(values["channels.0.propagation.redraw"])]


def _parse_density(setting: Setting) -> Density:
    values = setting.values
    redraw = str(values["channels.0.propagation.redraw"])
    return Density(float(values["channels.0.propagation.exponent"]), SHADOWS[redraw], int(setting.levels[NODES]))
