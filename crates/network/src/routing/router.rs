//! [`Router`]: the routing of one node as the node holds it.

use super::{Any, Hop, Way};
use crate::context::{Context, Timer};
use crate::packet::PacketId;

/// A protocol at work, its pending event, and its table if it keeps to one.
#[derive(Debug)]
pub struct Router {
    /// The protocol.
    pub protocol: Any,
    /// Its pending event.
    pub timer: Timer,
    /// [`Routing::table`](super::Routing::table); the protocol is asked for what is not in it.
    table: Vec<Option<Hop>>,
}

impl Router {
    /// A protocol is set to work.
    pub fn new(protocol: Any) -> Self {
        let table = protocol.table().unwrap_or_default();
        Self { protocol, timer: Timer::default(), table }
    }

    /// What becomes of this packet?
    #[inline(always)]
    pub fn way(&mut self, packet: PacketId, cx: &mut Context) -> Way {
        match self.table.get(cx.packets[packet].destination as usize) {
            Some(Some(hop)) => Way::Over(*hop),
            _ => self.protocol.next_hop(packet, cx),
        }
    }
}
