//! Links, neighbours and two-hop neighbours (RFC 3626, sections 7 and 8), learned from HELLOs.

use farlink_kernel::ordered::{Map, Set};
use farlink_kernel::{Duration, Instant};

use super::relays::{self, Candidate};
use crate::hop::{Hop, NextHop};
use crate::ids::{InterfaceId, NodeId};
use crate::wire::olsr::{LinkType, Listed, NeighbourType};

/// A link to a neighbour, by the times until which things are so (section 4.2.1).
#[derive(Clone, Copy, Debug)]
struct Link {
    symmetric: Instant,
    heard: Instant,
    known: Instant,
}

#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    links: Map<(NodeId, InterfaceId), Link>,
    /// How much each neighbour is ready to pass on.
    willingness: Map<NodeId, u8>,
    /// (neighbour, its neighbour), and until when.
    two_hops: Map<(NodeId, NodeId), Instant>,
    /// MPR selectors with their expiry (section 8.4).
    selectors: Map<NodeId, Instant>,
}

#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    pub from: NodeId,
    pub interface: InterfaceId,
    pub until: Instant,
    /// How much its sender is ready to pass on.
    pub willingness: u8,
    pub listed: &'a [Listed],
}

impl Neighbourhood {
    /// A HELLO came to `node`. True when routes may have changed.
    pub fn on_hello(&mut self, node: NodeId, heard: Heard<'_>, hold: Duration, now: Instant) -> bool {
        let Heard { from, interface, until, willingness, listed } = heard;
        let before = self.is_neighbour(from, now);
        let nothing = Link { symmetric: Instant::ZERO, heard: until, known: until };
        let link = self.links.entry((from, interface)).or_insert(nothing);
        link.heard = until;
        match listed.iter().find(|listed| listed.node == node).map(|listed| listed.link) {
            Some(LinkType::Symmetric | LinkType::Asymmetric) => {
                link.symmetric = until;
                link.known = until.saturating_add(hold);
            }
            Some(LinkType::Lost) => link.symmetric = Instant::ZERO,
            Some(LinkType::Unspecified) | None => {}
        }
        link.known = link.known.max(link.heard);
        self.willingness.insert(from, willingness);
        let is_neighbour = self.is_neighbour(from, now);
        let mut is_changed = before != is_neighbour;
        if is_neighbour {
            is_changed |= self.on_listed(node, heard, now);
        } else {
            self.forget(from);
        }
        is_changed
    }

    /// A symmetric neighbour listed its neighbours (sections 8.2.1 and 8.4.1).
    fn on_listed(&mut self, node: NodeId, heard: Heard<'_>, now: Instant) -> bool {
        let Heard { from, until, listed, .. } = heard;
        let mut is_changed = false;
        for listed in listed {
            match listed.neighbour {
                NeighbourType::Relay if listed.node == node => {
                    self.selectors.insert(from, until);
                }
                _ if listed.node == node => {
                    self.selectors.remove(&from);
                }
                NeighbourType::NotNeighbour => {
                    is_changed |= self.two_hops.remove(&(from, listed.node)).is_some();
                }
                NeighbourType::Symmetric | NeighbourType::Relay => {
                    let before = self.two_hops.insert((from, listed.node), until);
                    is_changed |= before.is_none_or(|before| before <= now);
                }
            }
        }
        is_changed
    }

    /// What a neighbour said about others does not count any more (section 8.5).
    fn forget(&mut self, neighbour: NodeId) {
        self.selectors.remove(&neighbour);
        self.two_hops.retain(|&(from, _), _| from != neighbour);
    }

    /// The links to a neighbour are lost at once (section 13).
    pub fn on_lost(&mut self, neighbour: NodeId) {
        for link in self.links.range_mut((neighbour, InterfaceId(0))..=(neighbour, InterfaceId::MAX)) {
            link.symmetric = Instant::ZERO;
        }
        self.forget(neighbour);
    }

