"""Scenarios: loaded, changed, run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import farlink._farlink as engine
from farlink.arguments import FLAG, PLACE, PROGRESS, SEED, SEEDS_OR_COUNT, TABLE, TEXT, WHOLE, check_argument_types
from farlink.errors import UsageError
from farlink.execution import packaged
from farlink.execution.congestion import Factory, refuse_unknown_methods
from farlink.execution.estimate import Estimate
from farlink.execution.execute import Order, Progress, execute
from farlink.execution.outputs import Outputs, open_captures, refuse_inputs
from farlink.execution.plug import Plug
from farlink.execution.progress import reporting
from farlink.printable import printable
from farlink.runs import implausible, libraries
from farlink.runs.building import Building, Model
from farlink.runs.change import Change, call_of_set
from farlink.runs.paths import may_exist, replaces
from farlink.runs.run import Interrupted, Run
from farlink.runs.seeds import check_seeds, chosen_seeds
from farlink.runs.toml_text import Value, document
from farlink.spelling import listed
from farlink.system.files import read_text

if TYPE_CHECKING:
    from farlink import _names
    from farlink._names import CongestionControl as Name

MOST_SAMPLES = 10_000_000
"""Of a time series: a gigabyte for every flow."""
MOST_COMPARED = 64
"""Characters of an unknown name that are compared with the known ones."""
IS_JSON = (
    "JSON, not a scenario in TOML; an experiment of the laboratory is opened there by `Open files`, "
    "and `Save the scenario` there writes a file for the command line"
)
EVERY = "*"
"""Stands for every flow."""


@check_argument_types(name_or_path=PLACE)
def load(name_or_path: str | Path) -> Scenario:
    """Load a built-in scenario by its name (`farlink list scenarios`), or a TOML file by its path.

    A name such as `timid/geo` may also be that of a scenario in an installed package, where there is no such file.
    Raises `UsageError` where there is nothing. What the text says is checked when it is run or `validated`.
    """
    built_in = {name: text for name, _, text in engine.built_in()}
    if name_or_path in built_in:
        name = str(name_or_path)
        return Scenario.from_toml(built_in[name], origin=name)
    path = Path(name_or_path)
    if not str(name_or_path):
        raise UsageError(f"a scenario without a name; built-in scenarios: {', '.join(built_in)}")
    try:
        text = read_text(path)
    except FileNotFoundError:
        pass
    else:
        if text.lstrip().startswith("{"):
            raise UsageError(f"{path}: {IS_JSON}")
        return Scenario.from_toml(text, origin=printable(str(path)), folder=path.parent)
    name = str(name_or_path)
    if found := libraries.path_of(name):
        return Scenario.from_toml(read_text(found), origin=printable(name), folder=found.parent)
    from difflib import get_close_matches

    near = get_close_matches(name[:MOST_COMPARED], [*built_in, *libraries.names()], n=1)
    remedy = f"did you mean `{near[0]}`?" if near else f"built-in scenarios: {', '.join(built_in)}"
    raise UsageError(f"{path}: no such file or built-in scenario; {remedy}")


@dataclass(frozen=True, init=False, repr=False)
class Scenario(Building):
    """An experiment: a text, with values set over it.

    `validated` and `run` check it. `set` refuses an unknown key at once, and `node`, `link`, `channel` and `flow` a
    value that no scenario can have.

    `load` reads one; `Scenario(name, duration=..)` begins one without nodes, to which `node`, `link`, `channel` and
    `flow` add. A scenario never changes: every method gives a new one.
    """

    text: str
    """TOML, as it was read."""
    origin: str
    """What messages call the text."""
    folder: Path
    """Where the files that it names are."""
    settings: tuple[Change, ...]
    """What was set and added."""
    congestion_control: Mapping[str | int, Factory]
    """Classes by their flows."""

    @check_argument_types(name=TEXT, duration=TEXT, seed=WHOLE)
    def __init__(
        self,
        name: str,
        *,
        duration: str,
        seed: int | None = None,
        topology: Model | None = None,
        radio: Model | None = None,
        routing: _names.Routing | Model | None = None,
        mobility: _names.Mobility | Model | None = None,
        host_delay: _names.HostDelay | Model | None = None,
        record: Model | None = None,
    ) -> None:
        """Begin a scenario that lasts `duration` (`"60 s"`) and runs with `seed` by default, 1 if that is left out.

        Arguments are keys of the scenario file (docs/guide/scenario.md); models are a name or a mapping. `topology`
        generates nodes and links: `{"name": "chain", "nodes": 5, "spacing": "200 m"}`. `radio` is a channel that all
        nodes share, with the keys of `channel`. `routing` (`"aodv"`) finds the paths of packets,
        `mobility` moves nodes without one of their own. Hosts take the time `host_delay` for a packet (`"linux_vm"`).
        `record` is `{"interval": "1 s"}`, the time between samples of the time series.
        """
        values = {"name": name, "duration": duration, "seed": seed, "topology": topology, "radio": radio}
        values |= {"routing": routing, "mobility": mobility, "host_delay": host_delay, "record": record}
        text = document({key: value for key, value in values.items() if value is not None})
        self.__dict__.update(_fields(text, printable(name), Path()))

    @classmethod
    @check_argument_types(text=TEXT, origin=TEXT, folder=PLACE)
    def from_toml(cls, text: str, *, origin: str = "text", folder: str | Path = ".") -> Scenario:
        """Make a scenario of TOML, which messages call `origin`; the files that it names are in `folder`."""
        made = object.__new__(cls)
        made.__dict__.update(_fields(text, origin, Path(folder)))
        return made

    @classmethod
    @check_argument_types(tables=TABLE, folder=PLACE)
    def from_dict(cls, tables: Mapping[str, Value], *, folder: str | Path = ".") -> Scenario:
        """Make a scenario of a mapping with the keys of the scenario file; raises `UsageError` for other values.

        Messages show it as TOML. The files that it names are in `folder`.
        """
        return cls.from_toml(document(tables), origin="from_dict", folder=folder)

    def to_toml(self) -> str:
        """Give the scenario as TOML that `load` and the command line read, without defaults.

        A text over which nothing was set stays as it is, with its comments. Paths of files stay as written, relative
        to `folder`. Raises `ScenarioError`; and `UsageError` where a congestion control is a class.
        """
        _ = self.validated
        for flow in self.congestion_control:
            raise UsageError(f"flow {flow}: a class cannot stand in a file; give its congestion control by name")
        return engine.to_toml(self.text, self.origin, self.settings) if self.settings else self.text

    @check_argument_types(path=TEXT)
    def set(self, path: str, value: Value | Factory) -> Scenario:
        """Give a scenario with `value` at a dotted path such as `"flows.0.tcp.congestion_control"`.

        Items of lists stand in the path by number or label: `flows.transfer`, `nodes.ground`, `links.ground-remote`;
        `*` is every item, `+` a further one. Values with units are strings (`"600 ms"`). A class at the
        `congestion_control` of a flow, or of `flows.*`, works as one.

        Raises `ScenarioError` for a key and `UsageError` for a value that no scenario can have; whether they suit this
        one is checked when it is run or `validated`.
        """
        made = self.changed(Change.of(path, value))
        if not may_exist(path):
            _ = made.validated  # refuses it here, not at a later run
        return made

    @check_argument_types(path=TEXT, text=TEXT)
    def set_text(self, path: str, text: str) -> Scenario:
        """Like `set` with a value as on the command line: TOML, or a bare word or quantity."""
        return self.changed(Change(path, text))

    def changed(self, *changes: Change) -> Scenario:
        """Give a scenario with these changes, the later over the earlier; it is checked when it is `validated`."""
        made = self
        for change in changes:
            if callable(change.value):
                flow = change.path.split(".")[1]
                earlier = {} if flow == EVERY else made.congestion_control
                number = int(flow) if flow.isdecimal() else flow
                made = made._with(congestion_control={**earlier, number: change.value})
            else:
                made = made._with(settings=(*made.settings, change), congestion_control=made._classes_without(change))
        return made

    @check_argument_types(path=TEXT)
    def resolve(self, path: str) -> str:
        """Give a dotted path with numbers in place of labels; raises `ScenarioError` for an unknown label."""
        return engine.resolve_path(self.text, self.origin, self.settings, path)

    def _added(self, change: Change, plugs: Mapping[str | int, Factory]) -> Scenario:
        plugged = {**self.congestion_control, **plugs}
        return self._with(settings=(*self.settings, change), congestion_control=plugged)

    def _classes_without(self, change: Change) -> Mapping[str | int, Factory]:
        """The classes of which a change leaves something."""
        if not self.congestion_control or not change.path.startswith("flows"):
            return self.congestion_control
        number = self.resolve(change.path)
        kept: dict[str | int, Factory] = {}
        for flow, factory in self.congestion_control.items():
            is_partly = flow == EVERY and EVERY not in number.split(".")
            for each in range(len(self.validated.flow_labels)) if is_partly else [flow]:
                if not replaces(number, self.resolve(f"flows.{each}.tcp.congestion_control")):
                    kept[each] = factory
        return kept

    def _with(self, **changes: object) -> Scenario:
        made = object.__new__(type(self))
        made.__dict__.update(self.__getstate__(), **changes)
        return made

    @cached_property
    def validated(self) -> engine.Scenario:
        """The checked scenario; raises `ScenarioError`, and `UsageError` where it needs a package that is broken."""
        made = engine.Scenario(self.text, self.origin, self.folder, self.settings, packaged.names)
        for name in set(made.plugged.values()):
            packaged.named(name)
        return made

    @property
    def files(self) -> list[Path]:
        """What is read for it: its own text, unless it is built in, and the files that it names."""
        own = [] if self.origin in {name for name, _, _ in engine.built_in()} else [Path(self.origin)]
        return [*own, *(self.folder / name for name in self.validated.file_hashes)]

    @property
    def warnings(self) -> list[engine.ScenarioWarning]:
        """What is implausible in it, such as rates in a wrong unit; raises `ScenarioError`.

        `run` issues them with `warnings.warn`, so that `warnings.simplefilter("error", farlink.ScenarioWarning)`
        refuses such a scenario.
        """
        return self.validated.warnings

    def estimate(self, *, series: bool = True) -> Estimate:
        """Estimate the events and the memory of a run, to an order of magnitude; with or without time series."""
        return Estimate.of(self.validated, series=series)

    def __getstate__(self) -> dict[str, object]:
        # What is validated cannot travel to another process; the text is validated there again.
        return {name: value for name, value in self.__dict__.items() if name != "validated"}

    @check_argument_types(
        seed=SEED,
        seeds=SEEDS_OR_COUNT,
        jobs=WHOLE,
        series=FLAG,
        ledger=FLAG,
        pcap=PLACE,
        pcap_node=TEXT,
        trace=PLACE,
        animate=PLACE,
        animate_window=TEXT,
        congestion_control=TABLE,
        max_events=WHOLE,
        progress=PROGRESS,
    )
    def run(
        self,
        *,
        seed: int | None = None,
        seeds: int | Iterable[int] | None = None,
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
        progress: Progress | bool | None = None,
    ) -> Run:
        """Run one seed (the scenario's own by default) or several, on `jobs` cores (all by default).

        `seeds` is how many, from 1 on, or which.

        `congestion_control` maps flows, by label, number or `"*"`, to names or classes (see `CongestionControl`).
        `pcap` captures: what passes the senders (.pcap), or the frames on shared channels (.pcapng), all or those that
        `pcap_node` sends and receives. `trace` writes what ns-2 would (.tr), `animate` a page (.html) that plays the
        run, with frames within `animate_window` (`"10 s..20 s"`; the whole run by default). `ledger` keeps a row for
        every copy of a packet (`Run.copies`). A seed that needs more than `max_events` events stops with
        `EventLimitError`. `progress` gets the share that is done, from 0 to 1; True shows a bar, False none; by
        default there is one of several seeds in a notebook.

        Raises `ScenarioError` where the scenario is refused, `UsageError` where an argument is, and `Interrupted` on
        Ctrl-C or a notebook's interrupt, with the seeds that were finished as its `run`.
        """
        if seed is not None and seeds is not None:
            raise UsageError("give seed or seeds, not both")
        named, plugs = self.plugged(congestion_control)
        validated = named.validated
        # Before the runs: a file may change meanwhile.
        identified = {index: Plug.of(factory) for index, factory in plugs.items()}
        one = [validated.default_seed if seed is None else seed]
        chosen = check_seeds(one) if seeds is None else chosen_seeds(seeds)
        check_limits(jobs, max_events)
        if series and validated.samples > MOST_SAMPLES:
            longer = f"set record.interval to {validated.duration_ns // MOST_SAMPLES + 1} ns or more"
            raise UsageError(f"a time series of {validated.samples} samples does not fit into memory; {longer}")
        capture, events, page = (None if path is None else Path(path) for path in (pcap, trace, animate))
        refuse_inputs(self.files, (capture, events, page))
        outputs = Outputs(capture, events, page, pcap_node, animate_window)
        captures, window_ns = outputs.captures(validated), outputs.window(validated)
        outputs.check(chosen)
        implausible.announce(validated.warnings)
        with open_captures(captures) as under_way:
            keep_series = series or window_ns is not None
            order = Order(validated, chosen, jobs, keep_series, ledger, under_way, window_ns, identified, max_events)
            with reporting(progress, len(chosen)) as report:
                outcomes, interrupted = execute(order, report)
            run = Run(validated, outcomes, identified)
            if interrupted:
                raise Interrupted(run, len(chosen))
        if outputs.animate is not None:
            from farlink import animation

            animation.write(validated, outcomes[0], outputs.animate)
        return run

    def __repr__(self) -> str:
        changes = [
            f"{path} = {text}" if call in (None, call_of_set(path)) else call for path, text, call in self.settings
        ]
        changes += [f"{flow}: {getattr(made, '__name__', made)}" for flow, made in self.congestion_control.items()]
        return printable(f"<Scenario {self.origin}{': ' if changes else ''}{listed(changes)}>")

    def _repr_html_(self) -> str:
        from farlink.runs import grid, notebook

        try:
            validated = self.validated
        except engine.ScenarioError as error:
            return grid.message(str(error))
        return notebook.scenario(validated, self.congestion_control)

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
        """Resolve labels to numbers and set what is given by name.

        What is left are classes by flow number; those of packages are among them.
        """
        labels = self.validated.flow_labels
        named = self
        plugs: dict[int, Factory] = {}
        for flow, member in [*self.congestion_control.items(), *(congestion_control or {}).items()]:
            number = int(flow) if isinstance(flow, str) and flow.isdecimal() else flow
            index = labels.index(flow) if flow in labels else number
            if index != EVERY and (not isinstance(index, int) or not 0 <= index < len(labels)):
                raise UsageError(f"there is no flow {flow!r}; flows: {', '.join(labels)}")
            if not (isinstance(member, str) or callable(member)):
                raise UsageError(f"{member!r} is no congestion control; give a name or a class")
            refuse_unknown_methods(member)
            for each in range(len(labels)) if index == EVERY else [int(index)]:
                plugs.pop(each, None)
                if isinstance(member, str):
                    named = named.set(f"flows.{each}.tcp.congestion_control", member)
                else:
                    plugs[each] = member
        of_packages = {index: packaged.named(name) for index, name in named.validated.plugged.items()}
        return named, {**of_packages, **plugs}


def _fields(text: str, origin: str, folder: Path) -> dict[str, object]:
    return {"text": text, "origin": origin, "folder": folder, "settings": (), "congestion_control": {}}


def check_limits(jobs: int | None, max_events: int | None) -> None:
    """Refuse less than one core, and a limit of events that no run can keep, or that the engine cannot count to."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs = {jobs}: at least one is needed")
    if max_events is not None and not 1 <= max_events < 2**64:
        raise UsageError(f"max_events = {max_events}: give a number of events from 1 to {2**64 - 1}")
