"""Flows of one kind, shown together where there are many: `web0`, `web1` and so on are `web*`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from farlink.spelling import listed
from farlink.tables import parameters
from farlink.tables.rows import grouped

MOST_SHOWN = 12
"""Flows, each with a row or a block of its own."""
NUMBER = re.compile(r"\d+")
IS_PATTERN = re.compile(r"[*?\[]")
"""In the label that `--where flow=` has, where it stands for several flows."""
APART = ("label", "from", "to", "start")
"""Keys in which equal flows may differ."""
MOST_NAMED = 2
"""Keys in the name of a group whose flows differ in them."""

Settings: TypeAlias = "Mapping[str, Mapping[str, Any]]"
"""What tells flows apart: values by path, by label."""


def group_of_flows(labels: Iterable[str], resolved: Iterable[str] = ()) -> dict[str, str]:
    """Give every flow's group: flows whose labels differ in numbers only, and that are equal in each scenario.

    Equal flows differ in their label, their nodes and their start only. The others are no samples of one quantity.
    """
    return _groups(labels, [_settings(text) for text in dict.fromkeys(resolved)])


def folded(labels: Iterable[str], resolved: Iterable[str] = ()) -> dict[str, str]:
    """Give the name under which every flow is shown: its label, or its group if there are too many flows.

    Where there are too many groups of equal flows, too, a group has flows of one application and one TCP, and its name
    says in what they differ.
    """
    labels, texts = list(dict.fromkeys(labels)), list(resolved)
    if len(labels) <= MOST_SHOWN:
        return {label: label for label in labels}
    settings = [_settings(text) for text in dict.fromkeys(texts)]
    alike = [{label: _kind(of) for label, of in each.items()} for each in settings]
    groups = {label: label for label in labels}
    for by in (settings, alike):
        for group in (_groups, _equal_flows):
            groups = group(labels, by)
            if len(set(groups.values())) <= MOST_SHOWN or not texts:
                return _with_differences(groups, settings)
    return _with_differences(groups, settings)


def pooled_as(name: str, labels: Iterable[str], resolved: Iterable[str]) -> str:
    """Name flows that are pooled though they may differ: by `name`, and by what they differ in."""
    groups = dict.fromkeys(labels, name)
    return next(iter(_with_differences(groups, [_settings(text) for text in dict.fromkeys(resolved)]).values()), name)


def end_to_end(origin: str, relay: str) -> str:
    """Name what a relay passes on, from the flow `origin` to its own end."""
    return f"{origin} to {relay}, end to end"


def note(groups: Mapping[str, str], remedy: str) -> str:
    """Say how many flows are shown as groups; empty if none is. `{choice}` in the remedy is that of the first group."""
    several = {name: labels for name, labels in _members(groups).items() if len(labels) > 1}
    if not several:
        return ""
    named = ", ".join(f"{name} ({len(labels)})" for name, labels in several.items())
    shown = f"{sum(map(len, several.values()))} of {len(groups)} flows are folded: {named}, with means per flow"
    return f"{shown}; {remedy.format(choice=choice(next(iter(several.values())), groups))}"


def choice(group: Sequence[str], labels: Iterable[str]) -> str:
    """Write the option that chooses these of the flows `labels`: a pattern if that has no other, else the first."""
    pattern = NUMBER.sub("*", group[0])
    is_exact = {label for label in labels if fnmatchcase(label, pattern)} == set(group)
    return f"--where {shlex.quote(f'flow={pattern if is_exact else group[0]}')}"


def _members(groups: Mapping[str, str]) -> dict[str, list[str]]:
    return grouped((name, label) for label, name in groups.items())


def _groups(labels: Iterable[str], settings: Sequence[Settings]) -> dict[str, str]:
    """Group flows by the pattern of their labels where they are equal, else those that are."""
    groups: dict[str, str] = {}
    for pattern, members in grouped((NUMBER.sub("*", label), label) for label in dict.fromkeys(labels)).items():
        if len(members) == 1:
            groups[members[0]] = members[0]
        elif not _differences(members, settings):
            groups |= dict.fromkeys(members, pattern)
        else:
            groups |= _equal_flows(members, settings)
    return groups


def _equal_flows(labels: Sequence[str], settings: Sequence[Settings]) -> dict[str, str]:
    """Group flows that are equal, and name each group by its first."""
    members = grouped((repr([of.get(label) for of in settings]), label) for label in labels)
    return {
        label: group[0] if len(group) == 1 else f"{group[0]} and {len(group) - 1} like it"
        for group in members.values()
        for label in group
    }


def _with_differences(groups: Mapping[str, str], settings: Sequence[Settings]) -> dict[str, str]:
    """Add to the name of each group the keys in which its flows differ."""
    names = {}
    for name, labels in _members(groups).items():
        found = _differences(labels, settings)
        verb = "differs" if len(found) == 1 else "differ"
        names[name] = f"{name} ({listed(found, MOST_NAMED)} {verb})" if found else name
    return {label: names[name] for label, name in groups.items()}


def _differences(labels: Sequence[str], settings: Sequence[Settings]) -> list[str]:
    """The keys in which flows differ in any scenario; a model of another name counts as one key."""
    found: dict[str, None] = {}
    for each in settings:
        flows = [each[label] for label in labels if label in each]
        for path in dict.fromkeys(path for flow in flows for path in flow):
            if len({repr(flow.get(path)) for flow in flows}) > 1:
                found.setdefault(path)
    tables = {path for path in found if any(other.startswith(f"{path}.") for other in found)}
    return [path for path in found if path.rpartition(".")[0] not in tables]


def _kind(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a flow's settings where the amounts of its application do not count."""
    return {
        path: value
        for path, value in settings.items()
        if path.split(".")[0] in ("application", "tcp") and not path.startswith("application.")
    }


def _settings(resolved: str) -> dict[str, dict[str, Any]]:
    """The values of each flow by path, by its label; nothing of a text that is no scenario."""
    try:
        paths = [(path.split(".", 2), value) for path, value in parameters.flatten(resolved).items()]
    except ValueError:
        return {}
    flows = grouped((parts[1], (parts[2], value)) for parts, value in paths if parts[0] == "flows" and len(parts) == 3)
    return {str(flow["label"]): _apart(flow) for flow in map(dict, flows.values()) if "label" in flow}


def _apart(flow: Mapping[str, Any]) -> dict[str, Any]:
    """What tells a flow apart, by path; a table without a name, such as `tcp`, has its own path, too."""
    # What a relay passes on is one of its ends.
    skipped = (*APART, "application.flow") if flow.get("application") == "relay" else APART
    found: dict[str, Any] = {}
    for path, value in flow.items():
        if "." in path:
            found.setdefault(path.partition(".")[0], "a table")
        if path not in skipped:
            found[path] = value
    return found
