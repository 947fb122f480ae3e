//! Arrivals: when flows arrive.

use farlink_kernel::{Bytes, Duration, Instant, registry};

pub mod closed;
pub mod poisson;
pub mod schedule;

/// An arrival to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// When.
    pub at: Instant,
    /// Its number; no two of a workload are equal.
    pub number: u32,
}

/// What a member is made with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The workload's number, the key of its draws.
    pub workload: u64,
    /// Nothing arrives before.
    pub start: Instant,
    /// Nothing arrives from then on.
    pub stop: Instant,
    /// The mean of the sizes in bytes.
    pub mean_size: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { seed: 0, workload: 0, start: Instant::ZERO, stop: Instant::NEVER, mean_size: 1.0 }
    }
}

/// The role.
pub trait Arrivals: std::fmt::Debug + Send {
    /// The first arrival; in a closed loop that of every user.
    fn first(&self) -> Vec<Next>;

    /// A flow has arrived: the next one, unless that waits for the completion of another.
    fn after_arrival(&self, arrived: Next) -> Option<Next> {
        let _ = arrived;
        None
    }

    /// A flow is complete: the next one of its user.
    fn after_completion(&self, number: u32, now: Instant) -> Option<Next> {
        let _ = (number, now);
        None
    }

    /// The size of an arrival that the distribution of sizes does not determine.
    fn size(&self, number: u32) -> Option<Bytes> {
        let _ = number;
        None
    }
}

/// What is asked about a workload before a run.
pub trait Parameters {
    /// The mean number of arrivals in so many seconds, of which the mean size is so many bytes; of a closed loop at most.
    fn count(&self, mean_size: f64, seconds: f64) -> f64;

    /// True when sizes come with the arrivals.
    fn has_sizes(&self) -> bool {
        false
    }

    /// Their mean in bytes.
    fn mean_size(&self) -> Option<f64> {
        None
    }

    /// The first and the last arrival, as times since the start of the workload, where they are known.
    fn span(&self) -> Option<[Duration; 2]> {
        None
    }
}

registry! {
    /// Arrivals of flows.
    Arrivals(Setup) where Config: Parameters {
        /// A Poisson process: exponential times between arrivals.
        poisson::Poisson,
        /// Times and sizes from a list or a file.
        schedule::Schedule,
        /// Users who wait for the end of their flow, think, and begin another.
        closed::Closed,
    }
}
