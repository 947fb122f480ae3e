"""What is written and cannot be: standard streams and files on a full disk, closed, or cut short. Each ends with 1."""

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import farlink as fl
import pytest

pytestmark = pytest.mark.slow

VARIANT = "flows.0.tcp.congestion_control"
SHORT = ("--set", "duration=1 s")
SWEEP = f"""
scenario = "link.toml"
seeds = "1..2"
set = {{ duration = "1 s" }}
cross = {{ "{VARIANT}" = ["reno", "hybla"] }}
"""
TUNE = ("tune", "link.toml", *SHORT, "--quiet", "--param", f"{VARIANT}=reno,hybla", "--seeds", "1..3", "--out", "tuned")

PRINTING = {
    "run": ("run", "link.toml", *SHORT),
    "run of several seeds": ("run", "link.toml", *SHORT, "--seeds", "1..3"),
    "run --json": ("run", "link.toml", *SHORT, "--json"),
    "explain": ("explain", "link.toml", *SHORT),
    "check": ("check", "link.toml"),
    "movement": ("movement", "manet"),
    "list": ("list",),
    "list scenarios": ("list", "scenarios"),
    "schema": ("schema",),
    "sweep": ("sweep", "sweep.toml", "--out", "store"),
    "sweep --format csv": ("sweep", "sweep.toml", "--out", "store", "--format", "csv"),
    "compare": ("compare", "store", "--by", VARIANT),
    "compare --format latex": ("compare", "store", "--by", VARIANT, "--format", "latex"),
    "export": ("export", "store"),
    "tune": TUNE,
    "tune --json": (*TUNE, "--json"),
    "study list": ("study", "list"),
    "--version": ("--version",),
    "--help": ("--help",),
    "help of a command": ("run", "--help"),
    "help of a command in a group": ("study", "run", "--help"),
}


@pytest.fixture
def folder(link: Path, tmp_path: Path) -> Path:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    fl.sweep(fl.load(link).set("duration", "1 s"), {VARIANT: ["reno", "hybla"]}, seeds=2).run(out=tmp_path / "store")
    return tmp_path


def started(
    folder: Path, arguments: tuple[str, ...], sink: str = "", *, unbuffered: bool = False, at_most: int | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run the command in a shell with a redirection, with files of so many bytes at most."""
    command = ["sh", "-c", f'exec "$@" {sink}', "sh", sys.executable, "-m", "farlink", *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    limit = None if at_most is None else partial(resource.setrlimit, resource.RLIMIT_FSIZE, (at_most, at_most))
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, preexec_fn=limit, timeout=300
    )


FULL = (">/dev/full", None, "No space left on device")
CLOSED = (">&-", None, "Bad file descriptor")
# A disk with room for a part of it: the first write is one in part, the next one fails.
CUT = (">cut", len("farlink"), "File too large")


def check_printing(folder: Path, command: str, sink: tuple[str, int | None, str], *, unbuffered: bool) -> None:
    place, at_most, cause = sink
    done = started(folder, PRINTING[command], place, unbuffered=unbuffered, at_most=at_most)
    *found, last = done.stderr.splitlines()
    assert (done.returncode, last) == (1, f"farlink: standard output: {cause}")
    assert all(" found" in line for line in found)  # runs, in a store


@pytest.mark.parametrize("command", PRINTING)
def test_what_cannot_be_printed_is_no_success(folder: Path, command: str) -> None:
    check_printing(folder, command, FULL, unbuffered=False)
    check_printing(folder, command, CLOSED, unbuffered=False)
    check_printing(folder, command, CUT, unbuffered=True)


def test_with_a_buffer_and_without_the_same_is_noticed(folder: Path) -> None:
    check_printing(folder, "run --json", FULL, unbuffered=True)
    check_printing(folder, "run --json", CLOSED, unbuffered=True)
    check_printing(folder, "run --json", CUT, unbuffered=False)


@pytest.mark.parametrize("sink", ["2>/dev/full", "2>&-"])
def test_a_message_that_cannot_be_written_leaves_a_status(folder: Path, sink: str) -> None:
    for unbuffered in (False, True):
        silent = started(folder, ("run", "link.toml", *SHORT, "--json"), sink, unbuffered=unbuffered)
        assert (silent.returncode, silent.stderr) == (0, "")  # there was nothing to write
        printed = started(folder, ("sweep", "sweep.toml", "--out", "store"), sink, unbuffered=unbuffered)
        assert (printed.returncode, printed.stderr) == (1, "")
        assert "hybla" in printed.stdout
        wrong = started(folder, ("run", "nothing.toml"), sink, unbuffered=unbuffered)
        assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "")


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_reader_that_leaves_gets_no_message(folder: Path, unbuffered: bool) -> None:
    done = started(folder, ("export", "store"), "| head -c 5; exit 0", unbuffered=unbuffered)
    assert (len(done.stdout), done.stderr) == (5, "")
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, *(["-u"] if unbuffered else []), "-m", "farlink", "schema"]
    alone = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (alone.returncode, alone.stderr) == (1, "")


WRITING = {
    "out": ("run", "link.toml", "--out", "out"),
    "s.csv": ("run", "link.toml", "--series", "s.csv"),
    "s.parquet": ("run", "link.toml", "--series", "s.parquet"),
    "f.pcap": ("run", "link.toml", *SHORT, "--pcap", "f.pcap"),
    "f.pcapng": ("run", "chain_80211", *SHORT, "--pcap", "f.pcapng"),
    "f.tr": ("run", "chain_80211", *SHORT, "--trace", "f.tr"),
    "ledger.csv": ("run", "link.toml", *SHORT, "--ledger", "ledger.csv"),
    "ledger.parquet": ("run", "link.toml", *SHORT, "--ledger", "ledger.parquet"),
    "a.html": ("run", "link.toml", *SHORT, "--animate", "a.html"),
    "p.png": ("run", "link.toml", *SHORT, "--plot", "p.png"),
    "p.svg": ("run", "link.toml", *SHORT, "--plot", "p.svg"),
    "p.pdf": ("run", "link.toml", *SHORT, "--plot", "p.pdf"),
    "m.tcl": ("movement", "manet", "--out", "m.tcl"),
    "g.png": ("plot", "store", "--x", VARIANT, "-o", "g.png"),
    "curve.png": (*TUNE, "--plot", "curve.png"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_file_that_cannot_be_written_whole_is_not_there(folder: Path, name: str) -> None:
    if "tune" in WRITING[name]:
        started(folder, TUNE)  # its store is not what this is about
    before = sorted(folder.rglob("*"))
    done = started(folder, WRITING[name], at_most=1000)
    assert done.returncode == 1, done.stderr
    assert f"{name}: " in done.stderr
    failures = [line for line in done.stderr.splitlines() if " found" not in line]
    assert (len(failures), done.stdout) == (1, "")
    assert sorted(folder.rglob("*")) == before


def test_a_picture_of_a_report_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    from farlink.system.files import write_bytes

    (tmp_path / "figure.png").write_bytes(b"old")
    write_bytes(tmp_path / "figure.png", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]
