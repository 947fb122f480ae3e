"""Names of version 0.1 that are different now: the changelog lists them all, and each is refused with the new one."""

import json
import re
from pathlib import Path

import farlink as fl
import pytest
from farlink import _farlink

ROOT = Path(__file__).parents[2]
RENAMES = _farlink.renames()
KEYS = [each for each in RENAMES if not each[0].startswith("results")]
TEXT = """
name = "two"
duration = "1 s"
nodes = [{ name = "a" }, { name = "b", position = ["100 m", "0 m"] }]
flows = [{ from = "a", to = "b" }]
[radio]
"""
PATHS = {
    "channels": "radio",
    "antenna": "radio.antenna",
    "tcp": "flows.0.tcp",
    "application": "flows.0.application",
    "mac": "radio.mac",
    "phy": "radio.phy",
    "propagation": "radio.propagation",
    **{key: f"flows.0.tcp.{key}" for key in ("congestion_control", "recovery", "route_failure")},
    **{key: key for key in ("mobility", "routing", "topology")},
}
"""Where the tables stand in the scenario."""


def setting(place: str, old: str) -> tuple[str, str]:
    """A setting with an old name."""
    table, *model = place.split()
    if len(model) == 2:
        key = next((new for where, was, new in KEYS if (where, was) == (f"{table} {model[0]}", model[1])), model[1])
        return PATHS[table], f'{{ name = "{model[0]}", {key} = "{old}" }}'
    return (PATHS[table], f'{{ name = "{model[0]}", {old} = 1 }}') if model else (f"{PATHS[table]}.{old}", "1")


def test_the_changelog_lists_all() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9_ ]+) \| `(\w+)` \| `(\w+)` \|$", text, re.MULTILINE)
    assert rows == RENAMES


@pytest.mark.parametrize(("place", "old", "new"), KEYS)
def test_an_old_key_or_value_is_refused_in_one_line_with_the_new_one(place: str, old: str, new: str) -> None:
    with pytest.raises(fl.ScenarioError) as refused:
        _farlink.Scenario(TEXT, "two.toml", Path(), [(*setting(place, old), None)])
    assert f"`{old}` is now `{new}`" in str(refused.value).splitlines()[0]


def test_the_new_names_of_results_are_in_the_document() -> None:
    run = fl.load("gateway").set("duration", "1 s").run(ledger=True)
    document = json.dumps(run.document) + "".join(_farlink.models())
    assert [new for place, _, new in RENAMES if place.startswith("results") and f'"{new}"' not in document] == [
        "port_unreachable"  # occurs in no stations' causes
    ]
