"""The scenarios in Farlink: the same link and losses, TCP's preset `linux`."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import farlink as fl
import numpy as np
import pyarrow.compute as pc
from curve import Array, Curve
from recordings import ROWS_PER_RTT
from scenarios import DURATION_S, Scenario

PAYLOAD_OF_MEMORY = 5 / 8
"""Of received packets: 1448 bytes take 2304 of the memory, which the kernel rounds to 160/256 (`scaling_ratio`)."""
SHORT_INTERVAL_MS = 100
"""Of short transfers, whose windows are not compared."""
ACK_BYTES = 52
"""Of an ACK with timestamps, with its IP header."""
STALL_STEP_US = 50
"""The delay of the link falls in such steps towards the end of a stall."""
SYN_BYTES = 60
"""Of a SYN and of a SYN/ACK, with their IP headers."""


@dataclass(frozen=True)
class Setting:
    """How a scenario is simulated."""

    scenario: Scenario
    congestion_control: str
    ssthresh: tuple[int | None, ...] | None = None
    """Of each flow, the recorded exit from slow start, or None if a loss ended it; None: Farlink's own exit."""
    handshake_rtt_us: int | None = None
    """Of the first flow, as recorded; None: what the link takes."""
    stalls_us: tuple[tuple[int, int], ...] = ()
    """The recorded stalls of the host: when each ended, and how long it was."""
    host_us: int = 0
    """What the hosts add to every round-trip time; not with a recorded handshake."""
    host_delay: str = "none"
    """The time that hosts take."""
    seed: int = 1
    options: tuple[tuple[str, str], ...] = ()
    """Further options of TCP, as TOML."""


@dataclass(frozen=True)
class Simulated:
    """What Farlink did."""

    curves: list[Curve]
    received_bytes: list[int]
    retransmissions: list[int]
    acks_per_segment: list[float]
    exits: list[int | None]
    """The threshold of each flow when it left slow start without a loss."""
    completion_s: list[float | None]
    """From the flow's start to the arrival of its last byte; None: it sends without end, or is not complete."""


