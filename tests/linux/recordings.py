"""The file of a recording: a Parquet table of samples and losses with the facts of the run as JSON in its metadata."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import namespaces
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import tcp_info
from endpoints import FIRST_PORT
from link import LATENESS_LIMITS_US

if TYPE_CHECKING:
    from link import Direction
    from scenarios import Scenario
    from transfer import Outcome

FOLDER = Path(__file__).resolve().parent / "recordings"
FACTS = b"farlink.recording"

SENDER_COLUMNS = {
    "cwnd": "snd_cwnd", "ssthresh": "snd_ssthresh", "ca_state": "ca_state", "rtt_us": "rtt", "rttvar_us": "rttvar",
    "min_rtt_us": "min_rtt", "rto_us": "rto", "unacked": "unacked", "sacked": "sacked", "lost": "lost",
    "retrans": "retrans", "total_retrans": "total_retrans", "bytes_acked": "bytes_acked", "delivered": "delivered",
    "snd_wnd": "snd_wnd", "pacing_rate": "pacing_rate", "delivery_rate": "delivery_rate",
    "data_segs_out": "data_segs_out", "notsent_bytes": "notsent_bytes", "rwnd_limited_us": "rwnd_limited",
    "sndbuf_limited_us": "sndbuf_limited",
}  # fmt: skip
"""Columns of the table and the field of TCP_INFO in each; rates are in bytes per second, as there."""
RECEIVER_COLUMNS = {
    "receiver_segs_out": "segs_out",
    "receiver_rcv_ssthresh": "rcv_ssthresh",
    "receiver_rcv_space": "rcv_space",
}
"""Of the receiver's last sample before."""
LOSS_COLUMNS = ("packet", "offset_bytes")
"""Of a loss: the number the data packet has or would have, and where its first byte is in the flow's stream."""
ROWS_PER_RTT = 20
SPACING_NS = 10_000_000
"""At least; curves are compared at instants so far apart."""
QUIET_NS = 100_000_000


@dataclass(frozen=True)
class Recording:
    """A run of the kernel."""

    facts: dict[str, Any]
    table: pa.Table

    def samples(self, flow: int) -> dict[str, np.ndarray]:
        """The sender's samples of a flow, by column."""
        chosen = self.table.filter((pc.field("event") == "sample") & (pc.field("flow") == flow))
        return {name: chosen[name].to_numpy() for name in ("time_us", *SENDER_COLUMNS, *RECEIVER_COLUMNS)}

    def exits(self) -> list[int | None]:
        """The first finite ssthresh of each flow, if no loss came before it: HyStart's, or of BBR that of DRAIN."""
        return [_first_threshold(self.samples(flow)) for flow in range(len(self.facts["received_bytes"]))]


def path_of(folder: Path, scenario: str, congestion_control: str, repetition: int) -> Path:
    return folder / scenario / f"{congestion_control}-{repetition}.parquet"


def is_kept(path: Path) -> bool:
    """True where the recording exists and is of the running kernel."""
    if not path.exists():
        return False
    kernel = read(path).facts["kernel"]
    if kernel != namespaces.kernel():
        print(f"{path.parent.name}/{path.stem}: is made anew, the recording is of {kernel}", flush=True)
    return bool(kernel == namespaces.kernel())


def read(path: Path) -> Recording:
    table = pq.read_table(path)
    return Recording(json.loads(table.schema.metadata[FACTS]), table)


def write(path: Path, scenario: Scenario, congestion_control: str, repetition: int, outcome: Outcome) -> None:
    parts = [_samples(flow, outcome) for flow in range(len(outcome.senders))]
    table = pa.concat_tables([*parts, _losses(outcome)], promote_options="default")
    facts = {
        "congestion_control": congestion_control,
        "repetition": repetition,
        **_facts(scenario, congestion_control, outcome),
    }
    table = table.replace_schema_metadata({FACTS: json.dumps(facts)})
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = [name for name in table.column_names if name != "event"]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=["event"],
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=False,
    )


def slow_start_exit(samples: np.ndarray) -> tuple[int, int] | None:
    """Instant and ssthresh of an exit from slow start without a loss; None if a loss ended it, or nothing."""
    for sample in samples:
        if sample["total_retrans"] or sample["lost"] or sample["ca_state"] > tcp_info.DISORDER:
            return None
        if sample["snd_ssthresh"] < tcp_info.INFINITE_SSTHRESH:
            return int(sample["time_ns"]), int(sample["snd_ssthresh"])
    return None


def _first_threshold(samples: dict[str, np.ndarray]) -> int | None:
    """As `slow_start_exit`, of samples that were kept: every change of ssthresh and of `ca_state` is."""
    lossy = (samples["total_retrans"] > 0) | (samples["lost"] > 0) | (samples["ca_state"] > tcp_info.DISORDER)
    exits = np.flatnonzero(lossy | (samples["ssthresh"] < tcp_info.INFINITE_SSTHRESH))
    return None if not len(exits) or lossy[exits[0]] else int(samples["ssthresh"][exits[0]])


