"""Record what ns-2 does under the study's settings: `python record.py` writes measured.json beside this file.

Needs Debian 12's `ns2` (2.35) and Farlink, which writes the movement: both simulators' nodes go the same ways. The ends
of the sweeps, runs of 100 s. Connections start at other instants than in Farlink, drawn from the same 5 s.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from farlink.studies.recorded import Run, record
from farlink.studies.settings import read

from farlink_studies.manet.runs import CONNECTIONS, ERRORS, NODES, SPEED, VARIANTS

HERE = Path(__file__).resolve().parent
DURATION_S = 100
SEEDS = range(1, 11)
PAYLOAD_BITS = 512 * 8
EXPONENT = 2.3
MIXED = ("1 m/s", "5 m/s")
CAUSES = {
    "IFQ": "queue_full",
    "CBK": "link_failure",
    "NRTE": "no_route",
    "TTL": "hop_limit",
    "TOUT": "send_buffer_timeout",
}
"""Of ns-2's reasons; what else drops a packet is counted as `link_failure`, too: ARP, and what the MAC gives back."""


def cases() -> Iterator[Run]:
    """The ends of the sweeps, seed by seed, so that all have equally many whenever this is stopped."""
    base: Run = {"nodes": 100, "connections": 2, "errors": 0.0, "speed": None}
    ends = (
        (ERRORS, "errors", 0.05),
        (ERRORS, "errors", 0.6),
        (SPEED, "speed", 1.0),
        (SPEED, "speed", 5.0),
        (NODES, "nodes", 100),
        (NODES, "nodes", 300),
        (CONNECTIONS, "connections", 8),
    )
    for seed, (sweep, key, level), variant in product(SEEDS, ends, VARIANTS):
        yield {**base, key: level, "sweep": sweep, "variant": variant, "seed": seed}


def run(case: Run) -> Run:
    """Run ns-2 once."""
    low, high = MIXED if case["speed"] is None else (f"{case['speed']:g} m/s",) * 2
    scenario = read(HERE.parent / "settings.toml").scenario().set("duration", f"{DURATION_S} s")
    scenario = scenario.set("topology.nodes", case["nodes"]).set("flows.*.tcp.congestion_control", "reno")
    scenario = scenario.set("mobility.min_speed", low).set("mobility.max_speed", high)
    shape = (case["variant"], case["nodes"], case["connections"], case["errors"], EXPONENT, DURATION_S, case["seed"])
    with tempfile.TemporaryDirectory() as folder:
        movement, trace = Path(folder) / "movement.tcl", Path(folder) / "trace"
        movement.write_text(scenario.ns2_movement(seed=case["seed"], shift="10 m"), encoding="utf-8")
        command = ["ns", str(HERE / "manet.tcl"), *map(str, shape), str(movement), str(trace)]
        subprocess.run(command, capture_output=True, check=True)
        with trace.open(encoding="ascii") as lines:
            return measure(lines, case["connections"])


def measure(lines: Iterable[str], connections: int) -> Run:
    """Make the study's metrics out of a trace: of data packets but the first, which opens the connection."""
    sent: list[dict[int, float]] = [{} for _ in range(connections)]
    arrived: list[dict[int, float]] = [{} for _ in range(connections)]
    bits, attempts, first = [0] * connections, [0] * connections, [float(DURATION_S)] * connections
    drops: Counter[str] = Counter()
    for line in lines:
        words = line.split()
        if words[0] not in "srD" or len(words) < 18 or words[6] not in ("tcp", "ack"):
            continue
        if words[0] == "D":
            place = "IFQ" if words[3] == "IFQ" and words[4] == "---" else words[4]
            drops[CAUSES.get(place, "link_failure")] += 1
            continue
        if words[3] != "AGT" or words[6] != "tcp":
            continue
        time_s, node, number = float(words[1]), int(words[2].strip("_")), int(words[17].strip("["))
        flow = node // 2
        if words[0] == "s":
            first[flow] = min(first[flow], time_s)
            attempts[flow] += number > 0
            sent[flow].setdefault(number, time_s)
        else:
            bits[flow] += int(words[7]) * 8
            arrived[flow].setdefault(number, time_s)
    flows = range(connections)
    delays = [time_s - sent[flow][number] for flow in flows for number, time_s in arrived[flow].items() if number > 0]
    times = [DURATION_S - first[flow] for flow in flows]
    whole = [next(count for count in range(len(arrived[flow]) + 1) if count + 1 not in arrived[flow]) for flow in flows]
    return {
        "throughput": sum(bits[flow] / times[flow] for flow in flows if times[flow]) / connections / 1e3,
        "goodput": sum(whole[flow] * PAYLOAD_BITS / times[flow] for flow in flows if times[flow]) / connections / 1e3,
        "delay_s": sum(delays) / len(delays) if delays else None,
        "sent": sum(attempts),
        "drops": dict(sorted(drops.items())),
        "delivering": sum(any(number > 0 for number in arrived[flow]) for flow in flows),
    }


if __name__ == "__main__":
    record(HERE, list(cases()), run, simulator="ns-2.35 (Debian ns2 2.35+dfsg-5)", duration_s=DURATION_S)
