"""Runs that would not end: an event limit and Ctrl-C stop them, within any slice of simulated time."""

import re
import subprocess
import sys
from pathlib import Path

import farlink as fl
import pytest
from conftest import PATIENCE_S, Cli, Clock
from farlink.cli import terminal
from farlink.execution import estimate

# A thousand sources of a packet per nanosecond: 10 ms hold ten billion events.
FLOOD = """
[[flows]]
label = "flood{number}"
from = "ground"
to = "remote"
application = {{ name = "constant_bit_rate", rate = "1000 Gbit/s", packet_size = "1 B" }}
"""


@pytest.fixture
def endless(link: Path) -> Path:
    link.write_text(link.read_text() + "".join(FLOOD.format(number=number) for number in range(1000)))
    return link


def test_a_run_stops_at_its_event_limit_and_nothing_of_it_is_written(endless: Path, farlink: Cli) -> None:
    done = farlink("run", endless, "--max-events", 20_000, "--out", "kept", "--pcap", "run.pcap", "--json")
    assert done.returncode == 1
    assert done.stdout == ""
    warning, message, nothing = done.stderr.split("\n")
    assert "warning" in warning
    assert message.startswith("farlink: link: seed 7: stopped after 20000 events at t = ")
    assert " s of 5 s" in message
    assert nothing == ""
    assert sorted(path.name for path in endless.parent.iterdir()) == [endless.name]


def test_a_run_that_needs_no_more_than_its_limit_is_complete(link: Path) -> None:
    whole = fl.load(link).run()
    events = whole.document["engine"]["events"]
    assert fl.load(link).run(max_events=events).flows.equals(whole.flows)
    with pytest.raises(fl.EventLimitError, match=f"stopped after {events - 1} events"):
        fl.load(link).run(max_events=events - 1)
    for impossible in (0, 2**64, 2**70):
        with pytest.raises(fl.UsageError, match=f"max_events = {impossible}: give a number of events from 1 to"):
            fl.load(link).run(max_events=impossible)


def test_ctrl_c_ends_a_run_whose_first_slice_has_no_end(endless: Path) -> None:
    def press(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(fl.Interrupted):
        fl.load(endless).run(progress=press)


@pytest.mark.parametrize("command", ["sweep", "tune"])
def test_a_sweep_and_a_tuning_end_at_the_limit_of_a_run_and_keep_the_others(
    link: Path, farlink: Cli, command: str
) -> None:
    short, long = (fl.load(link).set("duration", f"{s} s").run().document["engine"]["events"] for s in (1, 20))
    limit = (short + long) // 2
    if command == "sweep":
        Path(link.parent, "s.toml").write_text(
            'scenario = "link.toml"\nseeds = "1..2"\n[cross]\nduration = ["1 s", "20 s"]\n'
        )
        arguments: tuple[object, ...] = ("sweep", "s.toml", "--jobs", 1)
    else:
        arguments = ("tune", "link.toml", "--param", "duration=1 s,20 s", "--seeds", "1..4", "--jobs", 1)
    done = farlink(*arguments, "--out", "kept", "--max-events", limit)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("farlink: link: seed 1: stopped after ")
    runs = farlink("export", "kept").stdout.splitlines()
    assert len(runs) >= 1
    assert all("stopped" not in run for run in runs)


def test_check_and_run_estimate_and_warn_above_a_bound(endless: Path, farlink: Cli) -> None:
    done = farlink("check", endless)
    assert done.returncode == 0
    assert re.search(r"valid; 5 s, about \de\d+ events, \S+ [kMGT]B of memory, flows: transfer, ", done.stdout)
    warning = (
        "farlink: warning: .*: about .* events, more than 1e10: flow `flood\\d+` sends up to .* packets; lower flows"
    )
    assert re.match(warning, done.stderr)
    assert len(done.stderr.splitlines()) == 1
    above = ("--warn-above", "1e15", "--warn-above", "1000 GB")
    assert farlink("check", endless, *above).stderr == ""
    stopped = farlink("run", endless, "--max-events", 1000)
    first, second = stopped.stderr.splitlines()
    assert re.match(warning, first)
    assert "stopped after 1000 events" in second
    assert "more than 1e15" not in farlink("run", endless, "--max-events", 1000, *above).stderr


def test_a_bound_is_a_number_or_a_size(link: Path, farlink: Cli) -> None:
    done = farlink("check", link, "--warn-above", 10, "--warn-above", "1 kB")
    events, memory = done.stderr.splitlines()
    assert "events, more than 1e1" in events
    assert "of memory, more than 1 kB" in memory
    for wrong in ("much", "5 s", "0", "nan", "-1"):
        done = farlink("check", link, "--warn-above", wrong)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_a_sweep_and_a_tuning_warn_once(link: Path, farlink: Cli) -> None:
    Path(link.parent, "s.toml").write_text(
        'scenario = "link.toml"\nseeds = "1..2"\n[cross]\nduration = ["1 s", "2 s"]\n'
    )
    tuning = ("tune", "link.toml", "--param", "flows.0.tcp.max_window=1..9 packets", "--trials", 2, "--seeds", "1..4")
    for command in (("sweep", "s.toml"), tuning):
        lines = farlink(*command, "--warn-above", 10, "--out", f"of_{command[0]}").stderr.splitlines()
        assert sum("farlink: warning: " in line for line in lines) == 1


def test_what_cannot_be_allocated_is_refused_before_the_run(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "available", lambda: 1000.0)
    fl.load(link).run()  # this little is not asked for
    monkeypatch.setattr(estimate, "FITS", 0.0)
    with pytest.raises(fl.MemoryLimitError, match="of memory are needed and 1 kB are free: "):
        fl.load(link).run()


def test_a_run_ends_before_the_memory_is_used_up(link: Path, tmp_path: Path) -> None:
    """A queue without limit and a source that fills it: under `ulimit -v` an allocation would abort the process."""
    resource = pytest.importorskip("resource")
    flooded = link.read_text().replace("50 packets", "1000000000 packets") + FLOOD.format(number=0)
    link.write_text(flooded.replace('duration = "5 s"', 'duration = "600 s"'))
    limit = 1 << 30
    command = [sys.executable, "-m", "farlink", "run", str(link), "--out", str(tmp_path / "kept")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("farlink: link: stopped, for the memory is used up")
    assert not (tmp_path / "kept").exists()


def test_a_run_shows_simulated_time_per_second_and_the_time_left(
    capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    with terminal.progress("link", simulated_s=600.0) as report:
        assert report is not None
        for clock.now_s, share in ((10.0, 0.0), (20.0, 0.25)):
            report(share)
    lines = ["link: 0 %, 0 s simulated per s", "link: 25 %, 7.5 s simulated per s, 0:01:00 left", "link: 100 %"]
    assert capsys.readouterr().err.splitlines() == lines
    with terminal.progress("link", quiet=True, simulated_s=600.0) as report:
        assert report is None


def test_a_duration_that_does_not_fit_the_clock_is_refused_in_one_line(farlink: Cli) -> None:
    done = farlink("check", "frn", "--set", "radio.mac.minislot=1000000000 s")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("farlink: frn:")
    assert "a slot of" in done.stderr
    assert "Traceback" not in done.stderr
