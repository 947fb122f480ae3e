//! The routing table (RFC 3561, sections 2, 6.1, 6.2 and 6.11).
//!
//! No loops: let a route's worth be its destination's number, and one less when the route is broken. Along
//! next hops the worth never falls, and where it stays equal the hops to go fall. Every rule here keeps that, the
//! places where the RFC's text would not included: numbers never go back, not even to those an error names,
//! and a route that was found by hearing the destination itself does not make an old number valid again (R. van
//! Glabbeek, P. Höfner, W. L. Tan, M. Portmann, "Sequence Numbers Do Not Guarantee Loop Freedom", MSWiM 2013).

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use crate::hop::{Hop, NextHop};
use crate::ids::NodeId;
use crate::wire::aodv::sequence::Sequence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Active,
    /// It broke, and this node looks for another; packets wait.
    Repairing,
    /// The same, but only something newer or shorter is taken for it (`repair_keeps_sequence_number`).
    Stale,
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The destination's newest number that is known.
    pub sequence: Option<Sequence>,
    /// False when the route is newer than the number.
    pub is_sequence_valid: bool,
    pub hops: u8,
    /// How many they were when the route last broke; 0: it never did.
    pub hops_at_break: u8,
    pub hop: Hop,
    pub state: State,
    pub expires: Instant,
    /// The neighbours that may send over it.
    pub precursors: Vec<Hop>,
}

#[derive(Clone, Copy, Debug)]
pub struct RouteUpdate {
    /// Its number; `None` when the destination itself was heard, and did not say.
    pub sequence: Option<Sequence>,
    pub hops: u8,
    pub hop: Hop,
    pub expires: Instant,
}

/// A route that became invalid, with its precursors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRoute {
    pub destination: NodeId,
    pub sequence: Sequence,
    pub precursors: Vec<Hop>,
}

impl Route {
    /// True when `update` replaces the route (sections 6.2 and 6.7).
    fn is_older_than(&self, update: &RouteUpdate) -> bool {
        let is_active = self.state == State::Active;
        match (self.sequence, update.sequence) {
            (Some(known), Some(new)) if new == known => {
                let is_confirmed = update.hop == self.hop && update.hops == self.hops;
                let is_open = !is_active && self.state != State::Stale;
                is_open || !self.is_sequence_valid || update.hops < self.hops || is_active && is_confirmed
            }
            (Some(known), Some(new)) => new.is_newer_than(known),
            (None, Some(_)) => true,
            (_, None) => !is_active || update.hops <= self.hops,
        }
    }

    fn replace(&mut self, update: &RouteUpdate) {
        let is_active = self.state == State::Active;
        self.is_sequence_valid = update.sequence.is_some() || is_active && self.is_sequence_valid;
        self.sequence = update.sequence.or(self.sequence);
        self.expires = if is_active && self.hop == update.hop {
            self.expires.max(update.expires)
        } else {
            update.expires
        };
        (self.hops, self.hop, self.state) = (update.hops, update.hop, State::Active);
    }

    /// It is not good any more since `at` (section 6.11).
    fn end(&mut self, at: Instant, remembered: Duration) {
        if self.is_sequence_valid {
            self.sequence = self.sequence.map(Sequence::next);
        }
        (self.state, self.hops_at_break) = (State::Broken, self.hops);
        self.expires = at.saturating_add(remembered);
    }

    pub fn add_precursor(&mut self, neighbour: Hop) {
        if !self.precursors.contains(&neighbour) {
            self.precursors.push(neighbour);
        }
    }

    fn lost(&mut self, destination: NodeId) -> BrokenRoute {
        let precursors = std::mem::take(&mut self.precursors);
        BrokenRoute { destination, sequence: self.sequence.unwrap_or_default(), precursors }
    }
}

#[derive(Clone, Debug)]
pub struct Table {
    routes: Map<NodeId, Route>,
    /// How long a route that is not good any more is remembered.
    remembered: Duration,
    /// With so many routes it is time to look for forgotten ones.
    crowded: usize,
}

impl Table {
    pub fn new(remembered: Duration) -> Self {
        Self { routes: Map::new(), remembered, crowded: 64 }
    }

    /// The route to a destination, in whatever state.
    pub fn get(&mut self, destination: NodeId, now: Instant) -> Option<&mut Route> {
        let remembered = self.remembered;
        self.routes.get_or_remove(&destination, |route| Self::is_remembered(route, remembered, now))
    }

    /// The route to a destination, if packets may go over it.
    pub fn active(&mut self, destination: NodeId, now: Instant) -> Option<&mut Route> {
        self.get(destination, now).filter(|route| route.state == State::Active)
    }

    /// The same, or if nothing but a better one replaces it while it is repaired.
    pub fn in_force(&mut self, destination: NodeId, now: Instant) -> Option<&mut Route> {
        self.get(destination, now).filter(|route| matches!(route.state, State::Active | State::Stale))
    }

