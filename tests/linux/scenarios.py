"""The scenarios: links, losses, flows and buffers."""

import random
from dataclasses import dataclass
from functools import cache

DURATION_S = 60
CONGESTION_CONTROLS = ("cubic", "reno", "bbr")
REPETITIONS = 3
PATTERNS = (1, 2, 3)
LARGE_BUFFER = 268_435_456
SIZES = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
"""Bytes of the short transfers."""


@dataclass(frozen=True)
class Scenario:
    """A link and the transfers over it."""

    name: str
    rate_bps: int
    delay_ms: int
    """One way."""
    queue_packets: int
    starts_s: tuple[int, ...] = (0,)
    """When each flow starts."""
    loss_rate: float = 0.0
    pattern: int = 0
    """The seed of the losses; 0: none."""
    buffer: int | None = LARGE_BUFFER
    """Largest send and receive buffer; None: the kernel's default."""
    ack_rate_bps: int | None = None
    """Rate of the way back; None: the same."""
    repetitions: int = REPETITIONS
    queue: str = "drop_tail"
    """Or `codel`, which controls both directions with the defaults of RFC 8289."""
    ecn: bool = False
    """The hosts request ECN, and CoDel marks."""
    sizes: tuple[int, ...] = ()
    """Bytes of each flow, which then has a link and losses of its own. Empty: they share one, and send without end."""

    @property
    def losses(self) -> tuple[int, ...]:
        """Numbers of the data packets that the shared link loses."""
        return () if self.sizes else self.losses_on(0)

    def losses_on(self, link: int) -> tuple[int, ...]:
        """Numbers of the data packets that a link loses, drawn per number: patterns of other lengths begin alike."""
        if not self.pattern:
            return ()
        most = 2 * self.sizes[link] if self.sizes else self.rate_bps * DURATION_S // 8
        return _drawn(self.pattern + link, most // 1500 + 1, self.loss_rate)

    @property
    def links(self) -> int:
        return len(self.sizes) or 1

    @property
    def back_bps(self) -> int:
        return self.ack_rate_bps or self.rate_bps

    @property
    def rtt_ms(self) -> int:
        return 2 * self.delay_ms


@cache
def _drawn(seed: int, packets: int, loss_rate: float) -> tuple[int, ...]:
    stream = random.Random(seed)
    return tuple(number for number in range(1, packets + 1) if stream.random() < loss_rate)


def _short_flows() -> Scenario:
    """Three transfers of each size; one begins every second, so that few run at a time."""
    sizes = SIZES * 3
    starts = tuple(range(len(sizes)))
    return Scenario(
        "short_flows", 10_000_000, 20, 100, starts, loss_rate=0.02, pattern=1, sizes=sizes, buffer=None, repetitions=2
    )


def _satellite(name: str, pattern: int = 0, buffer: int | None = LARGE_BUFFER) -> Scenario:
    return Scenario(name, 100_000_000, 300, 5000, loss_rate=1.2e-4 if pattern else 0.0, pattern=pattern, buffer=buffer)


_ALL = (
    _satellite("satellite"),
    *(_satellite(f"satellite_loss{pattern}", pattern) for pattern in PATTERNS),
    _satellite("satellite_default_buffers", buffer=None),
    Scenario("access_one", 10_000_000, 20, 100),
    Scenario("access_two", 10_000_000, 20, 100, starts_s=(0, 10)),
    *(Scenario(f"lossy{pattern}", 2_000_000, 50, 100, loss_rate=0.01, pattern=pattern) for pattern in PATTERNS),
    Scenario("long", 5_000_000, 200, 167, repetitions=2),
    Scenario("deep_buffer", 20_000_000, 30, 2000, repetitions=2),
    Scenario("shallow_buffer", 50_000_000, 25, 21, repetitions=2),
    Scenario("asymmetric", 20_000_000, 25, 100, ack_rate_bps=500_000, repetitions=2),
    Scenario("four_flows", 20_000_000, 25, 100, starts_s=(0, 2, 4, 6), repetitions=2),
    Scenario("default_buffers", 100_000_000, 50, 400, buffer=None, repetitions=2),
    Scenario("codel", 20_000_000, 20, 1000, queue="codel", repetitions=2),
    Scenario("codel_ecn", 20_000_000, 20, 1000, queue="codel", ecn=True, repetitions=2),
    _short_flows(),
)
SCENARIOS = {scenario.name: scenario for scenario in _ALL}
