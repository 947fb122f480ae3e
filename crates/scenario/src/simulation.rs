//! One run of a scenario, in slices.

use farlink_kernel::{Duration, Instant};
use farlink_tcp::congestion::CongestionControl;

use crate::results::Results;
use crate::scenario::Scenario;

/// What a run keeps besides its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Time series, sampled every `record.interval`.
    pub series: bool,
}

/// One run under way.
#[derive(Debug)]
pub struct Simulation {
    duration: Duration,
    now: Instant,
}

impl Simulation {
    /// Builds the scenario's network with `seed`.
    pub fn new(scenario: &Scenario, _seed: u64, _record: Record) -> Self {
        Self { duration: scenario.duration(), now: Instant::ZERO }
    }

    /// Gives the flow at `index` a congestion control from outside. Call it before the first [`advance`].
    ///
    /// [`advance`]: Self::advance
    pub fn plug(&mut self, _index: usize, _congestion_control: Box<dyn CongestionControl>) {}

    /// Writes a pcap of what passes the flows' senders into `sink`, with true headers and checksums. A write
    /// that fails ends the capture; [`Results::capture_error`] then says why. Call it before the first
    /// [`advance`].
    ///
    /// [`advance`]: Self::advance
    pub fn capture(&mut self, _sink: Box<dyn std::io::Write + Send>) {}

    /// Runs until `until` or the end, whichever is earlier; true while there is more to do.
    pub fn advance(&mut self, until: Instant) -> bool {
        self.now = until.min(Instant::ZERO + self.duration);
        self.now < Instant::ZERO + self.duration
    }

    /// The simulated time reached.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How long the run will be, in simulated time.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// What was measured until now.
    pub fn finish(self) -> Results {
        Results {}
    }
}
