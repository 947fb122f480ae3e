//! [`Monitor`]: sees the frames on shared channels, as they are sent or as one node hears them.

use farlink_kernel::Instant;

use crate::blueprint::NodeId;
use crate::frame::Frame;
use crate::packet::Packets;
use crate::phy::power::Level;

/// A frame that is seen.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a> {
    /// When its sender began, or when its signal ended at the listener.
    pub now: Instant,
    /// On which channel.
    pub channel: u32,
    /// What is seen.
    pub frame: &'a Frame,
    /// Where its packets can be read.
    pub packets: &'a Packets,
    /// How strong it is at the listener; `None` at its sender.
    pub level: Option<Level>,
}

/// Someone who looks at frames on shared channels.
pub trait Monitor: std::fmt::Debug + Send {
    /// A frame was sent, or made out.
    fn on_frame(&mut self, sighting: &Sighting<'_>);
}

/// Where a monitor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At every sender: it sees each frame once, as it is sent.
    Air,
    /// At one node: it sees what the node sends and makes out.
    Node(NodeId),
}

/// A monitor at its place.
#[derive(Debug)]
pub struct Placed {
    /// Where it stands.
    pub place: Place,
    /// Who looks.
    pub monitor: Box<dyn Monitor>,
}

impl Placed {
    /// `node` sends the frame, or makes it out when its level is known.
    pub fn show(&mut self, node: NodeId, sighting: &Sighting<'_>) {
        let is_seen = match self.place {
            Place::Air => sighting.level.is_none(),
            Place::Node(place) => place == node,
        };
        if is_seen {
            self.monitor.on_frame(sighting);
        }
    }
}
