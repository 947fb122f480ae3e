"""Runs that would not end: an event limit and Ctrl-C stop them, within any slice of simulated time."""

from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli

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
    message, nothing = done.stderr.split("\n")
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
    with pytest.raises(fl.UsageError, match="max_events = 0"):
        fl.load(link).run(max_events=0)


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
