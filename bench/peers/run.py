"""The same work in Farlink, ns-2 and ns-3: CPU time, memory, and whether the work was the same.

Every measurement is the user and system time of one process. The simulators take turns, so that a slow minute
strikes all alike; the median of the rounds counts. From each simulator's figure its own empty run (the same
scenario, no simulated time) is subtracted: start-up is not simulation. A last table has the ratios of these medians
to Farlink's. They depend on the processor and its caches, which are printed, too. Where nodes move there are several
movements, whose figures are added up: the work depends on which nodes meet. ns-3 runs shorter and is extrapolated
in proportion to the events that Farlink has in the whole work and in the shorter one; such rows say so.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CPUINFO, CACHES = Path("/proc/cpuinfo"), Path("/sys/devices/system/cpu/cpu0/cache")
NOTHING_S = 0.001
LEAST_S = 0.05
"""CPU time below this is lost in the noise of two start-ups, and so is a ratio to it."""

# A process inherits the peak resident set of whoever starts it, so a bare interpreter starts the simulator
# and appends a line with its CPU seconds and peak resident set in KiB.
LAUNCHER = """
import os, sys
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print("\\n%f %d" % (usage.ru_utime + usage.ru_stime, usage.ru_maxrss), flush=True)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(frozen=True)
class Work:
    """What every simulator does, and where each one's script of it lies."""

    name: str
    duration_s: int
    ns3_duration_s: int
    """0: ns-3 does not take part."""
    scenario: str
    program: str
    arguments: tuple[str, ...]
    settings: tuple[str, ...] = ()
    flows: int = 1
    movements: int = 0
    """Nodes move, by so many seeds; ns-2 and ns-3 get where Farlink's nodes go as a file, their first argument."""


def chain(hops: int) -> Work:
    """A transfer over so many radio hops, with a window of 8."""
    settings = (f"topology.nodes={hops + 1}", f"flows.0.to=n{hops}")
    return Work(f"chain of {hops}", 300, 60, "chain.toml", "chain", (str(hops), "8"), settings)


WORKS = [
    Work("satellite BER 0", 600, 60, "satellite.toml", "satellite", ("0",)),
    Work("satellite BER 1e-7", 600, 600, "satellite.toml", "satellite", ("1e-7",), ("links.0.error.rate=1e-7",)),
    Work("dumbbell", 300, 300, "dumbbell.toml", "shared", ("2", "10", "100", "50"), flows=2),
    Work("twenty", 300, 30, "twenty.toml", "shared", ("20", "100", "1000", "250"), flows=20),
    *(chain(hops) for hops in range(1, 9)),
    Work("manet", 300, 30, "manet.toml", "manet", (), flows=8, movements=3),
    Work("thirty, DSR", 300, 0, "thirty.toml", "thirty", (), flows=3, movements=8),
]


@dataclass(frozen=True)
class Movement:
    """How Farlink's nodes move with a seed, and the file that tells it to others."""

    seed: int
    file: str

    @classmethod
    def written(cls, work: Work, seed: int, farlink: str, folder: str) -> "Movement":
        """Writes the file."""
        file = str(Path(folder) / f"movement-{seed}.tcl")
        scenario = str(HERE / work.scenario)
        words = [farlink, "movement", scenario, "--seed", str(seed), "--shift", "1 m", "--out", file]
        subprocess.run(words, check=True)
        return cls(seed, file)


@dataclass(frozen=True)
class Simulator:
    """How a simulator is started, and how its answer is read."""

    name: str

    def duration_s(self, work: Work) -> float:
        """How long it simulates."""
        return work.ns3_duration_s if self.name == "ns-3" else work.duration_s

    def command(self, work: Work, duration_s: float, farlink: str, movement: Movement | None) -> list[str]:
        """The words that start it."""
        if self.name == "farlink":
            settings = [f"duration={duration_s * 1000:.0f} ms", *work.settings]
            if duration_s == NOTHING_S:
                # Farlink refuses flows that start after the end.
                settings += [f"flows.{index}.start=0 s" for index in range(work.flows)]
            if movement:
                settings.append(f"seed={movement.seed}")
            sets = [word for setting in settings for word in ("--set", setting)]
            return [farlink, "run", str(HERE / work.scenario), *sets, "--json"]
        arguments = [movement.file, *work.arguments] if movement else work.arguments
        if self.name == "ns-3":
            return [str(HERE / "ns3" / "build" / work.program), str(duration_s), *arguments]
        headers = "few" if self.name == "ns-2, few headers" else "all"
        return ["ns", str(HERE / "ns2" / f"{work.program}.tcl"), str(duration_s), *arguments, headers]

    def outcome(self, text: str) -> tuple[int, int | None, int | None]:
        """Delivered packets, and events and frames sent by radios where the simulator tells."""
        if self.name.startswith("ns-2"):
            # With radios it tells more than it was asked.
            text = next(line for line in text.splitlines() if line.startswith("{"))
        document = json.loads(text)
        if self.name == "farlink":
            delivered = sum(flow["packets_delivered"] for flow in document["flows"])
            frames = sum(station["frames_sent"] for station in document["stations"])
            return delivered, document["engine"]["events"], frames or None
        return document["delivered"], document.get("events"), document.get("frames")


