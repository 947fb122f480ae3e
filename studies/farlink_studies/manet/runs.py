"""The runs of the study, asked by sweep, level and variant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from farlink.results.result_store import ResultStore
from farlink.studies.runs import Cases, by_key, drops
from farlink.studies.runs import Runs as BaseRuns
from farlink.tables import parameters

ERRORS, SPEED, NODES, CONNECTIONS = "error rate", "speed", "nodes", "connections"
UNITS = {ERRORS: "errors per frame", SPEED: "m/s", NODES: "nodes", CONNECTIONS: "connections"}
NAMES = {
    "bic": "BIC",
    "cubic": "CUBIC",
    "compound": "Compound",
    "reno": "NewReno",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood": "Westwood",
}
VARIANTS = tuple(NAMES)
STEADY = "constant_bit_rate"
"""The senders of datagrams."""
BITS_PER_KBIT = 1e3
FEWEST_NODES = 100
"""Where the sweeps over nodes and connections meet."""
GIVEN_UP = (
    "queue_full",
    "early_drop",
    "corrupted",
    "link_failure",
    "send_buffer_full",
    "send_buffer_timeout",
    "no_route",
    "hop_limit",
)
"""Causes of a lost packet. All other causes are those of one attempt of the MAC."""


class Case(NamedTuple):
    """What is asked for."""

    sweep: str
    level: float
    variant: str


@dataclass(frozen=True)
class SeedResult:
    """A run: means over its connections, sums over its packets."""

    throughput: float
    """kbit/s."""
    goodput: float
    """kbit/s."""
    delay_s: float | None
    """None when nothing arrived."""
    sent: int
    """Data packets."""
    drops: Mapping[str, int]
    """Packets given up by the network, by cause."""
    connections: int = 1
    delivering: int = 1
    """Connections of which anything arrived."""
    timeouts: int = 0
    limited_by: Mapping[str, float] = field(default_factory=dict)
    """Shares of the time, mean over the connections."""
    each: Sequence[float] = ()
    """Goodput of every connection, in their order, kbit/s; none where it was not recorded."""
    delays_s: Sequence[float | None] = ()
    """Delay of every connection, in their order; None where nothing arrived."""
    lasted_s: float = 0.0

    @property
    def dropped(self) -> int:
        """All packets given up."""
        return sum(self.drops.values())


Metric = Callable[[SeedResult], "float | None"]
METRICS: Mapping[str, Metric] = {
    "throughput": lambda one: one.throughput,
    "goodput": lambda one: one.goodput,
    "packets dropped": lambda one: float(one.dropped),
    "delay": lambda one: one.delay_s,
}
"""The paper's four."""


class Runs(BaseRuns[Case, SeedResult]):
    """Runs by case and seed."""

    def levels_of(self, sweep: str) -> list[float]:
        """From the lowest to the highest; raises `MissingError` where there are not two."""
        return self.levels(lambda case: case.level if case.sweep == sweep else None)

    def variants(self) -> list[str]:
        """Those of which there are runs, in the paper's order."""
        found = {case.variant for case in self._cases}
        return [variant for variant in (*VARIANTS, STEADY) if variant in found]

    def known(self, case: Case, metric: Metric) -> list[float]:
        """The values of a metric that there are, of all seeds; raises `MissingError`."""
        return [value for one in self.of(case).values() if (value := metric(one)) is not None]

    def at(self, sweep: str, level: float) -> list[SeedResult]:
        """Every run of every variant of the paper at a level of a sweep; raises `MissingError`."""
        return [one for variant in VARIANTS for one in self.of(Case(sweep, level, variant)).values()]

    def points(self) -> list[tuple[str, float]]:
        """Every level of every sweep."""
        return list(dict.fromkeys((case.sweep, case.level) for case, _ in self.all()))

    def seeds(self) -> list[int]:
        """The seeds that every case has."""
        return sorted(set.intersection(*(set(ones) for ones in self._cases.values())))

    def _sort_key(self, case: Case) -> Any:
        return list(UNITS).index(case.sweep), case.level, case.variant


