//! [`World`]: owns everything; its loop is one `match`.

use farlink_kernel::{Instant, Refusal};
use farlink_tcp::congestion;

use crate::blueprint::Blueprint;
use crate::probe::capture::Capture;
use crate::results::Results;

/// A run under way.
#[derive(Debug)]
pub struct World {
    _private: (),
}

#[allow(clippy::unused_self, unused_variables)]
impl World {
    /// A world at the start of its time. A refusal names the key at fault by its path, not by its span.
    pub fn new(blueprint: &Blueprint, seed: u64) -> Result<Self, Refusal> {
        unimplemented!()
    }

    /// Gives the sending end of `flow` a congestion control from outside the registry, before the run.
    pub fn set_congestion_control(&mut self, flow: u32, member: congestion::Any) {
        unimplemented!()
    }

    /// Lets `capture` see the segments of every TCP flow that `node` sends or receives.
    pub fn set_capture(&mut self, node: u32, capture: Box<dyn Capture>) {
        unimplemented!()
    }

    /// When the next event is; `None` when nothing is left to happen or the run's duration is over.
    pub fn next_event(&self) -> Option<Instant> {
        unimplemented!()
    }

    /// Handles every event up to and including `until` (at most the run's duration).
    pub fn run_until(&mut self, until: Instant) {
        unimplemented!()
    }

    /// Ends the run: checks that every packet has one end, and sums up.
    pub fn finish(self) -> Results {
        unimplemented!()
    }
}
