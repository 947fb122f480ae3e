"""Record the running kernel's TCP over emulated links.

    python record.py [SCENARIO ..] [--congestion-control NAME ..] [--repetitions N] [--out DIR]

Without names, all scenarios are recorded. A recording of the running kernel that exists is kept, and
one of another kernel is made anew.
"""

import argparse
import os
import queue
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import namespaces
import recordings
import transfer
from namespaces import MTU
from scenarios import CONGESTION_CONTROLS, SCENARIOS, Scenario

ATTEMPTS = 6
LATE_SHARE, LATE_US = 0.05, 1000
LATE_EVER_NS = 25_000_000
HYSTART_DELAY_NS = (4_000_000, 16_000_000)
"""Bounds of the delay increase that ends slow start (HYSTART_DELAY_MIN and HYSTART_DELAY_MAX of tcp_cubic.c)."""


@dataclass(frozen=True)
class Job:
    """A recording to make."""

    scenario: str
    congestion_control: str
    repetition: int

    def __str__(self) -> str:
        return f"{self.scenario} {self.congestion_control} {self.repetition}"


def lateness_of(outcome: transfer.Outcome, scenario: Scenario) -> str:
    """What was too late in a run; an empty text if nothing was.

    The link's schedule does not shift: a late packet does not delay those behind it. TCP's decisions change only by
    an RTT sample. In slow start its error must be below half of HyStart's threshold, which is an eighth of the RTT.
    A stall must be shorter than the queue takes to empty: the ACKs due meanwhile release a burst that fills it.
    """
    late = outcome.lateness
    share = late.share_beyond(LATE_US)
    if share > LATE_SHARE:
        return f"{share:.1%} of the packets are more than {LATE_US} us late"
    ever = late.worst_ns(0, 1 << 63)
    if ever > min(LATE_EVER_NS, scenario.queue_packets * MTU * 8_000_000_000 // scenario.rate_bps):
        return f"a packet is {ever / 1e6:.1f} ms late"
    least, most = HYSTART_DELAY_NS
    limit = min(max(scenario.rtt_ms * 1_000_000 // 8, least), most) // 2
    for samples in outcome.senders:
        found = recordings.slow_start_exit(samples)
        worst = late.worst_ns(int(samples["time_ns"][0]), found[0]) if found else 0
        if worst > limit:
            return f"in slow start a packet is {worst / 1e6:.1f} ms late"
    return "the device dropped packets" if outcome.device_drops else ""


def record(job: Job, folder: Path, link_cpu: int) -> int:
    """Make a recording; the answer is an exit status."""
    scenario = SCENARIOS[job.scenario]
    for attempt in range(1, ATTEMPTS + 1):
        outcome = transfer.run(scenario, job.congestion_control, link_cpu)
        late = lateness_of(outcome, scenario)
        if not late:
            path = recordings.path_of(folder, job.scenario, job.congestion_control, job.repetition)
            recordings.write(path, scenario, job.congestion_control, job.repetition, outcome)
            print(f"{job}: recorded, {path.stat().st_size} bytes, attempt {attempt}", flush=True)
            return 0
        print(f"{job}: discarded: {late}", flush=True)
    print(f"{job}: no recording: this machine was too slow in {ATTEMPTS} attempts", file=sys.stderr)
    return 1


def record_all(jobs: list[Job], folder: Path, parallel: int) -> int:
    """Make recordings, each in a process of its own: a namespace is entered by a process with one thread."""
    cpus: queue.SimpleQueue[int] = queue.SimpleQueue()
    for slot in range(parallel):
        cpus.put(slot % (os.cpu_count() or 1))

    def one(job: Job) -> int:
        cpu = cpus.get()
        try:
            command = [sys.executable, __file__, "--out", str(folder), "--link-cpu", str(cpu), job.scenario]
            command += ["--congestion-control", job.congestion_control, "--repetition", str(job.repetition)]
            return subprocess.run(command).returncode
        finally:
            cpus.put(cpu)

    with ThreadPoolExecutor(parallel) as pool:
        return max(pool.map(one, jobs), default=0)


def _available() -> list[str]:
    available = namespaces.congestion_controls()
    for name in CONGESTION_CONTROLS:
        if name not in available:
            print(f"{name}: left out, this kernel does not have it", file=sys.stderr)
    return [name for name in CONGESTION_CONTROLS if name in available]


def main() -> int:
    parser = argparse.ArgumentParser(description="Record the running kernel's TCP over emulated links.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--congestion-control", nargs="+", help="by default those of cubic, reno and bbr that exist")
    parser.add_argument("--repetitions", type=int, help="recordings of each; by default what the scenario says")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--out", type=Path, default=recordings.FOLDER, help="folder of the recordings")
    parser.add_argument("--repetition", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--link-cpu", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    unknown = sorted(set(asked.scenarios) - set(SCENARIOS))
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    try:
        if asked.repetition is not None:
            return record(
                Job(asked.scenarios[0], asked.congestion_control[0], asked.repetition), asked.out, asked.link_cpu
            )
        transfer.check()
        controls = asked.congestion_control or _available()
        jobs = [
            Job(scenario, name, repetition)
            for scenario in asked.scenarios or SCENARIOS
            for repetition in range(1, (asked.repetitions or SCENARIOS[scenario].repetitions) + 1)
            for name in controls
        ]
        paths = [recordings.path_of(asked.out, job.scenario, job.congestion_control, job.repetition) for job in jobs]
        wanted = [job for job, path in zip(jobs, paths, strict=True) if not recordings.is_kept(path)]
        return record_all(wanted, asked.out, asked.jobs)
    except namespaces.MissingError as error:
        print(f"the kernel's TCP cannot be recorded here: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
