//! Mobility: where nodes are over time.
//!
//! A member makes one leg after another: from here straight to there, or a rest. Its luck is a stream of
//! (seed, node) of its own and a leg depends on the legs before it only, so a [`trajectory::Trajectory`] is a
//! pure function of time: who asks, when and how often changes no position, and no event is ever pending.

use farlink_kernel::registry;

use crate::blueprint::NodeId;
use crate::space::Position;

pub mod leg;
pub mod r#static;
pub mod trajectory;

use leg::Leg;

/// The role.
pub trait Mobility: std::fmt::Debug + Send {
    /// What the node does from the start of the run on.
    fn first_leg(&mut self) -> Leg;

    /// What it does when `last` is over. Asked once for each leg, in their order.
    fn next_leg(&mut self, last: &Leg) -> Leg;

    /// The node is never faster than this, in m/s; infinity if it jumps.
    fn top_speed_mps(&self) -> f64;
}

/// What a member is told when it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The node's number, the key of its luck.
    pub node: NodeId,
    /// Where the scenario puts the node.
    pub position: Position,
}

registry! {
    /// Mobility models.
    Mobility(Setup) {
        /// The node stays where it is.
        r#static::Static,
    }
}
