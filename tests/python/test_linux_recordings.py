"""Farlink beside recordings of the kernel's TCP (tests/linux/README.md)."""

import statistics

import pytest
import recordings
from compare import compare_all, tables
from comparison import Comparison
from scenarios import SCENARIOS

PATHS = sorted(recordings.FOLDER.glob("*/*.parquet"))
WITHOUT_AUTOTUNING = (("receive_autotuning", "false"),)
FOLLOWED = [("satellite", "cubic"), ("satellite_loss3", "cubic"), ("satellite_loss3", "reno")]
"""What Farlink follows today if the receive window does not limit and HyStart's exit is given."""


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
def followed() -> dict[str, dict[str, Comparison]]:
    compared = compare_all([name for name, _ in FOLLOWED], ["cubic", "reno"], recordings.FOLDER, WITHOUT_AUTOTUNING)
    print(tables(compared))
    return compared


@pytest.mark.parametrize(("name", "control"), FOLLOWED)
def test_with_its_exit_from_slow_start_the_window_follows_the_kernel(followed, name, control):
    comparison = followed[name][control]
    assert comparison.rms("time")["replayed"] < 5
    goodput, retransmissions = comparison.goodput_mbps(), comparison.retransmissions()
    assert statistics.fmean(goodput["replayed"]) == pytest.approx(statistics.fmean(goodput["kernel"]), rel=0.02)
    expected = statistics.fmean(retransmissions["kernel"])
    assert statistics.fmean(retransmissions["replayed"]) == pytest.approx(expected, rel=0.1)
