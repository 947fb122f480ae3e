"""Files that are no regular text: pipes, devices, directories, endless ones. None blocks, none fills the memory."""

import fcntl
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import IO

import farlink as fl
import pytest
from conftest import LINK, PATIENCE_S, Cli, hear_ctrl_c, wait_for
from farlink.runs.toml_text import toml
from farlink.system import checksums, files

SCENARIOS = {
    "csv": LINK.replace('rate = "10 Mbit/s"', 'rate = { csv = "NAME" }'),
    "mahimahi": LINK.replace('rate = "10 Mbit/s"', 'rate = { mahimahi = "NAME" }'),
    "delay": LINK.replace('delay = "20 ms"', 'delay = { csv = "NAME" }'),
    "ns2": LINK + '[mobility]\nname = "scripted"\nmoves = { ns2 = "NAME" }\n',
    "bonnmotion": LINK + '[mobility]\nname = "scripted"\nmoves = { bonnmotion = "NAME" }\n',
    "fcd": LINK + '[mobility]\nname = "scripted"\nmoves = { fcd = "NAME" }\n',
    "graphml": LINK + '[topology]\nname = "file"\npath = "NAME"\n',
    "speed": LINK + '[mobility]\nname = "random_waypoint"\n[radio]\npropagation_speed = { csv = "NAME" }\n',
}
"""A scenario that reads a file of each kind."""


