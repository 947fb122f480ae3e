"""Congestion controls of installed packages, by the names of their entry points."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import farlink._farlink as engine
from farlink.errors import UsageError
from farlink.execution.congestion import REQUIRED, refuse_unknown_methods
from farlink.execution.plug import Plug
from farlink.system.entry_points import Addition, additions, find

GROUP = "farlink.congestion_control"


def names() -> list[str]:
    """The names that packages add."""
    return [each.name for each in additions(GROUP)]


def named(name: str) -> Plug:
    """Give the class of a name; raises `UsageError` where its package is broken, or gone."""
    found = find(GROUP, name)
    if found is None:
        raise UsageError(f"no installed package has an entry point `{name}` of `{GROUP}`")
    return loaded(found)


def loaded(addition: Addition) -> Plug:
    """Import a class; raises `UsageError` for what is none, or lacks a method."""
    made = addition.load()
    if not isinstance(made, type):
        raise addition.error("not a class", "correct it in the package")
    if lacking := [method for method in REQUIRED if not callable(getattr(made, method, None))]:
        raise addition.error(f"the class has no method {lacking[0]}(view)", "correct it in the package")
    try:
        refuse_unknown_methods(made)
    except UsageError as error:
        raise addition.error(str(error), "correct it in the package") from None
    return replace(Plug.of(made), name=addition.name, package=addition.package)


def refuse_built_in(used: Iterable[str]) -> None:
    """Refuse names of built-in congestion controls that a package has, too: what is built in would run."""
    taken = set(used)
    for each in additions(GROUP):
        if each.name in taken:
            raise built_in_error(each)


def built_in_error(addition: Addition) -> UsageError:
    """Make the error of a package's name that is that of a built-in congestion control."""
    return addition.error("a built-in congestion control has this name, and is the one that runs", "rename it there")


def built_in() -> set[str]:
    """The names that packages cannot have; `newreno` is Reno with a recovery of its own."""
    return {model["name"] for model in json.loads(engine.models()) if model["kind"] == "congestion_control"} | {
        "newreno"
    }
