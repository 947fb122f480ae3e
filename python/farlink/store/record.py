"""A finished run as bytes: what a worker hands over, what the journal keeps."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

import farlink._farlink as engine
from farlink.printable import printable
from farlink.runs.description import PART, WORKLOADS, Seed, fault_of_seeds
from farlink.store.disk import DamagedError
from farlink.tables import parameters
from farlink.tables.coordinates import Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from farlink.execution.plug import Plug


PLUGGED = re.compile(r"^# flow (\d+): congestion control (.+?)(?: of package (.+))?, sha256 (\w+)$", re.MULTILINE)
"""Number of the flow, name, package and its version if any, and hash of the source."""


@dataclass(frozen=True)
class Record:
    """One seed of one resolved scenario under one build of the engine."""

    key: str
    scenario: str
    seed: Seed
    build: str
    resolved: str
    """The canonical text of the scenario, with the hashes of the files it reads and of plugged-in classes."""
    measured: dict[str, Any]
    cpu_s: float
    written: str
    """How the scenario was written (`Written.to_text`)."""
    series_sha256: str | None = None
    """Of the file with its time series, if there is one."""

    def to_bytes(self) -> bytes:
        """Write as JSON."""
        return json.dumps(self.__dict__, allow_nan=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """Read what `to_bytes` wrote; raises `DamagedError` for anything else."""
        try:
            found = msgspec.json.decode(data, type=cls)
            msgspec.convert(found.measured, PART)
            msgspec.convert(found.measured, WORKLOADS)
            Written.from_text(found.written)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise DamagedError(printable(str(error))) from None
        if fault := fault_of_seeds([found.seed], "$.seed"):
            raise DamagedError(fault)
        return found


def identifying_text(scenario: engine.Scenario, plugs: Mapping[int, Plug]) -> str:
    """Write everything but the seed that a run's results depend on, as TOML with comments."""
    lines = [f"# file {path}: sha256 {digest}" for path, digest in sorted(scenario.file_hashes.items())]
    for index, plug in sorted(plugs.items()):
        package = f" of package {plug.package}" if plug.package else ""
        lines.append(f"# flow {index}: congestion control {plug.name}{package}, sha256 {plug.sha256}")
    return "\n".join([*lines, without_seed(scenario.resolved)])


@cache
def settings(identified: str) -> Mapping[str, parameters.Scalar]:
    """Every parameter of an `identified` scenario; a class that was plugged in stands in place of a member's name."""
    found = parameters.flatten(identified)
    for line in PLUGGED.finditer(identified):
        path = f"flows.{line[1]}.tcp.congestion_control"
        found = {each: value for each, value in found.items() if not each.startswith(f"{path}.")} | {path: line[2]}
    return found


def without_seed(resolved: str) -> str:
    """Leave out the scenario's own seed, which the run's seed replaces."""
    head, bracket, rest = resolved.partition("\n[")
    kept = [line for line in head.splitlines() if not line.startswith("seed = ")]
    return "\n".join(kept) + bracket + rest


def run_key(resolved: str, seed: int) -> str:
    """Name a run: SHA-256 of its scenario with file hashes, the engine's build, and its seed."""
    text = "\0".join([resolved, engine.__build__, str(seed)])
    return hashlib.sha256(text.encode()).hexdigest()
