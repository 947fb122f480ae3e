"""One transfer of the running kernel over an emulated link, in a process of its own."""

import contextlib
import json
import os
import pickle
import socket
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import endpoints
import namespaces
import numpy as np
import tcp_info
from codel import CodelDirection
from endpoints import FIRST_PORT
from link import Direction, Lateness, Link
from scenarios import DURATION_S, Scenario

SENDER, RECEIVER = "10.0.0.1", "10.0.0.2"
LINK_PRIORITY, ENDPOINT_PRIORITY = 20, 10
NICE = -10
PREPARATION_NS = 500_000_000

KEPT_SYSCTLS = (
    "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_no_metrics_save", "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_sack", "net.ipv4.tcp_dsack", "net.ipv4.tcp_timestamps", "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_ecn", "net.ipv4.tcp_recovery", "net.ipv4.tcp_early_retrans", "net.ipv4.tcp_frto",
    "net.ipv4.tcp_reordering", "net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_min_tso_segs",
    "net.ipv4.tcp_tso_win_divisor", "net.ipv4.tcp_tso_rtt_log", "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_pacing_ss_ratio", "net.ipv4.tcp_pacing_ca_ratio", "net.ipv4.tcp_comp_sack_delay_ns",
    "net.ipv4.tcp_comp_sack_nr", "net.ipv4.tcp_comp_sack_rtt_percent", "net.ipv4.tcp_comp_sack_slack_ns",
    "net.ipv4.tcp_min_rtt_wlen", "net.ipv4.tcp_autocorking", "net.ipv4.tcp_rcvbuf_low_rtt",
    "net.ipv4.tcp_rto_min_us", "net.ipv4.tcp_adv_win_scale", "net.core.rmem_max",
)  # fmt: skip


@dataclass
class Outcome:
    """What was recorded. Instants of CLOCK_MONOTONIC."""

    start_ns: int
    senders: list[np.ndarray]
    """Of each flow, an array of `tcp_info.SAMPLE`."""
    receivers: list[np.ndarray]
    links: list[tuple[Direction, Direction]]
    """Of each link the direction of the data and that of the acknowledgements."""
    complete_ns: list[int | None]
    """When each flow had arrived; None: it sends without end, or had not."""
    lateness: Lateness
    sysctls: dict[str, str]
    device_drops: int
    scheduling: str


def run(scenario: Scenario, congestion_control: str, link_cpu: int) -> Outcome:
    """Run a transfer. The namespaces end with the processes in them."""
    with tempfile.TemporaryDirectory(prefix="farlink-kernel-") as folder:
        child = endpoints.spawn(partial(_run_here, scenario, congestion_control, link_cpu, Path(folder)))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        missing = Path(folder, "missing")
        if missing.exists():
            raise namespaces.MissingError(missing.read_text())
        if status != 0:
            raise RuntimeError(f"the link's process failed with status {status}")
        return _collect(Path(folder), len(scenario.starts_s))


def check() -> None:
    """Raise `MissingError` unless namespaces and TUN devices can be made here."""
    with tempfile.TemporaryDirectory(prefix="farlink-kernel-") as folder:
        report = Path(folder, "missing")

        def attempt() -> None:
            try:
                namespaces.enter_user_namespace()
                os.close(namespaces.open_tun(SENDER))
                namespaces.enter_network_namespace()
                os.close(namespaces.open_tun(RECEIVER))
            except namespaces.MissingError as error:
                report.write_text(str(error))

        os.waitpid(endpoints.spawn(attempt), 0)
        if report.exists():
            raise namespaces.MissingError(report.read_text())


