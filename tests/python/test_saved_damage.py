"""Changed files of a saved run: refused by every reader in one line that names the file, whatever was changed."""

import json
import random
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import farlink as fl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Command
from farlink.lab.opened import opened
from farlink.system import checksums

VALUES: tuple[Any, ...] = (None, "x", -1, 2**70, 1.5, [], {}, [None], True)
PLOT = ("plot", "run", "--panels", "goodput,cwnd,rtt,flight,loss,jitter,queue", "-o", "x.svg")
LAB = ("lab", "run")
READERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "explanation.json": (("explain", "run"), LAB),
    "run.json": (("explain", "run"), LAB),
    "scenario.toml": (PLOT, LAB),
    "series.parquet": (PLOT, LAB),
    "link_series.parquet": (PLOT, LAB),
    "flows.parquet": (("export", "run"),),
    "workloads.parquet": (("export", "run", "--table", "workloads"),),
    "arrivals.parquet": (("export", "run", "--table", "arrivals"),),
}
"""The files of a saved run, and the commands that read each."""
CHANGES = 200


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "run"
    size = {"name": "fixed", "size": "9 kB"}
    workload = {"label": "web", "from": "ground", "to": "remote", "size": size, "flows": "rows"}
    fl.load("satellite").set("duration", "2 s").set("workloads.+", workload).run(seeds=2).save(folder)
    return folder


@pytest.fixture
def saved(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def sign(folder: Path) -> None:
    """Make the checksums those of the changed files."""
    (folder / checksums.NAME).write_text(checksums.to_text(folder))


def refusals(command: Command, name: str) -> list[str]:
    """What the readers of a file say where they refuse it: one line, with status 2; none may print `nan`."""
    found = []
    for reader in READERS[name]:
        if reader == LAB:  # the command would serve the page
            try:
                json.dumps(opened("run"), allow_nan=False)
            except fl.UsageError as error:
                found.append(f"{error}\n")
            continue
        status, out, err = command(*reader)
        assert status in (0, 2), (reader, err)
        assert "nan" not in out.lower(), reader
        found += [err] if status else []
    assert all(line.count("\n") == 1 and "internal error" not in line for line in found)
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to every value in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [place for key, each in items for place in places(each, (*path, key))]


def names_field(line: str, path: tuple[Any, ...]) -> bool:
    """True where a refusal names the field at fault, by its place or, if it is one of the whole file, by its name."""
    return "at `$" in line or not path or (len(path) == 1 and f"`{path[0]}`" in line)


def change(document: Any, path: tuple[Any, ...], draw: random.Random) -> Any:
    """Delete the value at a path, or put another in its place."""
    if not path:
        return draw.choice(VALUES)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if draw.random() < 0.2:
        del parent[path[-1]]
    else:
        parent[path[-1]] = draw.choice(VALUES)
    return document


@pytest.mark.parametrize("name", READERS)
def test_a_changed_or_missing_file_is_refused_by_those_who_read_it(saved, command, name):
    draw = random.Random(name)
    path = saved / name
    content = path.read_bytes()
    place = draw.randrange(len(content))
    flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    assert refusals(command, name) == []
    for changed in (flipped, content[:-1], None):
        path.unlink() if changed is None else path.write_bytes(changed)
        lines = refusals(command, name)
        assert len(lines) == len(READERS[name])
        assert changed is None or all(name in line for line in lines)


@pytest.mark.parametrize("text", [None, "", "x\n", "0" * 64 + "  run.json\n"])
def test_a_run_without_its_checksums_is_refused(saved, command, text):
    if text is None:
        (saved / checksums.NAME).unlink()
    else:
        (saved / checksums.NAME).write_text(text)
    for name, readers in READERS.items():
        lines = refusals(command, name)
        assert len(lines) == len(readers)
        assert all("farlink run --out" in line for line in lines)


@pytest.mark.parametrize("name", ["explanation.json", "run.json"])
def test_a_changed_value_with_a_right_checksum_is_as_described_or_refused(saved, command, name):
    draw = random.Random(name)
    content = (saved / name).read_text()
    known = places(json.loads(content))
    refused = 0
    for _ in range(CHANGES):
        path = draw.choice(known)
        (saved / name).write_text(json.dumps(change(json.loads(content), path, draw)))
        sign(saved)
        lines = refusals(command, name)
        assert all(name in line and names_field(line, path) for line in lines), (path, lines)
        refused += bool(lines)
    assert refused > CHANGES / 4


SEEDS = {("flows", 1, "seed"): "run.json", ("workloads", 2, "seed"): "run.json", (1, "seed"): "explanation.json"}
"""Where a seed stands, and in which file."""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *((path, value) for path in SEEDS for value in (2**64, "1", None)),
        *((path, 9) for path in SEEDS),
    ],
)
def test_a_seed_that_is_none_of_the_run_is_named_with_its_place(saved, command, path, value):
    name = SEEDS[path]
    document = parent = json.loads((saved / name).read_text())
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    (saved / name).write_text(json.dumps(document))
    sign(saved)
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    lines = refusals(command, name)
    assert len(lines) == len(READERS[name])
    assert all(f"at `${place}`" in line for line in lines), lines


@pytest.mark.parametrize(
    ("name", "path"), [("run.json", ("workloads", 0, "received_bytes")), ("explanation.json", (0, "drops"))]
)
def test_a_file_of_another_version_is_refused_as_such(saved, command, name, path):
    document = parent = json.loads((saved / name).read_text())
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    (saved / name).write_text(json.dumps(document))
    sign(saved)
    lines = refusals(command, name)
    assert len(lines) == len(READERS[name])
    assert all(f"{name}: another version of farlink wrote it: " in line and path[-1] in line for line in lines)


@pytest.mark.parametrize("name", [name for name in READERS if name.endswith("parquet")])
def test_a_table_without_a_column_or_with_another_type_is_refused_or_not_read(saved, command, name):
    table = pq.read_table(saved / name)
    lines = []
    for place, column in enumerate(table.schema.names[:12]):
        is_number = table.schema.types[place] in (pa.uint64(), pa.float64(), pa.int64())
        other = pa.array(["x" if is_number else 0] * table.num_rows)
        for changed in (table.drop_columns([column]), table.set_column(place, column, other)):
            pq.write_table(changed, saved / name)
            sign(saved)
            lines += refusals(command, name)
    assert lines and all(name in line and "column" in line for line in lines)


def test_every_file_of_a_saved_run_has_a_checksum(made):
    named = checksums.from_text((made / checksums.NAME).read_text())
    assert named == {path.name: sha256(path.read_bytes()).hexdigest() for path in made.iterdir() if path.name in named}
    assert {path.name for path in made.iterdir()} == {*named, checksums.NAME}


def test_the_laboratory_opens_a_run_whose_scenario_is_implausible(tmp_path):
    scenario = fl.load("satellite").set("duration", "1 s").set("links.0.delay", "3 s")
    with pytest.warns(fl.ScenarioWarning):
        scenario.run().save(tmp_path / "run")
    [run] = opened(str(tmp_path / "run"))["runs"]
    assert len(run["result"]["warnings"]) == len(scenario.warnings) > 0
