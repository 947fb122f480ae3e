"""Additional experiments, which the paper does not have, and those on why claims are missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.studies.measured import Experiments
from farlink.studies.runs import by_key, resolved
from farlink.studies.underwater import explanations, findings
from farlink.studies.underwater.runs import BITS_PER_KBIT, HOPS, NAMES, SIZES, SeedResult, number, of_results, read
from farlink.studies.written import half_width, t_half_width
from farlink.tables import parameters

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
        ("RTT0 of Hybla, four hops", _table(additional["RTT0"], {"RTT0": _text(RTT0)})),
        ("Congestion controls, four hops", _table(additional["congestion controls"], {"variant": _variant})),
        ("MACs, four hops, NewReno", _table(additional["MACs"], {"MAC": _mac, "window": _window})),
        ("Sizes of packets, four hops, NewReno", _table(additional["sizes"], {"size [B]": _size, "window": _window})),
        ("Depth, four hops, NewReno", _table(additional["depths"], {"depth": _text(DEPTH)})),
        ("Queues, four hops", _table(additional["queues"], {"queue": _text(QUEUE), "variant": _variant})),
        ("Ten times as long", _table(additional["ten times as long"], {"hops": _hops, "variant": _variant})),
        (QUICKER, _table(additional["faster MAC"], {"hops": _hops, "variant": _variant})),
        (
            "One hop, 20 packets, no link acknowledgements",
            _table(additional["one hop, 20 packets"], {"MAC": _mac, "propagation": _text("channels.0.delay")}),
        ),
        ("Figure 1: three arms of two hops and a sink, all flows together", list(_sink(additional["sink"]))),
    ]
    return Experiments(
        findings=[_finding(caption, rows) for caption, rows in found],
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
        found |= {f"{word}_ratio_{each}": half_width(findings.ratio(runs, each)) for each in HOPS}
        found |= {f"{word}_gain_{size}": half_width(findings.gain(runs, size)) for size in SIZES}
        found |= {f"{word}_{name}": value for name, value in explanations.of_runs(runs).items()}
    for row in _table(additional["MACs"], {"MAC": _mac, "window": _window}):
        found[f"{row['MAC']}_{row['window']}"] = row[CARRIED]
    for row in _table(additional["RTT0"], {"RTT0": _text(RTT0)}):
        found[f"rtt0 {row['RTT0']}"] = row[CARRIED]
    for row in _table(additional["queues"], {"queue": _text(QUEUE), "variant": _variant}):
        found[f"queue {row['queue']} {row['variant']}"] = row[CARRIED]
    return found


def _finding(caption: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What is best, in a sentence."""

    def mean(row: Mapping[str, Any]) -> float:
        return float(str(row[CARRIED]).split()[0])

    best = max(rows, key=mean)
    what = ", ".join(f"{name} {value}" for name, value in list(best.items()) if name not in MEASURED)
    return f"{caption}: highest throughput with {what} ({best[CARRIED]} kbit/s)."


MEASURED = (CARRIED, "arrival rate [%]", "mean round trip [s]", "timeouts", "overflows", "Jain")


def _table(results: ResultStore, heads: Mapping[str, Callable[[Values], Any]]) -> list[dict[str, Any]]:
    """A row per point."""
    texts = resolved(results)
    points: dict[tuple[Any, ...], list[SeedResult]] = {}
    for key, _, one in read(results):
        values = parameters.flat(texts[key])
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


def _sink(results: ResultStore) -> Iterator[dict[str, Any]]:
    """The flows of a run together."""
    texts = resolved(results)
    points: dict[tuple[str, int], list[list[dict[str, Any]]]] = {}
    for key, flows in by_key(results.flows).items():
        values = parameters.flat(texts[key])
        points.setdefault((_variant(values), _window(values)), []).append(flows)
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


def _text(path: str) -> Callable[[Values], Any]:
    return lambda values: values[path]


def _variant(values: Values) -> str:
    name = str(values[f"{PATH}.congestion_control"])
    return NAMES.get(name, name)


def _hops(values: Values) -> int:
    return sum(path.startswith("nodes.") and path.endswith(".name") for path in values) - 1


def _window(values: Values) -> int:
    return number(values[f"{PATH}.max_window"])


def _size(values: Values) -> int:
    return number(values[f"{PATH}.segment_size"])


def _mac(values: Values) -> str:
    """The MAC, distinguished where it stands twice."""
    name = str(values["channels.0.mac"])
    if name == "aloha" and values["channels.0.mac.acknowledge"] is False:
        return "aloha, no acknowledgements"
    if name == "tdma" and values["channels.0.mac.slots"] != "none":
        return f"tdma, {values['channels.0.mac.slots']} slots"
    if name == "csma" and values["channels.0.mac.backoff"] != "10 ms":
        return f"csma, senses again within {values['channels.0.mac.backoff']}"
    return name
