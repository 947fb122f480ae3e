"""Scenario or sweep: which of both a TOML file is, by its first keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

SWEEP = re.compile(r"^[ \t]*(scenario[ \t]*=|\[(cross|zip|derive|until)\]|\[\[override\]\])", re.MULTILINE)
"""A line that only sweeps have. `\\s` would search the following lines from every empty one."""
OF_A_SCENARIO = ("name", "duration", "nodes", "links", "flows", "topology", "radio", "channels")
"""Keys that only scenarios have."""


def is_sweep(text: str) -> bool:
    """Whether a text is that of a sweep."""
    return SWEEP.search(text) is not None


def is_scenario(tables: Mapping[str, object]) -> bool:
    """Whether a file is that of a scenario."""
    return "scenario" not in tables and any(key in tables for key in OF_A_SCENARIO)
