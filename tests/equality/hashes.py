"""Hashes of all that a build measures, a line per case and column: `hashes.py PACKAGE NETWORKS OUTPUT`.

PACKAGE is a folder with the compiled module in `farlink/`, NETWORKS one with a folder per random network, OUTPUT the
JSON file to write. Nothing here depends on how fields are called, so that builds from before and after a rename are
hashed alike. Each value of a text column is hashed by the rows it stands in: a renamed value is a renamed column.
"""

import hashlib
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

MOST_EVENTS = 400_000
"""Random networks end here at the latest; built-in scenarios run to their end."""
SEEDS = (1, 2)
"""Of built-in scenarios."""

Columns = dict[str, str]
Case = tuple[str, str, Path, int, int | None]
"""Name, text, folder of its files, seed, most events."""


def digest(data: bytes) -> str:
    """The first 64 bits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


class Tables:
    """Columns under way: the values of each with their rows."""

    def __init__(self) -> None:
        self.values: dict[str, list[tuple[int, Any]]] = {}
        self.rows: dict[str, int] = {}

    def add_document(self, document: dict[str, Any]) -> None:
        """Add a run's document: its lists are tables, the rest is a row of the table `run`."""
        rest = {}
        for key, value in document.items():
            if isinstance(value, list):
                for row in value:
                    self.add_row(key, row)
            else:
                rest[key] = value
        self.add_row("run", rest)

    def add_row(self, table: str, row: dict[str, Any]) -> None:
        """Add a row of a table; a table within it becomes columns of their own."""
        place = self.rows[table] = self.rows.get(table, -1) + 1
        for key, value in row.items():
            parts = {f"{key}.{part}": each for part, each in value.items()} if isinstance(value, dict) else {key: value}
            for name, each in parts.items():
                self.values.setdefault(f"{table}.{name}", []).append((place, each))

    def columns(self) -> Columns:
        """The hashes."""
        hashes = {}
        for name, values in self.values.items():
            texts = {value for _, value in values if isinstance(value, str)}
            for text in texts:
                rows = [row for row, value in values if value == text]
                hashes[f"{name}={text}"] = digest(repr(rows).encode())
            if rest := [pair for pair in values if not isinstance(pair[1], str)]:
                hashes[name] = digest(json.dumps(rest).encode())
        return hashes


def series_columns(table: str, columns: list[tuple[str, str, Any]]) -> Columns:
    """The hashes of the columns of a series: those of numbers by their bytes."""
    hashes = {}
    for name, _, values in columns:
        if isinstance(values, bytes):
            hashes[f"{table}.{name}"] = digest(values)
            continue
        if isinstance(values, list):
            words, places = np.unique(np.array(values, dtype=object), return_inverse=True)
        else:
            words, places = values[1], np.frombuffer(values[0], np.uint32)
        for place, word in enumerate(words):
            if len(rows := np.flatnonzero(places == place)) > 0:
                hashes[f"{table}.{name}={word}"] = digest(rows.astype(np.int64).tobytes())
        hashes[f"{table}.{name}"] = digest(str(len(places)).encode())
    return hashes


def measured(module: ModuleType, case: Case) -> Columns:
    """Run a case with everything that can be written of it; a refusal is a result, too."""
    _, text, folder, seed, most_events = case
    try:
        scenario = module.Scenario(text, "scenario", folder, [])
    except module.ScenarioError as refusal:
        return {f"refused: {str(refusal).splitlines()[0]}": ""}
    simulation = module.Simulation(scenario, seed, True)
    simulation.keep_ledger()
    with tempfile.TemporaryDirectory() as folder_name:
        captures = {name: Path(folder_name) / name for name in ("pcap", "pcapng", "trace")}
        simulation.capture(captures["pcap"])
        if any(scenario.channels):
            named(simulation, "capture_frames", "capture_air")(captures["pcapng"], None)
        simulation.trace(captures["trace"])
        simulation.advance(2**63 - 1, *([] if most_events is None else [most_events]))
        results = simulation.finish()
        assert results.capture_error is None, results.capture_error
        hashes = {f"captures.{name}": digest(path.read_bytes()) for name, path in captures.items() if path.exists()}
    tables = Tables()
    tables.add_document(json.loads(results.json()))
    flows, links = results.series()
    hashes |= tables.columns() | series_columns("series_flows", flows) | series_columns("series_links", links)
    return hashes | series_columns("copies", results.ledger())


@cache
def load(package: Path) -> ModuleType:
    """The compiled module of a build, without its Python."""
    library = next((package / "farlink").glob("_farlink*.so"))
    loader = ExtensionFileLoader("_farlink", str(library))
    spec = spec_from_file_location("_farlink", library, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def named(owner: Any, name: str, name_before: str) -> Any:
    """An attribute under its present name, or under that of version 0.1."""
    return getattr(owner, name, None) or getattr(owner, name_before)


def cases(module: ModuleType, networks: Path) -> list[Case]:
    """The built-in scenarios, then the random networks."""
    scenarios = named(module, "built_in", "ready")()
    built_in = [(f"{name} {seed}", text, Path(), seed, None) for name, _, text in scenarios for seed in SEEDS]
    folders = sorted(networks.iterdir(), key=lambda folder: int(folder.name))
    texts = [(f"network {folder.name}", (folder / "network.toml").read_text(), folder) for folder in folders]
    # The longest come first, the built-in ones in the reverse of their order.
    return built_in[::-1] + [(name, text, folder, 1, MOST_EVENTS) for name, text, folder in texts]


def hash_case(package: Path, case: Case) -> tuple[str, Columns]:
    """Hash a case in a process of its own."""
    return case[0], measured(load(package), case)


def main() -> None:
    """Hash all."""
    package, networks, output = map(Path, sys.argv[1:])
    work = cases(load(package), networks)
    with ProcessPoolExecutor() as processes:
        found = processes.map(hash_case, [package] * len(work), work)
        output.write_text(json.dumps(dict(found), indent=0, sort_keys=True))


if __name__ == "__main__":
    main()
