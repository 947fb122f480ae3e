//! What the members' tests share: many nodes at once, and their statistics.

use crate::ids::NodeId;
use farlink_kernel::{Duration, Instant};

use super::trajectory::Trajectory;
use super::{Config, Setup};
use crate::space::Position;

pub(super) fn trajectories(config: &Config, nodes: u32) -> Vec<Trajectory> {
    let setup = |node| Setup { seed: 1, node, position: Position::default() };
    (0..nodes).map(|node| Trajectory::new(config, &setup(NodeId(node)))).collect()
}

/// So many seconds after the start.
pub(super) fn at(second: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(second)
}

/// The mean speed of all nodes, those that rest included, in m/s.
pub(super) fn mean_speed(nodes: &mut [Trajectory], second: u64) -> f64 {
    let count = nodes.len() as f64;
    nodes.iter_mut().map(|node| node.leg(at(second)).speed_mps()).sum::<f64>() / count
}

/// The share of nodes of whose positions this is true.
pub(super) fn share(nodes: &mut [Trajectory], second: u64, holds: impl Fn(Position) -> bool) -> f64 {
    let count = nodes.len() as f64;
    nodes.iter_mut().map(|node| f64::from(u8::from(holds(node.position(at(second)))))).sum::<f64>() / count
}
