//! What is known of the network beyond two hops (RFC 3626, section 9.5), and messages that came before (3.4).

use farlink_kernel::Instant;
use farlink_kernel::ordered::Map;

use crate::ids::NodeId;

/// The topology set (RFC 3626, section 4.4).
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// (last hop, destination): ANSN and expiry.
    edges: Map<(NodeId, NodeId), (u16, Instant)>,
}

/// True when a set's number is newer: numbers wrap (section 19).
fn is_newer(a: u16, b: u16) -> bool {
    (a.wrapping_sub(b)).cast_signed() > 0
}

impl Topology {
    /// A node listed its relay selectors. True when routes may have changed.
    pub fn on_message(&mut self, last: NodeId, number: u16, advertised: &[NodeId], until: Instant) -> bool {
        let mut known =
            self.edges.range((last, NodeId(0))..=(last, NodeId::MAX)).map(|(_, &(known, _))| known);
        if known.any(|known| is_newer(known, number)) {
            return false;
        }
        let before: Vec<NodeId> = self.beyond(last).collect();
        self.edges.retain(|&(from, _), &mut (known, _)| from != last || !is_newer(number, known));
        for &destination in advertised {
            self.edges.insert((last, destination), (number, until));
        }
        !self.beyond(last).eq(before)
    }

    pub fn beyond(&self, last: NodeId) -> impl Iterator<Item = NodeId> {
        self.edges.range((last, NodeId(0))..=(last, NodeId::MAX)).map(|(&(_, destination), _)| destination)
    }

    /// Forgets what is over. True when that was something.
    pub fn expire(&mut self, now: Instant) -> bool {
        let count = self.edges.len();
        self.edges.retain(|_, (_, until)| *until > now);
        count != self.edges.len()
    }

    pub fn next_change(&self) -> Instant {
        self.edges.values().map(|&(_, until)| until).min().unwrap_or(Instant::NEVER)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    /// By originator and number: until when, and whether it was passed on.
    known: Map<(NodeId, u16), (Instant, bool)>,
}

impl Duplicates {
    /// A message came. True when it did not come before.
    pub fn on_message(&mut self, originator: NodeId, number: u16, until: Instant) -> bool {
        self.known.insert((originator, number), (until, self.is_passed_on(originator, number))).is_none()
    }

    pub fn is_passed_on(&self, originator: NodeId, number: u16) -> bool {
        self.known.get(&(originator, number)).is_some_and(|&(_, is_passed_on)| is_passed_on)
    }

    pub fn on_passed_on(&mut self, originator: NodeId, number: u16) {
        if let Some((_, is_passed_on)) = self.known.get_mut(&(originator, number)) {
            *is_passed_on = true;
        }
    }

    pub fn expire(&mut self, now: Instant) {
        self.known.retain(|_, (until, _)| *until > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::Duration;

    fn at(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn a_newer_set_replaces_an_older_one_and_not_the_other_way() {
        let mut topology = Topology::default();
        assert!(topology.on_message(NodeId(1), u16::MAX, &[2, 3].map(NodeId), at(15)));
        assert!(!topology.on_message(NodeId(1), u16::MAX, &[2, 3].map(NodeId), at(20)), "nothing new");
        assert!(topology.on_message(NodeId(1), 0, &[3, 4].map(NodeId), at(21)));
        assert_eq!(topology.beyond(NodeId(1)).collect::<Vec<_>>(), [3, 4]);
        assert!(!topology.on_message(NodeId(1), u16::MAX, &[NodeId(2)], at(22)));
        assert_eq!((topology.next_change(), topology.expire(at(20))), (at(21), false));
        assert!(topology.expire(at(21)) && topology.beyond(NodeId(1)).next().is_none());
    }

    #[test]
    fn a_message_is_read_once_and_passed_on_once() {
        let mut duplicates = Duplicates::default();
        assert!(duplicates.on_message(NodeId(1), 7, at(30)) && !duplicates.on_message(NodeId(1), 7, at(30)));
        assert!(!duplicates.is_passed_on(NodeId(1), 7));
        duplicates.on_passed_on(NodeId(1), 7);
        assert!(!duplicates.on_message(NodeId(1), 7, at(31)) && duplicates.is_passed_on(NodeId(1), 7));
        duplicates.expire(at(31));
        assert!(duplicates.on_message(NodeId(1), 7, at(60)));
    }
}
