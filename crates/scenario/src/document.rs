//! The tables of a scenario file: their keys, types and defaults.
//!
//! Each value is checked on its own here; names, paths and files are checked by [`crate::compile`].

use farlink_kernel::config::{self, Diagnostic, Kind, Read, refuse_unknown, show_table};
use farlink_kernel::{Duration, Field, Instant};
use farlink_network::blueprint::Radio;
use farlink_network::course::Start;
use farlink_network::payload::Payload;
use farlink_network::space::Position;
use farlink_network::{app, mobility, routing};

use crate::link::Link;
use crate::located::Located;
use crate::section::section;
use crate::tcp::Tcp;
use crate::topology::Topology;

section! {
    /// A scenario file.
    pub struct Document {
        /// What the scenario is called.
        pub name: String,
        /// How long it runs, in simulated time.
        pub duration: Duration,
        /// The seed it runs with unless another is asked for.
        pub seed: u64 = 1,
        /// The nodes, unless a topology makes them.
        pub nodes: Vec<Located<Node>> = Vec::new(),
        /// Nodes and links in a regular shape; nodes and links of their own may stand beside it.
        pub topology: Option<Located<Topology>> = None,
        /// Wires and satellite hops between two nodes.
        pub links: Vec<Located<Link>> = Vec::new(),
        /// Channels that many nodes share.
        pub channels: Vec<Located<Channel>> = Vec::new(),
        /// One channel that all nodes share.
        pub radio: Option<Located<Radio>> = None,
        /// The routing protocol of all nodes.
        pub routing: routing::Config =
            routing::Config::ShortestPath(routing::shortest_path::Config::default()),
        /// How nodes move, those that do not say it themselves.
        pub mobility: Located<mobility::Config> =
            Located::absent(mobility::Config::Static(mobility::r#static::Config::default())),
        /// The flows.
        pub flows: Vec<Located<Flow>>,
        /// What is recorded besides the results.
        pub record: Record = Record { interval: DEFAULT_INTERVAL },
    }
}

section! {
    /// A node.
    pub struct Node {
        /// Its name.
        pub name: String,
        /// Where it is, or begins if its mobility does not draw that; matters on shared channels only.
        pub position: Position = Position::default(),
        /// How it moves, if not as all do.
        pub mobility: Option<Located<mobility::Config>> = None,
    }
}

section! {
    /// Who is on a shared channel.
    pub struct Membership {
        /// The channel's name.
        pub name: String = "radio".into(),
        /// The names of the nodes on it; none given: all nodes.
        pub nodes: Vec<String> = Vec::new(),
    }
}

section! {
    /// A flow from one node to another.
    pub struct Flow {
        /// Its name in results; `flow0`, `flow1`, ... unless given.
        pub label: String = String::new(),
        /// The node its data come from.
        pub from: String,
        /// The node they go to.
        pub to: String,
        /// When it starts; a range is drawn from uniformly, anew for every seed.
        pub start: Start = Start::At(Instant::ZERO),
        /// When its application stops.
        pub stop: Option<Instant> = None,
        /// What is sent when.
        pub application: app::Config = app::Config::Bulk(app::bulk::Config::default()),
        /// What its bytes are.
        pub payload: Payload = Payload::Pattern,
        /// The options of its TCP, at both ends.
        pub tcp: Tcp = Tcp::default(),
    }
}

impl Flow {
    /// True when TCP carries the flow, not datagrams.
    pub fn is_tcp(&self) -> bool {
        app::carrier(&self.application) == app::Carrier::Tcp
    }
}

section! {
    /// What is recorded besides the results.
    pub struct Record {
        /// Distance of two samples of windows, timers, sequence numbers and queues in time series.
        pub interval: Duration = DEFAULT_INTERVAL,
    }
}

const DEFAULT_INTERVAL: Duration = Duration::from_millis(100);

/// A channel that many nodes share.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Who is on it.
    pub membership: Membership,
    /// What an interface on it is made of.
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
