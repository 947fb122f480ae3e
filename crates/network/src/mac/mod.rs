//! Medium access: when a frame is sent on a shared channel, and what happens when nobody answers.

use std::sync::Arc;

use farlink_kernel::{Instant, registry};

use crate::context::Context;
use crate::frame::Frame;
use crate::hop::Decision;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::phy::Phy;
use crate::phy::antenna::Carrier;
use crate::queue::line::Line;

pub mod aloha;
pub mod cs_aloha;
pub mod csma;
mod custody;
pub mod dcf;
pub mod frn;
pub mod slotted_fama;
pub mod t_lohi;
pub mod tdma;
pub mod uw_csma;

/// What a MAC may use besides its own state. It asks for [`Effect::Transmit`], [`Effect::Heard`] and
/// [`Effect::Sent`].
///
/// [`Effect::Transmit`]: crate::context::Effect::Transmit
/// [`Effect::Heard`]: crate::context::Effect::Heard
/// [`Effect::Sent`]: crate::context::Effect::Sent
#[derive(Debug)]
pub struct Io<'a> {
    /// Its interface.
    pub interface: InterfaceId,
    /// Its node.
    pub node: NodeId,
    /// The medium as the antenna sees it now.
    pub carrier: Carrier,
    /// What waits to be sent.
    pub queue: &'a mut Line,
    /// What every layer may use.
    pub cx: &'a mut Context,
}

/// The role.
pub trait Mac: std::fmt::Debug + Send {
    /// Something may wait in the queue: a packet came, or routing has reacted to a failure.
    fn on_queued(&mut self, io: &mut Io<'_>);

    /// The antenna made out a frame, for this node, for everyone, or, if the MAC or routing
    /// [overhears](Mac::overhears), for others; the MAC owns the copies of the parts this node is a next hop of.
    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>);

    /// The frame handed to the antenna has been sent.
    fn on_antenna_free(&mut self, io: &mut Io<'_>);

    /// The carrier came or went ([`Io::carrier`]), while the MAC [watches](Mac::watches_from) it; own frames do not
    /// count. A frame that was made out is told before the end of its signal.
    fn on_carrier(&mut self, io: &mut Io<'_>) {
        let _ = io;
    }

    /// From when on [`Mac::on_carrier`] is wanted; [`Instant::ZERO`]: always. Asked after every input. What came
    /// before may go later, and is told then.
    fn watches_from(&self) -> Instant {
        Instant::NEVER
    }

    /// True while [`Mac::on_frame`] is wanted of frames for others, too. What they reserve is in the carrier.
    /// Asked after every input.
    fn overhears(&self) -> bool {
        true
    }

    /// What routing says about the next try of a packet that the MAC keeps, after [`Effect::Again`]. Over another
    /// interface the MAC sends it there; kept, it is routing's now.
    ///
    /// [`Effect::Again`]: crate::context::Effect::Again
    fn on_way(&mut self, packet: PacketId, way: Decision, io: &mut Io<'_>) {
        let _ = (packet, way, io);
    }

    /// A packet that the MAC passed up at this instant went nowhere from here, or its queue had no room for it.
    fn on_refused(&mut self, packet: PacketId) {
        let _ = packet;
    }

    /// The deadline passed. Harmless when called early.
    fn on_deadline(&mut self, io: &mut Io<'_>);

    /// When to call [`Mac::on_deadline`]. Asked after every input.
    fn deadline(&self) -> Instant;

    /// What it wants now, in one question. Members leave it as it is.
    fn wish(&self) -> Wish {
        let (watches_from, overhears) = (self.watches_from(), self.overhears());
        Wish { watches_from, overhears, deadline: self.deadline() }
    }

    /// How many packets it passed up that had come to it before; those it discards are counted elsewhere.
    fn received_again(&self) -> u64 {
        0
    }

    /// The packets it holds, for the books.
    fn held(&self) -> Vec<PacketId>;
}

/// What a MAC wants until its next input.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// See [`Mac::watches_from`].
    pub watches_from: Instant,
    /// See [`Mac::overhears`].
    pub overhears: bool,
    /// See [`Mac::deadline`].
    pub deadline: Instant,
}

/// What a member is told when it is set to work.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The interface's number, the key of its luck.
    pub interface: u64,
    /// Its place among the stations of its channel, and how many they are.
    pub station: u32,
    /// See [`Setup::station`].
    pub stations: u32,
    /// How frames become signals.
    pub phy: Arc<dyn Phy>,
}

registry! {
    /// Medium access protocols.
    Mac(Setup) {
        /// Sends when it has something; waits at random and sends again when no acknowledgement comes.
        aloha::Aloha,
        /// Sends when nobody else does and waits for no acknowledgement.
        csma::Csma,
        /// Wireless LAN: listens, lets a random number of slots pass, may ask before it sends, and tries again
        /// when no acknowledgement comes.
        dcf::Dcf,
        /// Under water: listens, lets a random number of long slots pass, and tries again when no acknowledgement comes.
        uw_csma::UwCsma,
        /// ALOHA that listens for a short random time before it sends.
        cs_aloha::CsAloha,
        /// Under water: asks in slots that are as long as sound takes through the network.
        slotted_fama::SlottedFama,
        /// Under water: who has something to send sends a tone, and sends if it hears no other.
        t_lohi::TLohi,
        /// Every station has its own slots.
        tdma::Tdma,
        /// Packet radio in slots: who passes a packet on is overheard, and that acknowledges it.
        frn::Frn,
    }
}
