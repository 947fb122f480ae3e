//! Loss recovery: which segment goes next, and how much may be in the network while losses are repaired.
//!
//! A member reads acknowledgements and the [`Scoreboard`]; it never touches the congestion window. It says
//! when an episode begins and ends ([`Step`]), how many bytes count against the window, and what to
//! retransmit. The connection does the rest.

use farlink_kernel::{Duration, Instant, registry};

use crate::congestion::LossKind;
use scoreboard::{Delivery, Scoreboard, SegmentId};

pub(crate) mod duplicate_acks;
pub(crate) mod newreno;
pub(crate) mod prr;
pub(crate) mod rack;
pub(crate) mod rate_halving;
pub(crate) mod reno;
pub(crate) mod sack;
pub(crate) mod sack1;
pub mod scoreboard;
#[cfg(test)]
mod testing;

/// `DupThresh` of RFC 6675 and RFC 5681.
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// The circumstances of a connection, for a new member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// New data on the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// SACK information survives a retransmission timeout (Linux, ns-2 TCP-Linux) instead of being
    /// forgotten (RFC 2018 section 8).
    pub keep_sacked_on_timeout: bool,
    /// Without SACK a duplicate ACK counts as a segment delivered, and an ACK after it delivers so much less (Linux,
    /// `tcp_add_reno_sack`).
    pub duplicates_deliver: bool,
    /// Proportional rate reduction counts packets, whatever their size, and shares out the window that was reduced (Linux,
    /// `tcp_cwnd_reduction`), instead of bytes and the flight (RFC 6937, RFC 9937).
    pub reduces_packets: bool,
}

/// Where an episode stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// Losses found by duplicate ACKs, SACK or RACK are being repaired.
    Fast,
    /// Losses found by the retransmission timer are being repaired.
    Timeout,
}

impl Phase {
    /// For time series.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Fast => "fast",
            Self::Timeout => "timeout",
        }
    }
}

/// An ACK after the scoreboard took it in, in sequence-space offsets.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// Now.
    pub now: Instant,
    /// `SND.UNA` after the ACK.
    pub una: u64,
    /// `SND.UNA` before the ACK.
    pub prior_una: u64,
    /// `SND.NXT`: one past the highest offset sent.
    pub nxt: u64,
    /// A duplicate ACK by RFC 5681 section 2.
    pub is_duplicate: bool,
    /// A DSACK block was in it.
    pub has_dsack: bool,
    /// What it delivered.
    pub delivery: Delivery,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// Smallest round-trip sample.
    pub min_rtt: Duration,
    /// The window before the ACK, floored, in bytes.
    pub cwnd: u64,
    /// True when TSecr shows that the ACK answers an earlier copy of what was retransmitted.
    pub echoes_original: bool,
}

/// What an input means for the episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Nothing begins or ends.
    Stay,
    /// A hole is to be filled at once, whatever the window says (a partial ACK).
    Retransmit,
    /// A probe repaired one loss that would otherwise go unnoticed: congestion control is to react, without an episode.
    Reduce(LossKind),
    /// A tail-loss probe is to be sent, whatever the window says.
    Probe,
    /// An episode begins: congestion control is to react.
    Enter(LossKind),
    /// The episode is over; the window may not exceed the given number of bytes (RFC 6582 step 3 option 1).
    Exit {
        /// Bound on the window at the end, none if infinite.
        at_most: u64,
    },
}

/// What the connection remembers of a member between inputs.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Where the episode stands.
    pub phase: Phase,
    /// When the member's own timer expires, [`Instant::NEVER`] without one.
    pub deadline: Instant,
    /// Bytes that count against the window.
    pub in_flight: u64,
    /// See [`Recovery::is_at_rest`].
    pub is_at_rest: bool,
}

/// The role.
pub trait Recovery: std::fmt::Debug + Send {
    /// Where the episode stands.
    fn phase(&self) -> Phase;

    /// An ACK that is acceptable arrived; losses that SACK shows are to be marked here.
    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step;

    /// Congestion control reacted to [`Step::Enter`]: the window is to become `ssthresh` bytes.
    fn on_enter(&mut self, board: &mut Scoreboard, ssthresh: u64) {
        let _ = (board, ssthresh);
    }

    /// True when the first retransmission of an episode leaves whatever the window says (RFC 5681 section 3.2).
    fn begins_at_once(&self) -> bool {
        true
    }

