//! [`Connection`]: one end of a TCP connection (RFC 9293), one file per concern.

use farlink_kernel::{Bytes, Duration, Instant};

use crate::config::Config;
use crate::congestion;
use crate::notice::Notice;
use crate::segment::{Ecn, Segment};
use crate::seq::SeqNumber;
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
#[allow(missing_docs)]
pub enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
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
    /// In-order bytes `start..start + len` of the stream arrived.
    Received {
        /// Stream offset of the first byte.
        start: u64,
        /// How many.
        len: u64,
    },
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
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer with data outstanding.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub fast_retransmits: u64,
    /// Reductions found to be mistakes and undone.
    pub spurious: u64,
    /// Duplicate data segments received.
    pub duplicates_received: u64,
}

/// What the flow's time went into; the lengths add up to the time since opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitedBy {
    /// Until the handshake was complete.
    pub handshake: Duration,
    /// Nothing to send.
    pub application: Duration,
    /// The congestion window was full.
    pub congestion_window: Duration,
    /// The peer's window was full.
    pub receive_window: Duration,
    /// The user's clamp was reached.
    pub max_window: Duration,
    /// Recovery was repairing losses.
    pub recovery: Duration,
    /// The retransmission timer was being waited for, or its losses repaired.
    pub timeout: Duration,
    /// The pacing rate held segments back.
    pub pacing: Duration,
    /// A route failure held the flow still.
    pub frozen: Duration,
}

/// A look inside, for time series.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Congestion window and threshold in segments, pacing rate.
    pub window: Window,
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
}

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    _private: (),
}

#[allow(clippy::unused_self, unused_variables, missing_docs)]
impl Connection {
    /// An end that has not begun. `initial_seq` is its ISN; `seed` feeds members that toss coins.
    pub fn new(config: &Config, role: Role, initial_seq: SeqNumber, seed: u64) -> Self {
        Self { _private: () }
    }

    /// Like [`Connection::new`] with a congestion control from outside the registry.
    pub fn with_congestion_control(
        config: &Config,
        role: Role,
        initial_seq: SeqNumber,
        seed: u64,
        congestion: congestion::Any,
    ) -> Self {
        Self { _private: () }
    }

    /// Begins: the active end sends its SYN, the passive end listens.
    pub fn open(&mut self, now: Instant) {
        unimplemented!()
    }

    /// The application has `bytes` more to send.
    pub fn write(&mut self, now: Instant, bytes: u64) {
        unimplemented!()
    }

    /// The application has nothing more to send after what it wrote: FIN follows.
    pub fn close(&mut self, now: Instant) {
        unimplemented!()
    }

    /// The application stops (true) or resumes (false) reading; a reader that has stopped fills the
    /// receive buffer. Readers read at once by default.
    pub fn pause_reading(&mut self, now: Instant, paused: bool) {
        unimplemented!()
    }

    /// A segment arrived, its IP header marked `ecn`.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        unimplemented!()
    }

    /// A router's notice arrived.
    pub fn on_notice(&mut self, now: Instant, notice: Notice) {
        unimplemented!()
    }

    /// The deadline passed. Harmless when called early or twice.
    pub fn on_deadline(&mut self, now: Instant) {
        unimplemented!()
    }

    /// The earliest of all timers, [`Instant::NEVER`] when none runs. Asked after every input.
    pub fn deadline(&self) -> Instant {
        unimplemented!()
    }

    /// The next segment to send now. Called after every input until it gives `None`.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        unimplemented!()
    }

    /// The next thing the application should know. Called after every input until it gives `None`.
    pub fn poll_event(&mut self) -> Option<Event> {
        unimplemented!()
    }

    /// The state of the machine.
    pub fn state(&self) -> State {
        unimplemented!()
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        unimplemented!()
    }

    /// Where the time went until `now`.
    pub fn limited_by(&self, now: Instant) -> LimitedBy {
        unimplemented!()
    }

    /// Smallest, mean and largest round-trip sample; `None` before the first.
    pub fn rtt_range(&self) -> Option<(Duration, Duration, Duration)> {
        unimplemented!()
    }

    /// A look inside.
    pub fn sample(&self) -> Sample {
        unimplemented!()
    }
}
