//! Notifications of transports about routes that break and are restored; RFC 3561 has none.
//!
//! An error that ends a route of this node notifies the flows from here to its destination, and names the segment that
//! met the break. A frozen source sends nothing that would start a route discovery: the node discovers a route by
//! itself, as though a packet waited, for as long as packets may wait. A node that has a route again notifies its flows;
//! so does a destination when a node that knew it before asks for it.

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::Notice;

use super::Aodv;
use super::table::BrokenRoute;
use crate::context::{Context, Effect};
use crate::ids::{NodeId, PacketId};
use crate::routing::notice::{self, Notices};
use crate::wire::aodv::Named;

/// Destinations of segments of this node, and since when there is no route to them.
#[derive(Clone, Debug, Default)]
pub struct Peers(Map<NodeId, Option<Instant>>);

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
    pub(super) fn remember_peer(&mut self, packet: PacketId, cx: &Context) {
        if self.config.route_notifications != Notices::None && notice::affected_segment(packet, cx).is_some()
        {
            self.peers.0.entry(cx.packets[packet].destination).or_insert(None);
        }
    }

    /// True when this node is to discover a route though no packet waits for it.
    pub(super) fn misses(&self, peer: NodeId, now: Instant) -> bool {
        self.peers.miss(peer, self.config.send_buffer_timeout, now)
    }

    /// What the error about a packet names.
    pub(super) fn name(&self, packet: PacketId, cx: &Context) -> Option<Named> {
        let met = notice::affected_segment(packet, cx)
            .filter(|_| self.config.route_notifications == Notices::InBand)?;
        Some(Named { source: cx.packets[packet].source, met })
    }

    pub(super) fn notify_at_once(&self, packet: PacketId, cx: &mut Context) {
        if self.config.route_notifications == Notices::Ideal
            && let Some(met) = notice::affected_segment(packet, cx)
        {
            notice::notify(met, cx);
        }
    }

    /// Routes of this node ended.
    pub(super) fn notify_flows(&mut self, lost: &[BrokenRoute], named: Option<Named>, cx: &mut Context) {
        if let Some(named) = named.filter(|named| named.source == self.node) {
            notice::notify(named.met, cx);
        }
        for peer in lost.iter().map(|lost| lost.destination) {
            if self.peers.on_lost(peer, cx.now) {
                self.announce(peer, Notice::RouteFailed { seq: None }, cx);
                self.discover(peer, cx);
            }
        }
    }

    pub(super) fn on_peer_found(&mut self, peer: NodeId, cx: &mut Context) {
        if self.peers.on_found(peer) {
            self.announce(peer, Notice::RouteRestored, cx);
        }
    }

    /// A node that had a route to this one before has found another.
    pub(super) fn on_found_by(&self, peer: NodeId, cx: &mut Context) {
        if self.config.route_notifications != Notices::None {
            self.announce(peer, Notice::RouteRestored, cx);
        }
    }

    fn announce(&self, peer: NodeId, notice: Notice, cx: &mut Context) {
        cx.push(Effect::RouteNotice { node: self.node, peer, notice });
    }
}
