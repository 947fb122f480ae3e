//! Congestion control: how much may be in flight. One paper per file; what Linux and ns-2 compute otherwise stands in
//! [`arithmetic`] and [`emulation`].
//!
//! A member steers [`Window`] and nothing else. It sees every acknowledgement ([`Ack`]) and every sign of
//! congestion ([`Loss`], once per episode). Windows are in segments.
//!
//! A member may come from any crate: `World::set_congestion_control` of `farlink-network` takes a box of one, and the crate's
//! documentation has an example. [`Reno`] has the rules of RFC 5681 for those that change some of them.

use farlink_kernel::{Bytes, Duration, Instant, registry};

use crate::window::Window;
use arithmetic::WindowArithmetic;

pub use reno::Reno;

pub mod arithmetic;
pub(crate) mod bbr;
pub(crate) mod bbr3;
pub(crate) mod bic;
pub(crate) mod compound;
pub(crate) mod copa;
pub(crate) mod cubic;
pub(crate) mod dctcp;
pub(crate) mod delay;
pub mod emulation;
pub(crate) mod enhanced_hybla;
pub(crate) mod highspeed;
pub(crate) mod hoe;
pub(crate) mod htcp;
pub(crate) mod hybla;
pub(crate) mod hystart;
pub(crate) mod hystart_plus_plus;
pub(crate) mod illinois;
pub(crate) mod ledbat;
pub(crate) mod lp;
mod marking;
pub(crate) mod prague;
pub(crate) mod reno;
mod round_trips;
pub(crate) mod scalable;
#[cfg(test)]
mod testing;
pub(crate) mod vegas;
pub(crate) mod veno;
pub(crate) mod westwood;
pub(crate) mod yeah;

/// The circumstances of a connection, for a new member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Payload bytes of a full segment.
    pub segment_size: Bytes,
    /// The user's bound on the window in segments, infinite without one.
    pub max_window: f64,
    /// The initial window in segments before the member's own scaling.
    pub initial_window: f64,
    /// The flow's seed for members that draw random numbers (BBR's first phase).
    pub seed: u64,
    /// Packets are spaced over the round trip instead of leaving in bursts.
    pub is_paced: bool,
    /// Real or whole windows, and the window while losses are repaired.
    pub arithmetic: WindowArithmetic,
}

/// An acknowledgement, as congestion control sees it. Called for every ACK the sender accepts, duplicate
/// or not, after the scoreboard took it in.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Now.
    pub now: Instant,
    /// Full segments the cumulative point advanced by (fractions for part segments); 0 for a duplicate.
    pub acked: f64,
    /// Full segments newly delivered: cumulatively or by SACK, each counted once.
    pub delivered: f64,
    /// The round-trip sample this ACK gave, if any.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time (RFC 6298), zero before the first sample.
    pub srtt: Duration,
    /// Smallest sample so far, [`Duration::MAX`] before the first.
    pub min_rtt: Duration,
    /// Segments thought to be in the network after this ACK.
    pub flight: f64,
    /// Segments thought to be in the network before this ACK.
    pub prior_flight: f64,
    /// True when the window may grow: new data was acknowledged, the window was what limited the sender,
    /// and no recovery is running.
    pub may_grow: bool,
    /// True while recovery repairs a loss.
    pub in_recovery: bool,
    /// True when a round trip ended: data sent after the previous round's end was acknowledged. Measured only where
    /// [`CongestionControl::uses_delivery_rate`] says so, as the rate is.
    pub round_start: bool,
    /// The delay of the path to the receiver by the timestamps of this ACK (RFC 7323), in ticks of their clock: from the echoed
    /// one to its own. Measured only where [`CongestionControl::uses_one_way_delay`] says so, and both ends send timestamps.
    pub one_way: Option<Duration>,
    /// The delivery rate this ACK measured (draft-cheng-iccrg-delivery-rate-estimation), if valid.
    pub rate: Option<RateSample>,
    /// Segments marked lost since the previous ACK.
    pub lost: f64,
    /// How long pacing holds the next segment back.
    pub pacing_wait: Duration,
    /// Packets newly reported as marked with CE: all that an accurate ACK reports (RFC 9768), or what an ACK with an echo
    /// delivered (RFC 8257 section 3.3). Counted only where [`CongestionControl::ecn_response`] says so, or the feedback is
    /// accurate.
    pub marked: f64,
    /// The newest segment this ACK delivered. Measured only where [`CongestionControl::uses_packet_state`] says so.
    pub packet: Option<PacketState>,
}

