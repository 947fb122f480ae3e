"""Networks built in code: nodes, links, channels and flows, one call each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from farlink.arguments import LIST, TEXT, check_argument_types
from farlink.errors import UsageError
from farlink.execution.congestion import Factory
from farlink.runs.change import Change
from farlink.runs.toml_text import Value, toml

if TYPE_CHECKING:
    from farlink import _names

Model: TypeAlias = "Mapping[str, Value]"
"""A model with parameters: `{"name": "red", "limit": "100 packets"}`."""
Made = TypeVar("Made", bound="Building")


class Building(ABC):
    """What adds to a scenario. Each call gives a new scenario and leaves the first alone.

    Arguments are keys of the scenario file (docs/guide/scenario.md); quantities are strings with units, models
    a name or a mapping. What is left out has the file's default. Values are checked when the scenario is run or
    `validated`; the error names the call and the key.
    """

    @abstractmethod
    def _added(self: Made, change: Change, plugs: Mapping[str | int, Factory]) -> Made:
        """Give a scenario with an item that is added, and the classes of flows."""

    @check_argument_types(name=TEXT)
    def node(
        self: Made,
        name: str,
        *,
        position: Sequence[str] | None = None,
        mobility: _names.Mobility | Model | None = None,
    ) -> Made:
        """Add a node.

        `position`: x, y and perhaps z, such as `("200 m", "0 m")`; shared channels only. `mobility`: the node's
        own, in place of the scenario's.
        """
        values: dict[str, object] = {"name": name, "position": position, "mobility": mobility}
        return _add(self, f"node({toml(name)})", "nodes", values)

    @check_argument_types(a=TEXT, b=TEXT)
    def link(
        self: Made,
        a: str,
        b: str,
        *,
        rate: str | Model,
        delay: str | Model,
        queue: _names.Queue | Model | None = None,
        error: _names.Error | Model | None = None,
        jitter: _names.Jitter | Model | None = None,
        down: Sequence[str] | None = None,
        reverse: Model | None = None,
    ) -> Made:
        """Add a point-to-point link between two nodes, the same in both directions.

        `rate` (`"10 Mbit/s"`) and `delay` (`"20 ms"`, one way) are constants, or traces such as
        `{"csv": "rate.csv"}`. `jitter` is a random delay of each packet besides `delay`. `down` lists outages
        (`"30 s..40 s"`). `reverse` holds what differs from `b` to `a`.
        """
        values: dict[str, object] = {"between": [a, b], "rate": rate, "delay": delay, "queue": queue, "error": error}
        values |= {"jitter": jitter, "down": down, "reverse": reverse}
        return _add(self, f"link({toml(a)}, {toml(b)})", "links", values)

    @check_argument_types(name=TEXT, nodes=LIST)
    def channel(
        self: Made,
        name: str = "radio",
        *,
        nodes: Sequence[str] | None = None,
        propagation: _names.Propagation | Model | None = None,
        delay: str | None = None,
        propagation_speed: str | Model | None = None,
        phy: _names.Phy | Model | None = None,
        antenna: Model | None = None,
        mac: _names.Mac | Model | None = None,
        queue: _names.Queue | Model | None = None,
        arp: str | None = None,
    ) -> Made:
        """Add a channel that `nodes` share; all nodes by default.

        `propagation_speed`: `"1500 m/s"` under water, that of light by default; `delay="none"`: no propagation
        delay. `arp`: `"ideal"` or `"one_slot"`.
        """
        values: dict[str, object] = {"name": name, "nodes": nodes, "propagation": propagation, "delay": delay}
        values |= {"propagation_speed": propagation_speed, "phy": phy, "antenna": antenna, "mac": mac}
        values |= {"queue": queue, "arp": arp}
        return _add(self, f"channel({toml(name)})", "channels", values)

    @check_argument_types(sender=TEXT, receiver=TEXT, label=TEXT)
    def flow(
        self: Made,
        sender: str,
        receiver: str,
        *,
        label: str | None = None,
        application: _names.Application | Model | None = None,
        congestion_control: _names.CongestionControl | Model | Factory | None = None,
        tcp: Model | None = None,
        start: str | None = None,
        stop: str | None = None,
        payload: str | Model | None = None,
    ) -> Made:
        """Add a flow from one node to another.

        `label` is its name in results and paths; by default `flow0`, `flow1`, ... `application`: `"bulk"`,
        `{"name": "file", "size": "10 MB"}`. `tcp` holds other TCP options, such as `{"preset": "linux"}`.
        `congestion_control` may also be a class (see `CongestionControl`); the flow then needs a label. `start`: an
        instant (`"1 s"`), or a range (`"0 s..1 s"`) from which one is drawn for every seed.
        """
        call = f"flow({toml(sender)}, {toml(receiver)})"
        options = dict(tcp or {})
        plugs: dict[str | int, Factory] = {}
        if congestion_control is not None and "congestion_control" in options:
            raise UsageError(f"{call}: congestion_control is given twice, also in tcp")
        if callable(congestion_control):
            if not label:
                raise UsageError(f'{call}: congestion_control is a class; add label="..." to name its flow')
            plugs[label] = congestion_control
        elif congestion_control is not None:
            options["congestion_control"] = congestion_control
        values: dict[str, object] = {"label": label, "from": sender, "to": receiver, "start": start, "stop": stop}
        values |= {"application": application, "payload": payload, "tcp": options or None}
        return _add(self, call, "flows", values, plugs)

    @check_argument_types(label=TEXT)
    def workload(
        self: Made,
        sender: str | Sequence[str],
        receiver: str | Sequence[str],
        *,
        label: str | None = None,
        arrivals: _names.Arrivals | Model | None = None,
        size: _names.Size | Model | None = None,
        classes: Sequence[str] | None = None,
        flows: str | None = None,
        tcp: Model | None = None,
        start: str | None = None,
        stop: str | None = None,
    ) -> Made:
        """Add flows that arrive during the run between two nodes, or between nodes of two lists.

        `arrivals`: `{"name": "poisson", "rate": 100}`. `size`: `{"name": "fixed", "size": "20 kB"}`. `classes` are the
        largest sizes of the classes of results. `flows="rows"` keeps a row for each flow. `tcp` holds TCP options of
        all flows.
        """
        call = f"workload({toml(sender)}, {toml(receiver)})"
        values: dict[str, object] = {"label": label, "from": sender, "to": receiver, "start": start, "stop": stop}
        values |= {"arrivals": arrivals, "size": size, "classes": classes, "flows": flows, "tcp": tcp}
        return _add(self, call, "workloads", values)


def _add(
    scenario: Made,
    call: str,
    items: str,
    values: Mapping[str, object],
    plugs: Mapping[str | int, Factory] | None = None,
) -> Made:
    """Add an item to a list; a value that TOML does not have is refused by its key."""
    given = {key: value for key, value in values.items() if value is not None}
    for key, value in given.items():
        try:
            toml(value)
        except UsageError as error:
            raise UsageError(f"{call}: {key}: {error}") from None
    return scenario._added(Change.of(f"{items}.+", given, call), plugs or {})
