"""Records ns-2 where it asks for link addresses of neighbours that move: `python3 record_arp.py [NS]` writes arp.json.

Needs Farlink, which writes the movement, and Debian 12's `ns2`. NS is an ns-2.35 built from its sources with
selectors.patch, for the cases without replies from caches; left out, these stay as they were recorded.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import farlink as fl
from record import HERE, version

PEERS = HERE.parents[2] / "bench" / "peers"
HUNDRED_SEEDS = range(1, 31)
THIRTY_SEEDS = range(1, 11)
THIRTY_S = 100
SPEEDS = (10, 20)
# ns-2's note beside the selectors: replies from caches end with both, not with the first alone.
SELECTORS = {
    "replies of neighbours only": {"NS2_NO_CACHE_REPLIES": "1"},
    "no replies": {"NS2_NO_CACHE_REPLIES": "1", "NS2_NO_RING_ZERO": "1"},
}
DEBIAN = "ns"


def thirty(speed: int) -> fl.Scenario:
    """Thirty nodes at this speed, 1 m/s more or less, and the queue that ns-2's DSR requires."""
    scenario = fl.load(PEERS / "thirty.toml").set("duration", f"{THIRTY_S} s").set("radio.queue", "priority")
    return scenario.set("mobility.min_speed", f"{speed - 1} m/s").set("mobility.max_speed", f"{speed + 1} m/s")


def without_rts(folder: Path) -> Path:
    """bench/peers/ns2/thirty.tcl, in which no frame is long enough for RTS."""
    text = (PEERS / "ns2" / "thirty.tcl").read_text()
    shared = f"source {PEERS / 'ns2' / 'radio.tcl'}\nMac/802_11 set RTSThreshold_ 2347"
    script = folder / "without_rts.tcl"
    script.write_text(text.replace("source [file join [file dirname [info script]] radio.tcl]", shared))
    return script


def delivered(command: str, script: Path, speed: int, seed: int, selectors: dict[str, str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        movement = Path(folder) / "movement.tcl"
        movement.write_text(thirty(speed).ns2_movement(seed=seed, shift="1 m"))
        arguments = [command, str(script), str(THIRTY_S), str(movement), "few"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, env={**os.environ, **selectors})
    return next(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))["delivered"]


def hundred(seed: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        movement, trace = Path(folder) / "movement.tcl", Path(folder) / "trace"
        scenario = fl.load(HERE / "hundred.toml")
        movement.write_text(scenario.ns2_movement(seed=seed, shift="10 m"))
        seconds = scenario.validated.duration_ns // 10**9
        command = [DEBIAN, str(HERE / "hundred.tcl"), str(seed), str(seconds), str(movement), str(trace)]
        subprocess.run(command, capture_output=True, check=True)
        with trace.open() as lines:
            return {"seed": seed, **counts(lines)}


def counts(lines: Iterable[str]) -> dict:
    """What MACs gave up, by type, what ARP displaced, and data that arrived, of a trace of ns-2 or of Farlink."""
    given_up: Counter[str] = Counter()
    displaced = arrived = 0
    for line in lines:
        words = line.split()
        if words[0] == "D" and words[3:5] == ["MAC", "RET"]:
            given_up[words[6]] += 1
        displaced += words[0] == "D" and words[3:5] == ["IFQ", "ARP"]
        arrived += words[0] == "r" and words[3] == "AGT" and words[6] == "tcp"
    return {"given_up": dict(sorted(given_up.items())), "displaced": displaced, "arrived": arrived}


def thirty_case(command: str, script: Path, speed: int, selectors: dict[str, str]) -> list[int]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda seed: delivered(command, script, speed, seed, selectors), THIRTY_SEEDS))


def main() -> None:
    path, patched = HERE / "arp.json", sys.argv[1] if sys.argv[1:] else None
    cases = json.loads(path.read_text())["thirty"] if path.exists() else []
    with_rts = PEERS / "ns2" / "thirty.tcl"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(hundred, HUNDRED_SEEDS))
    with tempfile.TemporaryDirectory() as folder:
        for rts, script in ((True, with_rts), (False, without_rts(Path(folder)))):
            for speed in SPEEDS:
                for replies, selectors in {"all": {}, **(SELECTORS if patched else {})}.items():
                    case = {"speed": speed, "rts": rts, "replies": replies}
                    cases = [each for each in cases if not case.items() <= each.items()]
                    found = thirty_case(patched if selectors else DEBIAN, script, speed, selectors)
                    cases.append({**case, "delivered": found})
    document = {"simulator": version(), "thirty_duration_s": THIRTY_S, "hundred": runs, "thirty": cases}
    text = json.dumps(document)
    # A line per run and per case.
    path.write_text(text.replace("[{", "[\n{").replace("}, {", "},\n{") + "\n")


if __name__ == "__main__":
    main()
