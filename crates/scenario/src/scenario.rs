//! A validated scenario.

use std::collections::BTreeMap;

use farlink_kernel::Duration;
use farlink_kernel::config::{Node, Refusal};

use crate::draft::Files;

/// A validated scenario: what to build, how long to run it, and where it came from.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    duration: Duration,
    seed: u64,
    flow_labels: Vec<String>,
    resolved: String,
    file_hashes: BTreeMap<String, String>,
}

impl Scenario {
    pub(crate) fn read(_root: &Node, _files: &dyn Files) -> Result<Self, Refusal> {
        Err(Refusal::new(0..0, "scenarios cannot be validated yet", ""))
    }

    /// The scenario's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long it runs, in simulated time.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The seed it runs with unless another is asked for.
    pub fn default_seed(&self) -> u64 {
        self.seed
    }

    /// The labels of the flows, in order.
    pub fn flow_labels(&self) -> &[String] {
        &self.flow_labels
    }

    /// The scenario as canonical TOML with every default spelled out; reads back as the same scenario.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// SHA-256 in hexadecimal digits of every file read, by path as written.
    pub fn file_hashes(&self) -> &BTreeMap<String, String> {
        &self.file_hashes
    }
}
