"""What the tests share: a small scenario, and the command line as a user starts it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from attack import PATIENCE_S, SCENARIO

# A shell that leaves its jobs behind (nohup) lets them ignore SIGHUP, and so would the commands under test.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

LINK = SCENARIO.replace('name = "short"\nduration = "2 s"', 'name = "link"\nduration = "5 s"\nseed = 7')

Cli = Callable[..., "subprocess.CompletedProcess[str]"]

Command = Callable[..., tuple[int, str, str]]


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something has happened; a test that waits for a time instead fails on a busy machine."""
    ends_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < ends_s, "it did not happen"
        time.sleep(0.01)


def keeps_runs(store: Path, more_than: int = 1000) -> bool:
    """Whether the journal of a sweep that is under way has so many bytes: by default those of a run at least."""
    journal = store / "journal"
    return journal.exists() and journal.stat().st_size > more_than


def is_at(process: "subprocess.Popen[bytes]", store: Path, size: int) -> bool:
    """Whether a sweep has so many bytes in its journal, or has ended."""
    return process.poll() is not None or keeps_runs(store, size)


def hear_ctrl_c() -> None:
    """For a child: a job in the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def link(tmp_path: Path) -> Path:
    path = tmp_path / "link.toml"
    path.write_text(LINK)
    return path


@pytest.fixture
def farlink(tmp_path: Path) -> Cli:
    def run(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-W", "error", "-m", "farlink", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **environment}, timeout=PATIENCE_S
        )

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
