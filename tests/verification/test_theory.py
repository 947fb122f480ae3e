"""Farlink against what can be derived on paper; docs/verification/theory.md says what each formula assumes.

Everywhere: one flow, an ACK for every segment, a link so fast that only the window decides. What is compared is
the mean window in segments: goodput times round-trip time.
"""

import functools
import itertools
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import farlink
import pytest

SEGMENT = 1448
RTT_S = {"reno": 0.1, "hybla": 0.025}  # Hybla's reference round-trip time RTT0: its window is Reno's there.


@dataclass(frozen=True)
class Sample:
    time_s: float
    delivered: float
    cwnd: float
    rto_s: float


def transfer(
    folder: Path, duration_s: float, error: str, *, variant: str = "reno", rho: float = 1, ssthresh: float
) -> tuple:
    """The flow's row, and its samples, one per round trip, which is `rho` times the variant's."""
    rtt_s = RTT_S[variant] * rho
    path = folder / "theory.toml"
    path.write_text(f"""
name = "theory"
duration = "{math.ceil(duration_s * 1000)} ms"
seed = 1
nodes = [{{ name = "from" }}, {{ name = "to" }}]

[[links]]
between = ["from", "to"]
rate = "10 Gbit/s"
delay = "{rtt_s * 500} ms"
queue = {{ name = "drop_tail", limit = "1000000 packets" }}
error = {error}
reverse = {{ error = "none" }}

[[flows]]
from = "from"
to = "to"
application = "bulk"
[flows.tcp]
congestion_control = "{variant}"
recovery = "sack"
segment_size = "{SEGMENT} B"
delayed_ack = "off"
min_rto = "200 ms"
initial_ssthresh = "{max(2, round(ssthresh))} packets"
max_window = "1000000 packets"
receive_buffer = "1 GB"

[record]
interval = "{rtt_s * 1000} ms"
""")
    run = farlink.load(path).run()
    series = run.series.to_pydict()
    names = ("time_s", "snd_una_bytes", "cwnd_segments", "rto_s")
    samples = [Sample(time, una / SEGMENT, *rest) for time, una, *rest in zip(*map(series.get, names), strict=True)]
    return run.flows.to_pylist()[0], samples


def periodic_window(folder: Path, variant: str, gap: int, cycles: int, rho: float = 1) -> float:
    """Mean window over `cycles` whole sawteeth, when every `gap`-th data packet is lost; at `rho` times RTT0."""
    # A loss every 1/p packets makes a sawtooth from sqrt(2/(3p)) to twice that, which lasts as many round trips;
    # with rho it is rho times as high and lasts a rho-th of the round trips.
    half = math.sqrt(2 * gap / 3)
    # Slow start leads to its top, where the first loss is. Hybla takes a known threshold times rho.
    first = math.ceil(6 * half * rho)
    losses = [first + gap * k for k in range(cycles + 1)]
    rtt_s = RTT_S[variant] * rho
    duration_s = (cycles * (half / rho + 4) + 40) * rtt_s
    error = f'{{ name = "list", packets = {losses}, data_only = true }}'
    _, samples = transfer(folder, duration_s, error, variant=variant, rho=rho, ssthresh=2 * half)
    cuts = [after for before, after in itertools.pairwise(samples) if after.cwnd < 0.7 * before.cwnd]
    first, last = cuts[0], cuts[cycles]
    return (last.delivered - first.delivered) / (last.time_s - first.time_s) * rtt_s


def sawtooth_window(gap: int, cycles: int, rho: float = 1) -> float:
    """The same by RFC 5681, RFC 6675 and Hybla's growth on paper: whole packets, whole round trips."""
    cwnd = rho * math.sqrt(2 * gap / 3)
    sent = delivered = 0
    flight: list[str] = []
    outstanding = duplicates = 0
    repairing = hole = False
    marks: list[tuple[int, int]] = []

    def send(kind: str) -> None:
        nonlocal sent, outstanding
        sent += 1
        outstanding += 1
        flight.append("lost" if sent % gap == 0 else kind)

    round_trip = 0
    while len(marks) <= cycles:
        arrivals, flight = flight, []
        round_trip += 1
        if not arrivals:
            send("new")
        for packet in arrivals:
            if packet == "lost":
                hole, duplicates = True, 0
                continue
            outstanding -= 1
            delivered += 1
            if repairing and packet == "repair":
                repairing = hole = False
            elif hole and not repairing:
                duplicates += 1
                if duplicates < 3:  # limited transmit: on top of the window
                    send("new")
                    continue
                # The third: what limited transmit sent is not in FlightSize, what was SACKed still is.
                cwnd = (outstanding + 3 - 2) / 2
                outstanding -= 1
                repairing = True
                marks.append((round_trip, delivered))
                send("repair")
            elif not hole:
                cwnd += rho**2 / cwnd
            while outstanding < math.floor(cwnd):
                send("new")
    (begin, before), (end, after) = marks[0], marks[cycles]
    return (after - before) / (end - begin)


