"""Counts routing packets and link failures in ns-2 and in Farlink: `python3 record_overhead.py [ns2] [farlink]`.

Both run thirty nodes (bench/peers/thirty.toml, 100 s) with AODV, DSDV and DSR over nine movements, three seeds each,
and write traces of one format. `ns2` needs Debian 12's `ns2`; counts go to overhead.json. Without arguments the ratios
of what is recorded there are printed: of the sums over all runs, with percentile intervals of a bootstrap over the
movements.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import farlink as fl
from record import HERE, version

PEERS = HERE.parents[2] / "bench" / "peers"
PROTOCOLS = ("aodv", "dsdv", "dsr")
MOVEMENTS = range(101, 110)
SEEDS = range(1, 4)
SECONDS = 100
RESAMPLES = 4000


def moving() -> fl.Scenario:
    return fl.load(PEERS / "thirty.toml").set("duration", f"{SECONDS} s")


def scenario(protocol: str) -> str:
    """thirty.toml with nodes that move as the file movement.tcl says, and the queue that ns-2's DSR requires."""
    head, rest = (PEERS / "thirty.toml").read_text().split("[topology]", 1)
    rest = rest.split("[radio]", 1)[1].replace('name = "dsr"', f'name = "{protocol}"')
    if protocol == "dsdv":
        # ns-2's DSDV adds an IP header to packets that have one already.
        rest = rest.replace('header = "34 B"', 'header = "54 B"')
    script = 'mobility = { name = "scripted", moves = { ns2 = "movement.tcl" } }'
    nodes = "".join(f'[[nodes]]\nname = "n{number}"\n{script}\n' for number in range(30))
    return head.replace("300 s", f"{SECONDS} s") + nodes + '[radio]\nqueue = "priority"' + rest


def kind(words: list[str]) -> str:
    """What a routing packet is."""
    if words[6] == "AODV":
        return words[-1].strip("()").lower()
    if words[6] == "message":
        return "update"
    flags = {"rreq": words[18], "rrep": words[20], "rerr": words[24]}
    return next((name for name, flag in flags.items() if flag == "[1"), "flow_error")


def counts(lines: Iterable[str]) -> dict[str, int]:
    """Routing packets by kind, once per hop; packets that a MAC gave up; segments that arrived."""
    found: Counter[str] = Counter()
    for line in lines:
        words = line.split()
        place = words[3:5] + words[6:7]
        if words[0] in "sf" and words[3:4] == ["RTR"] and words[6] in ("AODV", "DSR", "message"):
            found[kind(words)] += 1
            found["routing"] += 1
        found["link_failures"] += words[0] == "D" and place[:2] == ["MAC", "RET"] and place[2] != "RTS"
        found["arrived"] += words[0] == "r" and place == ["AGT", "---", "tcp"]
    return dict(sorted(found.items()))


def run(simulator: str, protocol: str, movement: int, seed: int) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / "trace.tr"
        (folder / "movement.tcl").write_text(moving().ns2_movement(seed=movement, shift="1 m"))
        if simulator == "ns2":
            arguments = [seed, SECONDS, folder / "movement.tcl", trace, protocol.upper()]
            command = ["ns", str(HERE / "overhead.tcl"), *map(str, arguments)]
        else:
            (folder / "thirty.toml").write_text(scenario(protocol))
            settings = ["--set", "routing.preset=ns2", "--seed", str(seed), "--trace", str(trace), "--quiet"]
            command = [sys.executable, "-m", "farlink", "run", str(folder / "thirty.toml"), *settings]
        subprocess.run(command, capture_output=True, check=True)
        with trace.open() as lines:
            return counts(lines)


def ratios(document: dict, protocol: str) -> dict[str, tuple[float, float, float, float, float]]:
    """By what was counted: means of ns-2 and of Farlink, and their ratio with the ends of its interval."""
    sides = [{(row["movement"], row["seed"]): row for row in document[side][protocol]} for side in ("ns2", "farlink")]
    shared = sorted(sides[0].keys() & sides[1].keys())
    movements = sorted({movement for movement, _ in shared})
    rng = random.Random(1)
    found = {}
    for what in sorted({word for row in sides[0].values() for word in row} - {"movement", "seed"}):
        sums = [
            {each: sum(side[key].get(what, 0) for key in shared if key[0] == each) for each in movements}
            for side in sides
        ]
        picks = [[rng.choice(movements) for _ in movements] for _ in range(RESAMPLES)]
        shares = sorted(sum(sums[1][m] for m in pick) / max(1, sum(sums[0][m] for m in pick)) for pick in picks)
        low, high = shares[RESAMPLES // 40], shares[-RESAMPLES // 40]
        ns2, ours = (sum(each.values()) / len(shared) for each in sums)
        found[what] = (ns2, ours, ours / max(ns2, 1e-9), low, high)
    return found


def main() -> None:
    path = HERE / "overhead.json"
    document = json.loads(path.read_text()) if path.exists() else {"ns2": {}, "farlink": {}}
    for simulator in sys.argv[1:]:
        for protocol in PROTOCOLS:
            runs = [(movement, seed) for movement in MOVEMENTS for seed in SEEDS]
            rows = [{"movement": m, "seed": s, **run(simulator, protocol, m, s)} for m, s in runs]
            document[simulator][protocol] = rows
        document["simulator"] = version()
        path.write_text(json.dumps(document).replace("[{", "[\n{").replace("}, {", "},\n{") + "\n")
    for protocol in PROTOCOLS:
        for what, (ns2, ours, ratio, low, high) in ratios(document, protocol).items():
            print(f"{protocol:5} {what:14} {ns2:9.1f} {ours:9.1f}  {ratio:.2f} [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main()
