//! What transports hear of routes that break and come back; RFC 3561 has nothing of it.
//!
//! An error that ends a route of this node is told to the flows that begin here and go there, and names the packet that
//! met the break, so that its flow knows which it was. A source that stands still sends nothing that would make this
//! node look for another route: it looks by itself, as though a packet waited, for as long as packets may wait.
//! Who has a route again tells its flows; so does a destination when it is asked for by somebody that knew
//! it before.

use std::collections::BTreeMap;

use farlink_kernel::{Duration, Instant};
use farlink_tcp::Notice;

use super::Aodv;
use super::table::Lost;
use crate::context::{Context, Effect};
use crate::ids::{NodeId, PacketId};
use crate::routing::notice::{self, Notices};
use crate::wire::aodv::Named;

/// To whom this node sends segments of its own, and since when it has no route there.
#[derive(Clone, Debug, Default)]
pub struct Peers(BTreeMap<NodeId, Option<Instant>>);

impl Peers {
    /// True when the route was lost, no longer than `patience` ago.
    pub fn miss(&self, peer: NodeId, patience: Duration, now: Instant) -> bool {
        let lost = self.0.get(&peer).copied().flatten();
        lost.is_some_and(|lost| lost.saturating_add(patience) > now)
    }

    /// True when that is new.
    fn on_lost(&mut self, peer: NodeId, now: Instant) -> bool {
        match self.0.get_mut(&peer) {
            Some(lost @ None) => {
                *lost = Some(now);
                true
            }
            _ => false,
        }
    }

    /// True when it had been lost.
    fn on_found(&mut self, peer: NodeId) -> bool {
        self.0.get_mut(&peer).is_some_and(|lost| lost.take().is_some())
    }
}

impl Aodv {
    /// A packet of this node goes out.
    pub(super) fn remember_peer(&mut self, packet: PacketId, cx: &Context) {
        if self.config.notices != Notices::None && notice::affected_segment(packet, cx).is_some() {
            self.peers.0.entry(cx.packets[packet].destination).or_insert(None);
        }
    }

    /// True when this node is to look for a route though nothing waits for it.
    pub(super) fn misses(&self, peer: NodeId, now: Instant) -> bool {
        self.peers.miss(peer, self.config.send_buffer_timeout, now)
    }

    /// What the error about a packet names.
    pub(super) fn name(&self, packet: PacketId, cx: &Context) -> Option<Named> {
        let met = notice::affected_segment(packet, cx).filter(|_| self.config.notices == Notices::Carried)?;
        Some(Named { source: cx.packets[packet].source, met })
    }

    /// A packet is given up here.
    pub(super) fn tell_at_once(&self, packet: PacketId, cx: &mut Context) {
        if self.config.notices == Notices::Ideal
            && let Some(met) = notice::affected_segment(packet, cx)
        {
            notice::notify(met, cx);
        }
    }

    /// Routes of this node ended.
    pub(super) fn tell_flows(&mut self, lost: &[Lost], named: Option<Named>, cx: &mut Context) {
        if let Some(named) = named.filter(|named| named.source == self.node) {
            notice::notify(named.met, cx);
        }
        for peer in lost.iter().map(|lost| lost.destination) {
            if self.peers.on_lost(peer, cx.now) {
                self.announce(peer, Notice::RouteFailed { seq: None }, cx);
                self.seek(peer, cx);
            }
        }
    }

    /// This node has a route.
    pub(super) fn on_peer_found(&mut self, peer: NodeId, cx: &mut Context) {
        if self.peers.on_found(peer) {
            self.announce(peer, Notice::RouteRestored, cx);
        }
    }

    /// Somebody found a route to this node, who had one before.
    pub(super) fn on_found_by(&self, peer: NodeId, cx: &mut Context) {
        if self.config.notices != Notices::None {
            self.announce(peer, Notice::RouteRestored, cx);
        }
    }

    fn announce(&self, peer: NodeId, notice: Notice, cx: &mut Context) {
        cx.push(Effect::Tell { node: self.node, peer, notice });
    }
}
