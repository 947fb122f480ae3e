//! A validated scenario.

use std::collections::BTreeMap;

use farlink_kernel::{Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::ids::NodeId;
use farlink_network::space::Metres;

use crate::compile::compile;
use crate::draft::Draft;
use crate::error::Error;
use crate::estimate::Estimate;
use crate::files::{Files, Reader};
use crate::movement;
use crate::plugged;
use crate::resolved::resolved;
use crate::warning::Warning;
use crate::warnings;

/// A validated scenario: what to build, how long to run it, and where it came from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The seed it runs with unless another is asked for.
    pub seed: u64,
    /// The labels of the flows, in order.
    pub flow_labels: Vec<String>,
    /// The names of the congestion controls to be plugged in, by flow.
    pub plugged: BTreeMap<u32, String>,
    /// What a run of it is made from.
    pub blueprint: Blueprint,
    /// The scenario as canonical TOML with every default spelled out; reads back as the same scenario.
    pub resolved: String,
    /// SHA-256 in hexadecimal digits of every file read, by path as written.
    pub file_hashes: BTreeMap<String, String>,
    /// What is implausible in it, and what was ignored in its files.
    pub warnings: Vec<Warning>,
}

impl Draft {
    /// Checks everything and reads the files the scenario names.
    pub fn validate(self, files: &dyn Files) -> Result<Scenario, Error> {
        self.validate_with(files, Vec::new)
    }

    /// Like [`Self::validate`], and accepts congestion controls that the caller plugs into every simulation
    /// ([`Simulation::plug`](crate::Simulation::plug)). Their names are asked for only where the registry lacks one.
    pub fn validate_with(
        mut self,
        files: &dyn Files,
        names: impl FnOnce() -> Vec<String>,
    ) -> Result<Scenario, Error> {
        let plugged =
            plugged::take(&mut self.root, names).map_err(|diagnostic| self.sources.error(diagnostic))?;
        let mut reader = Reader::new(files, &mut self.sources);
        let compiled = compile(&self.root, &mut reader);
        let (file_hashes, headers, in_files) = (reader.hashes, reader.headers, reader.warnings);
        let (document, blueprint) = compiled.map_err(|diagnostic| self.sources.error(diagnostic))?;
        let warnings = warnings::find(&document, &blueprint, &headers, in_files);
        Ok(Scenario {
            flow_labels: blueprint.flows.iter().map(|flow| flow.label.clone()).collect(),
            resolved: resolved(&document, &plugged),
            plugged,
            name: document.name,
            seed: document.seed,
            blueprint,
            file_hashes,
            warnings: warnings.into_iter().map(|found| Warning::new(self.sources.error(found))).collect(),
        })
    }
}

impl Scenario {
    /// How long it runs, in simulated time.
    pub fn duration(&self) -> Duration {
        self.blueprint.duration
    }

    /// How many samples a time series of it has.
    pub fn samples(&self) -> u64 {
        let Blueprint { duration, record, .. } = &self.blueprint;
        record.interval.map_or(0, |interval| duration.as_nanos() / interval.as_nanos())
    }

    /// How many events a run of it takes and how much memory, to an order of magnitude.
    pub fn estimate(&self, keeps_series: bool) -> Estimate {
        Estimate::of(&self.blueprint, keeps_series)
    }

    /// The names of the nodes, in order.
    pub fn nodes(&self) -> Vec<&str> {
        self.blueprint.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    /// The x and y coordinates of the nodes in metres, at the beginning of the run with `seed`.
    pub fn positions(&self, seed: u64) -> Vec<[f64; 2]> {
        let first = |(node, number)| movement::write::legs(node, number, seed, Instant::ZERO)[0].from;
        let places = self.blueprint.nodes.iter().zip((0..).map(NodeId)).map(first);
        places.map(|position| [position.x.0, position.y.0]).collect()
    }

    /// The names of the nodes on each shared channel.
    pub fn channels(&self) -> Vec<Vec<&str>> {
        let name = |&node: &NodeId| self.blueprint.nodes[node].name.as_str();
        self.blueprint.channels.iter().map(|channel| channel.members.iter().map(name).collect()).collect()
    }

    /// How the nodes move in the run with `seed`, as a movement file of ns-2 with all coordinates moved by
    /// `shift` metres; or why ns-2 could not read it.
    pub fn ns2_movement(&self, seed: u64, shift: f64) -> Result<String, String> {
        movement::write::ns2(&self.name, &self.blueprint, seed, Metres(shift))
    }
}
