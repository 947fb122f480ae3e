//! The flows' routes, sampled at regular intervals.

use farlink_kernel::{Duration, Instant};
use farlink_network::World;
use farlink_network::ids::{FlowId, NodeId};
use serde_json::{Value, json};

use super::numbers;

/// The limit on samples in a run.
const MOST_SAMPLES: u64 = 4000;
/// The shortest interval: a viewer sees no more.
const LEAST: Duration = Duration::from_millis(10);

/// A flow's route from an instant on: the nodes from its sender towards its receiver, as far as routing knew.
#[derive(Clone, Debug)]
struct Route {
    from: Instant,
    flow: FlowId,
    nodes: Vec<NodeId>,
}

/// The routes of a run, and when they changed.
#[derive(Debug)]
pub(super) struct Routes {
    interval: Duration,
    next: Instant,
    now: Vec<Vec<NodeId>>,
    changes: Vec<Route>,
}

impl Routes {
    pub(super) fn new(duration: Duration, flows: usize) -> Self {
        let interval = (duration / MOST_SAMPLES).max(LEAST);
        Self { interval, next: Instant::ZERO, now: vec![Vec::new(); flows], changes: Vec::new() }
    }

    pub(super) fn next_sample(&self) -> Instant {
        self.next
    }

    pub(super) fn sample(&mut self, now: Instant, world: &mut World) {
        self.next = self.next.saturating_add(self.interval);
        for (route, flow) in self.now.iter_mut().zip((0..).map(FlowId)) {
            let nodes = world.path(flow);
            if nodes != *route {
                self.changes.push(Route { from: now, flow, nodes: nodes.clone() });
                *route = nodes;
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let row = |route: &Route| json!([route.from.as_nanos(), route.flow.0, numbers(&route.nodes)]);
        json!({
            "interval_ns": self.interval.as_nanos(),
            "changes": self.changes.iter().map(row).collect::<Vec<_>>(),
        })
    }
}