SIMULATORS = [Simulator(name) for name in ("farlink", "ns-2", "ns-2, few headers", "ns-3")]


@dataclass
class Samples:
    """What the runs of one command cost."""

    cpu_s: list[float] = field(default_factory=list)
    rss_kib: list[int] = field(default_factory=list)
    text: str = ""

    def run(self, command: list[str]) -> None:
        """Runs `command` once more."""
        launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
        done = subprocess.run(launcher, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
        self.text, _, usage = done.stdout.rstrip("\n").rpartition("\n")
        cpu_s, rss_kib = usage.split()
        self.cpu_s.append(float(cpu_s))
        self.rss_kib.append(int(rss_kib))


def measure(work: Work, simulators: list[Simulator], rounds: int, farlink: str) -> list[dict]:
    """One row per simulator, measured in alternation."""
    simulators = [simulator for simulator in simulators if simulator.duration_s(work) > 0]
    with tempfile.TemporaryDirectory() as folder:
        movements = [Movement.written(work, seed, farlink, folder) for seed in range(1, work.movements + 1)]
        parts = [alternate(work, simulators, rounds, farlink, movement) for movement in movements or [None]]
    rows = [together(rows) for rows in zip(*parts, strict=True)]
    least = next((row["cpu_s"] for row in rows if row["simulator"] == "farlink"), None)
    for row in rows:
        row["ratio_to_farlink"] = row["cpu_s"] / least if least and min(least, row["cpu_s"]) >= LEAST_S else None
    return rows


def together(rows: tuple[dict, ...]) -> dict:
    """What a simulator needed for all movements."""
    sums = {}
    for key in ("cpu_s", "delivered", "events", "frames"):
        values = [row[key] for row in rows]
        sums[key] = None if None in values else sum(values)
    peak = max(row["rss_growth_mib"] for row in rows)
    us_per_packet = sums["cpu_s"] / sums["delivered"] * 1e6
    return rows[0] | sums | {"rss_growth_mib": peak, "us_per_packet": us_per_packet, "movements": len(rows)}


def stretch(work: Work, simulator: Simulator, events: int | None, farlink: str, movement: Movement | None) -> float:
    """What a shorter run is multiplied by, when Farlink has so many events in the whole work; without, time counts."""
    if simulator.duration_s(work) == work.duration_s:
        return 1
    if not events:
        return work.duration_s / simulator.duration_s(work)
    ours, short = SIMULATORS[0], Samples()
    short.run(ours.command(work, simulator.duration_s(work), farlink, movement))
    _, fewer, _ = ours.outcome(short.text)
    return events / fewer if fewer else 1


def alternate(
    work: Work, simulators: list[Simulator], rounds: int, farlink: str, movement: Movement | None
) -> list[dict]:
    """The rows of one movement, or of nodes that do not move."""
    full = {simulator: Samples() for simulator in simulators}
    empty = {simulator: Samples() for simulator in simulators}
    for _ in range(rounds):
        for simulator in simulators:
            empty[simulator].run(simulator.command(work, NOTHING_S, farlink, movement))
            full[simulator].run(simulator.command(work, simulator.duration_s(work), farlink, movement))
    rows = []
    ours = next((full[simulator].text for simulator in simulators if simulator.name == "farlink"), None)
    _, events_of_farlink, _ = SIMULATORS[0].outcome(ours) if ours else (0, None, None)
    for simulator in simulators:
        scale = stretch(work, simulator, events_of_farlink, farlink, movement)
        delivered, events, frames = simulator.outcome(full[simulator].text)
        cpu_s = statistics.median(full[simulator].cpu_s) - statistics.median(empty[simulator].cpu_s)
        rss_kib = statistics.median(full[simulator].rss_kib) - statistics.median(empty[simulator].rss_kib)
        rows.append(
            {
                "work": work.name,
                "simulator": simulator.name,
                "cpu_s": cpu_s * scale,
                "start_up_s": statistics.median(empty[simulator].cpu_s),
                "simulated_s": simulator.duration_s(work),
                "extrapolated_from_s": simulator.duration_s(work) if scale > 1 else None,
                "delivered": round(delivered * scale),
                "events": None if events is None else round(events * scale),
                "frames": None if frames is None else round(frames * scale),
                "rss_growth_mib": rss_kib / 1024,
            }
        )
    return rows


def table(rows: list[dict]) -> str:
    """The rows as text."""
    head = [
        "work",
        "simulator",
        "CPU s",
        "start-up s",
        "delivered",
        "us/packet",
        "events",
        "frames",
        "RSS growth MiB",
        "CPU / Farlink",
    ]
    lines = [head]
    for row in rows:
        extrapolated = f" (from {row['extrapolated_from_s']} s)" if row["extrapolated_from_s"] else ""
        lines.append(
            [
                row["work"],
                row["simulator"] + extrapolated,
                f"{row['cpu_s']:.3f}",
                f"{row['start_up_s']:.2f}",
                f"{row['delivered']}",
                f"{row['us_per_packet']:.2f}",
                "-" if row["events"] is None else f"{row['events']}",
                "-" if row["frames"] is None else f"{row['frames']}",
                f"{row['rss_growth_mib']:.1f}",
                "-" if row["ratio_to_farlink"] is None else f"{row['ratio_to_farlink']:.1f}",
            ]
        )
    return aligned(lines, left=2)


def ratios(rows: list[dict]) -> str:
    """A line per work: CPU time and delivered packets of each simulator, over Farlink's."""
    measured = {row["simulator"] for row in rows}
    others = [simulator.name for simulator in SIMULATORS[1:] if simulator.name in measured]
    lines = [["work", *(cell for name in others for cell in (name, "packets"))]]
    for work in dict.fromkeys(row["work"] for row in rows):
        found = {row["simulator"]: row for row in rows if row["work"] == work}
        cells = [work]
        for name in others:
            theirs, ours = found.get(name), found.get("farlink")
            ratio = theirs and theirs["ratio_to_farlink"]
            cells.append(f"{ratio:.1f}" if ratio else "-")
            cells.append(f"{theirs['delivered'] / ours['delivered']:.2f}" if theirs and ours else "-")
        lines.append(cells)
    return aligned(lines, left=1)


def aligned(lines: list[list[str]], left: int) -> str:
    """Columns of text, the first `left` of them aligned left, with a line below the headings."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    lines = [lines[0], ["-" * width for width in widths], *lines[1:]]

    def pad(cell: str, column: int) -> str:
        return cell.ljust(widths[column]) if column < left else cell.rjust(widths[column])

    return "\n".join("  ".join(pad(cell, column) for column, cell in enumerate(line)).rstrip() for line in lines)


def machine() -> dict[str, str]:
    """The processor, its caches and how busy it is, as far as Linux tells."""
    named = re.search(r"^model name\s*: (.*)", CPUINFO.read_text(encoding="utf-8"), re.MULTILINE)
    caches = {}
    for cache in sorted(CACHES.glob("index*")):
        level, kind, size = ((cache / name).read_text().strip() for name in ("level", "type", "size"))
        caches[f"L{level}{'' if kind == 'Unified' else kind[0].lower()}"] = size
    return {
        "processor": f"{named[1] if named else 'unknown'}, {os.cpu_count()} cores",
        "caches": ", ".join(f"{name} {size}" for name, size in caches.items()) or "unknown",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def chosen(text: str | None, known: list, what: str) -> list:
    """Those of `known` that the user named; all if none was."""
    if text is None:
        return known
    names = [name.strip() for name in text.split(";")]
    unknown = [name for name in names if name not in [item.name for item in known]]
    if unknown:
        sys.exit(f"no {what} {unknown[0]!r}; there are: {'; '.join(item.name for item in known)}")
    return [item for item in known if item.name in names]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each simulator; the median counts (5)")
    parser.add_argument("--works", help="some works only, separated by ';'")
    parser.add_argument("--simulators", help="some simulators only, separated by ';'")
    parser.add_argument("--farlink", default="farlink", help="the farlink command (farlink)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    options = parser.parse_args()

    simulators = chosen(options.simulators, SIMULATORS, "simulator")
    works = chosen(options.works, WORKS, "work")
    needed = {"farlink": options.farlink, "ns-2": "ns", "ns-2, few headers": "ns"}
    for simulator in simulators:
        if simulator.name in needed and shutil.which(needed[simulator.name]) is None:
            sys.exit(f"{needed[simulator.name]}: not found; `make bench-peers` installs everything")
    if any(simulator.name == "ns-3" for simulator in simulators):
        subprocess.run(["make", "--quiet", "-C", str(HERE / "ns3")], check=True, stdout=sys.stderr)

    about, rows = machine(), []
    for work in works:
        print(f"{work.name} ...", file=sys.stderr)
        rows += measure(work, simulators, options.rounds, options.farlink)
    if options.json:
        print(json.dumps({"machine": about, "rounds": options.rounds, "rows": rows}, indent=2))
        return
    print("\n".join(f"{name}: {value}" for name, value in about.items()))
    print(f"\nCPU time, medians of {options.rounds} rounds, start-up subtracted\n\n{table(rows)}")
    print(f"\nRatios of these medians to Farlink's, and packets delivered over Farlink's\n\n{ratios(rows)}")


if __name__ == "__main__":
    main()
