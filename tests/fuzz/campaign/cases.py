"""What is run: mutated scenarios with their files and settings, each made from a number."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import mutate

import schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCENARIO = "case.toml"
ARGUMENTS = "arguments.json"
DURATIONS = ("100 ms", "1 s", "1 s", "3 s", "20 s")
"""Most scenarios are shortened, for a short run ends before the limit of events."""

LINK = """name = "link"
duration = "2 s"
nodes = [{ name = "n0" }, { name = "n1" }]
flows = [{ from = "n0", to = "n1" }]
links = [{ between = ["n0", "n1"], rate = RATE, delay = DELAY }]
"""
RADIO = """name = "radio"
duration = "1 s"
flows = [{ from = "n0", to = "n3" }]
routing = "aodv"
topology = { name = "chain", nodes = 4, spacing = "100 m" }
mobility = MOBILITY
radio = { propagation = { name = "disc", range = "120 m" }, propagation_speed = SPEED }
"""
NETWORK = """name = "network"
duration = "1 s"
flows = [{ from = "a", to = "b" }]
topology = { name = "file", link = { rate = "1 Mbit/s", delay = "10 ms" }, PATH }
"""
FORMATS = {
    "rate_csv": ("f.csv", LINK.replace("RATE", '{ csv = "f.csv" }').replace("DELAY", '"10 ms"')),
    "delay_csv": ("f.csv", LINK.replace("RATE", '"1 Mbit/s"').replace("DELAY", '{ csv = "f.csv" }')),
    "mahimahi": ("f", LINK.replace("RATE", '{ mahimahi = "f" }').replace("DELAY", '"10 ms"')),
    "sound_speed": ("f.csv", RADIO.replace("MOBILITY", '"static"').replace("SPEED", '{ csv = "f.csv" }')),
    "graphml": ("f.graphml", NETWORK.replace("PATH", 'path = "f.graphml", attributes = true')),
    "network_csv": ("f.csv", NETWORK.replace("PATH", 'path = "f.csv", links = "links.csv"')),
    **{
        name: (
            "f",
            RADIO.replace("MOBILITY", f'{{ name = "scripted", moves = {{ {key} = "f" }} }}').replace(
                "SPEED", '"299792458 m/s"'
            ),
        )
        for name, key in {"ns2_movement": "ns2", "bonnmotion": "bonnmotion", "fcd": "fcd"}.items()
    },
}
"""The name of the file and the scenario that reads it, by the corpus its contents come from."""

SWEEP = "sweep.toml"
SWEEPS = """scenario = "satellite"
seeds = "1..2"
[set]
duration = "2 s"
[cross]
"flows.0.tcp.congestion_control" = ["hybla", "reno"]
[zip]
"links.0.rate" = ["10 Mbit/s", "1 Mbit/s"]
"links.0.delay" = ["50 ms", "300 ms"]
[[override]]
when = { "links.0.rate" = "1 Mbit/s" }
set = { duration = "3 s" }
[derive]
"links.0.queue.limit" = "{links.0.rate * links.0.delay / 12000 + 1:.0f} packets"
"""

FOUND = "cov-"
PART = b"\n%%%\n"


@dataclass(frozen=True)
class Case:
    """Something to run: files, and a command in their folder."""

    files: dict[str, bytes]
    arguments: tuple[str, ...] = ("run", SCENARIO)

    def write(self, folder: Path) -> list[str]:
        """Put it into a folder; the arguments of the command line, to be run there."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / ARGUMENTS).write_text(json.dumps(self.arguments) + "\n", encoding="utf-8")
        return list(self.arguments)


@cache
def scenarios() -> list[str]:
    """The built-in scenarios, those of the studies, and those of the guide."""
    written = [
        *schema.ROOT.glob("crates/scenario/built_in/*.toml"),
        *schema.ROOT.glob("studies/**/*.toml"),
    ]
    texts = [path.read_text(encoding="utf-8") for path in sorted(written)]
    for page in sorted(schema.ROOT.glob("docs/**/*.md")):
        texts += re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return list(_whole(texts))


def _whole(texts: list[str]) -> Iterator[str]:
    for text in texts:
        try:
            keys = tomllib.loads(text).keys()
        except tomllib.TOMLDecodeError:
            continue
        if {"name", "duration", "flows"} <= keys:
            yield text


