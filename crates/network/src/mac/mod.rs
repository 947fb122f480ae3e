//! Medium access control: when a station transmits on a shared channel, and what follows when no acknowledgement comes.

use std::sync::Arc;

use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, registry};

use crate::context::Context;
use crate::frame::Frame;
use crate::hop::Decision;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::phy::Phy;
use crate::phy::antenna::Carrier;
use crate::queue::line::Line;

pub mod aloha;
pub mod cs_aloha;
pub(crate) mod csma;
pub(crate) mod dcf;
pub(crate) mod frn;
pub(crate) mod slotted_fama;
mod stop_and_wait;
pub(crate) mod t_lohi;
pub(crate) mod tdma;
pub(crate) mod uw_csma;

/// What a MAC may use besides its own state. Its effects are [`Effect::Transmit`], [`Effect::Heard`] and
/// [`Effect::Sent`].
///
/// [`Effect::Transmit`]: crate::context::Effect::Transmit
/// [`Effect::Heard`]: crate::context::Effect::Heard
/// [`Effect::Sent`]: crate::context::Effect::Sent
#[derive(Debug)]
pub struct Io<'a> {
    /// The MAC's interface.
    pub interface: InterfaceId,
    /// The node of the interface.
    pub node: NodeId,
    /// The state of the medium at the antenna.
    pub carrier: Carrier,
    /// Packets to be sent.
    pub queue: &'a mut Line,
    /// Clock, packets and effects.
    pub cx: &'a mut Context,
}

/// A medium access protocol at one interface.
pub trait Mac: std::fmt::Debug + Send {
    /// The queue may hold a packet: one was enqueued, or routing has reacted to a failure.
    fn on_queued(&mut self, io: &mut Io<'_>);

    /// A frame was received: for this node, a broadcast, or, if the MAC or routing [overhears](Mac::overhears), for other
    /// nodes. The MAC owns the copies of the parts whose next hop is this node.
    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>);

    /// The antenna has transmitted the frame, and the MAC [awaits](Mac::awaits_end) that.
    fn on_transmitted(&mut self, io: &mut Io<'_>);

    /// True while the MAC wants [`Mac::on_transmitted`]. Asked after every input.
    fn awaits_end(&self) -> bool {
        true
    }

    /// The medium became busy or idle ([`Io::carrier`]) by signals of other stations, while the MAC
    /// [watches](Mac::watches_from) it. A received frame is indicated before the end of its signal.
    fn on_carrier(&mut self, io: &mut Io<'_>) {
        let _ = io;
    }

    /// From when on the MAC wants [`Mac::on_carrier`]; [`Instant::ZERO`]: always. Asked after every input. A busy period
    /// that began before may end after it.
    fn watches_from(&self) -> Instant {
        Instant::NEVER
    }

    /// True while the MAC wants frames for other nodes, too. Their NAV is part of [`Io::carrier`] in any case. Asked after every
    /// input.
    fn overhears(&self) -> bool {
        true
    }

    /// Routing's decision on the next attempt of a packet that the MAC keeps, after [`Effect::Again`]. The MAC passes a packet
    /// for another interface on; a packet that routing keeps is no longer the MAC's.
    ///
    /// [`Effect::Again`]: crate::context::Effect::Again
    fn on_way(&mut self, packet: PacketId, way: Decision, io: &mut Io<'_>) {
        let _ = (packet, way, io);
    }

    /// A packet that the MAC passed up at this instant has no route from here, or found the queue full.
    fn on_refused(&mut self, packet: PacketId) {
        let _ = packet;
    }

    /// The deadline has passed. A call before the deadline is harmless.
    fn on_deadline(&mut self, io: &mut Io<'_>);

    /// When [`Mac::on_deadline`] is due. Asked after every input.
    fn deadline(&self) -> Instant;

    /// [`Mac::watches_from`], [`Mac::overhears`], [`Mac::awaits_end`] and [`Mac::deadline`] in one dynamic call. Members do
    /// not override it.
    fn notifications(&self) -> Notifications {
        let (watches_from, overhears) = (self.watches_from(), self.overhears());
        Notifications { watches_from, overhears, awaits_end: self.awaits_end(), deadline: self.deadline() }
    }

    /// Duplicates that it passed up; those it discards are counted elsewhere.
    fn duplicates_passed_up(&self) -> u64 {
        0
    }

    /// Answers that did not come in time.
    fn answers(&self) -> Answers {
        Answers::default()
    }

    /// The packets it holds, for the ledger.
    fn held(&self) -> Vec<PacketId>;
}

/// What is asked about a protocol before a run.
pub trait Parameters {
    /// For estimates, captures and checks of channels.
    fn properties(&self, phy: &dyn Phy) -> Properties;

    /// Refuses parameters that do not go together, or not with packets of up to `largest`.
    ///
    /// # Errors
    /// At the key of a parameter.
    fn check(&self, phy: &dyn Phy, largest: Bytes) -> Result<(), Diagnostic>;
}

/// What the parameters of a protocol determine before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Number of frames that a packet takes on one hop without collisions: data, acknowledgement, RTS, CTS, tone.
    pub frames: u32,
    /// Longer packets take an RTS and a CTS more.
    pub rts_threshold: Option<Bytes>,
    /// Mean time that these frames wait in all.
    pub wait: Duration,
    /// The propagation delay that the protocol allows for.
    pub delay_bound: DelayBound,
    /// True for frames of IEEE 802.11: captures write them whole. Of other frames they write the packets.
    pub is_ieee80211: bool,
    /// True for frames with link addresses, which ARP resolves.
    pub has_addresses: bool,
}

impl Properties {
    /// Those of frames that are not of IEEE 802.11, and have link addresses.
    pub fn of_own_frames(frames: u32, wait: Duration, delay_bound: DelayBound) -> Self {
        Self { frames, rts_threshold: None, wait, delay_bound, is_ieee80211: false, has_addresses: true }
    }
}

/// A bound on the propagation delay between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayBound {
    /// None.
    Unbounded,
    /// An acknowledgement arrives within two propagation delays and `response`, and before parameter `timeout` is over.
    Timeout {
        /// The parameter.
        timeout: Duration,
        /// Duration of the acknowledgement, and of turning around for it.
        response: Duration,
    },
    /// A response begins within two propagation delays, and within this time, which no parameter changes.
    Response(Duration),
    /// Parameter `max_propagation_delay`, which the protocol plans with.
    Planned(Duration),
}

