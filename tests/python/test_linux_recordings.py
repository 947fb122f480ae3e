"""Farlink beside recordings of the kernel's TCP (tests/linux/README.md)."""

import math
import shutil
import statistics

import namespaces
import pytest
import recordings
from compare import compare_all, kernels, medians_of, tables
from comparison import Comparison
from scenarios import SCENARIOS

pytestmark = pytest.mark.slow

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
GROUPS = [(name, control) for name in SCENARIOS for control in CONTROLS]
HELD_OUT = [
    "long", "deep_buffer", "shallow_buffer", "asymmetric", "four_flows", "default_buffers", "codel", "codel_ecn",
    "short_flows",
]  # fmt: skip
"""Recorded after preset `linux` had been compared with the others."""
HOSTS = {"cubic": "on its host", "reno": "on its host", "bbr": "hosts"}
"""The hosts that take time: as measured in the recording, or `host_delay = "linux_vm"`."""
MISSED: dict[tuple[str, str], tuple[str, dict[str, float]]] = {
    ("satellite", "reno"): (
        "the queue holds what the overshoot leaves: one recording halves its window twice more",
        {"window replayed": 29.0, "goodput replayed": 16.3, "goodput own": 16.3, "goodput on its host": 16.3},
    ),
    ("satellite", "bbr"): (
        "an ideal host",
        {"goodput replayed": -5.6, "goodput own": -5.7},
    ),
    ("satellite_loss1", "bbr"): (
        "an ideal host",
        {"goodput replayed": -3.1, "goodput own": -4.5},
    ),
    ("satellite_loss2", "bbr"): (
        "the kernel offers a smaller window until its reader has taken what waited",
        {
            "goodput replayed": -3.7,
            "retransmissions replayed": 55.1,
            "goodput own": -3.9,
            "retransmissions own": 52.5,
            "retransmissions hosts": 53.7,
        },
    ),
    ("satellite_loss3", "bbr"): (
        "an ideal host",
        {
            "window replayed": 51.0,
            "window own at equal time": 42.9,
            "goodput replayed": -3.2,
            "retransmissions replayed": -32.4,
            "goodput own": -5.6,
        },
    ),
    ("satellite_default_buffers", "cubic"): (
        "the exits of the recordings differ by thousands of segments",
        {
            "window replayed": 17.8,
            "window own at equal time": 25.7,
            "window own at equal bytes": 23.9,
            "goodput replayed": 18.7,
            "goodput own": 22.5,
            "goodput on its host": 22.5,
        },
    ),
    ("satellite_default_buffers", "reno"): (
        "an ideal host writes the burst that overflows the queue at once",
        {
            "window own at equal bytes": 8.7,
            "retransmissions replayed": 21.8,
            "retransmissions own": 21.8,
            "retransmissions on its host": 21.3,
        },
    ),
    ("satellite_default_buffers", "bbr"): (
        "an ideal host",
        {"goodput replayed": -4.3, "goodput own": -4.3},
    ),
    ("access_two", "cubic"): (
        "one packet decides which flow loses",
        {"window replayed": 21.5},
    ),
    ("access_two", "reno"): (
        "one packet decides which flow loses",
        {"window replayed": 25.3, "window own at equal time": 25.3},
    ),
    ("long", "bbr"): (
        "an ideal host",
        {"goodput replayed": -2.2, "goodput own": -2.2},
    ),
    ("shallow_buffer", "cubic"): (
        "an ideal host: on its host one packet is lost at an overflow instead of two",
        {
            "window replayed": 7.4,
            "window own at equal time": 7.4,
            "window own at equal bytes": 8.3,
            "retransmissions replayed": 18.6,
            "retransmissions own": 18.6,
        },
    ),
    ("shallow_buffer", "reno"): (
        "one packet more or less at each of ten overflows",
        {"window replayed": 16.3, "retransmissions on its host": -16.0},
    ),
    ("asymmetric", "cubic"): (
        "not examined: totals are met",
        {"window replayed": 5.7},
    ),
    ("asymmetric", "reno"): (
        "not examined: totals are met",
        {"window replayed": 12.4},
    ),
    ("asymmetric", "bbr"): (
        "the phase in which PROBE_BW begins is random",
        {"retransmissions replayed": 1309.0, "retransmissions hosts": 2130.8},
    ),
    ("four_flows", "cubic"): (
        "one packet decides which flow loses",
        {"window replayed": 27.9},
    ),
    ("four_flows", "reno"): (
        "one packet decides which flow loses",
        {"window replayed": 35.4},
    ),
    ("codel", "cubic"): (
        "not examined: totals are met",
        {"window replayed": 9.3, "window own at equal bytes": 12.0},
    ),
    ("codel", "reno"): (
        "not examined: totals are met",
        {"window replayed": 5.6},
    ),
    ("codel", "bbr"): (
        "an ideal host: a stall makes ACKs arrive in a clump, and `linux_vm` has those of other recordings",
        {"retransmissions own": -71.4, "retransmissions hosts": 111.1},
    ),
    ("codel_ecn", "cubic"): (
        "not examined: totals are met",
        {"window replayed": 6.4},
    ),
    ("codel_ecn", "reno"): (
        "not examined: totals are met",
        {"window replayed": 13.4, "window own at equal time": 13.4},
    ),
}
"""Bounds that do not hold: the cause, and by how much (`missed`)."""