    /// The retransmission timer expired: forget episodes, lose everything, remember `SND.NXT`.
    fn on_timeout(&mut self, board: &mut Scoreboard, now: Instant);

    /// The episode was spurious.
    fn on_spurious(&mut self, board: &mut Scoreboard);

    /// Bytes that count against the window.
    fn in_flight(&self, board: &Scoreboard) -> u64 {
        board.pipe()
    }

    /// The window in bytes where the member sets it during an episode (proportional rate reduction).
    fn window(&self) -> Option<u64> {
        None
    }

    /// Bytes that may be in flight, given the floored window in bytes.
    fn allowance(&self, board: &Scoreboard, cwnd: u64) -> u64 {
        let _ = board;
        self.window().unwrap_or(cwnd)
    }

    /// Bytes that may still be sent, given the floored window in bytes.
    fn room(&self, board: &Scoreboard, cwnd: u64) -> u64 {
        self.allowance(board, cwnd).saturating_sub(self.in_flight(board))
    }

    /// The next segment to retransmit. With `no_new_data` nothing new could be sent instead.
    fn next_retransmission(&mut self, board: &mut Scoreboard, no_new_data: bool) -> Option<SegmentId>;

    /// Segment `id` was sent or retransmitted.
    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, now: Instant) {
        let _ = (board, id, now);
    }

    /// True while nothing is repaired or suspected, and no timer of the member runs. As long as the
    /// scoreboard [is untouched](Scoreboard::is_untouched) too, new data and ACKs that advance change nothing for
    /// such a member: the window bounds what is outstanding. The connection does not call it for them.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Phase, timer and flight, asked for after every input and transmission.
    fn status(&self, board: &Scoreboard) -> Status {
        Status {
            phase: self.phase(),
            deadline: self.deadline(),
            in_flight: self.in_flight(board),
            is_at_rest: self.is_at_rest(),
        }
    }

    /// [`Recovery::on_ack`] and the status after it.
    fn take_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> (Step, Status) {
        let step = self.on_ack(board, acked);
        (step, self.status(board))
    }

    /// [`Recovery::on_sent`] and the status after it.
    fn take_sent(&mut self, board: &Scoreboard, id: SegmentId, now: Instant) -> Status {
        self.on_sent(board, id, now);
        self.status(board)
    }

    /// True when the ACK just seen restarts the retransmission timer.
    fn restarts_timer(&self) -> bool {
        true
    }

    /// False while SACK blocks are ignored.
    fn reads_sack(&self) -> bool {
        true
    }

    /// Bytes sent by limited transmit, which `FlightSize` leaves out (RFC 5681 equation 4).
    fn limited_transmit_bytes(&self) -> u64 {
        0
    }

    /// When [`Recovery::on_deadline`] wants to be called, [`Instant::NEVER`] without a timer.
    fn deadline(&self) -> Instant {
        Instant::NEVER
    }

    /// The member's own timer expired.
    fn on_deadline(&mut self, board: &mut Scoreboard, now: Instant) -> Step {
        let _ = (board, now);
        Step::Stay
    }

    /// A probe was sent: new data up to `nxt`, or a retransmission of the last segment.
    fn on_probe_sent(&mut self, nxt: u64, is_retransmission: bool) {
        let _ = (nxt, is_retransmission);
    }

    /// The retransmission timer is about to expire. True sends a probe instead and restarts the timer.
    fn probes_instead_of_timeout(&mut self) -> bool {
        false
    }

    /// True when SACK is to be offered in the handshake.
    fn uses_sack(&self) -> bool {
        true
    }
}

// `NEEDS_TIMER`: a lost retransmission is found by the retransmission timer alone, while new data are sent.
registry! {
    /// Loss recovery algorithms.
    Recovery(Setup) where const needs_timer: bool = NEEDS_TIMER {
        /// Reno: one retransmission per three duplicate ACKs; any new ACK ends the episode.
        reno::Reno,
        /// NewReno: partial ACKs retransmit the next hole.
        newreno::NewReno,
        /// SACK-based recovery with `pipe`.
        sack::Sack,
        /// SACK-based recovery of ns-2's Sack1 agent: a counter of packets in flight.
        sack1::Sack1,
        /// Rate halving with forward acknowledgement.
        rate_halving::RateHalving,
        /// Proportional rate reduction: the window shrinks evenly over the episode.
        prr::Prr,
        /// RACK-TLP: losses by time, tail losses by probes, and proportional rate reduction.
        rack::Rack,
    }
}