/// How the receiver reports marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnFeedback {
    /// Not at all.
    #[default]
    None,
    /// By echoes (RFC 3168; RFC 8257 where both ends are DCTCP).
    Classic,
    /// By counts (RFC 9768).
    Accurate,
}

/// How a member answers marks, and as what its packets are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnResponse {
    /// As losses, once per window of data (RFC 3168): ECT(0).
    #[default]
    Classic,
    /// Once per window, by the share of marked packets ([`Ack::marked`], RFC 8257): ECT(0), an echo per packet.
    Dctcp,
    /// By itself in [`CongestionControl::on_ack`] (RFC 9331): ECT(1), with accurate feedback. Without, as losses.
    L4s,
}

/// One delivery-rate sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Segments delivered over the interval.
    pub delivered: f64,
    /// The interval: the longer of send time and ACK time.
    pub interval: Duration,
    /// Delivered count of the connection when the acknowledged packet was sent, in segments: the sum of
    /// [`Ack::delivered`] up to then.
    pub prior_delivered: f64,
    /// True when the application, not the network, limited the sample.
    pub app_limited: bool,
}

/// A segment that was delivered or lost: the state when it was sent last, and what happened since (draft-ietf-ccwg-bbr,
/// per-packet state and rate sample). Counts of one connection are exact: equal bytes give equal numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketState {
    /// Segments delivered on the connection when it was sent (`P.delivered`).
    pub prior_delivered: f64,
    /// Segments delivered on the connection until now (`C.delivered`).
    pub delivered: f64,
    /// Segments in flight after its transmission, itself included (`P.tx_in_flight`).
    pub tx_in_flight: f64,
    /// Segments marked lost since it was sent, itself included if it is (`C.lost - P.lost`).
    pub lost: f64,
    /// The application limited the sender when it was sent (`P.is_app_limited`).
    pub app_limited: bool,
}

/// A segment that was just marked lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostPacket {
    /// Now.
    pub now: Instant,
    /// Its size in segments.
    pub size: f64,
    /// Its state.
    pub state: PacketState,
    /// It lies right above the one marked lost before it.
    pub continues: bool,
    /// SACK was negotiated: more than one loss per round trip can be found.
    pub has_sack: bool,
}

/// The sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// Duplicate ACKs or SACKs (RFC 5681 section 3.2, RFC 6675).
    DuplicateAcks,
    /// RACK's clock (RFC 8985), tail-loss probes included.
    Rack,
    /// The retransmission timer.
    Timeout,
    /// An ECN echo (RFC 3168).
    Ecn,
}

/// A sign of congestion; one per recovery episode, and one per expiry of the retransmission timer.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Now.
    pub now: Instant,
    /// The sign.
    pub kind: LossKind,
    /// What the loss reduces, in segments: FlightSize without what limited transmit sent (RFC 5681
    /// equation 4), or cwnd where the connection is set to that (Linux, ns-2).
    pub flight: f64,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// Smallest round-trip sample.
    pub min_rtt: Duration,
    /// The newest round-trip sample, zero before the first.
    pub latest_rtt: Duration,
    /// True when this is a further expiry for the same segment (RFC 5681: ssthresh is then kept).
    pub repeated: bool,
}

/// The window before a reduction, for undoing a spurious one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saved {
    /// cwnd before.
    pub cwnd: f64,
    /// ssthresh before.
    pub ssthresh: f64,
}

