"""Farlink beside recordings of the kernel's TCP (tests/linux/README.md)."""

import math
import shutil
import statistics

import namespaces
import pytest
import recordings
from compare import compare_all, kernels, tables
from comparison import Comparison
from scenarios import SCENARIOS

PATHS = sorted(recordings.FOLDER.glob("*/*.parquet"))
CONTROLS = ("cubic", "reno", "bbr")
LOSSY = ["lossy1", "lossy2", "lossy3"]
SATELLITES = ["satellite", "satellite_loss1", "satellite_loss2", "satellite_loss3"]
AT_EQUAL_TIME = [
    ("satellite", "cubic"),
    ("satellite_loss1", "cubic"),
    ("satellite_loss1", "reno"),
    ("satellite_loss2", "cubic"),
    ("satellite_loss2", "reno"),
    ("satellite_loss3", "cubic"),
    ("satellite_loss3", "reno"),
    ("access_one", "cubic"),
    ("access_one", "reno"),
]
AT_EQUAL_BYTES = [(name, control) for name in LOSSY for control in ("cubic", "reno")]
"""The repetitions of the kernel drift apart in time there."""
RECORDED = sorted({path.parent.name for path in PATHS}, key=list(SCENARIOS).index)
GROUPS = [(name, control) for name in RECORDED for control in CONTROLS]
MISSED = {
    ("satellite", "reno"): {"window replayed", "goodput own", "goodput replayed"},
    ("satellite", "bbr"): {"goodput own", "goodput replayed", "retransmissions own"},
    ("satellite_loss1", "bbr"): {
        "goodput own", "goodput replayed", "retransmissions own", "retransmissions replayed",
    },
    ("satellite_loss2", "bbr"): {
        "goodput own", "goodput replayed", "retransmissions own", "retransmissions replayed", "retransmissions hosts",
    },
    ("satellite_loss3", "bbr"): {
        "window replayed", "window own at equal time", "goodput own", "goodput replayed",
    },
    ("satellite_default_buffers", "cubic"): {
        "window replayed", "window own at equal time", "window own at equal bytes", "goodput own", "goodput replayed",
    },
    ("satellite_default_buffers", "reno"): {
        "window own at equal bytes", "retransmissions own", "retransmissions replayed",
    },
    ("satellite_default_buffers", "bbr"): {"goodput own", "goodput replayed"},
    ("access_two", "cubic"): {"window replayed"},
    ("access_two", "reno"): {"window replayed", "window own at equal time"},
    ("access_two", "bbr"): {"retransmissions own", "retransmissions replayed", "retransmissions hosts"},
}  # fmt: skip
"""Bounds that do not hold; docs/verification/linux.md names the causes."""


