"""Columns and parameters as a person reads them: words instead of paths, and units that suit the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from farlink.printable import printable
from farlink.spelling import listed
from farlink.tables.parameters import equals_written, toml_value

UNITS = {
    "bps": "bit/s",
    "s": "s",
    "bytes": "B",
    "packets": "packets",
    "segments": "segments",
    "m": "m",
    "mps": "m/s",
    "hz": "Hz",
    "dbm": "dBm",
    "db": "dB",
}
"""By the end of a column's name."""
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
FRACTIONS = ((1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"))
"""Of seconds: minutes and hours would not be decimal."""
STEPS = {**dict.fromkeys(("bps", "bytes", "hz"), PREFIXES), "m": PREFIXES[2:], "s": FRACTIONS}
"""The prefixes that units take, by the end of a column's name; the others take none."""
MEASURES = {
    "sent": "rate sent",
    "delay_mean": "mean delay",
    "delay_variation_mean": "mean delay variation",
    "jitter": "interarrival jitter",
    "jitter_mean": "mean interarrival jitter",
    "jitter_max": "maximum interarrival jitter",
    "loss_rate": "share of datagrams lost",
    "packets_lost": "datagrams lost",
    "packets_late": "packets too late to be played",
    "late_rate": "share of packets too late to be played",
    "mouth_to_ear": "mouth-to-ear delay",
    "r_factor": "rating R of the E-model",
    "mos": "estimated MOS",
    "rtt_min": "minimum RTT",
    "rtt_mean": "mean RTT",
    "rtt_max": "maximum RTT",
    "timer_rtt_max": "maximum RTT of the timer",
    "completion": "completion time",
    "completion_mean": "mean completion time",
    "slowdown_mean": "mean slowdown",
    "end_to_end": "payload delivered end to end",
    "packets_discarded": "packets discarded on arrival",
    "cwnd": "congestion window",
    "ssthresh": "slow-start threshold",
    "srtt": "smoothed RTT",
    "rto": "retransmission timeout",
    "flight": "data in flight",
    "snd_una": "first unacknowledged byte",
    "snd_nxt": "next byte to send",
    "rcv_nxt": "next byte expected",
    "received": "data received",
    "size": "size of the transfer",
    "jain": "Jain's fairness index",
}
"""By a column's name without its unit, where that is not in these words."""
SHARES = ("loss_rate", "late_rate", "delivery_ratio", "bottleneck_utilisation", "jain")
"""Measures from 0 to 1, as all are that begin with `limited_by_` or end with `_share`."""
BOUNDS = {"mos": (1.0, 4.5), "r_factor": (0.0, 100.0)}
"""Of other measures: those of ITU-T G.107, Annex B."""
CAPITALS = frozenset(["arp", "cts", "dcf", "ip", "mac", "phy", "rto", "rts", "rtt", "tcp"])
ITEMS = {"nodes": "node", "links": "link", "flows": "flow", "workloads": "workload", "channels": "channel"}
"""An item of each list of a scenario."""
OF_RELAYS = "end_to_end_"
"""The beginning of what is measured of a relayed transfer as a whole."""
DERIVED = ("_difference", "_ratio", "_runs")
NAME = re.compile(r"^name = .*", re.MULTILINE)
"""Of a resolved scenario; those of its parts follow."""
MOST_NAMES = 5
"""Of scenarios."""
PERCENTILE = re.compile(r"(.+)_p(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Names:
    """What the numbers in paths stand for: `flows.0` is the first flow."""

    flows: Sequence[str] = ()
    links: Sequence[str] = ()
    scenario: str = ""
    shared: frozenset[str] = frozenset()
    """Parameters that all flows, or all links, have alike in every run: their paths with the number of one."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """What a user calls values and columns instead."""

    @classmethod
    def of_scenarios(cls, resolved: Iterable[str]) -> Names:
        """Take them from resolved scenarios, one of each name; a place with several labels has its number."""
        from farlink.system.toml import tomllib

        one_of_each = {found[0]: text for text in resolved if (found := NAME.search(text))}
        read = [tomllib.loads(text) for text in one_of_each.values()]
        flows = [[flow["label"] for flow in each.get("flows", [])] for each in read]
        links = [["–".join(link["between"]) for link in each.get("links", [])] for each in read]  # noqa: RUF001
        return cls(_agreed("flow", flows), _agreed("link", links), listed([each["name"] for each in read], MOST_NAMES))

    def words(self, column: str) -> str:
        """Write a column's name, or a parameter's path, in words and without its unit."""
        if column in self.renamed:
            return self.renamed[column]
        for end in DERIVED:
            if column.endswith(end):
                return f"{self.words(column.removesuffix(end))}, {end.removeprefix('_')}"
        name = without_unit(column)
        is_measure = "." not in name.partition("_p")[0]
        if is_measure and name not in MEASURES and (found := PERCENTILE.fullmatch(name)):
            suffix = suffix_of(column)
            return f"{_ordinal(found[2])} of the {self.words(f'{found[1]}_{suffix}' if suffix else found[1])}"
        parts = name.split(".")
        if len(parts) == 1:
            measure = name.removeprefix(OF_RELAYS)
            words = MEASURES.get(measure, _words(measure))
            return words if measure == name else f"{words} end to end"
        match parts:
            case [list_name, "+", *rest] if list_name in ITEMS:
                return " of a ".join(filter(None, [_words(" ".join(rest)), f"further {ITEMS[list_name]}"]))
            case ["flows", index, *rest] if rest and (index.isdecimal() or index == "*"):
                keys, whose = rest[1:] if rest[0] == "tcp" and len(rest) > 1 else rest, self.flows
            case ["links", index, *rest] if rest and (index.isdecimal() or index == "*"):
                keys, whose = ["link", *rest], self.links
            case ["channels" | "nodes", index, *rest] if rest:
                keys, whose = rest, ()
            case ["airtime", *station, measured] if station:
                return f"{_words(measured)} at {printable('.'.join(station))}"
            case ["workloads", workload, *of_class, measured] if len(of_class) < 2 and not workload.isdecimal():
                return f"{self.words(measured)} of {printable(' '.join([workload, *map(_words, of_class)]))}"
            case ["radio" | "record", *rest]:
                keys, index, whose = rest, "", ()
            case _:
                keys, index, whose = parts, "", ()
        phrase = _words(" ".join(key for key in keys if key != "*"))
        if (index == "*" and len(whose) != 1) or (name in self.shared and len(whose) > 1):
            return f"{phrase} of all {parts[0]}"
        if index.isdecimal() and len(whose) > 1 and int(index) < len(whose):
            phrase = f"{phrase} of {printable(whose[int(index)])}"
        return phrase

    def heading(self, column: str) -> str:
        """Write a column's name for a table: the user's, or the path without its unit."""
        return self.renamed.get(column) or without_unit(column)

    def new_name(self, value: Any) -> str | None:
        """Give what the user calls a value; None where it keeps its name."""
        return next((new for old, new in self.renamed.items() if is_called(value, old)), None)

    def value(self, value: Any, column: str) -> str:
        """Write a value as the user calls it, or with the unit that suits it."""
        new = self.new_name(value)
        return value_text(value, column) if new is None else printable(new)

    def setting(self, path: str, text: str) -> str:
        """Write a setting for a title; of an inline table only its name or label."""
        words, value = self.words(path), toml_value(text)
        if isinstance(value, dict):
            between = value.get("between")
            ends = "–".join(map(str, between)) if isinstance(between, list) else ""  # noqa: RUF001
            value = next((value[key] for key in ("name", "label") if key in value), ends)
            is_new = ".+" in path
            return f"{words} {printable(str(value))}" if value else words if is_new else f"{words} changed"
        if isinstance(value, list):
            is_plain = all(isinstance(each, str | int | float) for each in value)
            return f"{words} {printable(', '.join(map(str, value)))}" if is_plain else f"{words} changed"
        return f"{words} {printable(value if isinstance(value, str) else text)}"

    def label(self, column: str, unit: str | None = None) -> str:
        """Write a column's name for an axis: words, and the unit in brackets."""
        unit = unit_of(column) if unit is None else unit
        return f"{self.words(column)} [{unit}]" if unit else self.words(column)


def _agreed(noun: str, labels: Sequence[Sequence[str]]) -> list[str]:
    places = [set(found) - {None} for found in zip_longest(*labels)]
    return [label if not more else f"{noun} {index}" for index, (label, *more) in enumerate(places)]


def is_called(value: Any, written: str) -> bool:
    """Whether a value is what a user wrote: `cubic`, `"10 Mbit/s"`, `true`."""
    if value is None or isinstance(value, bool):
        return str(value).lower() == written.lower() and value is not None
    return equals_written(written, value)


def _ordinal(percent: str) -> str:
    """Write a percentile in words."""
    if percent == "50":
        return "median"
    ends = {"1": "st", "2": "nd", "3": "rd"}
    is_teen = percent[-2:] in ("11", "12", "13") or "." in percent
    return f"{percent}{'th' if is_teen else ends.get(percent[-1], 'th')} percentile"


def bounds_of(column: str) -> tuple[float, float]:
    """The least and the most that a measure can be, if it is never negative: 0 and 1 of a share."""
    found = PERCENTILE.fullmatch(column)
    column = found[1] if found else column
    is_share = column in SHARES or column.startswith("limited_by_") or column.endswith("_share")
    return BOUNDS.get(column, (0.0, 1.0 if is_share else float("inf")))


def suffix_of(column: str) -> str:
    """Give the end of a column's name that is a unit; empty without one."""
    measure = column.removesuffix("_difference")
    end = measure.rpartition("_")[2]
    return end if end in UNITS and end != measure else ""


def without_unit(column: str) -> str:
    """Leave the unit out of a column's name."""
    for end in DERIVED:
        if column.endswith(end):
            return f"{without_unit(column.removesuffix(end))}{end}"
    suffix = suffix_of(column)
    return column.removesuffix(f"_{suffix}") if suffix else column


def unit_of(column: str) -> str:
    """Give the unit of a column, for people; empty without one."""
    return UNITS.get(suffix_of(column), "")


def scale(column: str, values: Iterable[Any]) -> tuple[float, str]:
    """Give what one of the unit that suits these values is in the column's unit, and that unit: 1e6, Mbit/s."""
    suffix, unit = suffix_of(column), unit_of(column)
    numbers = [abs(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    largest = max((number for number in numbers if number == number), default=0.0)
    steps = STEPS.get(suffix, ((1.0, ""),))
    for factor, prefix in steps:
        if largest >= factor:
            return factor, f"{prefix}{unit}"
    return (1.0, unit) if not largest or suffix != "s" else (steps[-1][0], f"{steps[-1][1]}{unit}")


def value_text(value: Any, column: str, digits: int = 6) -> str:
    """Write a value with the unit that suits it: 100 Mbit/s; of a probability 1e-07."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return printable(str(value))
    factor, unit = scale(column, [float(f"{value:.{digits}g}")])
    written = f"{value / factor:.{digits}g}"
    is_one = written == "1" and unit in ("packets", "segments")
    return f"{written} {unit.removesuffix('s') if is_one else unit}".rstrip()


def written_value(value: Any, column: str) -> str:
    """Write a value that may be a quantity in words already, such as `"10 Mbit/s"`."""
    try:
        return value_text(float(value), column)
    except (TypeError, ValueError):
        return printable(str(value))


def _words(name: str) -> str:
    parts = name.replace("_", " ").split(" ")
    return " ".join(part.upper() if part in CAPITALS else part for part in parts)