def simulate(setting: Setting) -> Simulated:
    scenario = setting.scenario
    interval_ms = SHORT_INTERVAL_MS if scenario.sizes else max(scenario.rtt_ms // ROWS_PER_RTT, 1)
    with tempfile.TemporaryDirectory(prefix="farlink-simulated-") as folder:
        text = _toml(setting, interval_ms, Path(folder))
        run = fl.Scenario.from_toml(text, origin=scenario.name, folder=folder).run(seed=setting.seed)
    labels = [f"flow{flow}" for flow in range(len(scenario.starts_s))]
    flows = {row["flow"]: row for row in run.flows.to_pylist()}
    chosen = [_rows(run, "flow", label) for label in labels]
    is_open = _rows(run, "phase", "open")
    curves = [_curve(run, is_open, mine, start_s) for mine, start_s in zip(chosen, scenario.starts_s, strict=True)]
    received = [int(run.series["received_bytes"].to_numpy()[mine][-1]) for mine in chosen]
    return Simulated(
        curves=curves,
        received_bytes=received,
        retransmissions=[flows[label]["packets_retransmitted"] for label in labels],
        acks_per_segment=[_acks_per_segment(run, label) for label in labels],
        exits=[_exit(run, is_open, mine) for mine in chosen],
        completion_s=[_completion_s(scenario, flows[label]["completion_s"]) for label in labels],
    )


def _rows(run: fl.Run, column: str, value: str) -> Array:
    return np.asarray(pc.equal(run.series[column], value))


def _curve(run: fl.Run, is_open: Array, chosen: Array, start_s: int) -> Curve:
    series = {name: run.series[name].to_numpy()[chosen] for name in ("time_s", "cwnd_segments", "snd_una_bytes")}
    started = series["time_s"] >= start_s
    return Curve(
        time_s=series["time_s"][started],
        cwnd=series["cwnd_segments"][started],
        acked_bytes=series["snd_una_bytes"][started].astype("i8"),
        is_open=is_open[chosen][started],
    )


def _exit(run: fl.Run, is_open: Array, chosen: Array) -> int | None:
    ssthresh = run.series["ssthresh_segments"].to_numpy(zero_copy_only=False)[chosen]
    finite, lossy = np.flatnonzero(np.isfinite(ssthresh)), np.flatnonzero(~is_open[chosen])
    if not len(finite) or (len(lossy) and lossy[0] <= finite[0]):
        return None
    return int(ssthresh[finite[0]])


def _completion_s(scenario: Scenario, at_sender_s: float | None) -> float | None:
    """Farlink's ends with the last ACK, which leaves as the last byte arrives: PSH marks the end of a transfer."""
    if at_sender_s is None:
        return None
    return at_sender_s - scenario.delay_ms / 1e3 - ACK_BYTES * 8 / scenario.back_bps


def _acks_per_segment(run: fl.Run, label: str) -> float:
    copies = {(row["class"], row["entry"]): row["copies"] for row in run.ledger.to_pylist() if row["flow"] == label}
    return float(copies["ack", "originated"] / copies["data", "delivered"])


def _delay(setting: Setting, folder: Path) -> str:
    """The link's delay, which is longer for the first SYN if the handshake took longer than the link does."""
    scenario = setting.scenario
    delay_s = scenario.delay_ms / 1e3
    if setting.handshake_rtt_us is None:
        return json.dumps(f"{1000 * scenario.delay_ms + setting.host_us} us")
    link_s = 2 * delay_s + SYN_BYTES * 8 * (1 / scenario.rate_bps + 1 / scenario.back_bps)
    first_s = delay_s + max(setting.handshake_rtt_us / 1e6 - link_s, 0)
    return _trace(setting, first_s, folder / "delay.csv")


def _delay_back(setting: Setting, folder: Path) -> str:
    if not setting.stalls_us:
        return json.dumps(f"{setting.scenario.delay_ms} ms")
    return _trace(setting, setting.scenario.delay_ms / 1e3, folder / "back.csv")


def _trace(setting: Setting, first_s: float, path: Path) -> str:
    """A delay that is `first_s` for the first packet. What would arrive in a stall arrives when it ends."""
    delay_us = 1000 * setting.scenario.delay_ms
    steps_us = {0: first_s * 1e6, delay_us: delay_us}
    last_us = 2 * delay_us
    for end_us, late_us in setting.stalls_us:
        for at_us in range(max(end_us - late_us, last_us), end_us, STALL_STEP_US):
            steps_us[at_us - delay_us] = end_us - at_us + delay_us
        if end_us > last_us:
            steps_us[end_us - delay_us] = delay_us
            last_us = end_us
    lines = (f"{at_us / 1e6:.6f},{steps_us[at_us] / 1e6:.9f}\n" for at_us in sorted(steps_us))
    path.write_text("".join(lines))
    return _table({"csv": path.name})


def _toml(setting: Setting, interval_ms: int, folder: Path) -> str:
    scenario = setting.scenario
    nodes = [{"name": name} for link in range(scenario.links) for name in _ends(scenario, link)]
    links = "".join(_link(setting, link, folder) for link in range(scenario.links))
    flows = "".join(_flow(setting, flow) for flow in range(len(scenario.starts_s)))
    return f"""
name = "{scenario.name}"
duration = "{DURATION_S} s"
host_delay = "{setting.host_delay}"
nodes = [{", ".join(_table(node) for node in nodes)}]
{links}
{flows}
[record]
interval = "{interval_ms} ms"
"""


def _ends(scenario: Scenario, link: int) -> tuple[str, str]:
    number = link if scenario.sizes else ""
    return f"sender{number}", f"receiver{number}"


def _link(setting: Setting, link: int, folder: Path) -> str:
    scenario = setting.scenario
    losses = scenario.losses_on(link)
    error = {"name": "list", "packets": list(losses), "data_only": True}
    queue: dict[str, object] = {"name": scenario.queue, "limit": f"{scenario.queue_packets} packets"}
    if scenario.ecn:
        queue["ecn"] = True
    return f"""
[[links]]
between = {json.dumps(_ends(scenario, link))}
rate = "{scenario.rate_bps} bit/s"
delay = {_delay(setting, folder)}
queue = {_table(queue)}
error = {_table(error) if losses else '"none"'}
reverse = {{ rate = "{scenario.back_bps} bit/s", delay = {_delay_back(setting, folder)}, error = "none" }}
"""


def _flow(setting: Setting, flow: int) -> str:
    scenario = setting.scenario
    tcp: dict[str, object] = {"preset": "linux", "congestion_control": setting.congestion_control}
    memory = scenario.buffer
    if memory is not None:
        tcp |= {"receive_buffer": f"{int(memory * PAYLOAD_OF_MEMORY)} B", "send_buffer": "none"}
    if scenario.ecn:
        tcp["ecn"] = True
    options = dict(setting.options)
    if setting.ssthresh is not None:
        if setting.congestion_control == "cubic":
            options = {"congestion_control": '{ name = "cubic", hystart = false }'} | options
        ssthresh = setting.ssthresh[flow]
        if ssthresh is not None:
            tcp["initial_ssthresh"] = f"{ssthresh} packets"
    sender, receiver = _ends(scenario, flow)
    application = _table({"name": "file", "size": f"{scenario.sizes[flow]} B"}) if scenario.sizes else '"bulk"'
    return f"""
[[flows]]
label = "flow{flow}"
from = "{sender}"
to = "{receiver}"
start = "{scenario.starts_s[flow]} s"
application = {application}
tcp = {_table(tcp, options)}
"""


def _table(values: Mapping[str, object], written: Mapping[str, str] | None = None) -> str:
    """An inline table of TOML; `written` holds values that are TOML already."""
    parts = {key: json.dumps(value) for key, value in values.items()} | dict(written or {})
    return "{ " + ", ".join(f"{key} = {value}" for key, value in parts.items()) + " }"
