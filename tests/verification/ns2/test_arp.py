"""ARP over radio against ns-2 (record_arp.py): links that few frames cross, and thirty nodes that move.

What the numbers mean stands in docs/verification/ns2.md.
"""

import json
import statistics

import farlink as fl
import pytest
from farlink.statistics import interval
from record_arp import HERE, HUNDRED_SEEDS, THIRTY_SEEDS, counts, thirty

RECORDED = json.loads((HERE / "arp.json").read_text())


def given_up(found: dict) -> int:
    """Packets of AODV and TCP that a MAC gave up."""
    return sum(found["given_up"].get(kind, 0) for kind in ("AODV", "tcp", "ack"))


def test_the_default_gives_up_a_quarter_of_the_packets_of_ideal_resolution_or_less(tmp_path):
    def mean(scenario: fl.Scenario) -> float:
        found = []
        for seed in HUNDRED_SEEDS[:10]:
            trace = tmp_path / "air.tr"
            scenario.run(seed=seed, trace=trace, series=False)
            with trace.open() as lines:
                found.append(given_up(counts(lines)))
        return statistics.mean(found)

    scenario = fl.load(HERE / "hundred.toml")
    ours, ideal = mean(scenario), mean(scenario.set("radio.arp", "ideal"))
    theirs = statistics.mean(given_up(run) for run in RECORDED["hundred"][:10])
    assert theirs < ours < ideal / 4


@pytest.mark.parametrize("replies", ["all", "no replies"])
@pytest.mark.parametrize("speed", [10, 20])
def test_goodput_of_thirty_nodes_with_dsr_is_that_of_ns2(speed, replies):
    scenario = thirty(speed)
    if replies == "no replies":
        scenario = scenario.set("routing.replies_from_cache", False).set("routing.ring_zero", False)
    flows = scenario.run(seeds=THIRTY_SEEDS, series=False).flows.to_pylist()
    ours = [sum(flow["packets_delivered"] for flow in flows if flow["seed"] == seed) for seed in THIRTY_SEEDS]
    case = {"speed": speed, "rts": True, "replies": replies}
    [theirs] = [each["delivered"] for each in RECORDED["thirty"] if case.items() <= each.items()]
    # The same movement in both: run by run.
    differences = interval([one - other for one, other in zip(ours, theirs, strict=True)])
    assert differences.low <= 0 <= differences.high
    assert statistics.mean(ours) == pytest.approx(statistics.mean(theirs), rel=0.1)
