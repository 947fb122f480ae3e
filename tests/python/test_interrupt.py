import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import farlink
import pytest
from conftest import PATIENCE_S, hear_ctrl_c, held, wait_for

# Should the run not hear Ctrl-C, its capture grows slowly.
SMALL = ("--set", "flows.0.tcp.segment_size=100 B")
UNWARNED = ("--warn-above", "1e15", "--warn-above", "1000000 GB")


def interrupted(
    folder: Path, *arguments: object, when: Callable[[], bool], by: signal.Signals = signal.SIGINT
) -> "subprocess.CompletedProcess[str]":
    """Start the command, press Ctrl-C (or send another signal) when something has happened, wait for it."""
    command = [sys.executable, "-m", "farlink", *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=folder, preexec_fn=hear_ctrl_c) as process:
        try:
            wait_for(lambda: process.poll() is not None or when())
            assert process.poll() is None, "the run ended before it could be interrupted"
            process.send_signal(by)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def holds_something(folder: Path, pattern: str) -> Callable[[], bool]:
    def holds() -> bool:
        # A file may be gone as soon as it is listed.
        with suppress(FileNotFoundError):
            return any(path.stat().st_size > 0 for path in folder.glob(pattern))
        return False

    return holds


ALL = pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])


@ALL
def test_ctrl_c_and_a_kill_leave_no_half_written_file(
    link: Path, tmp_path: Path, by: signal.Signals, status: int
) -> None:
    before = sorted(tmp_path.iterdir())
    arguments = ("run", link, "--set", "duration=1000000 s", *SMALL, *UNWARNED, "--pcap", "f.pcap")
    done = interrupted(tmp_path, *arguments, when=holds_something(tmp_path, ".f.pcap.*"), by=by)
    assert done.returncode == status
    assert done.stdout == ""
    assert re.fullmatch(r"farlink: .*interrupted; (nothing|what was not finished) is (not )?kept\n", done.stderr)
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_keeps_the_seeds_that_were_finished(link: Path, tmp_path: Path) -> None:
    # Minutes of work, of which that of more than two seeds is awaited: of two at a time one is then finished.
    settings = ("--set", "duration=600 s", "--seeds", "1..5000", "--jobs", "2")
    arguments = ("run", link, *settings, "--json", "--out", "kept")
    done = held(tmp_path, *arguments, share=2.5 / 5000, then=lambda process: process.send_signal(signal.SIGINT))
    assert done.returncode == 130
    kept = json.loads(done.stdout)["seeds"]
    assert 0 < len(kept) < 5000
    assert f"{len(kept)} of 5000 seeds were finished and are kept" in done.stderr
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

    monkeypatch.setattr("farlink.tables.arrow.write", press_ctrl_c)
    before = (tmp_path / "new" / "run.json").stat().st_mtime_ns
    for folder in ("new", "never"):
        with pytest.raises(KeyboardInterrupt):
            run.save(tmp_path / folder)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["new"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == whole
    assert (tmp_path / "new" / "run.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(("by", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_kill_of_a_sweep_keeps_what_was_finished(link: Path, tmp_path: Path, by: signal.Signals, status: int) -> None:
    (tmp_path / "many.toml").write_text(f'scenario = "{link}"\nseeds = "1..300"\n')
    arguments = ("sweep", "many.toml", "--jobs", 2, "--quiet")
    done = held(tmp_path, *arguments, then=lambda process: process.send_signal(by))
    assert done.returncode == status, done.stderr
    assert not list(tmp_path.glob("**/*.part"))
    kept = farlink.Results(tmp_path / "many.results").runs.num_rows
    assert 0 < kept < 300
    left = f"{kept} of 300 runs are finished and kept in many.results, {300 - kept} are left"
    assert done.stderr == f"farlink: interrupted; {left}; to resume: farlink sweep many.toml --jobs 2 --quiet\n"


# The signal comes while the command line is being imported, before {module}.
DURING_IMPORTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "{module}":
            try:
                os.kill(os.getpid(), {number})
                [None for _ in range(1000)]
            except KeyboardInterrupt:
                if {turns}:
                    raise ImportError("it could not be imported")
                raise
sys.meta_path.insert(0, Finder())
sys.argv[1:] = {arguments}
from farlink.__main__ import main
main()
"""
INTERRUPTED = "farlink: interrupted; what was not finished is not kept\n"


def signalled(
    module: str, by: signal.Signals, *arguments: str, turns: bool = False
) -> "subprocess.CompletedProcess[str]":
    code = DURING_IMPORTS.format(module=module, number=int(by), arguments=list(arguments), turns=turns)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)


@ALL
@pytest.mark.parametrize(
    "module", ["farlink.system.streams", "farlink.cli", "click", "farlink._farlink", "farlink.runs.scenario"]
)
def test_a_signal_while_importing_is_one_line(module: str, by: signal.Signals, status: int) -> None:
    done = signalled(module, by, "check", "satellite")
    assert (done.returncode, done.stdout, done.stderr) == (status, "", INTERRUPTED)


@ALL
def test_a_signal_that_a_library_makes_an_error_of_is_one_line(by: signal.Signals, status: int, link: Path) -> None:
    """As NumPy does, whose extension modules say that they could not be imported."""
    for module in ("farlink.runs.run_table", "farlink.cli"):
        done = signalled(module, by, "run", str(link), "--set", "duration=1 s", turns=True)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", INTERRUPTED)


IN_A_DESTRUCTOR = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from farlink import __main__, cli

class Part:
    def __del__(self):
        os.kill(os.getpid(), {number})
        for _ in range(1000): pass

def work():
    Part()
    time.sleep({patience})
    return 0

cli.main = work
__main__.main()
"""


@ALL
def test_a_signal_in_a_destructor_is_not_lost(by: signal.Signals, status: int) -> None:
    code = IN_A_DESTRUCTOR.format(number=int(by), patience=PATIENCE_S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", INTERRUPTED)


IN_TEXT = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from farlink import __main__, cli

def work():
    exec("import os, time; os.kill(os.getpid(), {number}); time.sleep({patience})")

cli.main = work
__main__.main()
"""


@ALL
def test_a_signal_in_text_that_is_executed_is_no_raw_signal(by: signal.Signals, status: int, tmp_path: Path) -> None:
    """As in every named tuple and dataclass that is made, after which `python -m` would end by SIGINT."""
    (tmp_path / "started.py").write_text(IN_TEXT.format(number=int(by), patience=PATIENCE_S))
    command = [sys.executable, "-m", "started"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", INTERRUPTED)


AND_FAILED = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from farlink import __main__, cli
from farlink.system import interrupts

def work():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        [None for _ in range(1000)]
    except KeyboardInterrupt:
        interrupts.report_interruption("interrupted; 3 seeds are kept")
    raise OSError(28, "No space left on device", "kept")

cli._run_command = work
__main__.main()
"""


def test_what_was_finished_and_cannot_be_kept_is_an_error() -> None:
    done = subprocess.run([sys.executable, "-c", AND_FAILED], capture_output=True, text=True, timeout=PATIENCE_S)
    printed = "farlink: interrupted; 3 seeds are kept\nfarlink: kept: No space left on device\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", printed)


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(tmp_path: Path, link: Path) -> None:
    (tmp_path / "hup.toml").write_text(f'scenario = "{link}"\nseeds = "1..60"\n')
    done = held(
        tmp_path,
        *("sweep", "hup.toml", "--quiet"),
        then=lambda process: process.send_signal(signal.SIGHUP),
        before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # as nohup does
    )
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, ["60 runs in hup.results"])
    assert "interrupted" not in done.stderr


def test_what_is_not_to_be_left_half_done_is_interrupted_at_its_end() -> None:
    from farlink.system import interrupts

    done = []
    with pytest.raises(interrupts.Interrupt), interrupts.Deferred():
        interrupts.keep_signal(signal.SIGINT)
        interrupts.interrupt()
        done.append("whole")
    assert done == ["whole"]
    with interrupts.Deferred():
        pass
    with pytest.raises(interrupts.Interrupt):
        interrupts.interrupt()
    interrupts._received.clear()
