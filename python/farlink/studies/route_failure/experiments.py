"""Experiments on why claims are missed (`beyond.toml`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean, stdev
from typing import Any

from farlink import parameters, statistics, tables
from farlink.results import Results
from farlink.sheet import Sheet
from farlink.statistics import Interval
from farlink.studies.route_failure import causes, findings
from farlink.studies.route_failure import runs as reading
from farlink.studies.route_failure.runs import (
    BITS_PER_KBIT,
    ELFN,
    FIVE,
    FSR,
    LONG,
    RANDOM,
    RENO,
    SHORT,
    SIM_ELFN,
    TCP_F,
    Case,
    Runs,
)
from farlink.studies.study import Beyond
from farlink.studies.verdict import Finding

WINDOWS = {"five": "window, five nodes", "four": "window, four nodes"}
NEAR, KEPT = "short outage, 180 m apart", "short outage, nodes between keep packets"
NEW_RENO = "long outage, recovery of NewReno"
PAUSES = "five failures, pauses of ns-2"
EXPERIMENTS: Mapping[str, tuple[str, str]] = {
    "near": (NEAR, SHORT),
    "kept": (KEPT, SHORT),
    "newreno": (NEW_RENO, LONG),
    "pauses": (PAUSES, FIVE),
    "waiting": ("long outage, packets wait for 60 s", LONG),
}
"""The grids of outages, and which outage each repeats, by the word that explanations use."""
IDEAL: Mapping[str, tuple[str, str]] = {
    "ideal_short": ("short outage, ideal routing", SHORT),
    "ideal_five": ("five failures, ideal routing", FIVE),
}
"""The same of Reno alone, without DSR."""
IDEAL_RANDOM = "random movement, ideal routing"
GAINS: Mapping[str, tuple[str, Callable[[Runs], Finding]]] = {
    "simELFN over Reno [%]": (SHORT, findings.gained(SHORT, SIM_ELFN, RENO)),
    "simELFN over TCP-ELFN [%]": (SHORT, findings.gained(SHORT, SIM_ELFN, ELFN)),
    "TCP-ELFN retransmits fast, simELFN not [% of the runs]": (
        SHORT,
        findings.only_first_retransmits(SHORT, ELFN, SIM_ELFN),
    ),
    "difference before the failure [packets]": (
        SHORT,
        findings.same(SHORT, (RENO, ELFN, SIM_ELFN), findings.FIRST_FAILURE_S),
    ),
    "TCP-FSR over Reno after 30 s [%]": (FIVE, findings.gained(FIVE, FSR, RENO, findings.since)),
    "TCP-FSR over TCP-F after 30 s [%]": (FIVE, findings.gained(FIVE, FSR, TCP_F, findings.since)),
    "Reno after 30 s [packets]": (FIVE, findings.counted(RENO, findings.since)),
    "how much later Reno resumes at last [s]": (FIVE, findings.last_to_resume),
    "TCP-ELFN over Reno [%]": (LONG, findings.gained(LONG, ELFN, RENO)),
}
"""What is measured of an outage, and of which."""


class Experiments:
    """What the experiments gave."""

    def __init__(self, more: Mapping[str, Results]) -> None:
        self.windows = {name: _by_window(more[grid]) for name, grid in WINDOWS.items()}
        self.outages = {
            (name, outage): reading.of_results({outage: more[name]}) for name, outage in EXPERIMENTS.values()
        }
        self.ideal = {word: reading.of_results({outage: more[name]}) for word, (name, outage) in IDEAL.items()}
        self.ideal_random = reading.of_results({RANDOM: more[IDEAL_RANDOM]})

    def facts(self) -> dict[str, str]:
        """What the explanations of claims name."""
        found: dict[str, str] = {}
        for name, by_window in self.windows.items():
            whole = fmean(by_window[max(by_window)])
            found |= {f"window_{name}_{window}": f"{fmean(each) / whole:.0%}" for window, each in by_window.items()}
        for word, key in EXPERIMENTS.items():
            found |= {f"{word}_{place}": findings.written(value) for place, (_, value) in enumerate(self._of(key))}
            around = causes.of_experiment(self.outages[key], key[1])
            found |= {f"{word}_{name}": value for name, value in around.items()}
        for word, runs in self.ideal.items():
            around = causes.of_experiment(runs, IDEAL[word][1])
            found |= {f"{word}_{name}": value for name, value in around.items()}
        return found | self._of_speeds()

    def _of_speeds(self) -> dict[str, str]:
        """Reno's throughput over ideal routing, and how much movements differ."""
        speeds = self.ideal_random.speeds()
        by_speed = [
            [one.throughput for one in self.ideal_random.of(Case(RANDOM, RENO, speed)).values()] for speed in speeds
        ]
        return {
            "ideal_slow": f"{fmean(by_speed[0]):.0f} kbit/s",
            "ideal_quick": f"{fmean(by_speed[-1]):.0f} kbit/s",
            "ideal_spread": f"{fmean(stdev(each) / fmean(each) for each in by_speed):.0%}",
        }

    def _of(self, key: tuple[str, str]) -> list[tuple[str, Interval]]:
        return [(what, find(self.outages[key]).value) for what, (outage, find) in GAINS.items() if outage == key[1]]

    def beyond(self) -> Beyond:
        """Both tables."""
        windows = sorted(next(iter(self.windows.values())))
        rows: list[dict[str, Any]] = [
            {
                "largest window": window,
                **{f"{name} nodes": _mean(each[window]) for name, each in self.windows.items()},
            }
            for window in windows
        ]
        outages = [
            {"experiment": key[0], "measured": what, "value": findings.written(value)}
            for key in self.outages
            for what, value in self._of(key)
        ]
        caption = "What a window is worth: goodput of Reno without failures [kbit/s]"
        return Beyond(
            said=[],
            tables=[(caption, _sheet(rows)), ("Outages under other circumstances", _sheet(outages))],
            figures=[],
        )


def _by_window(results: Results) -> dict[int, list[float]]:
    windows = {
        row["key"]: int(str(parameters.flat(row["resolved"])["flows.0.tcp.max_window"]).split()[0])
        for row in results.runs.select(["key", "resolved"]).to_pylist()
    }
    found: dict[int, list[float]] = {}
    for flow in results.flows.to_pylist():
        found.setdefault(windows[flow["key"]], []).append(flow["goodput_bps"] / BITS_PER_KBIT)
    return found


def _mean(values: list[float]) -> str:
    found = statistics.interval(values)
    assert found is not None, "every window has a run"
    return findings.written(found)


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    return Sheet(tables.from_rows(rows))