def path_id(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(params=PATHS, ids=path_id)
def recording(request) -> recordings.Recording:
    return recordings.read(request.param)


def test_a_recording_is_small():
    assert PATHS
    assert max(path.stat().st_size for path in PATHS) < 80_000


def test_the_recorded_link_had_its_delay(recording):
    scenario = recording.facts["scenario"]
    samples = recording.samples(0)
    # A data packet and its ACK; the handshake, and RTTs by timestamps of 1 ms, may be shorter.
    propagation_us = 2000 * scenario["delay_ms"]
    transmission_us = (1500 + 52) * 8e6 / scenario["rate_bps"]
    assert propagation_us <= samples["min_rtt_us"][-1] < propagation_us + transmission_us + 1000


def test_the_recorded_link_lost_the_listed_packets(recording):
    events = recording.table.filter(recordings.pc.field("event") == "loss")
    sent = recording.facts["link"]["data"]["data_packets"]
    assert events["packet"].to_pylist() == [number for number in recording.facts["losses"] if number <= sent]
    assert recording.facts["device_drops"] == 0


@pytest.mark.parametrize("name", ["satellite", "access_one"])
def test_the_recorded_link_had_its_rate(name):
    rate = SCENARIOS[name].rate_bps
    for path in PATHS:
        if path.parent.name == name and path.stem.startswith("cubic"):
            samples = recordings.read(path).samples(0)
            time_us, delivered = samples["time_us"], samples["delivered"]
            # The last third: the queue is never empty there.
            busy = time_us > 40_000_000
            bits = 8 * 1500 * (delivered[busy][-1] - delivered[busy][0])
            assert bits / (time_us[busy][-1] - time_us[busy][0]) == pytest.approx(rate / 1e6, rel=0.005)


@pytest.fixture(scope="module")
def compared() -> dict[str, dict[str, Comparison]]:
    found = compare_all(sorted(RECORDED), CONTROLS, recordings.FOLDER, ())
    print(kernels(found), tables(found), sep="\n\n")
    return found


@pytest.mark.parametrize(("name", "control"), GROUPS)
def test_every_bound_holds_but_for_those_named_on_the_page(compared, name, control):
    assert missed(compared[name][control], name, control) == MISSED.get((name, control), set())


def missed(comparison: Comparison, name: str, control: str) -> set[str]:
    """Which bounds do not hold, of means over all runs.

    With the exit replayed the window of cubic and reno is within 5 %, over lossy links at equal bytes. Without, it is
    within the kernel's distance from itself plus 5 %; that of BBR, replayed or not, plus 10 %. Goodput is within 2 %,
    retransmissions within 10 % or the kernel's spread; those of BBR also with hosts that take time.
    """
    margin = 10 if control == "bbr" else 5
    rms = {alignment: comparison.rms(alignment) for alignment in ("time", "bytes")}
    # A single run has no distance from itself.
    spread = {key: 0 if math.isnan(each["kernel"]) else each["kernel"] for key, each in rms.items()}
    chosen = "bytes" if name in LOSSY else "time"
    bound = spread[chosen] + margin if control == "bbr" else margin
    found = {
        "window replayed": rms[chosen]["replayed"] > bound,
        "window own at equal time": rms["time"]["own"] > spread["time"] + margin,
        "window own at equal bytes": rms["bytes"]["own"] > spread["bytes"] + margin,
    }
    rates, repeated = comparison.goodput_mbps(), comparison.retransmissions()
    rate, expected = statistics.fmean(rates["kernel"]), statistics.fmean(repeated["kernel"])
    most = max(0.1 * expected, max(repeated["kernel"]) - min(repeated["kernel"]))
    for key in ("own", "replayed", "hosts") if control == "bbr" else ("own", "replayed"):
        found[f"goodput {key}"] = abs(statistics.fmean(rates[key]) - rate) > 0.02 * rate
        found[f"retransmissions {key}"] = abs(statistics.fmean(repeated[key]) - expected) > most
    return {each for each, is_missed in found.items() if is_missed}


@pytest.mark.parametrize(("name", "control"), AT_EQUAL_TIME)
def test_with_its_exit_from_slow_start_the_window_follows_the_kernel(compared, name, control):
    comparison = compared[name][control]
    assert comparison.rms("time")["replayed"] < 5
    assert_same_totals(comparison, goodput=0.005, retransmissions=0.05 if name == "access_one" else 0.02)


@pytest.mark.parametrize(("name", "control"), AT_EQUAL_BYTES)
def test_over_a_lossy_link_the_window_follows_the_kernel_at_equal_bytes(compared, name, control):
    comparison = compared[name][control]
    assert comparison.rms("bytes")["own"] < 4
    assert_same_totals(comparison, goodput=0.01, retransmissions=0.03)


@pytest.mark.parametrize("name", LOSSY)
def test_bbr_has_the_kernels_totals_over_a_lossy_link(compared, name):
    assert_same_totals(compared[name]["bbr"], goodput=0.005, retransmissions=0.01)


@pytest.mark.parametrize("name", SATELLITES)
def test_bbr_on_hosts_that_take_time_stays_in_the_kernels_spread_over_a_satellite_link(compared, name):
    comparison = compared[name]["bbr"]
    rms = comparison.rms("bytes")
    assert rms["hosts"] < rms["kernel"] + 5
    # STARTUP's overshoot differs over `satellite_loss2`.
    repeated = None if name == "satellite_loss2" else 0.03
    assert_same_totals(comparison, goodput=0.02, retransmissions=repeated, key="hosts")


def test_a_send_buffer_limits_as_the_kernels_does(compared):
    comparisons = compared["satellite_default_buffers"]
    assert comparisons["reno"].rms("time")["own"] < 3
    assert_same_totals(comparisons["reno"], goodput=0.03, retransmissions=None)
    # The bound of 2 % is missed without hosts that take time.
    assert_same_totals(comparisons["bbr"], goodput=0.05, retransmissions=None)
    assert_same_totals(comparisons["bbr"], goodput=0.02, retransmissions=None, key="hosts")
    # Of the kernel's repetitions one has a quarter of the goodput of the others.
    rates = comparisons["cubic"].goodput_mbps()
    assert min(rates["kernel"]) < rates["own"][0] < max(rates["kernel"])


@pytest.mark.parametrize(("name", "control"), GROUPS)
def test_the_receiver_sends_as_many_acks_as_the_kernels(compared, name, control):
    acks = compared[name][control].acks_per_segment()
    side = "hosts" if control == "bbr" else "replayed"
    assert statistics.fmean(acks[side]) == pytest.approx(statistics.fmean(acks["kernel"]), rel=0.05)


def assert_same_totals(comparison: Comparison, goodput: float, retransmissions: float | None, key: str = "own") -> None:
    """Of all runs on average."""
    rates, repeated = comparison.goodput_mbps(), comparison.retransmissions()
    assert statistics.fmean(rates[key]) == pytest.approx(statistics.fmean(rates["kernel"]), rel=goodput)
    if retransmissions is None:
        return
    expected = statistics.fmean(repeated["kernel"])
    assert statistics.fmean(repeated[key]) == pytest.approx(expected, rel=retransmissions)


def test_hystart_leaves_slow_start_within_the_range_of_the_recorded_exits(compared):
    found = [each for controls in compared.values() for each in exits_beside(controls["cubic"].exits(), "on its host")]
    recorded = [(own, exits) for own, exits, kernel in found if kernel is not None]
    met = [min(exits) <= own <= max(exits) for own, exits in recorded]
    assert (sum(met), len(met)) == (21, 21), recorded
    # No exit either where a loss ends the kernel's slow start.
    assert [own for own, _, kernel in found if kernel is None] == [None] * 12


def test_hystart_leaves_slow_start_within_three_segments_of_most_recorded_exits(compared):
    found = [each for controls in compared.values() for each in exits_beside(controls["cubic"].exits(), "own")]
    met = [abs(own - kernel) <= 3 for own, _, kernel in found if kernel is not None]
    # 7 245 is not met, nor are those with default buffers, which differ from each other by thousands.
    assert (sum(met), len(met)) == (17, 21), found


def exits_beside(exits, side):
    """Of each recording and flow: Farlink's exit, all recorded exits of that flow, and its own."""
    kernel = exits["kernel"]
    ours = exits[side] if len(exits[side]) == len(kernel) else exits[side] * len(kernel)
    for own, run in zip(ours, kernel, strict=True):
        for flow, (left, recorded) in enumerate(zip(own, run, strict=True)):
            yield left, [each[flow] for each in kernel if each[flow] is not None], recorded


def test_exits_are_those_found_while_recording(recording):
    found = recording.facts["hystart_exits"]
    assert recording.facts["congestion_control"] != "cubic" or recording.exits() == found


def test_a_recording_of_another_kernel_is_made_anew(monkeypatch, tmp_path, capsys):
    path = recordings.path_of(tmp_path, "lossy1", "reno", 1)
    assert not recordings.is_kept(path)
    path.parent.mkdir()
    shutil.copy(recordings.path_of(recordings.FOLDER, "lossy1", "reno", 1), path)
    recorded = recordings.read(path).facts["kernel"]
    monkeypatch.setattr(namespaces, "kernel", lambda: recorded)
    assert recordings.is_kept(path)
    assert not capsys.readouterr().out
    monkeypatch.setattr(namespaces, "kernel", lambda: "Linux 9.9.9 x86_64")
    assert not recordings.is_kept(path)
    assert recorded in capsys.readouterr().out