/// The role. A member is an algorithm of one paper.
pub trait CongestionControl: std::fmt::Debug + Send {
    /// The connection is established; `window` holds the initial window and threshold.
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        let _ = (window, now, srtt);
    }

    /// An ACK arrived. Grow only when `ack.may_grow`.
    fn on_ack(&mut self, window: &mut Window, ack: &Ack);

    /// A sign of congestion: set `ssthresh`, and `cwnd` to what it shall be when recovery has repaired the
    /// loss (after a timeout: at once).
    fn on_congestion(&mut self, window: &mut Window, loss: &Loss);

    /// Recovery repaired everything, after a timeout too, or the reduction by a mark is over; `window.cwnd` is what
    /// `on_congestion` and the ACKs since then left.
    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        let _ = (window, now);
    }

    /// The reduction was a mistake (RFC 4015, RFC 5682, DSACK): take it back.
    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
    }

    /// Nothing was sent for longer than one RTO (RFC 5681 section 4.1): `restart` is the restart window.
    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        let _ = now;
        window.cwnd = window.cwnd.min(restart);
    }

    /// True for members that decide themselves what may be sent during recovery (BBR).
    fn controls_recovery(&self) -> bool {
        false
    }

    /// True for members that read [`Ack::rate`] or [`Ack::round_start`]; for others they are not measured.
    fn uses_delivery_rate(&self) -> bool {
        true
    }

    /// How it answers marks.
    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::Classic
    }

    /// The handshake agreed on this feedback: before [`on_start`](Self::on_start), and again if it turns out not to work.
    fn on_ecn_negotiated(&mut self, feedback: EcnFeedback) {
        let _ = feedback;
    }

    /// True for members that read [`Ack::one_way`]; for others it is not measured.
    fn uses_one_way_delay(&self) -> bool {
        false
    }

    /// True for members that read [`Ack::packet`], and want [`Self::on_lost`] and [`Self::on_flight_start`]; they use the
    /// delivery rate, too.
    fn uses_packet_state(&self) -> bool {
        false
    }

    /// A segment was marked lost, before [`Self::on_congestion`] and [`Self::on_ack`] of the same input.
    fn on_lost(&mut self, window: &mut Window, lost: &LostPacket) {
        let _ = (window, lost);
    }

    /// A segment is about to be sent with nothing in flight. `app_limited`: the application had run out of data.
    fn on_flight_start(&mut self, window: &mut Window, now: Instant, app_limited: bool) {
        let _ = (window, now, app_limited);
    }

    /// Named internal numbers, for time series and tests.
    fn observe(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

registry! {
    /// Congestion control algorithms.
    CongestionControl(Setup) {
        /// Reno: slow start, congestion avoidance, halving. `newreno` is `reno` with `recovery = "newreno"`, without SACK.
        reno::Reno,
        /// BIC: binary search for the window at which the last loss happened.
        bic::Bic,
        /// CUBIC: the window is a cubic function of the time since the last loss.
        cubic::Cubic,
        /// Hybla: the window of a reference connection with a short round trip, scaled.
        hybla::Hybla,
        /// Enhanced Hybla: a loss sets the window to the unused part of the bandwidth-delay product.
        enhanced_hybla::EnhancedHybla,
        /// Compound: a loss window plus a delay window.
        compound::Compound,
        /// Vegas: keeps a few segments in queues and no more.
        vegas::Vegas,
        /// Veno: distinguishes link errors from congestion by what queues hold.
        veno::Veno,
        /// Westwood: the threshold after a loss is the measured bandwidth times the smallest round-trip time.
        westwood::Westwood,
        /// BBR version 1: sends at the path's measured bandwidth with its measured delay in flight.
        bbr::Bbr,
        /// BBR version 3: as BBR, with bounds on what is in flight that losses set.
        bbr3::Bbr3,
        /// Scalable TCP: grows and shrinks by fixed shares, so that any window recovers in the same time.
        scalable::Scalable,
        /// HighSpeed TCP: larger windows grow faster and lose less (RFC 3649).
        highspeed::HighSpeed,
        /// H-TCP: grows with the time since the last loss, and keeps what the queue did not hold.
        htcp::Htcp,
        /// Illinois: the queueing delay sets growth and reduction, losses decide when.
        illinois::Illinois,
        /// YeAH: Scalable while queues are short, Reno while they are long, and drains long ones.
        yeah::Yeah,
        /// LEDBAT: yields to other flows by keeping the queueing delay at a target; LEDBAT++ with `variant = "plus_plus"`.
        ledbat::Ledbat,
        /// TCP-LP: uses what others leave; backs off as soon as one-way delays rise.
        lp::Lp,
        /// Copa: balances throughput and queueing delay; competes with flows that fill queues.
        copa::Copa,
        /// DCTCP: reduces the window by half of the share of marked packets.
        dctcp::Dctcp,
        /// Prague: answers each mark of an L4S queue a little, at a rate that does not depend on short round trips.
        prague::Prague,
    }
}
