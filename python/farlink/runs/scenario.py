"""Scenarios: loaded, changed, run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import farlink._farlink as engine
from farlink.arguments import CALLABLE, FLAG, PLACE, SEEDS, TABLE, TEXT, WHOLE, check_argument_types
from farlink.errors import UsageError
from farlink.execution.congestion import Factory
from farlink.execution.estimate import Estimate
from farlink.execution.execute import Order, Progress, execute
from farlink.execution.outputs import Outputs, open_captures
from farlink.printable import printable
from farlink.runs.run import Interrupted, Run
from farlink.runs.seeds import check_seeds
from farlink.system.files import read_text

if TYPE_CHECKING:
    from farlink._names import CongestionControl as Name

MOST_SAMPLES = 10_000_000
"""Of a time series: a gigabyte for every flow."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""
MOST_COMPARED = 64
"""Characters of an unknown name that are compared with the known ones."""

Value: TypeAlias = "str | bool | int | float | list[Value] | dict[str, Value]"


@check_argument_types(name_or_path=PLACE)
def load(name_or_path: str | Path) -> Scenario:
    """Load a built-in scenario by its name (`farlink list scenarios`) or a TOML file by its path."""
    built_in = {name: text for name, _, text in engine.built_in()}
    if name_or_path in built_in:
        name = str(name_or_path)
        return Scenario(text=built_in[name], origin=name, folder=Path())
    path = Path(name_or_path)
    if not str(name_or_path):
        raise UsageError(f"a scenario without a name; built-in scenarios: {', '.join(built_in)}")
    try:
        return Scenario(text=read_text(path), origin=printable(str(path)), folder=path.parent)
    except FileNotFoundError:
        near = get_close_matches(str(name_or_path)[:MOST_COMPARED], built_in, n=1)
        remedy = f"did you mean `{near[0]}`?" if near else f"built-in scenarios: {', '.join(built_in)}"
        raise UsageError(f"{path}: no such file or built-in scenario; {remedy}") from None


