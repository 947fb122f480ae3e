"""Ctrl-C, --no-resume, other builds, progress: a sweep as a user handles it."""

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import farlink as fl
import pytest
from conftest import PATIENCE_S, held
from farlink import _farlink
from farlink.cli import terminal
from farlink.store import Store

pytestmark = pytest.mark.slow

VARIANT = "flows.0.tcp.congestion_control"
SWEEP = f"""
scenario = "link.toml"
seeds = "1..%d"
[set]
duration = "20 s"
[cross]
"{VARIANT}" = ["reno", "hybla"]
"""


def small(link: Path) -> fl.Sweep:
    return fl.sweep(fl.load(link).set("duration", "1 s"), {VARIANT: ["reno", "hybla"]}, seeds=2)


def in_a_terminal(folder: Path, arguments: list[str], presses: int) -> tuple[str, int]:
    """Run the command in a terminal of its own; press Ctrl-C there when progress is seen."""
    pid, terminal_fd = pty.fork()
    if pid == 0:
        # Where the tests run in the background it may be ignored, and a child inherits that.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(folder)
        os.execv(sys.executable, [sys.executable, "-m", "farlink", *arguments])
    seen, pressed, ends_s = b"", 0, time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < ends_s:
            if select.select([terminal_fd], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal_fd, 65536)
                except OSError:  # the other end is closed
                    break
            if pressed == 0 and presses > 0 and re.search(rb"[1-9] %", seen):
                os.write(terminal_fd, b"\x03")
                pressed += 1
            if pressed == 1 and presses > 1 and b"finishing the current runs" in seen:
                os.write(terminal_fd, b"\x03")
                pressed += 1
    finally:
        if time.monotonic() >= ends_s:
            os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(terminal_fd)
    return seen.decode(errors="replace"), status


@pytest.mark.parametrize(("executor", "presses"), [("local", 1), ("local", 2), ("dask", 1)])
def test_ctrl_c_in_a_terminal_keeps_what_was_finished_and_says_how_to_go_on(link, tmp_path, executor, presses):
    (tmp_path / "sweep.toml").write_text((SWEEP % 3000).replace("20 s", "60 s"))
    arguments = ["sweep", "sweep.toml", "--jobs", "2", "--executor", executor, "--out", "store"]
    seen, status = in_a_terminal(tmp_path, arguments, presses)
    assert status == 130
    assert "runs/s" in seen
    assert "finishing the current runs; press Ctrl-C again to abandon them" in seen
    found = re.search(
        r"interrupted; (\d+) of 6000 runs are finished and kept in store, (\d+) are left; to resume: (.*?)\r", seen
    )
    assert found, seen
    assert int(found[1]) + int(found[2]) == 6000
    assert found[3] == f"farlink {' '.join(arguments)}"
    assert "Traceback" not in seen
    # The second press may come while the journal is folded; what is in it is folded when the store is opened next.
    with Store(tmp_path / "store") as store:
        assert 0 < len(store.keys) < 6000


def test_ctrl_c_elsewhere_does_the_same_and_the_same_command_goes_on(link, tmp_path, farlink):
    (tmp_path / "sweep.toml").write_text(SWEEP % 150)
    command = ("sweep", "sweep.toml", "--out", "store", "--jobs", 2)
    done = held(tmp_path, *command, "--no-resume", then=lambda process: process.send_signal(signal.SIGINT))
    assert done.returncode == 130
    kept = fl.Results(tmp_path / "store").runs.num_rows
    assert 0 < kept < 300
    left = f"{kept} of 300 runs are finished and kept in store, {300 - kept} are left"
    again = "farlink sweep sweep.toml --out store --jobs 2"
    assert done.stderr.endswith(f"farlink: interrupted; {left}; to resume: {again}\n")
    done = farlink(*command)
    assert done.returncode == 0
    assert "300 runs in store" in done.stderr


