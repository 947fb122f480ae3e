//! The flows' routes, looked at now and then.

use farlink_kernel::{Duration, Instant};
use farlink_network::World;
use farlink_network::ids::NodeId;
use serde_json::{Value, json};

/// How often they are looked at in a run, at most.
const LOOKS: u64 = 4000;
/// As often as is of use to an eye.
const LEAST: Duration = Duration::from_millis(10);

/// A flow's route from an instant on: the nodes from its sender towards its receiver, as far as routing knew.
#[derive(Clone, Debug)]
struct Route {
    from: Instant,
    flow: u32,
    nodes: Vec<NodeId>,
}

/// All that were seen.
#[derive(Debug)]
pub(super) struct Routes {
    interval: Duration,
    next: Instant,
    /// Of each flow.
    now: Vec<Vec<NodeId>>,
    seen: Vec<Route>,
}

impl Routes {
    pub(super) fn new(duration: Duration, flows: usize) -> Self {
        let interval = (duration / LOOKS).max(LEAST);
        Self { interval, next: Instant::ZERO, now: vec![Vec::new(); flows], seen: Vec::new() }
    }

    pub(super) fn next(&self) -> Instant {
        self.next
    }

    pub(super) fn look(&mut self, now: Instant, world: &mut World) {
        self.next = self.next.saturating_add(self.interval);
        for (route, flow) in self.now.iter_mut().zip(0..) {
            let nodes = world.path(flow);
            if nodes != *route {
                self.seen.push(Route { from: now, flow, nodes: nodes.clone() });
                *route = nodes;
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let row = |route: &Route| json!([route.from.as_nanos(), route.flow, route.nodes]);
        json!({
            "interval_ns": self.interval.as_nanos(),
            "changes": self.seen.iter().map(row).collect::<Vec<_>>(),
        })
    }
}
