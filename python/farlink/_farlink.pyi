"""The engine, as Python sees it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__version__: str
__build__: str
"""The hash of the engine's sources."""

def bin_edges(from_s: float, to_s: float, samples: int, most: int) -> bytes:
    """Divide a time into bins of equal width: the edges, `most` at most; no bin is narrower than a sample."""

def binned_rate(edges: bytes, time_s: bytes, total: bytes) -> bytes:
    """Give the growth of a total per second in each bin."""

def binned_share(edges: bytes, time_s: bytes, part: bytes, whole: bytes) -> bytes:
    """Give the growth of a part over that of the whole in each bin; NaN where the whole does not grow."""

def binned_mean(edges: bytes, time_s: bytes, values: bytes) -> bytes:
    """Give the mean of the defined samples in each bin; without any, the value between those around it."""

class ScenarioError(ValueError):
    """A scenario was refused; says where and what to write instead."""

    file: str
    line: int
    column: int
    key: str
    message: str
    remedy: str

class ScenarioWarning(UserWarning):
    """A scenario is valid but implausible: says where, and what is probably meant."""

    file: str
    line: int
    column: int
    key: str
    message: str
    remedy: str

class Scenario:
    """A validated scenario."""

    def __init__(
        self,
        text: str,
        origin: str,
        folder: Path,
        settings: Sequence[Setting],
        congestion_controls: Callable[[], Sequence[str]] | None = None,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def duration_ns(self) -> int: ...
    @property
    def samples(self) -> int:
        """How many samples a time series has."""
    def estimate(self, series: bool) -> list[tuple[float, str, str]]:
        """Give events, bytes, and bytes that are certain, each with its largest cause and the remedy."""
    @property
    def default_seed(self) -> int: ...
    @property
    def flow_labels(self) -> list[str]: ...
    @property
    def plugged(self) -> dict[int, str]:
        """The names of the congestion controls to be plugged in, by flow."""
    @property
    def nodes(self) -> list[str]:
        """The names of the nodes, in order."""
    @property
    def channels(self) -> list[list[str]]:
        """The names of the nodes on each shared channel."""
    def positions(self, seed: int) -> list[list[float]]:
        """The x and y coordinates of the nodes in metres, at the beginning of the run with `seed`."""
    @property
    def warnings(self) -> list[ScenarioWarning]:
        """What is implausible in it, and what was ignored in its files."""
    @property
    def resolved(self) -> str:
        """Canonical TOML with every default spelled out."""
    def ns2_movement(self, seed: int, shift_m: float) -> str:
        """Give a movement file of ns-2, all coordinates moved by `shift_m`; `ValueError` if ns-2 could not read it."""
    @property
    def file_hashes(self) -> dict[str, str]:
        """SHA-256 of every file read, by path."""

class CongestionView:
    """What a congestion control sees and steers: segments and seconds."""

    cwnd: float
    ssthresh: float
    pacing_rate_bps: float | None
    @property
    def now_s(self) -> float: ...
    @property
    def acked(self) -> float:
        """Newly acknowledged cumulatively, since the previous `on_ack`."""
    @property
    def delivered(self) -> float:
        """Newly delivered, cumulatively or by SACK, since the previous `on_ack`."""
    @property
    def lost(self) -> float:
        """Newly marked lost, since the previous `on_ack`."""
    @property
    def flight(self) -> float: ...
    @property
    def rtt_s(self) -> float | None:
        """The newest round-trip sample since the previous `on_ack`."""
    @property
    def srtt_s(self) -> float: ...
    @property
    def min_rtt_s(self) -> float | None: ...
    @property
    def may_grow(self) -> bool:
        """New data was acknowledged, the window limited the sender, no recovery is running."""
    @property
    def in_recovery(self) -> bool: ...
    @property
    def round_start(self) -> bool:
        """A round trip ended with this ACK."""
    @property
    def kind(self) -> str | None:
        """In `on_congestion`: `duplicate_acks`, `rack`, `timeout` or `ecn`."""
    @property
    def repeated(self) -> bool:
        """In `on_congestion`: a further timeout for the same segment."""

class Simulation:
    """A run under way."""

    def __init__(self, scenario: Scenario, seed: int, series: bool) -> None: ...
    def plug(self, index: int, factory: object) -> None:
        """Give the flow at `index` the congestion control that calling `factory` makes."""
    def capture(self, path: Path) -> None:
        """Capture what passes the flows' senders into a pcap file."""
    def capture_frames(self, path: Path, node: int | None) -> None:
        """Capture the frames on shared channels into a pcapng file: all, or what one node sends and receives."""
    def trace(self, path: Path) -> None:
        """Write what happens to packets and frames into a file, in ns-2's old wireless format."""
    def keep_ledger(self) -> None:
        """Keep a row for every copy of a packet."""
    def animate(self, start_ns: int, end_ns: int) -> None:
        """Keep what it takes to play the run again, frames from `start_ns` to `end_ns` only."""
    def advance(self, until_ns: int, limit: int = ...) -> bool:
        """Run until `until_ns`, until `events` reaches `limit`, or to the end; True while there is more to do."""
    @property
    def events(self) -> int:
        """How many events were handled so far."""
    @property
    def now_ns(self) -> int:
        """The simulated time reached."""
    def finish(self) -> Results:
        """End the run and give what was measured."""

class Results:
    """What a run measured."""

    def json(self) -> str:
        """One seed's part of the JSON document."""
    def series(self) -> tuple[list[Column], list[Column]]:
        """Give the columns of the flows' and the links' time series."""
    def ledger(self) -> list[Column]:
        """Give the columns of the ledger's rows; without rows unless they were kept."""
    def arrivals(self) -> list[Column]:
        """The columns of the flows of workloads; without rows unless a workload keeps them."""
    def animation(self) -> str | None:
        """What it takes to play the run again, as JSON, if that was asked for."""
    @property
    def capture_error(self) -> str | None: ...
    def explain(self) -> list[Explanation]:
        """Show what limited the throughput of each flow."""

Explanation = tuple[
    str,
    str,
    list[tuple[str, float]],
    tuple[str, float] | None,
    tuple[str, str, str, str] | None,
    list[tuple[str, str, int]],
]
"""Of a flow: label, text, shares of its time, the saturated link with its utilisation, a change that could be tried
(path, TOML, present amount, amount to come), and its drops: place, cause, packets."""

Column = tuple[str, str, bytes | list[str] | tuple[bytes, list[str]]]
"""Name, kind (`text`, `word`, `integer`, `number`), values: numbers as little-endian 64-bit words, NaN and
2^64 - 1 for null; of words the places in a list of them, 32 bits each, beyond it for none."""

Setting = tuple[str, Any, str | None]
"""A value set over a scenario's text: path, TOML, and the call that messages show; without one they show `--set`."""

def resolve_path(text: str, origin: str, settings: Sequence[Setting], path: str) -> str:
    """Give a dotted path with numbers in place of labels; raises `ScenarioError`."""

def to_toml(text: str, origin: str, settings: Sequence[Setting]) -> str:
    """Give a scenario's text with the settings in it, without defaults; raises `ScenarioError`."""

def schema() -> str:
    """Give the JSON Schema of a scenario file."""

def models() -> str:
    """Give every registered model, as JSON."""

def built_in() -> list[tuple[str, str, str]]:
    """Give the built-in scenarios: name, summary, text."""

def quantity(text: str) -> tuple[float, str] | None:
    """Read a quantity as a number with a column name's unit: `"600 ms"` is 0.6 and `s`; None for other texts."""

def flatten(resolved: str) -> dict[str, str | bool | int | float]:
    """Give every parameter of a resolved scenario by dotted path; `ValueError` if `resolved` is no TOML.

    A table with a name, except an item of a list, also stands at its own path: `flows.0.tcp.congestion_control` is
    "cubic".
    """