def path_id(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(params=PATHS, ids=path_id)
def recording(request) -> recordings.Recording:
    return recordings.read(request.param)


def test_a_recording_is_small():
    assert max(path.stat().st_size / len(recordings.read(path).facts["received_bytes"]) for path in PATHS) < 80_000


def test_every_scenario_is_recorded_as_often_as_it_says():
    expected = [
        recordings.path_of(recordings.FOLDER, scenario.name, control, repetition)
        for scenario in SCENARIOS.values()
        for control in CONTROLS
        for repetition in range(1, scenario.repetitions + 1)
    ]
    assert sorted(expected) == PATHS


def test_the_recorded_link_had_its_delay(recording):
    scenario = recording.facts["scenario"]
    samples = recording.samples(0)
    # A data packet and its ACK; the handshake, and RTTs by timestamps of 1 ms, may be shorter.
    propagation_us = 2000 * scenario["delay_ms"]
    transmission_us = 8e6 * (1500 / scenario["rate_bps"] + 52 / (scenario.get("ack_rate_bps") or scenario["rate_bps"]))
    assert propagation_us <= samples["min_rtt_us"][-1] < propagation_us + transmission_us + 1000


def test_the_recorded_link_lost_the_listed_packets(recording):
    events = recording.table.filter(recordings.pc.field("event") == "loss")
    scenario = SCENARIOS[recording.facts["scenario"]["name"]]
    sent = recording.facts["link"]["data"]["data_packets"]
    for link in range(scenario.links):
        lost = [packet for packet, flow in zip(events["packet"].to_pylist(), events["flow"].to_pylist(), strict=True)
                if scenario.links == 1 or flow == link]  # fmt: skip
        most = sent if scenario.links == 1 else recording.facts["data_segments_sent"][link]
        assert lost == [number for number in scenario.losses_on(link) if number <= most]
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
    found = compare_all(list(SCENARIOS), CONTROLS, recordings.FOLDER, on_hosts=("bbr",))
    print(kernels(found), tables(found), sep="\n\n")
    return found


@pytest.mark.parametrize(("name", "control"), GROUPS)
def test_every_bound_holds_but_for_those_listed(compared, name, control):
    _, listed = MISSED.get((name, control), ("", {}))
    found = missed(compared[name][control], name, control)
    assert found.keys() == listed.keys(), found
    assert found == pytest.approx(listed, rel=0.1, abs=0.3)


@pytest.mark.parametrize("control", CONTROLS)
def test_goodput_and_retransmissions_are_the_kernels_on_links_recorded_afterwards(compared, control):
    """On ideal hosts, or on hosts that take time; BBR also with the recorded handshake and stalls."""
    found = {name for name in HELD_OUT if not has_totals_of_the_kernel(compared[name][control], name, control)}
    assert found == set()


def has_totals_of_the_kernel(comparison: Comparison, name: str, control: str) -> bool:
    found = missed(comparison, name, control)
    sides = {"own", HOSTS[control]} | ({"replayed"} if control == "bbr" else set())
    return any(not {f"goodput {side}", f"retransmissions {side}"} & found.keys() for side in sides)


def missed(comparison: Comparison, name: str, control: str) -> dict[str, float]:
    """Which bounds do not hold, of means over all runs: errors of windows, and what totals differ by, in per cent.

    With the exit replayed the window of cubic and reno is within 5 %, over lossy links at equal bytes. Without, it is
    within the kernel's distance from itself plus 5 %; that of BBR, replayed or not, plus 10 %. Goodput is within 2 %,
    retransmissions within 10 % or the kernel's spread; also with hosts that take time.
    """
    found = {} if SCENARIOS[name].sizes else missed_windows(comparison, name, control)
    rates, repeated = comparison.goodput_mbps(), comparison.retransmissions()
    rate, expected = statistics.fmean(rates["kernel"]), statistics.fmean(repeated["kernel"])
    most = max(0.1 * expected, max(repeated["kernel"]) - min(repeated["kernel"]))
    for key in ("replayed", "own", HOSTS[control]):
        error = 100 * (statistics.fmean(rates[key]) / rate - 1)
        if abs(error) > 2:
            found[f"goodput {key}"] = error
        difference = statistics.fmean(repeated[key]) - expected
        if abs(difference) > most:
            # Of none there is no per cent.
            found[f"retransmissions {key}"] = 100 * difference / max(expected, 1)
    return found


def missed_windows(comparison: Comparison, name: str, control: str) -> dict[str, float]:
    margin = 10 if control == "bbr" else 5
    rms = {alignment: comparison.rms(alignment) for alignment in ("time", "bytes")}
    # A single run has no distance from itself.
    spread = {key: 0 if math.isnan(each["kernel"]) else each["kernel"] for key, each in rms.items()}
    chosen = "bytes" if name in LOSSY else "time"
    bounds = {
        "window replayed": (rms[chosen]["replayed"], spread[chosen] + margin if control == "bbr" else margin),
        "window own at equal time": (rms["time"]["own"], spread["time"] + margin),
        "window own at equal bytes": (rms["bytes"]["own"], spread["bytes"] + margin),
    }
    return {key: error for key, (error, bound) in bounds.items() if error > bound}


@pytest.mark.parametrize("control", CONTROLS)
def test_short_transfers_complete_when_the_kernels_do(compared, control):
    sizes = SCENARIOS["short_flows"].sizes
    comparison = compared["short_flows"][control]
    times = {
        key: [statistics.fmean(each) for each in zip(*runs, strict=True)]
        for key, runs in comparison.completion_s().items()
    }
    errors = [abs(own / kernel - 1) for own, kernel in zip(times["own"], times["kernel"], strict=True)]
    assert statistics.median(errors) < 0.02
    for size in sorted(set(sizes)):
        medians = medians_of(comparison, sizes, size)
        # 500 kB with cubic: +2.6 %.
        limit = 0.03 if (control, size) == ("cubic", 500_000) else 0.02
        assert medians["own"] == pytest.approx(medians["kernel"], rel=limit), size


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


@pytest.mark.parametrize(("name", "control"), [group for group in GROUPS if group[0] != "short_flows"])
def test_the_receiver_sends_as_many_acks_as_the_kernels(compared, name, control):
    acks = compared[name][control].acks_per_segment()
    side = "hosts" if control == "bbr" else "replayed"
    # Four flows of BBR, which retransmit 10 % of their data: +7.3 %.
    limit = 0.08 if (name, control) == ("four_flows", "bbr") else 0.05
    assert statistics.fmean(acks[side]) == pytest.approx(statistics.fmean(acks["kernel"]), rel=limit)


def assert_same_totals(comparison: Comparison, goodput: float, retransmissions: float | None, key: str = "own") -> None:
    """Of all runs on average."""
    rates, repeated = comparison.goodput_mbps(), comparison.retransmissions()
    assert statistics.fmean(rates[key]) == pytest.approx(statistics.fmean(rates["kernel"]), rel=goodput)
    if retransmissions is None:
        return
    expected = statistics.fmean(repeated["kernel"])
    assert statistics.fmean(repeated[key]) == pytest.approx(expected, rel=retransmissions)


def test_hystart_leaves_slow_start_within_the_range_of_the_recorded_exits(compared):
    found = exits_of(compared, "on its host")
    recorded = [(own, exits) for own, exits, kernel in found if kernel is not None]
    met = [min(exits) <= own <= max(exits) for own, exits in recorded]
    assert (sum(met), len(met)) == (35, 35), recorded
    # No exit either where a loss ends the kernel's slow start.
    assert [own for own, _, kernel in found if kernel is None] == [None] * 20


def test_hystart_leaves_slow_start_within_three_segments_of_most_recorded_exits(compared):
    found = exits_of(compared, "own")
    met = [abs(own - kernel) <= 3 for own, _, kernel in found if kernel is not None]
    # 7 245 is not met, nor are those with default buffers, which differ from each other by thousands.
    assert (sum(met), len(met)) == (31, 35), found


def exits_of(compared, side):
    """Without those of short transfers, whose recovery begins between two rows."""
    chosen = (controls["cubic"].exits() for name, controls in compared.items() if not SCENARIOS[name].sizes)
    return [each for exits in chosen for each in exits_beside(exits, side)]


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