@pytest.fixture(params=["pipe", "device", "directory", "loop"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A name that is no regular file."""
    path = tmp_path / "special"
    match request.param:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "directory":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
    return path


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("farlink: ")
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("kind", SCENARIOS)
def test_a_scenario_that_names_a_special_file_is_refused(
    farlink: Cli, special: Path, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "s.toml").write_text(SCENARIOS[kind].replace("NAME", special.name))
    assert 'cannot read "special": ' in refused(farlink("check", "s.toml"))


def test_a_scenario_or_a_sweep_that_is_a_special_file_is_refused(farlink: Cli, special: Path) -> None:
    for command in ("run", "sweep"):
        message = refused(farlink(command, special))
        assert message.startswith(f"farlink: {special}: ")
        assert message.count("\n") == 1


def test_an_explanation_that_is_a_special_file_is_refused(farlink: Cli, special: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    (tmp_path / "run" / checksums.NAME).write_text(checksums.to_text(tmp_path / "run"))
    (tmp_path / "run" / "explanation.json").symlink_to(special)
    assert "explanation.json: " in refused(farlink("explain", "run"))


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"flow": 1}]', 100_000 * "[", '[{"flow": "a", "seed": 1}]'])
def test_an_explanation_that_is_none_is_refused(farlink: Cli, tmp_path: Path, text: str) -> None:
    for name in ("explanation.json", "run.json"):
        (tmp_path / name).write_text(text)
    (tmp_path / checksums.NAME).write_text(checksums.to_text(tmp_path))
    assert "explanation.json: " in refused(farlink("explain", "."))


def test_a_file_longer_than_the_limit_is_refused_without_being_read_whole(farlink: Cli, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "s.toml").write_text(SCENARIOS["csv"].replace("NAME", "large"))
    assert "more than 128 MiB, the limit for a file" in refused(farlink("check", "s.toml"))
    assert "more than 16 MiB, the limit for such a file" in refused(farlink("check", "large"))
    assert "more than 16 MiB" in refused(farlink("sweep", "large"))


def test_a_file_of_unknown_size_is_read(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIOS["csv"].replace("NAME", "/proc/self/status"))
    assert "/proc/self/status:1:1: " in refused(farlink("check", "s.toml"))
    assert "Name:" in files.read_text(Path("/proc/self/status"))


def bytes_waiting(pipe: IO[bytes]) -> int:
    """How many bytes in a pipe have not been read."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


def test_ctrl_c_ends_the_reading_of_a_scenario_from_a_pipe(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "farlink", "check", "-"]
    pipe = subprocess.PIPE
    reading = subprocess.Popen(command, stdin=pipe, stderr=pipe, cwd=tmp_path, preexec_fn=hear_ctrl_c)
    writing = reading.stdin
    assert writing is not None
    writing.write(b"n")
    writing.flush()
    wait_for(lambda: not bytes_waiting(writing))
    reading.send_signal(signal.SIGINT)
    _, stderr = reading.communicate(timeout=PATIENCE_S)
    assert reading.returncode == 130
    assert b"Traceback" not in stderr


def test_a_signal_ends_the_reading_of_a_file_that_a_scenario_names(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 30)
    scenario = fl.Scenario.from_toml(SCENARIOS["csv"].replace("NAME", "large"), folder=tmp_path)

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            _ = scenario.validated
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_scenario_comes_from_standard_input(link: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "farlink", "check", "-", "--set", "duration=7 s"]
    done = subprocess.run(
        command, input=link.read_text(), capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S
    )
    assert done.returncode == 0
    assert done.stdout.startswith("standard input: valid; 7 s, ")
    wrong = subprocess.run(command, input="name = 1", capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S)
    assert refused(wrong).startswith("farlink: standard input:1:8: name: ")
    endless = ["sh", "-c", f"{sys.executable} -m farlink check - </dev/zero"]
    assert "more than 16 MiB" in refused(subprocess.run(endless, capture_output=True, text=True, timeout=PATIENCE_S))
    closed = ["sh", "-c", f"{sys.executable} -m farlink check - <&-"]
    assert "standard input: closed" in refused(
        subprocess.run(closed, capture_output=True, text=True, timeout=PATIENCE_S)
    )


def test_lines_of_windows_and_a_byte_order_mark_are_read(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbf" + LINK.replace("\n", "\r\n").encode())
    assert farlink("check", "s.toml").returncode == 0
    sweep = '\ufeffscenario = "s.toml"\r\nseeds = "1..2"\r\n[set]\r\nduration = "1 s"\r\n'
    (tmp_path / "sweep.toml").write_bytes(sweep.encode())
    assert farlink("sweep", "sweep.toml").returncode == 0


@pytest.mark.parametrize("name", ["a\0b.toml", "n" * 10_000, "d/" * 3000 + "s.toml"])
def test_a_name_that_no_file_can_have_is_refused(farlink: Cli, tmp_path: Path, name: str) -> None:
    with pytest.raises(fl.UsageError):
        fl.load(name)
    (tmp_path / "sweep.toml").write_text(f"scenario = {toml(name)}\n")
    assert "sweep.toml: " in refused(farlink("sweep", "sweep.toml"))
    (tmp_path / "s.toml").write_text(SCENARIOS["csv"].replace('"NAME"', toml(name)))
    assert "cannot read" in refused(farlink("check", "s.toml"))


def test_a_name_that_is_not_utf_8_is_shown(link: Path) -> None:
    name = os.fsdecode(b"\xff.toml")
    link.with_name(name).write_text("name = 1")
    command = [sys.executable, "-m", "farlink", "check", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=link.parent, timeout=PATIENCE_S)
    assert refused(done).startswith("farlink: \\udcff.toml:1:8: ")


def small() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


@pytest.mark.parametrize(
    "value",
    [
        100_000 * "[",
        100_000 * "[" + 100_000 * "]",
        100_000 * "{ a = ",
        "1e400",
        9999 * "9",
        "0x" + 9999 * "f",
        "1979-05-27T07:32:00Z",
        "nan",
        '"' + 9999 * "\\u001b" + '"',
    ],
)
def test_no_value_of_a_scenario_or_a_sweep_crashes_the_command(tmp_path: Path, value: str) -> None:
    (tmp_path / "s.toml").write_text(LINK.replace('"5 s"', value))
    (tmp_path / "sweep.toml").write_text(f'scenario = "chain_wired"\nseeds = {value}\n')
    for command in ("check", "s.toml"), ("sweep", "sweep.toml"):
        done = subprocess.run(
            [sys.executable, "-m", "farlink", *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            preexec_fn=small,
            timeout=PATIENCE_S,
        )
        assert len(refused(done)) < 3000


def test_a_folder_or_file_whose_name_no_file_can_have_is_refused(link: Path) -> None:
    base = fl.load(link)
    for out in ("a\0", "a\0/store"):
        with pytest.raises(fl.UsageError, match="no file can have such a name"):
            fl.sweep(base, seeds=2).run(out=out)
        with pytest.raises(fl.UsageError):
            files.check_target(Path(f"{out}.csv"), (".csv",))
