//! [`Monitor`]: an observer of the frames on shared channels and of the packets at nodes.

use farlink_kernel::{Duration, Instant};

use crate::frame::{Frame, LinkFailure};
use crate::hop::Hop;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::packet::{Cause, Packets};
use crate::phy::power::Strength;

/// An event of a frame at a node.
#[derive(Clone, Copy, Debug)]
pub enum View {
    /// The node begins to transmit it, for this time.
    Sent(Duration),
    /// The node has received it with this signal strength.
    Received(Strength),
    /// It was addressed to the node, which did not receive it.
    Missed(Cause),
}

/// An observed frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameObserved<'a> {
    /// Start at the sender, or end of the signal at the listener.
    pub now: Instant,
    /// Number of its channel.
    pub channel: ChannelId,
    /// The sender or the listener.
    pub node: NodeId,
    /// The frame.
    pub frame: &'a Frame,
    /// Its packets.
    pub packets: &'a Packets,
    /// The event.
    pub view: View,
}

/// What happens to a packet at a node.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The node's transport, or a router that notifies a transport, passes it to routing.
    Originated,
    /// It arrives from a neighbour.
    Arrived {
        /// The neighbour.
        from: NodeId,
        /// Over a link with two ends.
        is_link: bool,
    },
    /// It goes up to its transport, or to the routing that reads it.
    Delivered,
    /// Routing passes it to an interface.
    Routed(Hop),
    /// A link has failed to deliver it, and gives it back to routing.
    GivenBack(LinkFailure),
    /// It is dropped; on a shared channel at its sender.
    Dropped(Cause),
}

/// An observed packet.
#[derive(Clone, Copy, Debug)]
pub struct PacketObserved<'a> {
    /// When.
    pub now: Instant,
    /// Where.
    pub node: NodeId,
    /// Which.
    pub packet: PacketId,
    /// All packets.
    pub packets: &'a Packets,
    /// The event.
    pub step: Step,
}

/// An observer of frames and packets.
pub trait Monitor: std::fmt::Debug + Send {
    /// A frame was sent, received or missed, as far as the monitor sees that from its [`Place`].
    fn on_frame(&mut self, sighting: &FrameObserved<'_>);

    /// Something happened to a packet, anywhere.
    fn on_packet(&mut self, passage: &PacketObserved<'_>) {
        let _ = passage;
    }
}

/// Where a monitor observes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At every sender: each frame once, as it is sent.
    Channel,
    /// At one node: frames that it sends, receives and misses.
    Node(NodeId),
    /// At every node: each frame as it is sent, received and missed.
    Everywhere,
}

impl Place {
    fn sees(self, sighting: &FrameObserved<'_>) -> bool {
        match self {
            Self::Channel => matches!(sighting.view, View::Sent(_)),
            Self::Node(node) => sighting.node == node,
            Self::Everywhere => true,
        }
    }
}

/// The monitors of a run, and where packets are: packets do not know it themselves.
#[derive(Debug, Default)]
pub struct Monitors {
    placed: Vec<(Place, Box<dyn Monitor>)>,
    /// By packet id: the packet's number, and the node that has it.
    holders: Vec<Option<(u64, NodeId)>>,
}

impl Monitors {
    pub(crate) fn add(&mut self, monitor: Box<dyn Monitor>, place: Place) {
        self.placed.push((place, monitor));
    }

    /// True when a monitor observes what the node receives.
    pub fn hear(&self, node: NodeId) -> bool {
        self.placed.iter().any(|(place, _)| matches!(place, Place::Everywhere) || *place == Place::Node(node))
    }

    pub(crate) fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        if let View::Sent(_) = sighting.view {
            for part in sighting.frame.parts.iter().flatten() {
                self.hold(part.packet, sighting.packets, sighting.node);
            }
        }
        for (place, monitor) in &mut self.placed {
            if place.sees(sighting) {
                monitor.on_frame(sighting);
            }
        }
    }

    /// A packet goes down to `node`'s routing; shows it if it begins there.
    #[cold]
    pub fn on_down(&mut self, now: Instant, node: NodeId, packet: PacketId, packets: &Packets) {
        let number = packets[packet].number;
        let known = self.holders.get(packet.as_index()).copied().flatten();
        if packets[packet].source == node && known.is_none_or(|(other, _)| other != number) {
            self.on_packet(PacketObserved { now, node, packet, packets, step: Step::Originated });
        }
    }

    /// Shows what happens to a packet.
    #[cold]
    pub fn on_packet(&mut self, passage: PacketObserved<'_>) {
        self.hold(passage.packet, passage.packets, passage.node);
        for (_, monitor) in &mut self.placed {
            monitor.on_packet(&passage);
        }
    }

    /// Shows a drop, at the node that has the packet.
    #[cold]
    pub fn on_drop(&mut self, now: Instant, packet: PacketId, cause: Cause, packets: &Packets) {
        let holder = self.holders.get(packet.as_index()).copied().flatten();
        let node = match holder {
            Some((number, node)) if number == packets[packet].number => node,
            _ => packets[packet].source,
        };
        self.on_packet(PacketObserved { now, node, packet, packets, step: Step::Dropped(cause) });
    }

    fn hold(&mut self, packet: PacketId, packets: &Packets, node: NodeId) {
        let place = packet.as_index();
        if place >= self.holders.len() {
            self.holders.resize(place + 1, None);
        }
        self.holders[place] = Some((packets[packet].number, node));
    }
}