def _samples(flow: int, outcome: Outcome) -> pa.Table:
    sender, receiver = outcome.senders[flow], outcome.receivers[flow]
    sender = sender[_kept(sender)]
    before = np.searchsorted(receiver["time_ns"], sender["time_ns"], side="right") - 1
    of_receiver = receiver[np.maximum(before, 0)]
    columns: dict[str, Any] = {
        "event": pa.array(["sample"] * len(sender)),
        "flow": np.full(len(sender), flow, dtype="i4"),
        "time_us": (sender["time_ns"] - outcome.start_ns) // 1000,
    }
    columns |= {name: sender[field].astype("i8") for name, field in SENDER_COLUMNS.items()}
    columns |= {name: of_receiver[field].astype("i8") for name, field in RECEIVER_COLUMNS.items()}
    return pa.table(columns)


def _kept(sender: np.ndarray) -> list[int]:
    """Where the state or ssthresh changes; where cwnd changes, some times per RTT; else every tenth of a second."""
    spacing_ns = max(int(sender["min_rtt"][-1]) * 1000 // ROWS_PER_RTT, SPACING_NS)
    rows = sender[["time_ns", "snd_cwnd", "snd_ssthresh", "ca_state"]].tolist()
    kept = [0]
    for at, (time_ns, cwnd, *state) in enumerate(rows):
        last_ns, last_cwnd, *last_state = rows[kept[-1]]
        is_due = time_ns - last_ns >= (QUIET_NS if cwnd == last_cwnd else spacing_ns)
        if is_due or state != last_state or at + 1 == len(rows):
            kept.append(at)
    return kept


def _losses(outcome: Outcome) -> pa.Table:
    drops = [drop for data, _ in outcome.links for drop in data.drops]
    return pa.table(
        {
            "event": pa.array(["queue_drop" if drop.is_queue_full else "loss" for drop in drops], pa.string()),
            "flow": pa.array([drop.port - FIRST_PORT for drop in drops], pa.int32()),
            "time_us": pa.array([(drop.at_ns - outcome.start_ns) // 1000 for drop in drops], pa.int64()),
            "packet": pa.array([drop.number for drop in drops], pa.int64()),
            "offset_bytes": pa.array([drop.offset for drop in drops], pa.int64()),
        }
    )


def _facts(scenario: Scenario, congestion_control: str, outcome: Outcome) -> dict[str, Any]:
    is_cubic = congestion_control == "cubic"
    exits = [slow_start_exit(samples) if is_cubic else None for samples in outcome.senders]
    ends = [samples[-1] for samples in outcome.senders]
    return {
        "kernel": namespaces.kernel(),
        "hz": _hz(),
        "sysctls": outcome.sysctls | {"net.core.default_qdisc": namespaces.get_sysctl("net.core.default_qdisc")},
        "scheduling": outcome.scheduling,
        "scenario": asdict(scenario),
        "losses": scenario.losses,
        "completion_us": [
            at and (at - outcome.start_ns) // 1000 - 1_000_000 * start_s
            for at, start_s in zip(outcome.complete_ns, scenario.starts_s, strict=True)
        ],
        "hystart_exits": [each and each[1] for each in exits],
        "hystart_exit_times_us": [each and (each[0] - outcome.start_ns) // 1000 for each in exits],
        "received_bytes": [int(samples["bytes_received"][-1]) for samples in outcome.receivers],
        "retransmissions": [int(end["total_retrans"]) for end in ends],
        "data_segments_sent": [int(end["data_segs_out"]) for end in ends],
        "data_segments_received": [int(samples["data_segs_in"][-1]) for samples in outcome.receivers],
        "acks_sent": [int(samples["segs_out"][-1]) for samples in outcome.receivers],
        "link": {
            name: _of_direction([link[way] for link in outcome.links]) for way, name in enumerate(("data", "acks"))
        },
        "device_drops": outcome.device_drops,
        "lateness_limits_us": LATENESS_LIMITS_US,
        "lateness_counts": outcome.lateness.counts,
        "stalls_us": [((at - outcome.start_ns) // 1000, late // 1000) for at, late in outcome.lateness.stalls],
    }


def _of_direction(directions: list[Direction]) -> dict[str, int]:
    """Of all links together."""
    counted = ("offered", "data_packets", "delivered", "delivered_bytes", "marks")
    drops = [drop for each in directions for drop in each.drops]
    return {name: sum(getattr(each, name, 0) for each in directions) for name in counted} | {
        "queue_drops": sum(drop.is_queue_full for drop in drops),
        "losses": sum(not drop.is_queue_full for drop in drops),
    }


def _hz() -> int | None:
    """Ticks per second, where the kernel shows its configuration."""
    try:
        configuration = gzip.decompress(Path("/proc/config.gz").read_bytes()).decode()
    except OSError:
        return None
    found = re.search(r"^CONFIG_HZ=(\d+)$", configuration, re.MULTILINE)
    return int(found[1]) if found else None