    /// As it was when it was last used.
    #[cfg(test)]
    pub(super) fn peek(&self, destination: NodeId) -> Option<&Route> {
        self.routes.get(&destination)
    }

    /// True when some route is active.
    pub fn has_active(&self, now: Instant) -> bool {
        self.routes.values().any(|route| route.state == State::Active && route.expires > now)
    }

    /// Invalidates an expired route; false when its entry is to be deleted.
    fn is_remembered(route: &mut Route, remembered: Duration, now: Instant) -> bool {
        if route.state == State::Active && route.expires <= now {
            route.end(route.expires, remembered);
        }
        route.expires > now
    }

    /// Something was heard about a destination. True when its route is made of that now.
    pub fn learn(&mut self, destination: NodeId, update: &RouteUpdate, now: Instant) -> bool {
        if let Some(route) = self.get(destination, now) {
            let is_update = route.is_older_than(update);
            if is_update {
                route.replace(update);
            }
            return is_update;
        }
        self.forget(now);
        let &RouteUpdate { sequence, hops, hop, expires } = update;
        let is_sequence_valid = sequence.is_some();
        let (state, precursors) = (State::Active, Vec::new());
        let hops_at_break = 0;
        let route =
            Route { sequence, is_sequence_valid, hops, hops_at_break, hop, state, expires, precursors };
        self.routes.insert(destination, route);
        true
    }

    /// Removes what is not remembered any more, once in a while.
    fn forget(&mut self, now: Instant) {
        if self.routes.len() >= self.crowded {
            self.routes.retain(|_, route| Self::is_remembered(route, self.remembered, now));
            self.crowded = 64.max(2 * self.routes.len());
        }
    }

    /// An active route is good until `until` at least.
    pub fn extend(&mut self, destination: NodeId, until: Instant, now: Instant) -> Option<Hop> {
        let route = self.active(destination, now)?;
        route.expires = route.expires.max(until);
        Some(route.hop)
    }

    /// A neighbour may send to a destination.
    pub fn add_precursor(&mut self, destination: NodeId, neighbour: Hop, now: Instant) {
        if let Some(route) = self.get(destination, now) {
            route.add_precursor(neighbour);
        }
    }

    /// The destinations of active routes over a neighbour.
    pub fn over(&self, neighbour: NodeId, now: Instant) -> Vec<NodeId> {
        let is_over = |route: &Route| {
            route.state == State::Active
                && route.expires > now
                && route.hop.next_hop == NextHop::Node(neighbour)
        };
        self.routes.iter().filter(|(_, route)| is_over(route)).map(|(&destination, _)| destination).collect()
    }

    /// An active route breaks.
    pub fn end(&mut self, destination: NodeId, now: Instant) -> Option<BrokenRoute> {
        let remembered = self.remembered;
        let route = self.active(destination, now)?;
        route.end(now, remembered);
        Some(route.lost(destination))
    }

    /// An active route breaks and is being repaired; its precursors are not notified yet.
    pub fn repair(&mut self, destination: NodeId, is_stale: bool, now: Instant) {
        let remembered = self.remembered;
        let Some(route) = self.active(destination, now) else { return };
        if is_stale {
            (route.state, route.expires) = (State::Stale, now.saturating_add(remembered));
        } else {
            route.end(now, remembered);
            route.state = State::Repairing;
        }
    }

    /// The repair was in vain.
    pub fn give_up(&mut self, destination: NodeId, now: Instant) -> Option<BrokenRoute> {
        let route = self.get(destination, now).filter(|route| route.state == State::Repairing)?;
        route.state = State::Broken;
        Some(route.lost(destination))
    }

    /// The time for a stale repair is over.
    pub fn give_up_stale(&mut self, destination: NodeId, now: Instant) {
        let remembered = self.remembered;
        if let Some(route) = self.get(destination, now).filter(|route| route.state == State::Stale) {
            route.end(now, remembered);
        }
    }

    /// `from` reported a destination unreachable, with sequence number `sequence`.
    pub fn on_error(
        &mut self,
        destination: NodeId,
        from: Hop,
        sequence: Sequence,
        now: Instant,
    ) -> Option<BrokenRoute> {
        let remembered = self.remembered;
        let route = self.active(destination, now).filter(|route| route.hop == from)?;
        route.end(now, remembered);
        route.sequence = Some(route.sequence.map_or(sequence, |own| own.newest(sequence)));
        Some(route.lost(destination))
    }

    /// A packet arrived for a destination without an active route; the entry for the RERR.
    pub fn no_route(&mut self, destination: NodeId, now: Instant) -> BrokenRoute {
        let until = now.saturating_add(self.remembered);
        match self.get(destination, now) {
            Some(route) => {
                route.expires = route.expires.max(until);
                route.lost(destination)
            }
            None => BrokenRoute { destination, sequence: Sequence::default(), precursors: Vec::new() },
        }
    }

