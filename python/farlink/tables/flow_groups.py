"""Flows of one kind, shown together where there are many: `web0`, `web1` and so on are `web*`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_SHOWN = 12
"""Flows, each with a row or a block of its own."""
NUMBER = re.compile(r"\d+")
IS_PATTERN = re.compile(r"[*?\[]")
"""In the label that `--where flow=` has, where it stands for several flows."""


def group_of_flows(labels: Iterable[str], resolved: Iterable[str] = ()) -> dict[str, str]:
    """Give every flow's group: flows whose labels differ in numbers only, and that are equal in each scenario.

    Flows are equal if they have the same application and the same TCP; lengths, ends and starts may differ.
    """
    patterns: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        patterns.setdefault(NUMBER.sub("*", label), []).append(label)
    kinds = [_kinds(text) for text in dict.fromkeys(resolved)]
    groups: dict[str, str] = {}
    for pattern, members in patterns.items():
        if len(members) == 1:
            groups[members[0]] = members[0]
        elif all(len({of[label] for label in members if label in of}) <= 1 for of in kinds):
            groups |= dict.fromkeys(members, pattern)
        else:
            groups |= _equal_flows(members, kinds)
    return groups


def folded(labels: Iterable[str], resolved: Iterable[str] = ()) -> dict[str, str]:
    """Give the name under which every flow is shown: its label, or its group if there are too many flows."""
    labels, texts = list(dict.fromkeys(labels)), list(resolved)
    if len(labels) <= MOST_SHOWN:
        return {label: label for label in labels}
    groups = group_of_flows(labels, texts)
    if len(set(groups.values())) <= MOST_SHOWN or not texts:
        return groups
    return _equal_flows(labels, [_kinds(text) for text in dict.fromkeys(texts)])


def end_to_end(origin: str, relay: str) -> str:
    """Name what a relay passes on, from the flow `origin` to its own end."""
    return f"{origin} to {relay}, end to end"


def pairs(ends: Mapping[str, Sequence[Any]], groups: Mapping[str, str]) -> dict[str, str]:
    """Give the names of groups of pairs, whose `ends` are the labels of two flows first, by those of the pairs."""
    return {name: end_to_end(*(groups.get(label, label) for label in labels[:2])) for name, labels in ends.items()}


def note(groups: Mapping[str, str], remedy: str) -> str:
    """Say how many flows are shown as groups; empty if none is."""
    members: dict[str, int] = {}
    for name in groups.values():
        members[name] = members.get(name, 0) + 1
    several = {name: count for name, count in members.items() if count > 1}
    if not several:
        return ""
    named = ", ".join(f"{name} ({count})" for name, count in several.items())
    return f"{sum(several.values())} of {len(groups)} flows are folded: {named}, with means per flow; {remedy}"


def _equal_flows(labels: Sequence[str], kinds: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Group flows that are equal, and name each group by its first."""
    members: dict[tuple[str | None, ...], list[str]] = {}
    for label in labels:
        members.setdefault(tuple(of.get(label) for of in kinds), []).append(label)
    return {
        label: group[0] if len(group) == 1 else f"{group[0]} and {len(group) - 1} like it"
        for group in members.values()
        for label in group
    }


def _kinds(resolved: str) -> dict[str, str]:
    """What tells flows of different kinds apart, by label; nothing of a text that is no scenario."""
    try:
        flows: list[dict[str, Any]] = tomllib.loads(resolved)["flows"]
        return {flow["label"]: f"{_name(flow['application'])} {flow.get('tcp')}" for flow in flows}
    except (tomllib.TOMLDecodeError, LookupError, TypeError, AttributeError):
        return {}


def _name(application: Any) -> str:
    return str(application.get("name")) if isinstance(application, dict) else str(application)
