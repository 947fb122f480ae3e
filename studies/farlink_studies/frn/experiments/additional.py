"""Additional experiments: both techniques, wireless LAN, broken routes, a gateway, spread load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from farlink import statistics
from farlink.results.report_table import ReportTable
from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies.measured import Experiments
from farlink.studies.runs import resolved
from farlink.studies.written import half_width
from farlink.tables import parameters

from farlink_studies.frn.runs import PACKET_BITS

SLOT_S = 0.010
"""Of all runs with slots here; for wireless LAN a measure only."""
PLACES = ("chain of 4 hops", "chain of 8 hops", "cross", "mesh")
BITS_PER_KBIT = 1e3

Values = Mapping[str, object]


@dataclass(frozen=True)
class Measured:
    """Throughput of the seeds, or patterns and seeds, of each combination of the named words."""

    by: Mapping[tuple[str, ...], Mapping[str, float]]

    def mean(self, *words: str) -> float:
        """Packets per slot."""
        values = self.by[words].values()
        return sum(values) / len(values)

    def gain(self, words: tuple[str, ...], over: tuple[str, ...]) -> Interval:
        """By how many per cent, runs with the same seed and pattern together."""
        mine, theirs = self.by[words], self.by[over]
        rows = [[mine[key], theirs[key]] for key in sorted(mine.keys() & theirs.keys())]
        return statistics.jackknife(rows, lambda row: 100 * (row[0] / row[1] - 1) if row[1] else 0.0)


def read_measured(results: ResultStore, words: Callable[[Values], tuple[str, ...]]) -> Measured:
    """The runs of a grid, distinguished by what `words` makes of their parameters."""
    totals: dict[str, float] = {}
    seeds: dict[str, int] = {}
    for flow in results.flows.select(["key", "seed", "goodput_bps"]).to_pylist():
        totals[flow["key"]] = totals.get(flow["key"], 0.0) + flow["goodput_bps"] * SLOT_S / PACKET_BITS
        seeds[flow["key"]] = flow["seed"]
    by: dict[tuple[str, ...], dict[str, float]] = {}
    for key, text in resolved(results).items():
        values = parameters.flatten(text)
        ends = [str(value) for name, value in values.items() if name.endswith((".from", ".to"))]
        by.setdefault(words(values), {})[f"{' '.join(ends)} {seeds[key]}"] = totals[key]
    return Measured(by)


def _ack_policy(values: Values) -> str:
    return "ACK per packet" if values["flows.0.tcp.delayed_ack"] == "off" else "delayed ACKs"


def _technique_key(values: Values) -> tuple[str, ...]:
    loaded = "fixed" if values["channels.0.mac.max_wait_under_load"] == "none" else "changing"
    return str(values["channels.0.mac.combine"]), loaded, _ack_policy(values)


def _lan_key(values: Values) -> tuple[str, ...]:
    asks = "RTS" if values["channels.0.mac.rts_threshold"] == "0 B" else "no RTS"
    return asks, _ack_policy(values)


def _routing_key(values: Values) -> tuple[str, ...]:
    errors = "5 % errors" if values["channels.0.antenna.frame_error_rate"] else "no errors"
    return str(values["flows.0.tcp.route_failure"]), errors


def _gateway_key(values: Values) -> tuple[str, ...]:
    return str(values["channels.0.mac.combine"]), str(values["links.0.delay"])


def _load_balancing_key(values: Values) -> tuple[str, ...]:
    return (str(values["routing.load_balancing"]),)


def report(additional: Mapping[str, ResultStore]) -> Experiments | None:
    """All that were run."""
    parts = []
    both = {
        place: read_measured(additional[f"both, {place}"], _technique_key)
        for place in PLACES
        if f"both, {place}" in additional
    }
    if both:
        parts.append(_report_both_techniques(both))
    lans = {
        place: read_measured(additional[f"802.11, {place}"], _lan_key)
        for place in ("chain", "cross", "mesh")
        if f"802.11, {place}" in additional
    }
    if lans and both:
        parts.append(_report_lans(lans, both))
    if "route failures" in additional:
        parts.append(_route_failures(read_measured(additional["route failures"], _routing_key)))
    if "gateway" in additional:
        parts.append(_report_gateways(read_measured(additional["gateway"], _gateway_key)))
    if "spread" in additional:
        parts.append(_report_load_balancing(read_measured(additional["spread"], _load_balancing_key)))
    return Experiments.of(parts)


def _report_both_techniques(found: Mapping[str, Measured]) -> Experiments:
    rows = []
    for place, measured in found.items():
        for acks in ("ACK per packet", "delayed ACKs"):
            base = ("off", "fixed", acks)
            named = {
                "neither": base,
                "two queues": ("two_queues", "fixed", acks),
                "combined": ("both_due", "fixed", acks),
                "changing": ("off", "changing", acks),
                "both": ("both_due", "changing", acks),
            }
            row: dict[str, Any] = {"place": place, "acks": acks, "neither": f"{measured.mean(*base):.4f}"}
            for name, words in named.items():
                if words != base:
                    row[f"{name} [% more]"] = half_width(measured.gain(words, base))
            rows.append(row)
    ahead = [
        (place, acks)
        for place, measured in found.items()
        for acks in ("ACK per packet", "delayed ACKs")
        if measured.mean("both_due", "changing", acks)
        > max(measured.mean("both_due", "fixed", acks), measured.mean("off", "changing", acks))
    ]
    finding = f"Both techniques together carry more than either alone in {len(ahead)} of {len(rows)} cases."
    caption = "Both techniques together, at most four retransmissions: packets per slot and gains over neither"
    return Experiments([finding], [(caption, ReportTable.of(rows))], [])


def _report_lans(lans: Mapping[str, Measured], both: Mapping[str, Measured]) -> Experiments:
    rows = []
    names = {"chain": "chain of 4 hops", "cross": "cross", "mesh": "mesh"}
    for place, measured in lans.items():
        for acks in ("ACK per packet", "delayed ACKs"):
            frn = both[names[place]]
            shown = {
                "FRN, plain": frn.mean("off", "fixed", acks),
                "FRN, both techniques": frn.mean("both_due", "changing", acks),
                "802.11": measured.mean("no RTS", acks),
                "802.11 with RTS": measured.mean("RTS", acks),
            }
            kbit = {name: f"{value * PACKET_BITS / SLOT_S / BITS_PER_KBIT:.1f}" for name, value in shown.items()}
            rows.append({"place": names[place], "acks": acks, **kbit})
    carried = [float(row["802.11"]) for row in rows]
    finding = (
        f"At 1 Mbit/s 802.11 carries {min(carried):.0f} to {max(carried):.0f} kbit/s. FRN has a count of "
        "retransmissions in place of the lifetime here, and copies fill its channel: the table does not compare the "
        "two MACs."
    )
    return Experiments([finding], [("FRN and 802.11 on the same topologies [kbit/s]", ReportTable.of(rows))], [])


def _route_failures(measured: Measured) -> Experiments:
    rows = []
    for errors in ("no errors", "5 % errors"):
        base = ("none", errors)
        row: dict[str, Any] = {"errors": errors, "Reno": f"{measured.mean(*base):.4f}"}
        for policy in ("tcp_elfn", "sim_elfn"):
            row[f"{policy} [% more]"] = half_width(measured.gain((policy, errors), base))
        rows.append(row)
    caption = "A route-failure policy over FRN, chain of 8 hops: packets per slot"
    finding = "Packets dropped here are lost to collisions, and the route exists: " + "; ".join(
        f"with {row['errors']} freezing changes the throughput by {row['tcp_elfn [% more]']} % (tcp_elfn) "
        f"and {row['sim_elfn [% more]']} % (sim_elfn)"
        for row in rows
    )
    return Experiments([finding + "."], [(caption, ReportTable.of(rows))], [])


def _report_gateways(measured: Measured) -> Experiments:
    delays = sorted({words[1] for words in measured.by}, key=lambda delay: float(delay.split()[0]))
    rows = [
        {
            "delay of the link": delay,
            "plain": f"{measured.mean('off', delay):.4f}",
            "combined [% more]": half_width(measured.gain(("both_due", delay), ("off", delay))),
        }
        for delay in delays
    ]
    gains = [row["combined [% more]"] for row in rows]
    finding = (
        "A wired server gains from combined frames: "
        + ", ".join(f"{gain} % with {row['delay of the link']}" for gain, row in zip(gains, rows, strict=True))
        + "."
    )
    return Experiments([finding], [("A server behind a gateway, 3-17: packets per slot", ReportTable.of(rows))], [])


def _report_load_balancing(measured: Measured) -> Experiments:
    rows = [
        {
            "spread": name,
            "packets per slot": f"{measured.mean(name):.4f}",
            "gain [%]": "-" if name == "none" else half_width(measured.gain((name,), ("none",))),
        }
        for name in ("none", "packets", "flows")
    ]
    finding = (
        f"Spreading load among forward routes changes the throughput of six random connections by "
        f"{rows[1]['gain [%]']} % packet by packet and by {rows[2]['gain [%]']} % flow by flow."
    )
    caption = "Load spread among forward routes: 20 patterns of six connections, combined frames"
    return Experiments([finding], [(caption, ReportTable.of(rows))], [])
