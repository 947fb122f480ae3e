import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import farlink
import pytest

# Should the run not hear Ctrl-C, its capture grows slowly.
SMALL = ("--set", "flows.0.tcp.segment_size=100 B")


def interrupted(
    folder: Path, *arguments: object, after_s: float, by: signal.Signals = signal.SIGINT
) -> "subprocess.CompletedProcess[str]":
    """Start the command, press Ctrl-C (or send another signal) after a while, wait for it."""
    command = [sys.executable, "-m", "farlink", *map(str, arguments)]
    pipe = subprocess.PIPE
    # A job in the background ignores Ctrl-C and so would its child; here one is pressed all the same.
    hear = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=folder, preexec_fn=hear) as process:
        try:
            time.sleep(after_s)
            assert process.poll() is None, "the run ended before it could be interrupted"
            process.send_signal(by)
            stdout, stderr = process.communicate(timeout=15)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


BOTH = pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


@BOTH
def test_ctrl_c_and_a_kill_leave_no_half_written_file(
    link: Path, tmp_path: Path, by: signal.Signals, status: int
) -> None:
    before = sorted(tmp_path.iterdir())
    arguments = ("run", link, "--set", "duration=1000000 s", *SMALL, "--pcap", "f.pcap")
    done = interrupted(tmp_path, *arguments, after_s=1.5, by=by)
    assert done.returncode == status
    assert done.stdout == ""
    assert "nothing is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_keeps_the_seeds_that_were_finished(link: Path, tmp_path: Path) -> None:
    arguments = ("run", link, "--set", "duration=30 s", "--seeds", "1..2000", "--jobs", 2, "--json", "--out", "kept")
    done = interrupted(tmp_path, *arguments, after_s=3.0)
    assert done.returncode == 130
    kept = json.loads(done.stdout)["seeds"]
    assert 0 < len(kept) < 2000
    assert f"{len(kept)} of 2000 seeds were finished and are kept" in done.stderr
    assert json.loads((tmp_path / "kept" / "run.json").read_text())["seeds"] == kept
    assert not list(tmp_path.glob("**/*.part"))


def test_a_folder_of_results_appears_whole_or_not_at_all(
    link: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = farlink.load(link).set("duration", "1 s").run()
    run.save(tmp_path / "new")
    whole = sorted(path.name for path in (tmp_path / "new").iterdir())

    def press_ctrl_c(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("farlink.tables.write", press_ctrl_c)
    before = (tmp_path / "new" / "run.json").stat().st_mtime_ns
    for folder in ("new", "never"):
        with pytest.raises(KeyboardInterrupt):
            run.save(tmp_path / folder)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["new"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == whole
    assert (tmp_path / "new" / "run.json").stat().st_mtime_ns == before


def test_a_kill_of_a_sweep_keeps_what_was_finished(link: Path, tmp_path: Path) -> None:
    (tmp_path / "many.toml").write_text(f'scenario = "{link}"\nseeds = "1..5000"\nset = {{ duration = "60 s" }}\n')
    done = interrupted(tmp_path, "sweep", "many.toml", "--jobs", 2, after_s=3.0, by=signal.SIGTERM)
    assert done.returncode == 143, done.stderr
    assert "what was finished is kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("**/*.part"))


# The signal comes while the command line is being imported.
DURING_IMPORTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "farlink.scenario":
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Finder())
from farlink.__main__ import main
main()
"""


@BOTH
def test_a_signal_while_importing_is_no_traceback(by: signal.Signals, status: int) -> None:
    command = [sys.executable, "-c", DURING_IMPORTS.format(number=int(by))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
