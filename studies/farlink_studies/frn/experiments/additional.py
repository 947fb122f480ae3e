"""Additional experiments: both techniques, wireless LAN, broken routes, a gateway, spread load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from farlink.results.result_store import ResultStore
from farlink.statistics import Interval
from farlink.studies.comparisons import mean_gain
from farlink.studies.experiments import Experiments
from farlink.studies.runs import resolved
from farlink.studies.written import half_width
from farlink.tables import parameters

from farlink_studies.frn.runs import MODES, PACKET_BITS

SLOT_S = 0.010
"""Of all runs with slots here; for wireless LAN a measure only."""
PLACES = ("chain of 4 hops", "chain of 8 hops", "cross", "mesh")
LAN_PLACES = ("chain of 4 hops", "cross", "mesh")
"""Where wireless LAN was run, too."""
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
        return mean_gain([[mine[key], theirs[key]] for key in sorted(mine.keys() & theirs.keys())])


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

    def read(grids: Mapping[str, str], words: Callable[[Values], tuple[str, ...]]) -> dict[str, Measured]:
        return {name: read_measured(additional[grid], words) for name, grid in grids.items() if grid in additional}

    parts = []
    both = read({place: f"both, {place}" for place in PLACES}, _technique_key)
    if both:
        parts.append(_report_both_techniques(both))
    lans = read({place: f"802.11, {place.split()[0]}" for place in LAN_PLACES}, _lan_key)
    if lans and both:
        parts.append(_report_lans(lans, both))
    for grid, words, make in (
        ("route failures", _routing_key, _route_failures),
        ("gateway", _gateway_key, _report_gateways),
        ("spread", _load_balancing_key, _report_load_balancing),
    ):
        parts += [make(measured) for measured in read({"": grid}, words).values()]
    return Experiments.of(parts)


def _report_both_techniques(found: Mapping[str, Measured]) -> Experiments:
    rows, ahead = [], 0
    for (place, measured), acks in product(found.items(), MODES):
        base, combined, changing, both = (
            (combine, how, acks)
            for combine, how in (("off", "fixed"), ("both_due", "fixed"), ("off", "changing"), ("both_due", "changing"))
        )
        named = {"two queues": ("two_queues", "fixed", acks), "combined": combined, "changing": changing, "both": both}
        gains = {f"{name} [% more]": half_width(measured.gain(words, base)) for name, words in named.items()}
        rows.append({"place": place, "acks": acks, "neither": f"{measured.mean(*base):.4f}", **gains})
        ahead += measured.mean(*both) > max(measured.mean(*combined), measured.mean(*changing))
    finding = f"Both techniques together carry more than either alone in {ahead} of {len(rows)} cases."
    caption = "Both techniques together, at most four retransmissions: packets per slot and gains over neither"
    return Experiments.of_table(caption, rows, [finding])


def _report_lans(lans: Mapping[str, Measured], both: Mapping[str, Measured]) -> Experiments:
    rows = []
    for (place, measured), acks in product(lans.items(), MODES):
        shown = {
            "FRN, plain": both[place].mean("off", "fixed", acks),
            "FRN, both techniques": both[place].mean("both_due", "changing", acks),
            "802.11": measured.mean("no RTS", acks),
            "802.11 with RTS": measured.mean("RTS", acks),
        }
        kbit = {name: f"{value * PACKET_BITS / SLOT_S / BITS_PER_KBIT:.1f}" for name, value in shown.items()}
        rows.append({"place": place, "acks": acks, **kbit})
    carried = [float(row["802.11"]) for row in rows]
    finding = (
        f"At 1 Mbit/s 802.11 carries {min(carried):.0f} to {max(carried):.0f} kbit/s. FRN has a count of "
        "retransmissions in place of the lifetime here, and copies fill its channel: the table does not compare the "
        "two MACs."
    )
    return Experiments.of_table("FRN and 802.11 on the same topologies [kbit/s]", rows, [finding])


def _route_failures(measured: Measured) -> Experiments:
    rows = []
    for errors in ("no errors", "5 % errors"):
        base = ("none", errors)
        gains = {
            f"{policy} [% more]": half_width(measured.gain((policy, errors), base))
            for policy in ("tcp_elfn", "sim_elfn")
        }
        rows.append({"errors": errors, "Reno": f"{measured.mean(*base):.4f}", **gains})
    finding = "Packets dropped here are lost to collisions, and the route exists: " + "; ".join(
        f"with {row['errors']} freezing changes the throughput by {row['tcp_elfn [% more]']} % (tcp_elfn) "
        f"and {row['sim_elfn [% more]']} % (sim_elfn)"
        for row in rows
    )
    caption = "A route-failure policy over FRN, chain of 8 hops: packets per slot"
    return Experiments.of_table(caption, rows, [finding + "."])


def _report_gateways(measured: Measured) -> Experiments:
    delays = sorted({words[1] for words in measured.by}, key=lambda delay: float(delay.split()[0]))
    gains = {delay: half_width(measured.gain(("both_due", delay), ("off", delay))) for delay in delays}
    rows = [
        {"delay of the link": delay, "plain": f"{measured.mean('off', delay):.4f}", "combined [% more]": gain}
        for delay, gain in gains.items()
    ]
    listed = ", ".join(f"{gain} % with {delay}" for delay, gain in gains.items())
    finding = f"A wired server gains from combined frames: {listed}."
    return Experiments.of_table("A server behind a gateway, 3-17: packets per slot", rows, [finding])


def _report_load_balancing(measured: Measured) -> Experiments:
    gains = {name: half_width(measured.gain((name,), ("none",))) for name in ("packets", "flows")}
    rows = [
        {"spread": name, "packets per slot": f"{measured.mean(name):.4f}", "gain [%]": gains.get(name, "-")}
        for name in ("none", *gains)
    ]
    finding = (
        f"Spreading load among forward routes changes the throughput of six random connections by "
        f"{gains['packets']} % packet by packet and by {gains['flows']} % flow by flow."
    )
    caption = "Load spread among forward routes: 20 patterns of six connections, combined frames"
    return Experiments.of_table(caption, rows, [finding])
