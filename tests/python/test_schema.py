"""The JSON Schema accepts what the parser accepts: every built-in scenario, and traces of each format."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import farlink as fl
import pytest
from conftest import LINK
from farlink import _farlink

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads(_farlink.schema())
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": int | float}
HANDLED = {"$ref", "anyOf", "enum", "const", "type", "pattern", "minimum", "maximum", "items", "properties"}
HANDLED |= {"additionalProperties", "required"}
SILENT = {"$schema", "$defs", "$comment", "title", "description", "default", "examples"}


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Validate by the keywords of JSON Schema 2020-12 that the schema uses."""
    assert not schema.keys() - HANDLED - SILENT
    if "$ref" in schema and not fits(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]):
        return False
    if "anyOf" in schema and not any(fits(value, each) for each in schema["anyOf"]):
        return False
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return False
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        return False
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return False
    if isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list) and not all(fits(each, schema.get("items", {})) for each in value):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if set(schema.get("required", ())) - value.keys() or (
            schema.get("additionalProperties") is False and value.keys() - known.keys()
        ):
            return False
        return all(fits(each, known.get(key, {})) for key, each in value.items())
    return True


@pytest.mark.parametrize("name", [name for name, _, _ in _farlink.built_in()])
def test_every_built_in_scenario_fits(name: str) -> None:
    scenario = fl.load(name)
    assert fits(tomllib.loads(scenario.text), SCHEMA)
    assert fits(tomllib.loads(scenario.validated.resolved), SCHEMA)


def with_link(key: str, value: str) -> dict[str, Any]:
    written = {"rate": '"10 Mbit/s"', "delay": '"20 ms"'}[key]
    return tomllib.loads(LINK.replace(f"{key} = {written}", f"{key} = {value}"))


@pytest.mark.parametrize(
    ("key", "value", "is_right"),
    [
        ("rate", '{ csv = "rate.csv" }', True),
        ("rate", '{ mahimahi = "cell.trace" }', True),
        ("delay", '{ csv = "delay.csv" }', True),
        ("rate", '{ csv = "rate.csv", mahimahi = "cell.trace" }', False),
        ("delay", '{ mahimahi = "cell.trace" }', False),
        ("rate", "{}", False),
        ("rate", "7", False),
        ("rate", '"7 parsecs"', False),
    ],
)
def test_a_trace_has_one_format(tmp_path: Path, key: str, value: str, is_right: bool) -> None:
    assert fits(with_link(key, value), SCHEMA) == is_right
    (tmp_path / "rate.csv").write_text("0,1000000\n")
    (tmp_path / "delay.csv").write_text("0,0.1\n")
    (tmp_path / "cell.trace").write_text("1\n")
    written = {"rate": '"10 Mbit/s"', "delay": '"20 ms"'}[key]
    scenario = fl.Scenario.from_toml(LINK.replace(f"{key} = {written}", f"{key} = {value}"), folder=tmp_path)
    if is_right:
        assert scenario.validated
    else:
        with pytest.raises(fl.ScenarioError):
            _ = scenario.validated


def test_a_delay_is_not_offered_a_format_that_it_refuses() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
    [delay] = [line for line in page.splitlines() if line.startswith("| `delay` |") and "Propagation delay." in line]
    assert "mahimahi" not in delay


ENDS = 'name = "ends"\nduration = "2 s"\n[[flows]]\nfrom = "n0"\nto = "n1"\n'
CHAIN = '[topology]\nname = "chain"\nnodes = 2\n'
LINE = '[[links]]\nbetween = ["n0", "n1"]\nrate = "1 Mbit/s"\ndelay = "1 ms"\n'
WITH_QUEUE = {
    "links": CHAIN + LINE + "queue = QUEUE\n",
    "reverse": CHAIN + LINE + "reverse = { queue = QUEUE }\n",
    "topology": CHAIN + 'link = { rate = "1 Mbit/s", delay = "1 ms", queue = QUEUE }\n',
    "topology, reverse": CHAIN + 'link = { rate = "1 Mbit/s", delay = "1 ms", reverse = { queue = QUEUE } }\n',
    "radio": CHAIN + "[radio]\nqueue = QUEUE\n",
    "channels": CHAIN + '[[channels]]\nnodes = ["n0", "n1"]\nqueue = QUEUE\n',
}


@pytest.mark.parametrize("place", WITH_QUEUE)
@pytest.mark.parametrize("queue", [each["name"] for each in json.loads(_farlink.models()) if each["kind"] == "queue"])
@pytest.mark.parametrize("written", ['"{}"', '{{ name = "{}" }}', '{{ name = "{}", limit = "20 packets" }}'])
def test_the_schema_offers_a_queue_where_the_program_accepts_it(place: str, queue: str, written: str) -> None:
    text = ENDS + WITH_QUEUE[place].replace("QUEUE", written.format(queue))
    try:
        is_accepted = bool(fl.Scenario.from_toml(text).validated)
    except fl.ScenarioError:
        is_accepted = False
    assert fits(tomllib.loads(text), SCHEMA) == is_accepted


def test_every_place_of_a_queue_in_the_schema_is_tried() -> None:
    def places(schema: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
        if isinstance(schema, list):
            return {found for each in schema for found in places(each, path)}
        if not isinstance(schema, dict):
            return set()
        named = {found for key, each in schema.get("properties", {}).items() for found in places(each, (*path, key))}
        inner = {found for key in ("anyOf", "items") for found in places(schema.get(key), path)}
        defined = set() if "$ref" not in schema else places(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], path)
        return named | inner | defined | ({path} if path[-1:] == ("queue",) else set())

    in_a_link = {("queue",), ("reverse", "queue")}
    on_links = {(name, *path) for name in ("links", "topology.link") for path in in_a_link}
    joined = {".".join(path) for path in places(SCHEMA)}
    assert joined == {".".join(path) for path in on_links} | {"radio.queue", "channels.queue"}