def _run_here(scenario: Scenario, congestion_control: str, link_cpu: int, folder: Path) -> None:
    scheduling = schedule(LINK_PRIORITY, {link_cpu})
    others = set(range(os.cpu_count() or 1)) - {link_cpu} or {link_cpu}
    start_ns = time.monotonic_ns() + PREPARATION_NS
    end_ns = start_ns + DURATION_S * 1_000_000_000
    buffers = {}
    if scenario.buffer is not None:
        buffers["net.ipv4.tcp_rmem"] = f"4096 131072 {scenario.buffer}"
        buffers["net.ipv4.tcp_wmem"] = f"4096 16384 {scenario.buffer}"
    sysctls = buffers | {"net.ipv4.tcp_no_metrics_save": "1"}
    if scenario.ecn:
        sysctls["net.ipv4.tcp_ecn"] = "1"
    sizes = scenario.sizes or (None,) * len(scenario.starts_s)
    try:
        namespaces.enter_user_namespace()
        namespaces.set_sysctls(sysctls)
        sender_tun = namespaces.open_tun(SENDER)
        _check_congestion_control(congestion_control)
        children = [
            _start(
                partial(
                    endpoints.send,
                    (RECEIVER, FIRST_PORT + flow),
                    congestion_control,
                    start_ns + start_s * 1_000_000_000,
                    end_ns,
                    sizes[flow],
                    folder / f"sender{flow}",
                ),
                others,
            )
            for flow, start_s in enumerate(scenario.starts_s)
        ]
        namespaces.enter_network_namespace()
        namespaces.set_sysctls(sysctls)
        receiver_tun = namespaces.open_tun(RECEIVER)
    except namespaces.MissingError as error:
        (folder / "missing").write_text(str(error))
        return
    for flow in range(len(scenario.starts_s)):
        listener = socket.create_server((RECEIVER, FIRST_PORT + flow))
        work = partial(endpoints.receive, listener, end_ns, sizes[flow], folder / f"receiver{flow}")
        children.append(_start(work, others))
        listener.close()
    links = [_directions(scenario, link) for link in range(scenario.links)]
    link = Link((sender_tun, receiver_tun), links, FIRST_PORT)
    link.forward_until(end_ns)
    kept = {name: _sysctl_or_dash(name) for name in KEPT_SYSCTLS}
    for direction in chain(*links):
        direction.pending.clear()
    (folder / "link").write_bytes(pickle.dumps((start_ns, links, link.lateness, kept, scheduling)))
    for child in children:
        if os.waitpid(child, 0)[1] != 0:
            raise RuntimeError("an end of the transfer failed")


def _directions(scenario: Scenario, link: int) -> tuple[Direction, Direction]:
    rest = (scenario.delay_ms * 1_000_000, scenario.queue_packets)
    if scenario.queue == "codel":
        marks = scenario.ecn
        return (
            CodelDirection(scenario.rate_bps, *rest, marks_packets=marks),
            CodelDirection(scenario.back_bps, *rest, marks_packets=marks),
        )
    data = Direction(scenario.rate_bps, *rest, lost=frozenset(scenario.losses_on(link)))
    return data, Direction(scenario.back_bps, *rest)


def schedule(priority: int, cpus: set[int]) -> str:
    """Run before other processes, as far as this user may; the answer says how far."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, cpus)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, NICE)
        except PermissionError:
            return "default"
        return f"nice {NICE}"
    return f"SCHED_FIFO {priority}"


def _start(work: partial[None], cpus: set[int]) -> int:
    def scheduled() -> None:
        # In a user namespace a priority cannot be raised, only lowered.
        schedule(ENDPOINT_PRIORITY, cpus)
        work()

    return endpoints.spawn(scheduled)


def _check_congestion_control(name: str) -> None:
    available = namespaces.congestion_controls()
    if name not in available:
        raise namespaces.MissingError(f"congestion control {name}: this kernel has {', '.join(available)}")


def _sysctl_or_dash(name: str) -> str:
    try:
        return namespaces.get_sysctl(name)
    except OSError:
        return "-"


def _collect(folder: Path, flows: int) -> Outcome:
    start_ns, links, lateness, sysctls, scheduling = pickle.loads((folder / "link").read_bytes())
    facts = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}
    return Outcome(
        start_ns=start_ns,
        senders=[_samples(folder / f"sender{flow}.samples") for flow in range(flows)],
        receivers=[_samples(folder / f"receiver{flow}.samples") for flow in range(flows)],
        links=links,
        complete_ns=[facts[f"receiver{flow}"]["complete_ns"] for flow in range(flows)],
        lateness=lateness,
        sysctls=sysctls,
        device_drops=max(each["device_drops"] for each in facts.values()),
        scheduling=scheduling,
    )


def _samples(path: Path) -> np.ndarray:
    return np.frombuffer(path.read_bytes(), dtype=tcp_info.SAMPLE)
