"""Additional experiments, which the paper does not have, and those on why claims are missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies.measured import Experiments
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
PATH = "flows.0.tcp"
RTT0 = f"{PATH}.congestion_control.rtt0"
DEPTH = "channels.0.propagation_speed.surface"
QUEUE = "channels.0.queue.limit"
CARRIED = "throughput [kbit/s]"
QUICKER = "A faster MAC: space and slots of 95 ms, windows from one slot"


def report(additional: Mapping[str, ResultStore]) -> Experiments:
    """Every experiment as a table."""
    found: list[tuple[str, list[dict[str, Any]]]] = [
        ("RTT0 of Hybla, four hops", _point_rows(additional["RTT0"], {"RTT0": _value_at(RTT0)})),
        ("Congestion controls, four hops", _point_rows(additional["congestion controls"], {"variant": _variant_name})),
        ("MACs, four hops, NewReno", _point_rows(additional["MACs"], {"MAC": _mac_name, "window": _max_window})),
        (
            "Sizes of packets, four hops, NewReno",
            _point_rows(additional["sizes"], {"size [B]": _segment_size, "window": _max_window}),
        ),
        ("Depth, four hops, NewReno", _point_rows(additional["depths"], {"depth": _value_at(DEPTH)})),
        ("Queues, four hops", _point_rows(additional["queues"], {"queue": _value_at(QUEUE), "variant": _variant_name})),
        (
            "Ten times as long",
            _point_rows(additional["ten times as long"], {"hops": _hop_count, "variant": _variant_name}),
        ),
        (QUICKER, _point_rows(additional["faster MAC"], {"hops": _hop_count, "variant": _variant_name})),
        (
            "One hop, 20 packets, no link acknowledgements",
            _point_rows(
                additional["one hop, 20 packets"], {"MAC": _mac_name, "propagation": _value_at("channels.0.delay")}
            ),
        ),
        ("Figure 1: three arms of two hops and a sink, all flows together", list(_sum_over_flows(additional["sink"]))),
    ]
    return Experiments(
        findings=[_best_row_sentence(caption, rows) for caption, rows in found],
        tables=[(caption, ReportTable.of(rows)) for caption, rows in found],
        figures=[],
    )


def facts(additional: Mapping[str, ResultStore]) -> dict[str, str]:
    """What explanations of claims name: ratios and gains where something is different."""
    found: dict[str, str] = {}
    for word, hops, windows in (
        ("longer", "ten times as long", "ten times as long, windows"),
        ("quicker", "faster MAC", "faster MAC, windows"),
    ):
        runs = of_results({name: additional[name] for name in (hops, windows)})
        found |= {f"{word}_ratio_{each}": half_width(findings.hybla_ratio(runs, each)) for each in HOPS}
        found |= {f"{word}_gain_{size}": half_width(findings.gain_of_best_limit(runs, size)) for size in SIZES}
        found |= {f"{word}_{name}": value for name, value in explanations.of_runs(runs).items()}
    for row in _point_rows(additional["MACs"], {"MAC": _mac_name, "window": _max_window}):
        found[f"{row['MAC']}_{row['window']}"] = row[CARRIED]
    for row in _point_rows(additional["RTT0"], {"RTT0": _value_at(RTT0)}):
        found[f"rtt0 {row['RTT0']}"] = row[CARRIED]
    for row in _point_rows(additional["queues"], {"queue": _value_at(QUEUE), "variant": _variant_name}):
        found[f"queue {row['queue']} {row['variant']}"] = row[CARRIED]
    return found


def _best_row_sentence(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What is best, in a sentence."""

    def mean(row: Mapping[str, Any]) -> float:
        return float(str(row[CARRIED]).split()[0])

    best = max(rows, key=mean)
    what = ", ".join(f"{name} {value}" for name, value in list(best.items()) if name not in MEASURED)
    return f"{caption}: highest throughput with {what} ({best[CARRIED]} kbit/s)."


MEASURED = (CARRIED, "arrival rate [%]", "mean round trip [s]", "timeouts", "overflows", "Jain")


def _point_rows(results: ResultStore, heads: Mapping[str, Callable[[Values], Any]]) -> list[dict[str, Any]]:
    """A row per point."""
    texts = resolved(results)
    points: dict[tuple[Any, ...], list[SeedResult]] = {}
    for key, _, one in read(results):
        values = parameters.flatten(texts[key])
        points.setdefault(tuple(head(values) for head in heads.values()), []).append(one)
    return [
        {
            **dict(zip(heads, point, strict=True)),
            CARRIED: t_half_width([one.throughput for one in ones]),
            "arrival rate [%]": t_half_width([one.arrival for one in ones]),
            "mean round trip [s]": t_half_width([one.rtt_mean_s for one in ones]),
            "timeouts": t_half_width([one.timeouts for one in ones]),
            "overflows": t_half_width([one.drops.get("queue_full", 0) for one in ones]),
        }
        for point, ones in points.items()
    ]


def _sum_over_flows(results: ResultStore) -> Iterator[dict[str, Any]]:
    """The flows of a run together."""
    texts = resolved(results)
    points: dict[tuple[str, int], list[list[dict[str, Any]]]] = {}
    for key, flows in by_key(results.flows).items():
        values = parameters.flatten(texts[key])
        points.setdefault((_variant_name(values), _max_window(values)), []).append(flows)
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


def _value_at(path: str) -> Callable[[Values], Any]:
    return lambda values: values[path]


def _variant_name(values: Values) -> str:
    name = str(values[f"{PATH}.congestion_control"])
    return NAMES.get(name, name)


def _hop_count(values: Values) -> int:
    return sum(path.startswith("nodes.") and path.endswith(".name") for path in values) - 1


def _max_window(values: Values) -> int:
    return quantity_number(values[f"{PATH}.max_window"])


def _segment_size(values: Values) -> int:
    return quantity_number(values[f"{PATH}.segment_size"])


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
