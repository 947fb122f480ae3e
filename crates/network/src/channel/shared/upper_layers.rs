//! [`Above`]: what a walk meets at the antennas it passes.

use farlink_kernel::{Instant, Phase};

use crate::context::Context;
use crate::frame::Frame;
use crate::ids::{InterfaceId, NodeId};
use crate::phy::antenna::Carrier;
use crate::phy::power::Strength;

/// What a MAC is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told<'a> {
    /// Whose.
    pub interface: InterfaceId,
    /// The frame its antenna made out, as the node has it.
    pub frame: Option<&'a Frame>,
    /// How strong the signal is there.
    pub strength: Strength,
    /// If the carrier came or went.
    pub is_carrier_news: bool,
    /// What the antenna sees of the medium now.
    pub carrier: Carrier,
}

/// What those above an antenna want to know of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// From when on the MAC wants to know when the carrier comes and goes.
    pub watched_from: Instant,
    /// Somebody wants to know of all frames for others.
    pub overhears: bool,
    /// Routing wants to know of those that carry packets.
    pub taps: bool,
}

/// The layers above the antennas of a channel.
pub trait Above {
    /// A MAC is told something now (`cx.now`). What is wanted from now on.
    fn tell(&mut self, told: &Told<'_>, cx: &mut Context) -> Attention;

    /// A node's routing, which [taps](Attention::taps), hears a frame for others now. False: nothing comes of it.
    fn overhear(&mut self, node: NodeId, frame: &Frame, cx: &mut Context) -> bool;

    /// Before this moment they want nothing.
    fn horizon(&self) -> (Instant, Phase);
}
