//! Why scripts of packetdrill's own do not pass, in one sentence each: what the tool reports is where, not why.

/// The end of a script's path, and the reason.
const REASONS: &[(&str, &str)] = &[
    // A feature that is no part of TCP as it is simulated here.
    ("/psp/", "PSP encrypts the transport; Farlink's payload is not encrypted."),
    ("tcp/md5/md5-only-on-client-ack.pkt", "The MD5 option (RFC 2385, obsolete) is not spoken."),
    ("mtu_probe/basic-v4.pkt", "The path MTU is not probed (RFC 4821)."),
    ("mtu_probe/basic-v6.pkt", "IPv6 is not simulated, nor is the path MTU probed (RFC 4821)."),
    ("frag-needed-with-seq-ipv6.pkt", "IPv6 is not simulated."),
    ("sendfile/sendfile-simple.pkt", "A call about files, which do not exist here."),
    ("splice/tcp_splice_loop_test.pkt", "A call about pipes, which do not exist here."),
    ("linux/packetdrill/socket_err.pkt", "A test of packetdrill itself; it is meant to fail."),
    ("linux/packetdrill/socket_wrong_err.pkt", "A test of packetdrill itself; it is meant to fail."),
    ("tests/packet-timeout.pkt", "A test of packetdrill itself; it is meant to fail."),
    (
        "gro/gro-mss-option.pkt",
        "Segments are not put together by a network interface, whose size `tcpi_rcv_mss` tells.",
    ),
    // A send buffer, whose room Linux counts in buffers, not in bytes.
    ("blocking/blocking-write.pkt", "Dialogues write into no send buffer: writes never wait for room."),
    ("epoll/epoll_out_edge.pkt", "Dialogues write into no send buffer: writes are not cut short."),
    (
        "epoll/epoll_out_edge_default_notsent_lowat.pkt",
        "Dialogues write into no send buffer: writes are not cut short.",
    ),
    (
        "epoll/epoll_out_edge_notsent_lowat.pkt",
        "Dialogues write into no send buffer: writes are not cut short.",
    ),
    (
        "notsent_lowat/notsent-lowat-default.pkt",
        "Dialogues write into no send buffer: writes are not cut short.",
    ),
    (
        "notsent_lowat/notsent-lowat-setsockopt.pkt",
        "Dialogues write into no send buffer: writes are not cut short.",
    ),
    (
        "notsent_lowat/notsent-lowat-sysctl.pkt",
        "Dialogues write into no send buffer: writes are not cut short.",
    ),
    (
        "tcp_info/tcp-info-sndbuf-limited.pkt",
        "Dialogues write into no send buffer, so that no time is limited by it.",
    ),
    ("timestamping/partial.pkt", "Dialogues write into no send buffer: writes are not cut short."),
    // Small segments.
    (
        "nagle/sendmsg_msg_more.pkt",
        "Nagle's algorithm, MSG_MORE and TCP_CORK are not there (docs/spec-exceptions.toml).",
    ),
    (
        "nagle/sockopt_cork_nodelay.pkt",
        "Nagle's algorithm, MSG_MORE and TCP_CORK are not there (docs/spec-exceptions.toml).",
    ),
    (
        "zerocopy/maxfrags.pkt",
        "Linux ends a segment after 17 pages of MSG_ZEROCOPY; payload has no pages here.",
    ),
    (
        "cubic/cubic-rto-ss-ca-cwnd-bump.pkt",
        "PSH: Linux sets it in its send queue, once per half of the peer's window written; here a write makes no queue of packets.",
    ),
    ("fast_retransmit/fr-4pkt-sack-bsd.pkt", "A BSD host sets PSH only where written data end."),
    (
        "fastopen/client/syn-data-only-syn-acked.pkt",
        "Refused data of a SYN are sent as new data, which fill segments; Linux retransmits them as they were.",
    ),
    (
        "fastopen/client/syn-data-partial-or-over-ack.pkt",
        "Refused data of a SYN are sent as new data; Linux counts them as retransmissions that are outstanding.",
    ),
    (
        "fastopen/client/simultaneous-fast-open.pkt",
        "Linux reports the second SYN of a simultaneous open as a duplicate in a SACK block.",
    ),
    // Timers and the network below.
    (
        "fastopen/client/blocking-connect-bypass-errno.pkt",
        "Made for kernels before 6.5: the second timeout of a SYN is 2 s; since then it is 1 s.",
    ),
    (
        "fastopen/client/blocking-sendto-errnos.pkt",
        "Made for kernels before 6.5: the second timeout of a SYN is 2 s; since then it is 1 s.",
    ),
    (
        "fast_retransmit/fr-4pkt-fack-last-mss.pkt",
        "RACK's timer: Linux adds 2 ms (TCP_TIMEOUT_MIN_US), Farlink does not. The script waits 13 ms more; a clock of 100 ticks a second would explain them.",
    ),
    ("user_timeout/", "A connection is never given up (docs/spec-exceptions.toml)."),
    (
        "tcp_info/tcp-info-rwnd-limited.pkt",
        "Linux waits where a small window opens with nothing outstanding; here what fits is sent.",
    ),
    (
        "ts_recent/invalid_ack.pkt",
        "An ACK of what was never sent is answered (RFC 9293 section 3.10.7.4); Linux drops it silently.",
    ),
    ("sack/sack-shift-sacked", "RACK keeps no degree of reordering (`tcpi_reordering`)."),
];
/// Reasons that concern what congestion control and recovery do.
const BEHAVIOUR: &[(&str, &str)] = &[
    (
        "cubic/cubic-rack-reo-timeout",
        "RACK keeps no degree of reordering (`tcpi_reordering`), and the interface refuses no packets.",
    ),
    (
        "cubic/cubic-bulk-166k-idle-restart.pkt",
        "Made for kernels before 6.14, whose HyStart began its rounds at a window of 16: it leaves slow start earlier since.",
    ),
    (
        "cubic/cubic-bulk-166k.pkt",
        "Made for kernels before 6.14, whose HyStart began its rounds at a window of 16: it leaves slow start earlier since.",
    ),
    (
        "cwnd-moderation-ecn-enter-cwr",
        "A mark reduces the window at once (RFC 3168); Linux has a state of its own for it (CWR).",
    ),
    (
        "fast_recovery/prr-ss-ack-below-snd_una-cubic.pkt",
        "RACK's round trip is that of the segment sent last (RFC 8985); in Linux of the last in sequence that an ACK delivers (tcp_rack_advance), here a late one. Farlink therefore sees one more loss, and sends one segment less (RFC 9937).",
    ),
];

/// Why the script at `path` does not pass; `None` when nobody has found out.
pub fn reason(path: &str) -> Option<&'static str> {
    let known = REASONS.iter().chain(BEHAVIOUR);
    known.filter(|(part, _)| path.contains(part)).map(|(_, why)| *why).next()
}
