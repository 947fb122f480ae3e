//! [`UpperLayers`]: what is above the antennas of a shared channel.

use farlink_kernel::{Instant, Phase};

use super::progress::Progress;
use crate::context::Context;
use crate::frame::Frame;
use crate::ids::{InterfaceId, NodeId};
use crate::phy::antenna::Carrier;
use crate::phy::power::Strength;

/// A notification of a MAC by its antenna.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Indication<'a> {
    pub interface: InterfaceId,
    /// The frame that was received, with the packets of this node.
    pub frame: Option<&'a Frame>,
    pub strength: Strength,
    pub carrier_changed: bool,
    pub carrier: Carrier,
}

/// Which signals the layers above an antenna are notified of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// From when on the MAC is notified of the carrier.
    pub carrier_from: Instant,
    /// The MAC or a monitor receives all frames for other nodes.
    pub overhears: bool,
    pub taps: bool,
    /// The MAC is notified when its antenna has transmitted.
    pub awaits_end: bool,
}

impl Interest {
    /// All frames, and no change of the carrier.
    pub const ALL: Self =
        Self { carrier_from: Instant::NEVER, overhears: true, taps: true, awaits_end: true };
}

/// The layers above the antennas of a channel.
pub trait UpperLayers {
    /// Notifies a MAC at `cx.now`. Returns the interest from now on.
    fn indicate(&mut self, indication: &Indication<'_>, cx: &mut Context) -> Interest;

    /// Passes a frame for other nodes to a node's routing, which [taps](Interest::taps). False when it has no effect.
    fn overhear(&mut self, node: NodeId, frame: &Frame, cx: &mut Context) -> bool;

    /// The next event of any layer: a transmission may be processed up to it without the event queue.
    fn horizon(&self) -> (Instant, Phase);

    /// If the next event is another transmission on the channel: takes it out of the queue, and puts `transmission` in, which goes
    /// on at `next`. `progress` is that of the other one then.
    fn exchange(
        &mut self,
        transmission: u32,
        next: (Instant, Phase),
        progress: &mut Progress,
    ) -> Option<u32> {
        let _ = (transmission, next, progress);
        None
    }
}
