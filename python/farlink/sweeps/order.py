"""The order in which sweeps list the values of their parameters, kept in their store.

Runs come into a store in the order in which they end, which differs from machine to machine.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from farlink import selection
from farlink.congestion import identity
from farlink.errors import StoreError
from farlink.files import read_text, write_text
from farlink.sweeps.grid import Axes

NAME = "order.json"

Order: TypeAlias = "Mapping[str, Sequence[str | bool | int | float]]"


def keep(folder: Path, axes: Axes, *, fresh: bool = False) -> None:
    """Add the values of `axes` to those that earlier sweeps listed; with `fresh` they take their place."""
    order = {} if fresh else {path: list(values) for path, values in read(folder).items()}
    for path, values in axes.items():
        listed = order.setdefault(path, [])
        listed += [value for value in map(_plain, values) if value not in listed]
    write_text(folder / NAME, json.dumps({"order": order, "sha256": _checksum(order)}, indent=1) + "\n")


def read(folder: Path) -> Order:
    """Give the values by path; none where no sweep wrote into the store."""
    path = folder / NAME
    try:
        given = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        given = None
    order: Order | None = given.get("order") if isinstance(given, dict) else None
    if order is None or given.get("sha256") != _checksum(order):
        raise StoreError(f"{path}: damaged; delete it, and run the sweep again to have it written anew")
    return order


def place(order: Order, column: str, value: Any) -> int | None:
    """Say at which place sweeps list a value of a parameter's column; None if they do not."""
    for path, values in order.items():
        pattern = re.escape(path).replace(r"\*", r"\d+")
        if re.fullmatch(f"{pattern}(_[a-z]+)?", column):
            for index, listed in enumerate(values):
                if selection.means(listed, value):
                    return index
    return None


def _plain(value: Any) -> str | bool | int | float:
    """A model with parameters, and a class, by name."""
    if isinstance(value, Mapping):
        return str(value.get("name", ""))
    if callable(value):
        return str(identity(value)["name"])
    return value if isinstance(value, str | bool | int | float) else str(value)


def _checksum(order: Order) -> str:
    return hashlib.sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()
