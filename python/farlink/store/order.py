"""The order in which sweeps list the values of their parameters, kept in their store.

Runs come into a store in the order in which they end, which differs from machine to machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from farlink.execution.plug import name_of
from farlink.runs.toml_text import toml
from farlink.store.manifest import Order
from farlink.tables import parameters


def extend_order(order: Order, axes: Mapping[str, Sequence[Any]]) -> Order:
    """Add the values of `axes` to those that earlier sweeps listed."""
    found = {path: list(values) for path, values in order.items()}
    for path, values in axes.items():
        listed = found.setdefault(path, [])
        listed += [value for value in map(plain_value, values) if value not in listed]
    return found


def place_of_value(order: Order, column: str, value: Any) -> int | None:
    """Say at which place sweeps list a value of a parameter's column; None if they do not."""
    for path, values in order.items():
        pattern = re.escape(path).replace(r"\*", r"(\d+|\*)")
        if re.fullmatch(f"{pattern}(_[a-z]+)?", column):
            for index, listed in enumerate(values):
                if parameters.equals_written(listed, value):
                    return index
    return None


def plain_value(value: Any) -> str | bool | int | float:
    """Give what stands for a value in a table: of a model with parameters, and of a class, the name."""
    if isinstance(value, Mapping):
        return str(value["name"]) if "name" in value else toml(value)
    if callable(value):
        return name_of(value)
    return value if isinstance(value, str | bool | int | float) else toml(value)
