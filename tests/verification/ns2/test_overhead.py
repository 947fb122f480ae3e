"""The numbers of overhead.json (record_overhead.py) are those of docs/verification/ns2.md."""

import json
import re

from record_overhead import HERE, MOVEMENTS, PROTOCOLS, SEEDS, ratios

PAGE = HERE.parents[2] / "docs" / "verification" / "ns2.md"
DOCUMENT = json.loads((HERE / "overhead.json").read_text())
NAMES = {
    "all routing packets": "routing",
    "RREQ": {"aodv": "request", "dsr": "rreq"},
    "RREP": {"aodv": "reply", "dsr": "rrep"},
    "RERR": {"aodv": "error", "dsr": "rerr"},
    "updates": "update",
    "flow errors": "flow_error",
    "link failures": "link_failures",
    "segments that arrive": "arrived",
}
"""What the page calls the counts, for all protocols or for each."""
ROW = re.compile(r"\| (AODV|DSDV|DSR) \| ([^|]+) \| (\d+) \| (\d+) \| ([\d.]+) \[([\d.]+), ([\d.]+)\] \|")


def test_the_page_has_the_numbers_that_are_recorded():
    text = PAGE.read_text(encoding="utf-8").split("## Routing packets and link failures")[1].split("\n## ")[0]
    rows = ROW.findall(text)
    assert len(rows) == sum(line.startswith("|") for line in text.splitlines()) - 2
    found = {protocol: ratios(DOCUMENT, protocol) for protocol in PROTOCOLS}
    for routing, what, *printed in rows:
        protocol, name = routing.lower(), NAMES[what]
        ns2, ours, *share = found[protocol].pop(name if isinstance(name, str) else name[protocol])
        assert printed == [f"{ns2:.0f}", f"{ours:.0f}", *(f"{each:.2f}" for each in share)], (routing, what)
    # The updates of DSDV are all of its routing packets.
    assert found == {"aodv": {}, "dsdv": {"routing": found["dsdv"].get("routing")}, "dsr": {}}


def test_every_movement_and_seed_is_recorded_of_both_simulators():
    for simulator in ("ns2", "farlink"):
        for protocol in PROTOCOLS:
            runs = [(row["movement"], row["seed"]) for row in DOCUMENT[simulator][protocol]]
            assert runs == [(movement, seed) for movement in MOVEMENTS for seed in SEEDS]


def test_the_largest_numbers_of_route_errors_are_those_of_the_page():
    said = re.search(r"The largest run has (\d+) RERRs in ns-2 and (\d+) in Farlink", PAGE.read_text(encoding="utf-8"))
    assert said is not None
    largest = [max(row.get("rerr", 0) for row in DOCUMENT[side]["dsr"]) for side in ("ns2", "farlink")]
    assert [int(number) for number in said.groups()] == largest
