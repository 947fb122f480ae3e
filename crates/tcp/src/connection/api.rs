//! The types of a connection's interface: roles, states, segments to send, events, counters, samples.

use farlink_kernel::{Bytes, Duration, Instant};

use crate::recovery::Phase;
use crate::segment::{Ecn, Segment};
use crate::window::Window;

/// Which end opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sends the SYN.
    Active,
    /// Waits for it.
    Passive,
}

/// The states of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No connection.
    Closed,
    /// A passive end waits for a SYN.
    Listen,
    /// The SYN was sent.
    SynSent,
    /// A SYN arrived and was answered; its ACK is awaited.
    SynReceived,
    /// Data go both ways.
    Established,
    /// This end has closed; its FIN is not acknowledged yet.
    FinWait1,
    /// It is; the peer's FIN is awaited.
    FinWait2,
    /// The peer has closed, this end has not.
    CloseWait,
    /// Both have closed at the same time; the ACK of this end's FIN is awaited.
    Closing,
    /// The peer closed first, then this end, whose FIN is not acknowledged yet.
    LastAck,
    /// Both FINs are acknowledged; late segments are answered.
    TimeWait,
}

/// A segment to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The segment.
    pub segment: Segment,
    /// ECN field of its IP header.
    pub ecn: Ecn,
    /// Position of the payload's first byte in the stream, from 0.
    pub offset: u64,
    /// When the first payload byte was sent for the first time (now for new data and for pure ACKs).
    pub first_sent: Instant,
    /// True when payload, SYN or FIN were sent before.
    pub is_retransmission: bool,
}

/// What changed for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete.
    Established,
    /// The peer will send no more (its FIN arrived in order).
    PeerClosed,
    /// All bytes written, and the FIN if closed, are acknowledged.
    AllAcknowledged,
    /// The connection is gone: closed, reset, or given up.
    Closed,
}

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data segments sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Retransmitted segments: data, and SYN and FIN without data (Linux's `tcpi_total_retrans`).
    pub retransmissions: u64,
    /// Expiries of the retransmission timer with data outstanding.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub fast_retransmits: u64,
    /// Reductions found to be mistakes and undone.
    pub spurious: u64,
    /// How often it froze because its route was broken.
    pub freezes: u64,
    /// Segments sent while frozen, as probes for a restored route.
    pub route_probes: u64,
    /// Duplicate data segments received.
    pub duplicates_received: u64,
    /// Data segments received with new data.
    pub new_data_received: u64,
    /// Duplicate SYN segments received.
    pub duplicate_syns: u64,
    /// 1 when the peer's FIN arrived after a segment that was sent later.
    pub late_fins: u64,
}

/// The state at a moment, for time series.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Congestion window and threshold in segments, pacing rate.
    pub window: Window,
    /// Whether losses are being repaired.
    pub phase: Phase,
    /// Whether it is frozen because its route is broken.
    pub is_frozen: bool,
    /// The latest round-trip sample, zero before the first.
    pub latest_rtt: Duration,
    /// Smoothed round-trip time, zero before the first sample.
    pub srtt: Duration,
    /// Retransmission timeout in force.
    pub rto: Duration,
    /// Bytes sent and not yet cumulatively acknowledged.
    pub flight_size: Bytes,
    /// Stream offset of the oldest unacknowledged byte.
    pub snd_una: u64,
    /// Stream offset of the next new byte.
    pub snd_nxt: u64,
    /// Stream offset of the next byte expected.
    pub rcv_nxt: u64,
    /// Bytes of the peer's stream that arrived, each counted once, in order or not.
    pub delivered: u64,
}