    /// A neighbour is gone: it is no precursor any more.
    pub fn remove_precursor(&mut self, neighbour: NodeId) {
        for route in self.routes.values_mut() {
            route.precursors.retain(|hop| hop.next_hop != NextHop::Node(neighbour));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESTINATION: NodeId = NodeId(9);

    fn at(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    fn hop(node: u32) -> Hop {
        Hop { interface: crate::ids::InterfaceId(0), next_hop: NextHop::Node(NodeId(node)) }
    }

    fn update(sequence: u32, hops: u8, over: u32) -> RouteUpdate {
        RouteUpdate { sequence: Some(Sequence(sequence)), hops, hop: hop(over), expires: at(10) }
    }

    fn table(known: &RouteUpdate) -> Table {
        let mut table = Table::new(Duration::from_secs(15));
        assert!(table.learn(DESTINATION, known, at(0)));
        table
    }

    #[test]
    fn newer_or_as_new_and_shorter_wins() {
        let known = update(5, 3, 1);
        let learns = |other: &RouteUpdate| table(&known).learn(DESTINATION, other, at(1));
        assert!(learns(&update(6, 9, 2)) && learns(&update(5, 2, 2)));
        assert!(!learns(&update(5, 3, 2)) && !learns(&update(5, 4, 1)) && !learns(&update(4, 1, 2)));
        assert!(learns(&known), "what is known is confirmed");
        assert!(learns(&RouteUpdate { sequence: None, ..update(0, 1, 9) }), "the destination itself is near");
    }

    #[test]
    fn a_broken_route_is_replaced_by_nothing_older_than_its_break() {
        for (sequence, is_learnt) in [(5, false), (6, true), (7, true)] {
            let mut table = table(&update(5, 3, 1));
            assert_eq!(table.end(DESTINATION, at(1)).unwrap().sequence, Sequence(6));
            assert_eq!(table.learn(DESTINATION, &update(sequence, 9, 2), at(2)), is_learnt);
        }
    }

    #[test]
    fn a_route_ends_when_its_time_is_over_and_is_forgotten_later() {
        let mut table = table(&update(5, 3, 1));
        assert!(table.active(DESTINATION, at(9)).is_some() && table.has_active(at(9)));
        assert!(table.active(DESTINATION, at(10)).is_none() && !table.has_active(at(10)));
        let route = table.get(DESTINATION, at(24)).unwrap();
        assert_eq!((route.state, route.sequence, route.hops), (State::Broken, Some(Sequence(6)), 3));
        assert!(table.get(DESTINATION, at(25)).is_none());
    }

    #[test]
    fn a_neighbour_that_is_heard_again_and_again_does_not_get_newer() {
        let mut table = table(&update(5, 3, 1));
        let near = RouteUpdate { sequence: None, ..update(0, 1, DESTINATION.0) };
        table.end(DESTINATION, at(1));
        for second in 2..9 {
            assert!(table.learn(DESTINATION, &near, at(second)));
            let route = table.get(DESTINATION, at(second)).unwrap();
            assert_eq!((route.sequence, route.is_sequence_valid), (Some(Sequence(6)), false));
            assert_eq!(table.end(DESTINATION, at(second)).unwrap().sequence, Sequence(6));
        }
    }

    #[test]
    fn an_error_counts_from_the_next_hop_only_and_never_turns_numbers_back() {
        let mut table = table(&update(5, 3, 1));
        assert_eq!(table.on_error(DESTINATION, hop(2), Sequence(9), at(1)), None);
        assert_eq!(table.on_error(DESTINATION, hop(1), Sequence(2), at(1)).unwrap().sequence, Sequence(6));
        assert_eq!(table.on_error(DESTINATION, hop(1), Sequence(9), at(1)), None);
        assert!(table.learn(DESTINATION, &update(6, 3, 1), at(2)));
        assert_eq!(table.on_error(DESTINATION, hop(1), Sequence(9), at(3)).unwrap().sequence, Sequence(9));
    }

    #[test]
    fn precursors_are_notified_once() {
        let mut table = table(&update(5, 3, 1));
        for neighbour in [2, 3, 2] {
            table.add_precursor(DESTINATION, hop(neighbour), at(1));
        }
        assert_eq!(table.over(NodeId(1), at(1)), [DESTINATION]);
        assert_eq!(table.end(DESTINATION, at(1)).unwrap().precursors, [hop(2), hop(3)]);
        assert!(table.over(NodeId(1), at(1)).is_empty());
        assert!(table.no_route(DESTINATION, at(1)).precursors.is_empty());
    }

    #[test]
    fn what_is_not_remembered_any_more_leaves_room() {
        let mut table = Table::new(Duration::from_secs(15));
        for (destinations, expires, now) in [(0..1000, at(1), at(0)), (1000..2000, at(1000), at(100))] {
            let known = RouteUpdate { expires, ..update(1, 1, 1) };
            destinations.for_each(|destination| _ = table.learn(NodeId(destination), &known, now));
            assert_eq!(table.routes.len(), 1000, "expired routes leave room");
        }
    }
}
