"""The kernel's `struct tcp_info` (include/uapi/linux/tcp.h of Linux 5.4 and newer) as a numpy type."""

import socket

import numpy as np

BYTES = ("state", "ca_state", "retransmits", "probes", "backoff", "options", "window_scales", "flags")
BEFORE_PACING_RATE = (
    "rto", "ato", "snd_mss", "rcv_mss", "unacked", "sacked", "lost", "retrans", "fackets", "last_data_sent",
    "last_ack_sent", "last_data_recv", "last_ack_recv", "pmtu", "rcv_ssthresh", "rtt", "rttvar", "snd_ssthresh",
    "snd_cwnd", "advmss", "reordering", "rcv_rtt", "rcv_space", "total_retrans",
)  # fmt: skip
RATES_AND_BYTES = ("pacing_rate", "max_pacing_rate", "bytes_acked", "bytes_received")
SEGMENTS = ("segs_out", "segs_in", "notsent_bytes", "min_rtt", "data_segs_in", "data_segs_out")
TIMES = ("delivery_rate", "busy_time", "rwnd_limited", "sndbuf_limited")
DELIVERED = ("delivered", "delivered_ce")
SENT = ("bytes_sent", "bytes_retrans")
LAST = ("dsack_dups", "reord_seen", "rcv_ooopack", "snd_wnd")

SAMPLE = np.dtype(
    [("time_ns", "<i8")]
    + [(name, "u1") for name in BYTES]
    + [(name, "<u4") for name in BEFORE_PACING_RATE]
    + [(name, "<u8") for name in RATES_AND_BYTES]
    + [(name, "<u4") for name in SEGMENTS]
    + [(name, "<u8") for name in TIMES]
    + [(name, "<u4") for name in DELIVERED]
    + [(name, "<u8") for name in SENT]
    + [(name, "<u4") for name in LAST]
)
"""An instant of CLOCK_MONOTONIC and what the kernel said then."""

SIZE = SAMPLE.itemsize - 8
INFINITE_SSTHRESH = 0x7FFFFFFF

OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)
"""Values of `ca_state`."""


def read(connection: socket.socket) -> bytes:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SIZE)


def bytes_acknowledged(record: bytes) -> int:
    """Of a sample. The kernel counts the SYN."""
    return max(int(np.frombuffer(record, dtype=SAMPLE)[0]["bytes_acked"]) - 1, 0)
