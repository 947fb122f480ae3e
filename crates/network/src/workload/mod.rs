//! Workloads: flows that arrive, when, between which nodes and of which size.
//!
//! What an arrival is depends on the seed, the workload and the number of the arrival only. So it is the same in every
//! variant of a scenario (common random numbers), whatever the network does.

use std::sync::Arc;

use farlink_kernel::config::{Diagnostic, Kind, Node, Read};
use farlink_kernel::random::{Draws, draw, name_key};
use farlink_kernel::{Bytes, Instant};

use crate::ids::NodeId;

pub mod arrivals;
pub mod size;

/// Rows of a file that a scenario names.
#[derive(Clone, Debug, PartialEq)]
pub struct File<Row> {
    /// Its path, as in the scenario.
    pub path: String,
    /// Its rows; empty until the file is read.
    pub rows: Arc<[Row]>,
}

impl<Row> Default for File<Row> {
    fn default() -> Self {
        Self { path: String::new(), rows: Arc::from([]) }
    }
}

impl<Row> Read for File<Row> {
    fn kind() -> Kind {
        Kind::Text
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        Ok(Self { path: node.as_text("a file name")?.to_owned(), ..Self::default() })
    }
    fn show(&self) -> String {
        self.path.show()
    }
}

/// What arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its sender and its receiver.
    pub between: [NodeId; 2],
    /// Its payload.
    pub size: Bytes,
    /// Feeds the initial sequence numbers of both ends, and members of TCP that draw random numbers.
    pub seeds: [u64; 3],
}

/// The draws of one workload.
#[derive(Debug)]
pub struct Source {
    seed: u64,
    workload: u64,
    from: Vec<NodeId>,
    to: Vec<NodeId>,
    size: size::Any,
    /// When its flows arrive.
    pub arrivals: arrivals::Any,
}

impl Source {
    /// Of the workload with this number.
    pub fn new(
        setup: &arrivals::Setup,
        [from, to]: [&[NodeId]; 2],
        arrivals: &arrivals::Config,
        size: &size::Config,
    ) -> Self {
        Self {
            seed: setup.seed,
            workload: setup.workload,
            from: from.to_vec(),
            to: to.to_vec(),
            size: size.build(&()),
            arrivals: arrivals.build(setup),
        }
    }

    /// The arrival with this number.
    pub fn arrival(&self, number: u32) -> Arrival {
        let key = |name| draw(self.seed, name_key(name), self.workload, number.into());
        let mut draws = Draws::new(key("arrival"));
        let from = pick(&self.from, None, draws.uniform());
        let to = pick(&self.to, Some(from), draws.uniform());
        let drawn = self.size.draw(&mut draws);
        let size = self.arrivals.size(number).unwrap_or(drawn).max(Bytes(1));
        let seeds = [key("arrival_seq_sender"), key("arrival_seq_receiver"), key("arrival_tcp")];
        Arrival { between: [from, to], size, seeds }
    }
}

/// One of the nodes, all with equal probability, but not `other`.
fn pick(nodes: &[NodeId], other: Option<NodeId>, uniform: f64) -> NodeId {
    let is_free = |node: &&NodeId| Some(**node) != other;
    let free = nodes.iter().filter(is_free).count();
    let place = ((uniform * free as f64) as usize).min(free.saturating_sub(1));
    *nodes.iter().filter(is_free).nth(place).expect("two nodes that differ were asked for")
}

/// The instant that lies so many seconds after another.
fn after(now: Instant, seconds: f64) -> Instant {
    now.saturating_add(farlink_kernel::Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_picked_equally_often_and_never_the_other_end() {
        let nodes = [NodeId(3), NodeId(5), NodeId(8)];
        let picked: Vec<_> = (0..6).map(|i| pick(&nodes, None, f64::from(i) / 6.0).0).collect();
        assert_eq!(picked, [3, 3, 5, 5, 8, 8]);
        let others: Vec<_> = (0..4).map(|i| pick(&nodes, Some(NodeId(5)), f64::from(i) / 4.0).0).collect();
        assert_eq!(others, [3, 3, 8, 8]);
    }

    #[test]
    fn an_arrival_depends_on_seed_workload_and_number_only() {
        let of = |seed, workload| {
            let setup = arrivals::Setup { seed, workload, ..arrivals::Setup::default() };
            let size = size::Config::named("lognormal").unwrap();
            let arrivals = arrivals::Config::named("poisson").unwrap();
            Source::new(&setup, [&[NodeId(0)], &[NodeId(1), NodeId(2)]], &arrivals, &size)
        };
        assert_eq!(of(1, 0).arrival(7), of(1, 0).arrival(7));
        for other in [of(2, 0).arrival(7), of(1, 1).arrival(7), of(1, 0).arrival(8)] {
            assert_ne!(of(1, 0).arrival(7), other);
        }
    }
}
