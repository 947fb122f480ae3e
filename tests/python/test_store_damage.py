"""Damaged files of a store: noticed by every reader, in one line, and repaired on demand."""

import os
import random
import shutil
import socket
from dataclasses import replace
from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink.store import known_keys, manifest
from farlink.store.disk import DISK
from farlink.studies.study import load, store_folder

RATES = "links.0.error.rate"
SWEEP = f"""
scenario = "satellite"
seeds = "1..3"
series = true
[set]
duration = "1 s"
[cross]
"{RATES}" = [1e-8, 1e-6]
"""
FLIPS = 40
READERS = (
    ("export", "store"),
    ("compare", "store", "--by", RATES),
    ("plot", "store", "--kind", "cdf", "--by", RATES, "-o", "x.svg"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from farlink.sweeps import description

    folder = tmp_path_factory.mktemp("made")
    (folder / "sweep.toml").write_text(SWEEP)
    description.read(folder / "sweep.toml").run(out=folder / "store")
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    """A finished store beside its `sweep.toml`."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "store"


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def refused(command: Command, *arguments: str) -> str:
    """Give the one line of a command that must fail."""
    status, out, err = command(*arguments)
    assert (status, out) == (1, ""), arguments
    assert err.count("\n") == 1 and err.startswith("farlink: ")
    return err


def test_every_flipped_bit_is_noticed_or_changes_nothing(store, command):
    _, intact, _ = command("export", "store")
    files = sorted(path for path in store.rglob("*") if path.is_file() and path.stat().st_size)
    draw = random.Random("flipped bits")
    silent = []
    for _ in range(FLIPS):
        path = draw.choice(files)
        bit = draw.randrange(8 * path.stat().st_size)
        flip(path, bit)
        status, out, err = command("export", "store")
        if status == 0 and not err and out != intact:
            silent.append((path.name, bit))
        if status:
            assert path.name in err and err.count("\n") == 1 and "--repair" in err
        flip(path, bit)
    assert silent == []


@pytest.mark.parametrize("damage", ["truncated", "empty", "missing", "flipped"])
@pytest.mark.parametrize("file", ["flows.parquet", "links.parquet", "runs.parquet", "timings.parquet", "manifest.json"])
def test_a_damaged_file_is_one_line_from_every_reader_and_repaired_on_demand(store, command, file, damage):
    _, intact, _ = command("export", "store")
    path = store / file
    if damage == "missing":
        path.unlink()
    elif damage == "flipped":
        flip(path, 8 * (path.stat().st_size - 6))
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 if damage == "truncated" else 0])
    kept = (
        "6 of 6 runs" if file == "timings.parquet" else "6 of at least 6 runs" if file == "manifest.json" else "0 of 6"
    )
    for reader in READERS:
        line = refused(command, *reader)
        assert f"store/{file}: is " in line and f"{kept}" in line and "--repair" in line
    line = refused(command, "sweep", "sweep.toml", "--out", "store", "--quiet")
    assert f"store/{file}: is " in line and "--repair" in line
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")
    assert status == 0 and "store: repaired: " in err and "6 runs in store" in err
    assert command("export", "store") == (0, intact, "")
    if file.endswith(".parquet") and damage != "missing":
        assert (store / "damaged" / file).exists()


def occupy(path: Path, kind: str) -> None:
    """Put something that is no regular file in a file's place."""
    path.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "directory":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(os.path.relpath(path))


SPECIAL = ["pipe", "device", "directory", "loop", "socket"]


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("file", ["links.parquet", "runs.parquet", "manifest.json"])
def test_a_special_file_is_damage_like_any_other(store, command, file, kind):
    _, intact, _ = command("export", "store")
    occupy(store / file, kind)
    for arguments in (*READERS, ("sweep", "sweep.toml", "--out", "store", "--quiet")):
        line = refused(command, *arguments)
        assert f"store/{file}: is damaged: a" in line and "--repair" in line
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")
    assert status == 0 and "store: repaired: " in err and "6 runs in store" in err
    assert command("export", "store") == (0, intact, "")
    assert os.path.lexists(store / "damaged" / file)


@pytest.mark.parametrize("kind", SPECIAL)
def test_special_files_where_a_sweep_writes_are_moved_aside(store, command, kind):
    _, intact, _ = command("export", "store")
    series = sorted((store / "series").iterdir())[2]
    content = series.read_bytes()
    places = [store / "manifest.copy.json", store / "journal", series]
    for path in places:
        occupy(path, kind)
    assert command("export", "store") == (0, intact, "")
    for option in ((), ("--no-resume",)):
        line = refused(command, "sweep", "sweep.toml", "--out", "store", "--quiet", *option)
        assert "store/manifest.copy.json: is damaged: a" in line and "--repair" in line
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")
    assert status == 0 and "6 runs in store" in err
    assert series.read_bytes() == content
    assert command("sweep", "sweep.toml", "--out", "store", "--quiet")[0] == 0
    assert os.path.lexists(store / "damaged" / series.name)


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("name", ["lock", "journal"])
def test_what_is_in_the_way_of_the_writer_names_the_remedy(store, command, name, kind):
    _, intact, _ = command("export", "store")
    occupy(store / name, kind)
    line = refused(command, "sweep", "sweep.toml", "--out", "store", "--quiet")
    assert f"store/{name}: is damaged: a" in line and "--repair" in line
    assert command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")[0] == 0
    assert command("sweep", "sweep.toml", "--out", "store", "--quiet")[0] == 0
    assert command("export", "store") == (0, intact, "")
    assert os.path.lexists(store / "damaged" / name)


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_special_file_in_place_of_the_journal_is_damage(store, command, kind):
    _, intact, _ = command("export", "store")
    manifest.write(DISK, store, replace(manifest.read(store), has_journal=True))
    occupy(store / "journal", kind)
    for arguments in (*READERS, ("sweep", "sweep.toml", "--out", "store", "--quiet")):
        line = refused(command, *arguments)
        assert "store/journal: is damaged: a" in line and "--repair" in line
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")
    assert status == 0 and "store: repaired: journal; journal moved to damaged; 6 of" in err
    assert command("export", "store") == (0, intact, "")


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_damaged_series_are_noticed_where_they_are_read_and_made_again(store, command, damage):
    path = sorted((store / "series").iterdir())[2]
    intact = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        flip(path, 4321)
    plot = ("plot", "store", "--kind", "time", "--y", "cwnd_segments", "--by", RATES, "-o", "x.svg")
    for line in (refused(command, *plot), refused(command, "sweep", "sweep.toml", "--out", "store", "--quiet")):
        assert f"{path.name}: is " in line and ("missing" in line or "damaged" in line)
        assert "--repair" in line
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet", "--repair")
    assert status == 0 and "6 runs in store" in err
    assert path.read_bytes() == intact
    assert command("sweep", "sweep.toml", "--out", "store", "--quiet")[0] == 0


def test_repair_and_no_resume_exclude_each_other(store, command):
    status, _, err = command("sweep", "sweep.toml", "--out", "store", "--repair", "--no-resume")
    assert status == 2 and "give one of them" in err
    assert fl.Results(store).runs.num_rows == 6


@pytest.mark.parametrize(("other", "remedy"), [(2, "choose another folder"), (4, "use a newer farlink")])
def test_a_store_of_another_format_is_refused_and_not_repaired(store, command, monkeypatch, other, remedy):
    state = manifest.read(store)
    with monkeypatch.context() as changed:
        changed.setattr(manifest, "FORMAT", other)
        manifest.write(DISK, store, state)
    before = sorted(path.name for path in store.iterdir())
    for arguments in (("export", "store"), ("sweep", "sweep.toml", "--out", "store", "--repair", "--quiet")):
        status, out, err = command(*arguments)
        assert (status, out) == (2, "") and err.count("\n") == 1
        assert f"store: has format {other}, this farlink reads format 3; {remedy}" in err
    assert sorted(path.name for path in store.iterdir()) == before


def test_a_report_of_a_study_names_a_damaged_file(tmp_path, command, store):
    (tmp_path / "out" / "store").mkdir(parents=True)
    (tmp_path / "out" / "effort").write_text("quick\n")
    [first, *_] = [name for name, _ in load("satellite").settings.grids("quick")]
    place = store_folder(tmp_path / "out", first)
    store.rename(place)
    assert len(known_keys(place)) == 6
    flip(place / "drops.parquet", 800)
    assert "drops.parquet: is damaged" in refused(command, "study", "report", "satellite", "--out", "out")
