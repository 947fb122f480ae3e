//! Routes: which one is taken, and when it is advertised.
//!
//! No loops: order routes by sequence number, then by fewer hops. A node advertises only the route it uses, and routes
//! only improve in that order, so that every next hop has a better one.

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use super::config::{Config, Trigger};
use crate::hop::{Hop, NextHop};
use crate::ids::NodeId;
use crate::wire::dsdv::{Entry, UNREACHABLE};

#[derive(Clone, Debug)]
pub struct Route {
    /// The destination's newest number that is known.
    pub sequence: u32,
    pub hops: u8,
    pub hop: Hop,
    advertised: Option<u8>,
    /// The hops changed since the last full update.
    has_new_hops: bool,
    has_new_sequence: bool,
    settled: Instant,
    trigger: Instant,
    /// When the number was heard for the first time, and when the route changed last under it.
    first_heard: Instant,
    changed: Instant,
    /// How long the best route comes after the first.
    settling: Duration,
}

impl Route {
    fn is_reachable(&self) -> bool {
        self.hops < UNREACHABLE
    }

    fn is_changed(&self, now: Instant) -> bool {
        (self.has_new_hops || self.has_new_sequence) && self.settled <= now
    }

    fn tell_at(&mut self, at: Instant) -> Instant {
        self.trigger = at;
        at
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Heard {
    pub sequence: u32,
    pub hops: u8,
    pub hop: Hop,
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    routes: Map<NodeId, Route>,
}

impl Table {
    pub fn hop(&self, destination: NodeId) -> Option<Hop> {
        self.routes.get(&destination).filter(|route| route.is_reachable()).map(|route| route.hop)
    }

    /// A neighbour's entry arrived. When it has to be advertised, if that is before the next full update.
    pub fn learn(
        &mut self,
        destination: NodeId,
        heard: Heard,
        config: &Config,
        now: Instant,
    ) -> Option<Instant> {
        let Some(route) = self.routes.get_mut(&destination) else {
            return self.add(destination, heard, config, now);
        };
        if heard.sequence > route.sequence {
            // What was measured under the number before: from the first route to the best one.
            let measured = route.changed.saturating_since(route.first_heard);
            let weight = config.settling_weight.0;
            route.settling = route.settling.mul_f64(weight) + measured.mul_f64(1.0 - weight);
            route.first_heard = now;
            route.has_new_sequence = true;
            let is_triggered = match config.triggers {
                Trigger::Metric => route.advertised != Some(heard.hops),
                Trigger::Sequence => true,
                Trigger::Shorter => false,
            };
            route.take(heard, config, now);
            is_triggered.then(|| route.tell_at(route.settled))
        } else if heard.sequence == route.sequence && heard.hops < route.hops {
            route.take(heard, config, now);
            route.has_new_hops.then(|| route.tell_at(route.settled))
        } else if heard.hops == UNREACHABLE && heard.sequence < route.sequence && route.is_reachable() {
            // The neighbour lost a route, and this node has a newer one.
            (route.has_new_hops, route.settled) = (true, now);
            Some(route.tell_at(now))
        } else {
            None
        }
    }

    fn add(&mut self, destination: NodeId, heard: Heard, config: &Config, now: Instant) -> Option<Instant> {
        let Heard { sequence, hops, hop } = heard;
        let is_reachable = hops < UNREACHABLE;
        let settled = if is_reachable && config.settle_new_routes {
            now.saturating_add(config.settling_time.saturating_mul(2))
        } else {
            now
        };
        let trigger = if is_reachable { settled } else { Instant::NEVER };
        let route = Route {
            sequence,
            hops,
            hop,
            advertised: None,
            has_new_hops: is_reachable,
            has_new_sequence: false,
            settled,
            trigger,
            first_heard: now,
            changed: now,
            settling: config.settling_time,
        };
        self.routes.insert(destination, route);
        is_reachable.then_some(trigger)
    }

    /// A destination of which no number was heard; it is not advertised.
    pub fn add_unnumbered(&mut self, destination: NodeId, hops: u8, hop: Hop, config: &Config, now: Instant) {
        self.routes.entry(destination).or_insert(Route {
            sequence: 0,
            hops,
            hop,
            advertised: None,
            has_new_hops: false,
            has_new_sequence: false,
            settled: Instant::NEVER,
            trigger: Instant::NEVER,
            first_heard: now,
            changed: now,
            settling: config.settling_time,
        });
    }

    /// The link to a neighbour broke: what went over it cannot be reached, under a number that is newer than the
    /// destination's own and older than its next. True when that is anything.
    pub fn on_link_broken(&mut self, neighbour: NodeId, now: Instant) -> bool {
        let next_hop = NextHop::Node(neighbour);
        let over = self.routes.values_mut().filter(|route| route.hop.next_hop == next_hop);
        let mut is_any = false;
        // When the route changed stays: being lost is not the best route under a number.
        for route in over.filter(|route| route.is_reachable()) {
            route.hops = UNREACHABLE;
            route.sequence += 1;
            (route.has_new_hops, route.has_new_sequence) = (true, true);
            (route.settled, route.trigger) = (now, now);
            is_any = true;
        }
        is_any
    }

    /// What is advertised now: all that has settled, or only changes; changes of more than a third make it
    /// everything, too. With it, whether it is.
    pub fn advertise(&mut self, everything: bool, config: &Config, now: Instant) -> (Vec<Entry>, bool) {
        let changes = self.routes.values().filter(|route| route.is_changed(now)).count();
        // The node's own route is one of all, and never changed here.
        let everything = everything || changes > 3 && changes * 3 > self.routes.len() + 1;
        let mut entries = Vec::new();
        for (&destination, route) in self.routes.iter_mut() {
            if route.settled > now || !everything && !route.is_changed(now) {
                continue;
            }
            let &mut Route { hops, sequence, .. } = route;
            entries.push(Entry { destination, hops, sequence });
            (route.advertised, route.has_new_sequence) = (Some(hops), false);
            if !config.triggers_persist {
                route.trigger = Instant::NEVER;
            }
            // Every update until the next full one has all changes: a neighbour that missed one misses nothing.
            route.has_new_hops &= !everything;
        }
        (entries, everything)
    }

    /// Triggers that persist: an update is the answer to one of those that are due. Those from before `quiet_until` are
    /// one. If the update was sent, another follows for the others.
    pub fn on_triggered(&mut self, is_sent: bool, quiet_until: Instant, now: Instant) {
        let due = || self.routes.values().map(|route| route.trigger).filter(|&at| at <= now);
        let early = due().any(|at| at < quiet_until);
        let others = due().filter(|&at| at >= quiet_until).count() + usize::from(early) > 1;
        let mut stays = is_sent && others;
        for route in self.routes.values_mut().filter(|route| route.trigger <= now) {
            route.trigger = if std::mem::take(&mut stays) { now } else { Instant::NEVER };
        }
    }

    pub fn next_trigger(&self) -> Instant {
        self.routes.values().map(|route| route.trigger).min().unwrap_or(Instant::NEVER)
    }
}

impl Route {
    /// The route is the neighbour's from now on; its hops are advertised when they have settled.
    fn take(&mut self, heard: Heard, config: &Config, now: Instant) {
        let is_change_of_length = self.is_reachable() && heard.hops < UNREACHABLE;
        let wait = if is_change_of_length { self.settling.saturating_mul(2) } else { Duration::ZERO };
        self.settled = now.saturating_add(wait);
        self.has_new_hops = self.advertised != Some(heard.hops);
        (self.sequence, self.hops, self.hop, self.changed) = (heard.sequence, heard.hops, heard.hop, now);
        if !config.triggers_persist {
            self.trigger = Instant::NEVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::InterfaceId;
    use crate::routing::dsdv::config::Preset;

    const DESTINATION: NodeId = NodeId(9);

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    fn heard(sequence: u32, hops: u8, over: NodeId) -> Heard {
        Heard { sequence, hops, hop: Hop { interface: InterfaceId(0), next_hop: NextHop::Node(over) } }
    }

    fn learn(table: &mut Table, heard: Heard, now: Instant) -> Option<Instant> {
        table.learn(DESTINATION, heard, &Config::default(), now)
    }

    fn table() -> Table {
        let mut table = Table::default();
        assert_eq!(
            learn(&mut table, heard(10, 3, NodeId(1)), at(0)),
            Some(at(0)),
            "a new destination is advertised at once"
        );
        table
    }

    fn over(table: &Table) -> Option<NodeId> {
        table.hop(DESTINATION).map(|hop| match hop.next_hop {
            NextHop::Node(node) => node,
            NextHop::Everyone => panic!("a route leads to a neighbour"),
        })
    }

    fn entry(sequence: u32, hops: u8) -> Entry {
        Entry { destination: DESTINATION, hops, sequence }
    }

    #[test]
    fn newer_or_as_new_and_shorter_wins() {
        for (other, wins) in [
            (heard(12, 9, NodeId(2)), true),
            (heard(10, 2, NodeId(2)), true),
            (heard(10, 3, NodeId(2)), false),
            (heard(10, 4, NodeId(2)), false),
            (heard(8, 1, NodeId(2)), false),
        ] {
            let mut table = table();
            learn(&mut table, other, at(1));
            assert_eq!(over(&table) == Some(NodeId(2)), wins, "{other:?}");
        }
    }

    #[test]
    fn a_break_has_an_odd_number_that_only_the_destination_itself_outdoes() {
        let mut table = table();
        assert!(!table.on_link_broken(NodeId(2), at(1)) && table.on_link_broken(NodeId(1), at(1)));
        assert_eq!((table.hop(DESTINATION), table.next_trigger()), (None, at(1)));
        assert!(!table.on_link_broken(NodeId(1), at(1)), "it breaks once");
        assert_eq!(table.advertise(false, &Config::default(), at(1)).0, [entry(11, UNREACHABLE)]);
        assert_eq!(learn(&mut table, heard(10, 2, NodeId(2)), at(2)), None);
        assert_eq!(over(&table), None, "what was true before the break is not any more");
        // That it can be reached again is advertised at once.
        assert_eq!(learn(&mut table, heard(12, 5, NodeId(2)), at(3)), Some(at(3)));
        assert_eq!(over(&table), Some(NodeId(2)));
    }

    #[test]
    fn ns2_has_another_update_after_a_break_of_several_routes() {
        for (routes, is_another) in [(1, false), (3, true)] {
            let config = Config::of(Preset::Ns2);
            let mut table = Table::default();
            for destination in 0..routes {
                table.learn(NodeId(destination), heard(10, 3, NodeId(7)), &config, at(0));
            }
            assert!(table.on_link_broken(NodeId(7), at(60_000)));
            let (entries, _) = table.advertise(false, &config, at(60_000));
            assert!(entries.iter().all(|entry| entry.hops == UNREACHABLE));
            table.on_triggered(true, at(50_000), at(60_000));
            // What is learnt meanwhile does not end the trigger.
            for destination in 0..routes {
                table.learn(NodeId(destination), heard(12, 3, NodeId(7)), &config, at(60_020));
            }
            assert_eq!(table.next_trigger() <= at(60_000), is_another);
            let (entries, _) = table.advertise(false, &config, at(61_000));
            assert!(entries.len() == routes as usize && entries.iter().all(|entry| entry.hops == 3));
            table.on_triggered(true, at(61_000), at(61_000));
            assert_eq!(table.next_trigger(), Instant::NEVER);
        }
    }

    #[test]
    fn the_first_number_of_a_route_without_one_triggers_no_update_in_ns2() {
        for (hops, wait) in [(1, 10_500), (UNREACHABLE, 0)] {
            let config = Config::of(Preset::Ns2);
            let mut table = Table::default();
            let over = heard(2, 2, NodeId(7));
            table.add_unnumbered(DESTINATION, hops, over.hop, &config, at(0));
            assert_eq!(table.hop(DESTINATION).is_some(), hops == 1);
            assert_eq!(table.advertise(true, &config, at(0)).0, []);
            assert_eq!(table.learn(DESTINATION, over, &config, at(0)), None);
            assert_eq!(table.routes[&DESTINATION].settled, at(wait));
            table.add_unnumbered(DESTINATION, 1, over.hop, &config, at(0));
            assert_eq!(table.routes[&DESTINATION].sequence, 2, "what is known stays");
        }
    }

    #[test]
    fn a_node_that_takes_a_destination_for_lost_is_corrected() {
        let mut table = table();
        table.advertise(true, &Config::default(), at(0));
        assert_eq!(learn(&mut table, heard(9, UNREACHABLE, NodeId(2)), at(5)), Some(at(5)));
        assert_eq!(table.advertise(false, &Config::default(), at(5)).0, [entry(10, 3)]);
        assert_eq!(
            learn(&mut table, heard(11, UNREACHABLE, NodeId(1)), at(6)),
            Some(at(6)),
            "unless that is newer"
        );
        assert_eq!(over(&table), None);
    }

    #[test]
    fn a_shorter_route_is_advertised_when_it_has_settled_and_a_flutter_never() {
        let mut table = table();
        table.advertise(true, &Config::default(), at(0));
        // Settling takes 6 s, before anything was measured.
        assert_eq!(learn(&mut table, heard(10, 2, NodeId(2)), at(100)), Some(at(12_100)));
        assert_eq!(table.advertise(true, &Config::default(), at(12_099)).0, []);
        // The next number comes over the longer way first: the advertised hops are 3, and nothing has to be advertised. The route
        // had changed 0.1 s after the number came: 7/8 of 6 s and 1/8 of 0.1 s make 5.2625 s.
        assert_eq!(learn(&mut table, heard(12, 3, NodeId(1)), at(15_000)), None);
        assert_eq!(table.routes[&DESTINATION].settling, Duration::from_micros(5_262_500));
        assert_eq!(table.routes[&DESTINATION].settled, at(15_000 + 10_525));
        assert_eq!(table.advertise(true, &Config::default(), at(25_525)).0, [entry(12, 3)]);
    }

    #[test]
    fn changes_are_advertised_again_until_a_full_update() {
        let mut table = table();
        assert_eq!(table.advertise(false, &Config::default(), at(0)), (vec![entry(10, 3)], false));
        assert_eq!(table.next_trigger(), Instant::NEVER);
        assert_eq!(table.advertise(false, &Config::default(), at(1)), (vec![entry(10, 3)], false));
        assert_eq!(table.advertise(true, &Config::default(), at(2)), (vec![entry(10, 3)], true));
        assert_eq!(table.advertise(false, &Config::default(), at(3)), (vec![], false));
    }

    #[test]
    fn many_changes_make_a_full_update() {
        let mut table = Table::default();
        for destination in 0..11 {
            table.learn(NodeId(destination), heard(2, 1, NodeId(destination)), &Config::default(), at(0));
        }
        assert_eq!(table.advertise(true, &Config::default(), at(0)).0.len(), 11);
        // Of 12 with the own one, 4 are a third and 5 more.
        for (broken, advertised) in [(4, (4, false)), (5, (11, true))] {
            let mut table = table.clone();
            (0..broken).for_each(|neighbour| assert!(table.on_link_broken(NodeId(neighbour), at(1))));
            let (entries, everything) = table.advertise(false, &Config::default(), at(1));
            assert_eq!((entries.len(), everything), advertised);
        }
    }

    #[test]
    fn what_triggers_is_a_choice() {
        for (triggers, expected) in [
            (Trigger::Metric, [false, true]),
            (Trigger::Sequence, [true, true]),
            (Trigger::Shorter, [false; 2]),
        ] {
            let config = Config { triggers, ..Config::default() };
            for (hops, expected) in [3, 4].into_iter().zip(expected) {
                let mut table = table();
                table.advertise(true, &Config::default(), at(0));
                let trigger = table.learn(DESTINATION, heard(12, hops, NodeId(1)), &config, at(1));
                assert_eq!(trigger.is_some(), expected, "{triggers:?} {hops}");
            }
        }
    }
}
