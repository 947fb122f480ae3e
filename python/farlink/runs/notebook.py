"""How scenarios and runs show themselves in a notebook: tables, and a small figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from farlink.runs import grid
from farlink.spelling import counted
from farlink.system.toml import tomllib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from farlink._farlink import Scenario


def scenario(validated: Scenario, congestion_control: Mapping[str | int, object]) -> str:
    """Show nodes, links, channels and flows; `congestion_control` has classes by their flows."""
    tables = tomllib.loads(validated.resolved)
    links, channels, flows = (tables.get(key, []) for key in ("links", "channels", "flows"))
    classes = {
        validated.flow_labels.index(flow) if flow in validated.flow_labels else flow: getattr(made, "__name__", "class")
        for flow, made in congestion_control.items()
    }
    lasts = f"{validated.duration_ns / 1e9:.9g} s, {counted(len(validated.nodes), 'node')}"
    title = f"{validated.name}: {lasts}, routing {_short(tables['routing'])}, seed {validated.default_seed}"
    keys = ("rate", "delay", "queue", "error")
    link_rows = [["-".join(link["between"]), *(_short(link[key]) for key in keys)] for link in links]
    channel_rows = [
        [each["name"], str(len(each["nodes"])), _short(each["phy"]), _short(each["mac"])] for each in channels
    ]
    return (
        grid.paragraph(title)
        + _figure(validated, links, flows)
        + grid.first_rows("link", ["between", *keys], link_rows)
        + grid.first_rows("shared channel", ["name", "nodes", "PHY", "MAC"], channel_rows)
        + grid.first_rows(
            "flow",
            ["label", "from", "to", "application", "congestion control"],
            [_flow_row(flow, classes.get(number)) for number, flow in enumerate(flows)],
        )
    )


def run(name: str, tables: Sequence[grid.Grid], over_time: Figure | None) -> str:
    """Show the tables of flows and workloads, and a figure over time if there is one."""
    shown = "".join(table.html() for table in tables)
    if over_time is None:
        return shown
    from farlink.drawing import inline

    over_time.set_size_inches(6.5, 4.5)
    return shown + inline.image(over_time, f"delivery rate and congestion window over time of {name}")


def _figure(validated: Scenario, links: Sequence[Mapping[str, Any]], flows: Sequence[Mapping[str, Any]]) -> str:
    """The network, drawn; nothing where it has too many nodes."""
    from farlink.drawing import inline, of_network

    if len(validated.nodes) > of_network.MOST_NODES:
        return ""
    pairs = [(link["between"][0], link["between"][1]) for link in links]
    arrows = [(flow["from"], flow["to"]) for flow in flows]
    at = validated.positions(validated.default_seed)
    # The position of a node has an effect on shared channels only.
    on_channels = {node for members in validated.channels for node in members}
    is_placed = len({(x, y) for x, y in at}) > 1 and len(on_channels) in (0, len(at))
    places = (
        {name: (x, y) for name, (x, y) in zip(validated.nodes, at, strict=True)}
        if is_placed
        else of_network.in_columns(validated.nodes, pairs, arrows)
    )
    figure = of_network.draw_network(places, pairs, arrows, in_metres=is_placed)
    return inline.image(figure, f"the network of {validated.name}: nodes, links, and flows as arrows")


def _flow_row(flow: Mapping[str, Any], made: str | None) -> list[str]:
    named = _short(flow["tcp"]["congestion_control"]) if "tcp" in flow else "-"
    return [flow["label"], flow["from"], flow["to"], _short(flow["application"]), made or named]


def _short(value: Any) -> str:
    """A value in a word or two: a model by its name."""
    match value:
        case {"name": str(name)}:
            return name
        case dict() | list():
            return "varies"
    return str(value)