impl DelayBound {
    /// That of a receiver that acknowledges at once, with a frame of this size.
    pub(crate) fn acknowledged(timeout: Duration, size: Bytes, phy: &dyn Phy) -> Self {
        let response = phy.air_time(size.0 as u32, phy.basic_mode()) + phy.turnaround() * 2;
        Self::Timeout { timeout, response }
    }
}

/// Answers to packets that did not come in their slot, where a station expects them in a certain one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers {
    /// Attempts without an answer in its slot.
    pub missed: u64,
    /// Those of them whose answer was received later, before the next attempt; the others' answers were lost.
    pub late: u64,
}

/// What a MAC is notified of until its next input.
#[derive(Clone, Copy, Debug)]
pub struct Notifications {
    /// See [`Mac::watches_from`].
    pub watches_from: Instant,
    /// See [`Mac::overhears`].
    pub overhears: bool,
    /// See [`Mac::awaits_end`].
    pub awaits_end: bool,
    /// See [`Mac::deadline`].
    pub deadline: Instant,
}

/// What a member is made from besides its parameters.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The interface's number, part of its draw keys.
    pub interface: u64,
    /// Its index among the stations of its channel.
    pub station: u32,
    /// Number of stations of its channel.
    pub stations: u32,
    pub(crate) phy: Arc<dyn Phy>,
}

registry! {
    /// Medium access protocols.
    Mac(Setup) where Config: Parameters {
        /// ALOHA: transmits at once; retransmits after a random backoff when no acknowledgement comes.
        aloha::Aloha,
        /// Non-persistent CSMA: transmits when the medium is idle; no acknowledgements.
        csma::Csma,
        /// IEEE 802.11 DCF: CSMA/CA with backoff, NAV, optional RTS and CTS, and retransmission when no acknowledgement
        /// comes.
        dcf::Dcf,
        /// Underwater acoustic: CSMA with backoff in slots of a round trip, and retransmission.
        uw_csma::UwCsma,
        /// ALOHA with a short random sensing period before each frame.
        cs_aloha::CsAloha,
        /// Underwater acoustic: RTS and CTS in slots of the longest propagation delay.
        slotted_fama::SlottedFama,
        /// Underwater acoustic: a tone reserves the channel if no other tone is heard in a contention round.
        t_lohi::TLohi,
        /// Time division: each station transmits in its own slots.
        tdma::Tdma,
        /// Flexible Radio Network: slotted packet radio; the overheard relay of a packet acknowledges it.
        frn::Frn,
    }
}
