//! The tables of a scenario file: their keys, types and defaults.
//!
//! Each value is checked on its own here; names, paths and files are checked by [`crate::compile`].

use farlink_kernel::config::{self, Diagnostic, Kind, Read, refuse_unknown, show_table};
use farlink_kernel::{Duration, Field, Instant};
use farlink_network::blueprint::Radio;
use farlink_network::payload::Payload;
use farlink_network::schedule::Start;
use farlink_network::space::Position;
use farlink_network::{app, host, mobility, routing};

use crate::link::Link;
use crate::located::Located;
use crate::section::section;
use crate::tcp::Tcp;
use crate::topology::Topology;
use crate::workload::Workload;

section! {
    /// A scenario file.
    pub struct Document {
        /// The name of the scenario.
        pub name: String,
        /// Simulated time of the run.
        pub duration: Duration,
        /// The default seed of a run.
        pub seed: u64 = 1,
        /// The nodes, besides those of a topology.
        pub nodes: Vec<Located<Node>> = Vec::new(),
        /// Nodes and links in a regular shape, in addition to `nodes` and `links`.
        pub topology: Option<Located<Topology>> = None,
        /// Point-to-point links.
        pub links: Vec<Located<Link>> = Vec::new(),
        /// Shared channels.
        pub channels: Vec<Located<Channel>> = Vec::new(),
        /// A shared channel of all nodes.
        pub radio: Option<Located<Radio>> = None,
        /// The routing protocol of all nodes.
        pub routing: routing::Config =
            routing::Config::ShortestPath(routing::shortest_path::Config::default()),
        /// The time that hosts take for what they send and receive.
        pub host_delay: host::Config = host::Config::Ideal(host::none::Config::default()),
        /// The mobility of nodes without their own.
        pub mobility: Located<mobility::Config> =
            Located::absent(mobility::Config::Static(mobility::r#static::Config::default())),
        /// The flows.
        pub flows: Vec<Located<Flow>> = Vec::new(),
        /// Flows that arrive during the run.
        pub workloads: Vec<Located<Workload>> = Vec::new(),
        /// The recording of time series.
        pub record: Record = Record { interval: DEFAULT_INTERVAL },
    }
}

section! {
    /// A node.
    pub struct Node {
        /// Its name.
        pub name: String,
        /// Its initial position, unless its mobility draws one; it has an effect on shared channels only.
        pub position: Position = Position::default(),
        /// Its mobility; by default that of all nodes.
        pub mobility: Option<Located<mobility::Config>> = None,
    }
}

section! {
    /// The nodes on a shared channel.
    pub struct Membership {
        /// The channel's name.
        pub name: String = default_channel(),
        /// The names of the nodes on it; by default all nodes.
        pub nodes: Vec<String> = Vec::new(),
    }
}

section! {
    /// A flow from one node to another.
    pub struct Flow {
        /// Its name in results; by default `flow0`, `flow1`, ...
        pub label: String = String::new(),
        /// The name of its sender.
        pub from: String,
        /// The name of its receiver.
        pub to: String,
        /// The time it starts; from a range a time is drawn uniformly for every seed.
        pub start: Start = Start::At(Instant::ZERO),
        /// The time its application stops writing and closes. TCP still sends what is written.
        pub stop: Option<Instant> = None,
        /// The application that offers its data.
        pub application: app::Config = app::Config::Bulk(app::bulk::Config::default()),
        /// The content of its bytes.
        pub payload: Payload = Payload::Pattern,
        /// The TCP options of both ends.
        pub tcp: Tcp = Tcp::default(),
    }
}

impl Flow {
    /// True when TCP carries the flow, not datagrams.
    pub fn is_tcp(&self) -> bool {
        self.application.parameters().traffic().protocol == app::Protocol::Tcp
    }
}

section! {
    /// The recording of time series.
    pub struct Record {
        /// Interval between samples of windows, timers, sequence numbers and queues.
        pub interval: Duration = DEFAULT_INTERVAL,
    }
}

const DEFAULT_INTERVAL: Duration = Duration::from_millis(100);

/// The name of a channel that has none of its own.
pub(crate) fn default_channel() -> String {
    "radio".into()
}

/// The label of a flow at `place` that has none of its own.
pub(crate) fn default_label(place: usize) -> String {
    format!("flow{place}")
}

/// A channel that many nodes share.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name and its nodes.
    pub membership: Membership,
    /// The properties of each interface on it.
    pub radio: Radio,
}

impl Channel {
    /// The channel as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.membership.show_fields();
        fields.extend(self.radio.show_fields());
        fields
    }
}

impl Read for Channel {
    fn kind() -> Kind {
        let mut fields = Membership::fields();
        fields.extend(Radio::fields());
        Kind::Table(fields)
    }
    fn read(node: &config::Node) -> Result<Self, Diagnostic> {
        let names = |fields: Vec<Field>| fields.iter().map(|field| field.name).collect::<Vec<_>>();
        let (membership, radio) = (names(Membership::fields()), names(Radio::fields()));
        // Both halves know all keys, so that a typo is compared with every one of them.
        refuse_unknown(node.entries()?, &[membership.as_slice(), radio.as_slice()].concat())?;
        Ok(Self {
            membership: Membership::read_table(node, &radio)?,
            radio: Radio::read_table(node, &membership)?,
        })
    }
    fn show(&self) -> String {
        show_table(None, &self.show_fields())
    }
}