def test_a_finished_sweep_in_a_terminal_leaves_no_bar(link, tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP % 5)
    seen, status = in_a_terminal(tmp_path, ["sweep", "sweep.toml", "--out", "store"], presses=0)
    assert status == 0
    assert seen.rstrip().endswith("10 runs in store")


def test_progress_elsewhere_is_a_line_now_and_then(capsys, clock):
    with terminal.progress("sweep", each="runs") as report:
        assert report is not None
        for clock.now_s, share in ((10.0, 0.25), (15.0, 0.3), (20.0, 0.5)):
            report(share)
    # Three runs in 20 s; a quarter was made in that time, so that the other half takes 40 s.
    lines = ["sweep: 25 %, 0.1 runs/s", "sweep: 50 %, 0.15 runs/s, 0:00:40 left", "sweep: 100 %"]
    assert capsys.readouterr().err.splitlines() == lines
    with pytest.raises(KeyboardInterrupt), terminal.progress("sweep", each="runs") as report:
        clock.now_s = 40.0
        report(0.5)
        raise KeyboardInterrupt
    assert capsys.readouterr().err.count("\n") == 1, "what is interrupted is not done"
    with terminal.progress("sweep", quiet=True, each="runs") as report:
        assert report is None


def test_no_resume_forgets(link, tmp_path, farlink):
    (tmp_path / "sweep.toml").write_text((SWEEP % 2).replace("20 s", "1 s"))
    farlink("sweep", "sweep.toml", "--out", "store")
    (tmp_path / "sweep.toml").write_text((SWEEP % 2).replace("20 s", "2 s"))
    farlink("sweep", "sweep.toml", "--out", "store")
    assert fl.Results(tmp_path / "store").runs.num_rows == 8
    done = farlink("sweep", "sweep.toml", "--out", "store", "--no-resume")
    assert done.returncode == 0
    assert fl.Results(tmp_path / "store").runs["sim_s"].to_pylist() == [2.0] * 4
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "flows.parquet").write_text("mine")
    done = farlink("sweep", "sweep.toml", "--out", "mine", "--no-resume")
    assert done.returncode == 2
    assert "not a store" in done.stderr
    assert (tmp_path / "mine" / "flows.parquet").read_text() == "mine"


@pytest.mark.parametrize("options", [["--no-resume"], ["--repair"], []])
def test_a_folder_with_the_manifest_of_something_else_is_refused(link, tmp_path, farlink, options):
    (tmp_path / "sweep.toml").write_text((SWEEP % 2).replace("20 s", "1 s"))
    (tmp_path / "page").mkdir()
    manifest = '{"name": "a web application", "icons": []}'
    (tmp_path / "page" / "manifest.json").write_text(manifest)
    done = farlink("sweep", "sweep.toml", "--out", "page", *options)
    assert done.returncode == 2
    assert done.stderr == "farlink: page: not a store of results; choose an empty or a new folder\n"
    assert [path.name for path in (tmp_path / "page").iterdir()] == ["manifest.json"]
    assert (tmp_path / "page" / "manifest.json").read_text() == manifest


def test_results_of_another_build_are_neither_used_nor_mixed_in(link, tmp_path, monkeypatch):
    small(link).run(out=tmp_path / "store")
    this = _farlink.__build__
    monkeypatch.setattr(_farlink, "__build__", "another")
    shares: list[float] = []
    again = small(link).run(out=tmp_path / "store", progress=shares.append)
    assert len(shares) == 4
    assert set(again.runs["build"].to_pylist()) == {"another"}
    # A store of two builds shows those of the one that asks.
    assert set(fl.Results(tmp_path / "store").runs["build"].to_pylist()) == {"another"}
    assert fl.Results(tmp_path / "store").flows.num_rows == 4
    monkeypatch.setattr(_farlink, "__build__", this)
    assert set(fl.Results(tmp_path / "store").runs["build"].to_pylist()) == {this}
    monkeypatch.setattr(_farlink, "__build__", "a third")
    with pytest.raises(fl.UsageError, match="2 builds, none of them this one"):
        fl.Results(tmp_path / "store").summary()
