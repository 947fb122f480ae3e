"""Additional experiments, which the paper does not have, and those on why claims are missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies.experiments import Experiments
from farlink.studies.runs import by_key, resolved
from farlink.studies.written import half_width, t_half_width
from farlink.tables import parameters

from farlink_studies.underwater import explanations, findings
from farlink_studies.underwater.runs import (
    BITS_PER_KBIT,
    HOPS,
    NAMES,
    SIZES,
    SeedResult,
    of_results,
    quantity_number,
    read,
)

Values = Mapping[str, Any]
Heads = Mapping[str, Callable[[Values], Any]]
"""The columns that distinguish the points of a grid."""
PATH = "flows.0.tcp"
CARRIED = "throughput [kbit/s]"
QUICKER = "A faster MAC: space and slots of 95 ms, windows from one slot"
METRICS: Mapping[str, Callable[[SeedResult], float]] = {
    CARRIED: lambda one: one.throughput,
    "arrival rate [%]": lambda one: one.arrival,
    "mean round trip [s]": lambda one: one.rtt_mean_s,
    "timeouts": lambda one: one.timeouts,
    "overflows": lambda one: one.drops.get("queue_full", 0),
}


def _value_at(path: str) -> Callable[[Values], Any]:
    return lambda values: values[path]


def _variant_name(values: Values) -> str:
    name = str(values[f"{PATH}.congestion_control"])
    return NAMES.get(name, name)


def _hop_count(values: Values) -> int:
    return sum(path.startswith("nodes.") and path.endswith(".name") for path in values) - 1


def _number_at(path: str) -> Callable[[Values], int]:
    return lambda values: quantity_number(values[path])


def _mac_name(values: Values) -> str:
    """The MAC, distinguished where it stands twice."""
    name = str(values["channels.0.mac"])
    if name == "aloha" and values["channels.0.mac.acknowledge"] is False:
        return "aloha, no acknowledgements"
    if name == "tdma" and values["channels.0.mac.slots"] != "none":
        return f"tdma, {values['channels.0.mac.slots']} slots"
    if name == "csma" and values["channels.0.mac.backoff"] != "10 ms":
        return f"csma, senses again within {values['channels.0.mac.backoff']}"
    return name


MAX_WINDOW = _number_at(f"{PATH}.max_window")
WINDOW: Heads = {"window": MAX_WINDOW}
VARIANT: Heads = {"variant": _variant_name}
RTT0: Heads = {"RTT0": _value_at(f"{PATH}.congestion_control.rtt0")}
GRIDS: Mapping[str, tuple[str, Heads]] = {
    "RTT0 of Hybla, four hops": ("RTT0", RTT0),
    "Congestion controls, four hops": ("congestion controls", VARIANT),
    "MACs, four hops, NewReno": ("MACs", {"MAC": _mac_name, **WINDOW}),
    "Sizes of packets, four hops, NewReno": ("sizes", {"size [B]": _number_at(f"{PATH}.segment_size"), **WINDOW}),
    "Depth, four hops, NewReno": ("depths", {"depth": _value_at("channels.0.propagation_speed.surface")}),
    "Queues, four hops": ("queues", {"queue": _value_at("channels.0.queue.limit"), **VARIANT}),
    "Ten times as long": ("ten times as long", {"hops": _hop_count, **VARIANT}),
    QUICKER: ("faster MAC", {"hops": _hop_count, **VARIANT}),
    "One hop, 20 packets, no link acknowledgements": (
        "one hop, 20 packets",
        {"MAC": _mac_name, "propagation": _value_at("channels.0.delay")},
    ),
}
"""By the caption of a table its grid, and what distinguishes its points."""


def report(additional: Mapping[str, ResultStore]) -> Experiments:
    """Every experiment as a table."""
    found = {caption: _point_rows(additional[grid], heads) for caption, (grid, heads) in GRIDS.items()}
    found["Figure 1: three arms of two hops and a sink, all flows together"] = [*_sum_over_flows(additional["sink"])]
    return Experiments(
        findings=[_best_row_sentence(caption, rows) for caption, rows in found.items()],
        tables=[(caption, ReportTable.of(rows)) for caption, rows in found.items()],
    )


def facts(additional: Mapping[str, ResultStore]) -> dict[str, str]:
    """What explanations of claims name: ratios and gains where something is different."""
    found: dict[str, str] = {}
    for word, grid in (("longer", "ten times as long"), ("quicker", "faster MAC")):
        runs = of_results({name: additional[name] for name in (grid, f"{grid}, windows")})
        found |= {f"{word}_ratio_{each}": half_width(findings.hybla_ratio(runs, each)) for each in HOPS}
        found |= {f"{word}_gain_{size}": half_width(findings.gain_of_best_limit(runs, size)) for size in SIZES}
        found |= {f"{word}_{name}": value for name, value in explanations.of_runs(runs).items()}
    return found | {f"rtt0 {row['RTT0']}": row[CARRIED] for row in _point_rows(additional["RTT0"], RTT0)}


def _best_row_sentence(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What is best, in a sentence."""

    def mean(row: Mapping[str, Any]) -> float:
        return float(str(row[CARRIED]).split()[0])

    best = max(rows, key=mean)
    what = ", ".join(f"{name} {value}" for name, value in list(best.items()) if name not in (*METRICS, "Jain"))
    return f"{caption}: highest throughput with {what} ({best[CARRIED]} kbit/s)."


def _point_rows(results: ResultStore, heads: Heads) -> list[dict[str, Any]]:
    """A row per point."""
    texts = resolved(results)
    points: dict[tuple[Any, ...], list[SeedResult]] = {}
    for key, _, one in read(results):
        values = parameters.flatten(texts[key])
        points.setdefault(tuple(head(values) for head in heads.values()), []).append(one)
    return [
        dict(zip(heads, point, strict=True))
        | {name: t_half_width([number(one) for one in ones]) for name, number in METRICS.items()}
        for point, ones in points.items()
    ]


def _sum_over_flows(results: ResultStore) -> Iterator[dict[str, Any]]:
    """The flows of a run together."""
    texts = resolved(results)
    points: dict[tuple[str, int], list[list[dict[str, Any]]]] = {}
    for key, flows in by_key(results.flows).items():
        values = parameters.flatten(texts[key])
        points.setdefault((_variant_name(values), MAX_WINDOW(values)), []).append(flows)
    for (variant, window), all_flows in points.items():
        sums = [[flow["goodput_bps"] / BITS_PER_KBIT for flow in flows] for flows in all_flows]
        arrived = [
            100 * sum(f["packets_delivered"] for f in fs) / sum(f["packets_sent"] for f in fs) for fs in all_flows
        ]
        yield {
            "variant": variant,
            "window": window,
            CARRIED: t_half_width([sum(each) for each in sums]),
            "arrival rate [%]": t_half_width(arrived),
            "Jain": t_half_width(
                [sum(each) ** 2 / (len(each) * sum(x * x for x in each)) for each in sums if any(each)]
            ),
        }
