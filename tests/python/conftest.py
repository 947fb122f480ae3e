"""What the tests share: a small scenario, and the command line as a user starts it."""

import gc
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from attack import PATIENCE_S, SCENARIO
from started import Starter

# A shell that leaves its jobs behind (nohup) lets them ignore SIGHUP, and so would the commands under test.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

LINK = SCENARIO.replace('name = "short"\nduration = "2 s"', 'name = "link"\nduration = "5 s"\nseed = 7')

Cli = Callable[..., "subprocess.CompletedProcess[str]"]

Command = Callable[..., tuple[int, str, str]]


def pytest_collection_finish() -> None:
    """Take modules and collected tests for no garbage: Python would look through them until the last test."""
    gc.collect()
    gc.freeze()


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something has happened; a test that waits for a time instead fails on a busy machine."""
    ends_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < ends_s, "it did not happen"
        time.sleep(0.01)


def is_at(process: "subprocess.Popen[bytes]", store: Path, size: int) -> bool:
    """Whether a sweep has more than so many bytes in its journal, or has ended."""
    journal = store / "journal"
    return process.poll() is not None or (journal.exists() and journal.stat().st_size > size)


def hear_ctrl_c() -> None:
    """For a child: a job in the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def held(
    folder: Path,
    *arguments: object,
    then: "Callable[[subprocess.Popen[str]], object]",
    share: float = 0.0,
    before: Callable[[], object] = hear_ctrl_c,
) -> "subprocess.CompletedProcess[str]":
    """Run the command, hold it at its first report of this share of its work, do something, let it go on to its end.

    Meanwhile it begins no more than it has handed over to its threads: it does not end, however busy the machine is.
    """
    (reported, report), (answer, answering) = os.pipe(), os.pipe()
    numbers = (report, answer, share)
    command = [sys.executable, str(Path(__file__).with_name("held.py")), *map(str, (*numbers, *arguments))]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, cwd=folder, pass_fds=(report, answer), preexec_fn=before
    ) as process:
        try:
            for inherited in (report, answer):
                os.close(inherited)
            is_ready, _, _ = select.select([reported], [], [], PATIENCE_S)
            assert is_ready and os.read(reported, 1), "it ended before it reported anything"
            then(process)
            os.close(answering)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
            os.close(reported)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


@pytest.fixture
def link(tmp_path: Path) -> Path:
    path = tmp_path / "link.toml"
    path.write_text(LINK)
    return path


@dataclass
class Clock:
    """The time that a progress on the command line takes for the present one."""

    now_s: float = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Shows the same time until a test sets another."""
    from farlink.cli import terminal

    made = Clock()
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: made.now_s))
    return made


@pytest.fixture(scope="session")
def starter() -> Iterator[Starter]:
    made = Starter()
    yield made
    made.close()


@pytest.fixture
def farlink(starter: Starter, tmp_path: Path) -> Cli:
    """The command line in a process of its own, in the test's folder."""

    def run(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        return starter.run([str(argument) for argument in arguments], tmp_path, {**os.environ, **environment})

    return run


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """The command line in this process: exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        from farlink import cli

        monkeypatch.setattr(sys, "argv", ["farlink", *arguments])
        status = cli.main()
        printed = capsys.readouterr()
        return status or 0, printed.out, printed.err

    return run


@pytest.fixture(scope="session")
def tshark() -> str:
    path = shutil.which("tshark")
    if path is None and "CI" in os.environ:
        pytest.fail("tshark is missing: `make tshark` installs it")
    if path is None:
        pytest.skip("tshark is missing: `make tshark` installs it")
    return path