@cache
def contents(name: str) -> list[bytes]:
    """The examples of a format in its corpus; what coverage found is mostly malformed."""
    paths = sorted((schema.ROOT / "tests" / "fuzz" / "corpus" / name).iterdir())
    return [path.read_bytes() for path in paths if not path.name.startswith(FOUND)]


def make(seed: str) -> Case:
    """Make the case of this seed."""
    random = Random(seed)
    kinds = {_document: 50, _settings: 20, _text: 10, _file: 30, _sweep: 2, _saved: 2, _store: 2}
    return random.choices(list(kinds), weights=list(kinds.values()))[0](random)


def _base(random: Random) -> mutate.Document:
    made = tomllib.loads(random.choice(scenarios()))
    if random.random() < 0.9:
        made["duration"] = random.choice(DURATIONS)
        for flow in made["flows"]:
            flow.pop("start", None)
            flow.pop("stop", None)
    return made


def _document(random: Random) -> Case:
    return Case({SCENARIO: _encoded(mutate.toml(mutate.document(_base(random), random, schema.scenario())))})


def _settings(random: Random) -> Case:
    made = _base(random)
    known = list(schema.places(made, schema.scenario()))
    settings = []
    for _ in range(random.choice((1, 1, 1, 3))):
        path, allowed = random.choice(known)
        words = ["*" if isinstance(key, int) and random.random() < 0.2 else str(key) for key in path]
        if random.random() < 0.1:
            words[random.randrange(len(words))] = random.choice(("", "99", "-1", "name", "x"))
        written = mutate.toml({"x": schema.value(allowed, random) if allowed else random.choice(schema.TEXTS)})
        settings.append(f"{'.'.join(words)}={written.partition('=')[2].strip()}".replace("\x00", ""))
    words = [word for setting in settings for word in ("--set", setting)]
    return Case({SCENARIO: _encoded(mutate.toml(made))}, ("run", SCENARIO, *words))


def _text(random: Random) -> Case:
    return Case({SCENARIO: mutate.data(random.choice(scenarios()).encode(), random)})


def _file(random: Random) -> Case:
    name = random.choice(list(FORMATS))
    path, scenario = FORMATS[name]
    first, _, second = random.choice(contents(name)).partition(PART)
    files = {SCENARIO: scenario.encode(), path: mutate.data(first, random)}
    if name == "network_csv":
        files["links.csv"] = mutate.data(second, random) if random.random() < 0.5 else second
    return Case(files)


def _sweep(random: Random) -> Case:
    if random.random() < 0.3:
        return Case({SWEEP: mutate.data(SWEEPS.encode(), random)}, ("sweep", SWEEP, "--out", "store"))
    made = mutate.document(tomllib.loads(SWEEPS), random, {})
    return Case({SWEEP: _encoded(mutate.toml(made))}, ("sweep", SWEEP, "--out", "store"))


def _saved(random: Random) -> Case:
    return Case(_damaged("saved", random), ("explain", "saved"))


def _store(random: Random) -> Case:
    return Case(_damaged("store", random), (random.choice(("export", "compare")), "store"))


def _damaged(name: str, random: Random) -> dict[str, bytes]:
    """A prepared folder with one of its files damaged or missing."""
    files = dict(prepared()[name])
    path = random.choice(list(files))
    if random.random() < 0.1:
        del files[path]
    else:
        files[path] = mutate.data(files[path], random)
    return files


@cache
def prepared() -> dict[str, dict[str, bytes]]:
    """What `farlink run --out` and `farlink sweep` leave behind, file by file; their imports stay for forks."""
    from farlink import cli

    found = {}
    with tempfile.TemporaryDirectory(prefix="farlink-fuzz-") as name:
        folder = Path(name)
        (folder / SWEEP).write_text(SWEEPS, encoding="utf-8")
        for kind, arguments in {
            "saved": ["run", "satellite", "--set", "duration=5 s"],
            "store": ["sweep", str(folder / SWEEP), "--jobs", "1"],
        }.items():
            sys.argv = ["farlink", *arguments, "--quiet", "--out", str(folder / kind)]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                status = cli.main()
            if status:
                raise RuntimeError(f"{sys.argv}: exit status {status}")
            paths = sorted(path for path in (folder / kind).rglob("*") if path.is_file())
            found[kind] = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    return found


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
