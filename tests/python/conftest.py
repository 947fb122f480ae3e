"""What the tests share: a small scenario, and the command line as a user starts it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

LINK = """\
name = "link"
duration = "5 s"
seed = 7

[[nodes]]
name = "ground"
[[nodes]]
name = "remote"

[[links]]
between = ["ground", "remote"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { name = "drop_tail", limit = "50 packets" }
error = { name = "packet_error_rate", rate = 1e-3 }
reverse = { error = "none" }

[[flows]]
label = "transfer"
from = "ground"
to = "remote"
"""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]

Command = Callable[..., tuple[int, str, str]]


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
            command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **environment}, timeout=120
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