@dataclass(frozen=True)
class Scenario:
    """An experiment's text with values set over it. Nothing is checked before `validated` or `run`."""

    text: str = field(repr=False)
    origin: str
    folder: Path
    settings: tuple[tuple[str, str], ...] = ()
    congestion_control: Mapping[str | int, Factory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse fields of wrong types."""
        for name, kind in (("text", TEXT), ("origin", TEXT), ("folder", PLACE), ("congestion_control", TABLE)):
            kind.require(name, getattr(self, name))

    @check_argument_types(path=TEXT)
    def set(self, path: str, value: Value | Factory) -> Scenario:
        """Give a scenario with `value` at a dotted path such as `"flows.0.tcp.congestion_control"`.

        Values with units are strings (`"600 ms"`). A class at a flow's `congestion_control` works as one.
        """
        match path.split("."):
            case ["flows", index, "tcp", "congestion_control"] if callable(value) and index.isdecimal():
                plugged = {**self.congestion_control, int(index): value}
                return replace(self, congestion_control=plugged)
        if callable(value):
            raise UsageError(f"{path}: a class is taken at flows.N.tcp.congestion_control only")
        try:
            return self.set_text(path, toml(value))
        except RecursionError:
            raise UsageError(f"{path}: the value is nested too deeply") from None

    @check_argument_types(path=TEXT, text=TEXT)
    def set_text(self, path: str, text: str) -> Scenario:
        """Like `set` with a value as on the command line: TOML, or a bare word or quantity."""
        return replace(self, settings=(*self.settings, (path, text)))

    @cached_property
    def validated(self) -> engine.Scenario:
        """The checked scenario; raises `ScenarioError`."""
        return engine.Scenario(self.text, self.origin, self.folder, list(self.settings))

    def estimate(self, *, series: bool = True) -> Estimate:
        """Estimate the events and the memory of a run, to an order of magnitude; with or without time series."""
        return Estimate.of(self.validated, series=series)

    def __getstate__(self) -> dict[str, object]:
        # What is validated cannot travel to another process; the text is validated there again.
        return {name: value for name, value in self.__dict__.items() if name != "validated"}

    @check_argument_types(
        seed=WHOLE,
        seeds=SEEDS,
        jobs=WHOLE,
        series=FLAG,
        ledger=FLAG,
        pcap=PLACE,
        pcap_node=TEXT,
        trace=PLACE,
        animate=PLACE,
        animate_window=TEXT,
        congestion_control=TABLE,
        progress=CALLABLE,
    )
    def run(
        self,
        *,
        seed: int | None = None,
        seeds: Iterable[int] | None = None,
        jobs: int | None = None,
        series: bool = True,
        ledger: bool = False,
        pcap: str | Path | None = None,
        pcap_node: str | None = None,
        trace: str | Path | None = None,
        animate: str | Path | None = None,
        animate_window: str | None = None,
        congestion_control: Mapping[str | int, Factory | Name] | None = None,
        max_events: int | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """Run one seed (the scenario's own by default) or several, on `jobs` cores (all by default).

        `congestion_control` maps flows, by label or number, to names or classes (see `CongestionControl`). `pcap`
        captures: what passes the senders (.pcap), or the frames on shared channels (.pcapng), all or those that
        `pcap_node` sends and receives. `trace` writes what ns-2 would (.tr), `animate` a page (.html) that plays the
        run, with frames within `animate_window` (`"10 s..20 s"`; the whole run by default). `ledger` keeps a row for
        every copy of a packet (`Run.copies`). A seed that needs more than `max_events` events stops with
        `EventLimitError`.
        Raises `Interrupted` on Ctrl-C, with what was finished.
        """
        if seed is not None and seeds is not None:
            raise UsageError("give seed or seeds, not both")
        named, plugs = self.plugged(congestion_control)
        validated = named.validated
        one = [validated.default_seed if seed is None else seed]
        chosen = check_seeds(one if seeds is None else seeds)
        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs = {jobs}: at least one is needed")
        check_limit(max_events)
        if series and validated.samples > MOST_SAMPLES:
            longer = f"set record.interval to {validated.duration_ns // MOST_SAMPLES + 1} ns or more"
            raise UsageError(f"a time series of {validated.samples} samples does not fit into memory; {longer}")
        outputs = Outputs(
            pcap=None if pcap is None else Path(pcap),
            pcap_node=pcap_node,
            trace=None if trace is None else Path(trace),
            animate=None if animate is None else Path(animate),
            animate_window=animate_window,
        )
        captures, window_ns = outputs.captures(validated), outputs.window(validated)
        outputs.check(chosen)
        with open_captures(captures) as under_way:
            keep_series = series or window_ns is not None
            order = Order(validated, chosen, jobs, keep_series, ledger, under_way, window_ns, plugs, max_events)
            outcomes, interrupted = execute(order, progress)
            run = Run(validated, outcomes, plugs)
            if interrupted:
                raise Interrupted(run)
        if outputs.animate is not None:
            from farlink import animation

            animation.write(run, outputs.animate)
        return run

    @check_argument_types(seed=WHOLE, shift=TEXT)
    def ns2_movement(self, *, seed: int | None = None, shift: str = "0 m") -> str:
        """Give how the nodes move as a movement file of ns-2, all coordinates moved by `shift`."""
        validated = self.validated
        [chosen] = check_seeds([validated.default_seed if seed is None else seed])
        distance = engine.quantity(shift)
        if distance is None or distance[1] != "m":
            raise UsageError(f"shift {shift}: write a distance such as '10 m'")
        try:
            return validated.ns2_movement(chosen, distance[0])
        except ValueError as error:
            raise UsageError(f"{self.origin}: {error}") from None

    def plugged(
        self, congestion_control: Mapping[str | int, Factory | Name] | None = None
    ) -> tuple[Scenario, dict[int, Factory]]:
        """Resolve labels to numbers and set what is given by name; what is left are classes by flow number."""
        labels = self.validated.flow_labels
        named, plugs = self, {}
        for flow, member in {**self.congestion_control, **(congestion_control or {})}.items():
            index = labels.index(flow) if flow in labels else flow
            if not isinstance(index, int) or not 0 <= index < len(labels):
                raise UsageError(f"there is no flow {flow!r}; flows: {', '.join(labels)}")
            if isinstance(member, str):
                named = named.set(f"flows.{index}.tcp.congestion_control", member)
            elif callable(member):
                plugs[index] = member
            else:
                raise UsageError(f"{member!r} is no congestion control; give a name or a class")
        return named, plugs


def toml(value: Value) -> str:
    """Write a value as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() if value.bit_length() > 64:
            raise UsageError("a number does not fit into 64 bits")
        case int() | float():
            return repr(value)
        case dict():
            return "{ " + ", ".join(f"{_toml_key(str(key))} = {toml(inner)}" for key, inner in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(toml(inner) for inner in value) + "]"
    raise UsageError(f"{value!r} cannot stand in a scenario; times and rates are strings such as '600 ms'")


def _toml_key(text: str) -> str:
    return text if BARE.fullmatch(text) else toml(text)


def check_limit(max_events: int | None) -> None:
    """Refuse a limit that no run can keep, or that the engine cannot count to."""
    if max_events is None:
        return
    WHOLE.require("max_events", max_events)
    if not 1 <= max_events < 2**64:
        raise UsageError(f"max_events = {max_events}: give a number of events from 1 to {2**64 - 1}")
