"""Records what ns-2 makes of radio chains: `python3 record_chain.py` writes chain.json and its like beside it."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from record import HERE, ns2, version

HOPS = range(1, 9)
WINDOWS = (1, 2, 4, 8, 16, 32)
DURATION_S = 100
FILES = {"AODV": "chain.json", "DSR": "chain_dsr.json", "DSDV": "chain_dsdv.json"}
STARTS_S = {"DSDV": (0, 200)}
"""DSDV takes minutes until everyone knows everyone: once with that time, once after it."""


def seeds(routing: str, hops: int, window: int, start_s: int) -> range:
    """Over many hops ns-2's AODV, and with large windows its DSR, pause for seconds: their runs differ more. Its DSDV
    loses a route in one run of ten.
    """
    if routing == "DSDV" and start_s > 0 and hops >= 3 and window in (1, 4, 32):
        return range(1, 41)
    differ = {"AODV": hops >= 7 and window >= 8, "DSR": hops >= 3 and window >= 8}
    return range(1, 61) if differ.get(routing, False) else range(1, 11)


def chain(routing: str, hops: int, window: int, start_s: int) -> dict:
    """What every seed delivered, retransmitted and waited for, in packets and times."""
    ends_s = start_s + DURATION_S
    runs = [
        ns2("chain.tcl", hops, window, seed, ends_s, routing, "", start_s)
        for seed in seeds(routing, hops, window, start_s)
    ]
    begin = {"start_s": start_s} if routing in STARTS_S else {}
    return {"hops": hops, "window": window, **begin, **{key: [run[key] for run in runs] for key in runs[0]}}


def record(routing: str) -> None:
    starts_s = STARTS_S.get(routing, (0,))
    cases = [(routing, hops, window, start) for start in starts_s for hops in HOPS for window in WINDOWS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        chains = list(pool.map(lambda case: chain(*case), cases))
    text = json.dumps({"simulator": version(), "duration_s": DURATION_S, "chains": chains})
    # A line per chain.
    (HERE / FILES[routing]).write_text(text.replace("[{", "[\n{").replace("}, {", "},\n{") + "\n")


def record_thresholds() -> None:
    """Two hops, a large window, of the class or of the agent: with a radio only the first is the initial ssthresh."""
    cases = {}
    for window_of in ("class", "agent"):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            arguments = [("chain.tcl", 2, 128, seed, DURATION_S, "AODV", "", 0, window_of) for seed in range(1, 11)]
            runs = list(pool.map(lambda each: ns2(*each), arguments))
        cases[window_of] = {key: [run[key] for run in runs] for key in runs[0]}
    text = json.dumps({"simulator": version(), "duration_s": DURATION_S, "hops": 2, "window": 128, "cases": cases})
    (HERE / "ssthresh.json").write_text(text + "\n")


def main() -> None:
    for routing in sys.argv[1:] or FILES:
        record(routing)
    if not sys.argv[1:]:
        record_thresholds()


if __name__ == "__main__":
    main()