def of_results(parts: Mapping[str, ResultStore]) -> Runs:
    """Read the runs out of the store; `parts` are the results of each sweep."""
    cases = Cases[Case, SeedResult]()
    for sweep, results in parts.items():
        for number, (scenario, seed, one) in enumerate(read(results)):
            case = Case(sweep, scenario.levels[sweep], scenario.variant)
            cases.add(case, seed, f"run {number}", one)
    return Runs(cases.found)


def of_ns2(path: Path) -> Runs:
    """Read what ns-2 was recorded to do (`ns2/record.py`); nothing if there is no such file."""
    cases = Cases[Case, SeedResult]()
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"runs": []}
    for number, run in enumerate(recorded["runs"]):
        levels = {ERRORS: run["errors"], SPEED: run["speed"], NODES: run["nodes"], CONNECTIONS: run["connections"]}
        one = SeedResult(
            run["throughput"],
            run["goodput"],
            run["delay_s"],
            run["sent"],
            run["drops"],
            run["connections"],
            run["delivering"],
            lasted_s=recorded["duration_s"],
        )
        # The low ends of two sweeps are the same runs.
        is_low = run["sweep"] == NODES and run["nodes"] == FEWEST_NODES
        for sweep in (NODES, CONNECTIONS) if is_low else (run["sweep"],):
            case = Case(sweep, float(levels[sweep]), run["variant"])
            cases.add(case, run["seed"], f"record {number}", one)
    return Runs(cases.found)


class Setting(NamedTuple):
    """What a scenario has at the places that the study varies."""

    levels: Mapping[str, float]
    variant: str
    lasts_s: float
    values: Mapping[str, parameters.Scalar]


def read(results: ResultStore) -> Iterator[tuple[Setting, int, SeedResult]]:
    """Every run with its setting and seed."""
    lost, flows = drops(results, GIVEN_UP), by_key(results.flows)
    for run in results.runs.select(["key", "seed", "resolved"]).to_pylist():
        setting = _parse_setting(run["resolved"])
        yield setting, run["seed"], _seed_result(flows[run["key"]], lost.get(run["key"], {}), setting.lasts_s)


def _seed_result(flows: Sequence[Mapping[str, Any]], drops: Mapping[str, int], lasted_s: float) -> SeedResult:
    count = len(flows)
    arrived = [flow for flow in flows if flow["packets_delivered"]]
    delivered = sum(flow["packets_delivered"] for flow in arrived)
    shares = [name for name in flows[0] if name.startswith("limited_by_")]
    return SeedResult(
        throughput=sum(flow["throughput_bps"] for flow in flows) / count / BITS_PER_KBIT,
        goodput=sum(flow["goodput_bps"] for flow in flows) / count / BITS_PER_KBIT,
        delay_s=sum(flow["delay_mean_s"] * flow["packets_delivered"] for flow in arrived) / delivered
        if delivered
        else None,
        sent=sum(flow["packets_sent"] for flow in flows),
        drops=drops,
        connections=count,
        delivering=len(arrived),
        timeouts=sum(flow["timeouts"] or 0 for flow in flows),
        limited_by={
            name.removeprefix("limited_by_").replace("_", " "): sum(flow[name] or 0 for flow in flows) / count
            for name in shares
        },
        each=[flow["goodput_bps"] / BITS_PER_KBIT for flow in flows],
        delays_s=[flow["delay_mean_s"] if flow["packets_delivered"] else None for flow in flows],
        lasted_s=lasted_s,
    )


@cache
def _parse_setting(resolved: str) -> Setting:
    values = parameters.flatten(resolved)
    levels = {
        ERRORS: float(values["channels.0.antenna.frame_error_rate"]),
        SPEED: parameters.si_number(values, "mobility.max_speed"),
        NODES: float(_count_items(values, "channels.0.nodes")),
        CONNECTIONS: float(_count_items(values, "flows")),
    }
    sender = values.get("flows.0.tcp.congestion_control", values["flows.0.application"])
    return Setting(levels, str(sender), parameters.si_number(values, "duration"), values)


def _count_items(values: Mapping[str, parameters.Scalar], path: str) -> int:
    depth = path.count(".") + 1
    return len({name.split(".")[depth] for name in values if name.startswith(f"{path}.")})