@pytest.mark.parametrize("variant", ["reno", "hybla"])
@pytest.mark.parametrize(("gap", "cycles"), [(10**4, 20), (10**5, 6), (10**6, 2), (10**7, 1)])
def test_periodic_loss_gives_sqrt_3_over_2p_over_three_decades(variant, gap, cycles, tmp_path):
    window = periodic_window(tmp_path, variant, gap, cycles)
    assert window == pytest.approx(math.sqrt(1.5 * gap), rel=0.03)


@pytest.mark.parametrize("variant", ["reno", "hybla"])
@pytest.mark.parametrize(("gap", "cycles"), [(100, 60), (300, 60), (1000, 60), (10**4, 20), (10**5, 6)])
def test_periodic_loss_gives_the_sawtooth_of_whole_packets_and_round_trips(variant, gap, cycles, tmp_path):
    window = periodic_window(tmp_path, variant, gap, cycles)
    assert window == pytest.approx(sawtooth_window(gap, cycles), rel=0.01)


@pytest.mark.parametrize(("gap", "cycles", "rho"), [(10**4, 20, 4), (10**5, 6, 4), (10**5, 12, 12)])
def test_hybla_far_from_rtt0_gives_the_sawtooth_that_grows_by_rho_squared(gap, cycles, rho, tmp_path):
    window = periodic_window(tmp_path, "hybla", gap, cycles, rho)
    assert window == pytest.approx(sawtooth_window(gap, cycles, rho), rel=0.01)


@dataclass(frozen=True)
class Random:
    """What one run with independent losses gave."""

    window: float
    loss_events: int
    timeout_rtts: float


LOSS_EVENTS = {3e-2: 3000, 1e-2: 3000, 3e-3: 3000, 1e-3: 4000, 3e-4: 3000, 1e-4: 1000}


@pytest.fixture(scope="module")
def random_loss(tmp_path_factory) -> Callable[[float], Random]:
    @functools.cache
    def measured(loss: float) -> Random:
        window = 1.31 / math.sqrt(loss)
        duration_s = LOSS_EVENTS[loss] / loss / window * RTT_S["reno"]
        error = f'{{ name = "packet_error_rate", rate = {loss} }}'
        flow, samples = transfer(tmp_path_factory.mktemp("random"), duration_s, error, ssthresh=window)
        return Random(
            window=flow["packets_delivered"] / duration_s * RTT_S["reno"],
            loss_events=flow["fast_retransmits"] + flow["timeouts"],
            timeout_rtts=statistics.median(sample.rto_s for sample in samples) / RTT_S["reno"],
        )

    return measured


@pytest.mark.parametrize("loss", [1e-3, 3e-4, 1e-4])
def test_random_loss_gives_1_31_over_sqrt_p(loss, random_loss):
    measured = random_loss(loss)
    assert measured.loss_events >= 300
    assert measured.window == pytest.approx(1.31 / math.sqrt(loss), rel=0.05)


def pftk_window(p: float, timeout_rtts: float) -> float:
    """Padhye, Firoiu, Towsley, Kurose, SIGCOMM 1998, equation 30 with b = 1 and no limit on the window: packets
    per round trip."""
    window = 1 + math.sqrt(8 * (1 - p) / (3 * p) + 1)
    after_three = (1 - p) ** 3
    by_timeout = (1 - after_three) * (1 + after_three * (1 - (1 - p) ** (window - 3))) / (1 - (1 - p) ** window)
    by_timeout = min(1, by_timeout)
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    packets = (1 - p) / p + window + by_timeout / (1 - p)
    return packets / (window / 2 + 1 + by_timeout * backoff * timeout_rtts / (1 - p))


@pytest.mark.parametrize("loss", LOSS_EVENTS)
def test_random_loss_is_within_15_percent_of_full_pftk(loss, random_loss):
    measured = random_loss(loss)
    assert measured.loss_events >= 300
    assert measured.window == pytest.approx(pftk_window(loss, measured.timeout_rtts), rel=0.15)
