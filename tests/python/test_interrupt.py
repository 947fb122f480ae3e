import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

# Should the run not hear Ctrl-C, its capture grows slowly.
SMALL = ("--set", "flows.0.tcp.segment_size=100 B")


def interrupted(folder: Path, *arguments: object, after_s: float) -> "subprocess.CompletedProcess[str]":
    """Start the command, press Ctrl-C after a while, wait for it."""
    command = [sys.executable, "-m", "farlink", *map(str, arguments)]
    pipe = subprocess.PIPE
    # A job in the background ignores Ctrl-C and so would its child; here one is pressed all the same.
    hear = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=folder, preexec_fn=hear) as process:
        try:
            time.sleep(after_s)
            assert process.poll() is None, "the run ended before it could be interrupted"
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=15)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def test_ctrl_c_leaves_no_half_written_file(link: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    arguments = ("run", link, "--set", "duration=1000000 s", *SMALL, "--pcap", "f.pcap")
    done = interrupted(tmp_path, *arguments, after_s=1.5)
    assert done.returncode == 130
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
