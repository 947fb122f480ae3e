//! [`Links`]: the links of a network over time, as ideal routing knows them.

use farlink_kernel::{Duration, Instant};

use super::graph::Edge;
use crate::schedule::{Outage, Schedule};

/// A direction of a link.
#[derive(Clone, Debug)]
pub struct Direction {
    /// With the delay at the start.
    pub edge: Edge,
    pub delay: Schedule<Duration>,
    pub down: Vec<Outage>,
}

impl Direction {
    fn is_up(&self, at: Instant) -> bool {
        !self.down.iter().any(|outage| outage.contains(at))
    }

    /// When it changes after `at`.
    fn next_change(&self, at: Instant) -> Instant {
        let outages = self.down.iter().map(|outage| outage.next_change(at));
        outages.fold(self.delay.at(at).1, Instant::min)
    }
}

/// Both directions of every link, in the order of their interfaces.
#[derive(Clone, Debug, Default)]
pub struct Links(pub Vec<Direction>);

impl Links {
    /// With the delays at the start, and none down.
    pub fn at_start(&self) -> impl Iterator<Item = Edge> {
        self.0.iter().map(|direction| direction.edge)
    }

    /// Those that are up at an instant, with the delays that they have then.
    pub fn up(&self, at: Instant) -> impl Iterator<Item = Edge> {
        let up = self.0.iter().filter(move |direction| direction.is_up(at));
        up.map(move |direction| Edge { delay: direction.delay.at(at).0, ..direction.edge })
    }

    /// When one of them changes after `at`.
    pub fn next_change(&self, at: Instant) -> Instant {
        self.0.iter().map(|direction| direction.next_change(at)).min().unwrap_or(Instant::NEVER)
    }
}