    /// Forgets what is over. True when routes may have changed.
    pub fn expire(&mut self, now: Instant) -> bool {
        let count = self.links.len() + self.two_hops.len();
        self.links.retain(|_, link| link.known > now);
        self.two_hops.retain(|_, until| *until > now);
        self.selectors.retain(|_, until| *until > now);
        count != self.links.len() + self.two_hops.len()
    }

    /// When the first thing that routes are made of is over.
    pub fn next_change(&self, now: Instant) -> Instant {
        let links = self.links.values().map(|link| link.symmetric).filter(|&until| until > now);
        links.chain(self.two_hops.values().copied()).min().unwrap_or(Instant::NEVER)
    }

    /// True when a link to it carries both ways.
    pub fn is_neighbour(&self, node: NodeId, now: Instant) -> bool {
        self.hop(node, now).is_some()
    }

    pub fn hop(&self, node: NodeId, now: Instant) -> Option<Hop> {
        let mut links = self.links.range((node, InterfaceId(0))..=(node, InterfaceId::MAX));
        let (&(_, interface), _) = links.find(|(_, link)| link.symmetric > now)?;
        Some(Hop { interface, next_hop: NextHop::Node(node) })
    }

    /// The symmetric neighbours, in ascending order.
    pub fn neighbours(&self, now: Instant) -> Vec<NodeId> {
        let symmetric = self.links.iter().filter(|(_, link)| link.symmetric > now);
        let mut nodes: Vec<NodeId> = symmetric.map(|(&(node, _), _)| node).collect();
        nodes.dedup();
        nodes
    }

    /// The two-hop neighbours that a forwarding neighbour reaches.
    pub fn beyond(&self, neighbour: NodeId, now: Instant) -> impl Iterator<Item = NodeId> {
        let is_willing = self.willingness.get(&neighbour).is_some_and(|&willingness| willingness > 0);
        let range = self.two_hops.range((neighbour, NodeId(0))..=(neighbour, NodeId::MAX));
        range.filter(move |(_, until)| is_willing && **until > now).map(|(&(_, node), _)| node)
    }

    /// The neighbours that shall pass on what `node` sends.
    pub fn relays(&self, node: NodeId, now: Instant) -> Set<NodeId> {
        let neighbours = self.neighbours(now);
        let is_far = |other: &NodeId| *other != node && neighbours.binary_search(other).is_err();
        let candidate = |&neighbour: &NodeId| {
            let willingness = self.willingness.get(&neighbour).copied().unwrap_or_default();
            (
                neighbour,
                Candidate { willingness, reaches: self.beyond(neighbour, now).filter(is_far).collect() },
            )
        };
        relays::choose(&neighbours.iter().map(candidate).collect())
    }

    /// MPR selectors: neighbours that selected this node as a relay.
    pub fn selectors(&self, now: Instant) -> Vec<NodeId> {
        self.selectors.iter().filter(|(_, until)| **until > now).map(|(&node, _)| node).collect()
    }

    /// What a HELLO over an interface lists; those of one kind together (section 6.2).
    pub fn listed(&self, node: NodeId, interface: InterfaceId, now: Instant) -> Vec<Listed> {
        let relays = self.relays(node, now);
        let neighbour = |node: NodeId| match relays.contains(&node) {
            true => NeighbourType::Relay,
            false if self.is_neighbour(node, now) => NeighbourType::Symmetric,
            false => NeighbourType::NotNeighbour,
        };
        let here = |(&(node, at), link): (&(NodeId, InterfaceId), &Link)| {
            let link = match link {
                _ if at != interface => LinkType::Unspecified,
                link if link.symmetric > now => LinkType::Symmetric,
                link if link.heard > now => LinkType::Asymmetric,
                _ => LinkType::Lost,
            };
            Listed { node, link, neighbour: neighbour(node) }
        };
        let mut listed: Vec<Listed> = self.links.iter().map(here).collect();
        // Heard over several interfaces: the link here tells most.
        listed.sort_by_key(|listed| (listed.node, listed.link == LinkType::Unspecified));
        listed.dedup_by_key(|listed| listed.node);
        listed.sort_by_key(|listed| (listed.link as u8, listed.neighbour as u8, listed.node));
        listed
    }
}
