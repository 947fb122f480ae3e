//! [`Blueprint`]: everything a run is made from, besides its seed.
//!
//! Names are resolved: nodes are numbers, their places in [`Blueprint::nodes`]. What a user writes as a
//! table of its own ([`link::Config`], [`Record`], the models' `Config`s) is a `config!` struct here, so that
//! the scenario's parser, schema and documentation come from one declaration.

use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use crate::channel::medium::{Delay, Medium};
use crate::channel::propagation;
use crate::channel::propagation_speed::PropagationSpeed;
use crate::ids::NodeId;
pub use crate::interface::arp::Arp;
use crate::interface::link;
use crate::payload::Payload;
use crate::phy::antenna;
use crate::schedule::Start;
use crate::space::Position;
use crate::workload::{arrivals, size};
use crate::{app, host, mac, mobility, phy, queue, routing};

/// A run without its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Blueprint {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Links with two ends.
    pub links: Vec<Link>,
    /// Channels many nodes share.
    pub channels: Vec<Channel>,
    /// The routing protocol of all nodes.
    pub routing: routing::Config,
    /// The time that hosts take.
    pub host_delay: host::Config,
    /// The flows.
    pub flows: Vec<Flow>,
    /// The flows that arrive during the run.
    pub workloads: Vec<Workload>,
    /// What is recorded besides the results.
    pub record: Record,
    /// How long the run lasts.
    pub duration: Duration,
}

impl Blueprint {
    /// A direction of a link, numbered as the interfaces: twice the link's number, and one more for its reverse.
    pub fn direction(&self, number: usize) -> &link::Config {
        let link = &self.links[number / 2];
        [&link.forward, &link.reverse][number % 2]
    }

    /// Computes each signal at every member of its channel, however far. Only the speed of a run depends on it; for tests.
    #[must_use]
    pub fn without_culling(mut self) -> Self {
        self.channels.iter_mut().for_each(|channel| channel.culling = false);
        self
    }
}

/// A part of a blueprint, by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One of [`Blueprint::links`].
    Link(usize),
    /// One of [`Blueprint::channels`].
    Channel(usize),
    /// One of [`Blueprint::flows`].
    Flow(usize),
    /// One of [`Blueprint::workloads`].
    Workload(usize),
}

/// Why no network can be built from a blueprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The part at fault.
    pub part: Part,
    /// What is wrong; the key is relative to the part.
    pub why: Diagnostic,
}

impl Part {
    pub(crate) fn error(self, why: Diagnostic) -> BuildError {
        BuildError { part: self, why }
    }

    pub(crate) fn refuse(self, key: &str, message: impl Into<String>, remedy: &str) -> BuildError {
        self.error(Diagnostic::new(0..0, message, remedy).at(key))
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Where it is at first; matters on shared channels only.
    pub position: Position,
    /// How it moves from there, or from where the model puts it.
    pub mobility: mobility::Config,
}

impl Node {
    /// A node that stays at `position`.
    pub fn at(name: impl Into<String>, position: Position) -> Self {
        let mobility = mobility::Config::Static(mobility::r#static::Config::default());
        Self { name: name.into(), position, mobility }
    }
}

/// A point-to-point link between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The two ends.
    pub between: [NodeId; 2],
    /// From the first end to the second.
    pub forward: link::Config,
    /// From the second end to the first.
    pub reverse: link::Config,
}

/// A channel many nodes share.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Its members, in ascending order.
    pub members: Vec<NodeId>,
    /// What an interface on it is made of.
    pub radio: Radio,
    culling: bool,
}

impl Channel {
    /// A channel with these members, in ascending order.
    pub fn new(name: impl Into<String>, members: Vec<NodeId>, radio: Radio) -> Self {
        Self { name: name.into(), members, radio, culling: true }
    }

    /// The medium between its antennas.
    pub fn medium(&self) -> Medium {
        let Radio { delay, propagation_speed, propagation, antenna, .. } = &self.radio;
        let (delay, speed, culling) = (*delay, propagation_speed.clone(), self.culling);
        Medium { delay, speed, culling, ..Medium::new(propagation, antenna) }
    }
}

config! {
    /// What the interfaces on a shared channel are made of.
    pub struct Radio {
        /// Propagation model: power of a signal at a receiver.
        pub propagation: propagation::Config = propagation::Config::Disc(propagation::disc::Config::default()),
        /// Propagation delay: by distance and speed, or none.
        pub delay: Delay = Delay::Distance,
        /// Propagation speed of signals: that of light by default, or that of sound.
        pub propagation_speed: PropagationSpeed = PropagationSpeed::LIGHT,
        /// Physical layer: duration and modulation of frames.
        pub phy: phy::Config = phy::Config::Modem(phy::modem::Config::default()),
        /// Transmit power, thresholds, and the model of interference.
        pub antenna: antenna::Config = antenna::Config::default(),
        /// Medium access control.
        pub mac: mac::Config = mac::Config::Aloha(mac::aloha::Config::default()),
        /// Interface queue.
        pub queue: queue::Config = queue::Config::DropTail(queue::drop_tail::Config::default());
            of queue::Config::models_of_channels,
        /// Address resolution; by default `one_slot`, as in ns-2, if a flow has TCP preset `ns2` or `ns2_linux`, except
        /// with MAC `frn`, whose frames are broadcasts.
        pub arp: Arp = Arp::Ideal,
    }
}

impl Radio {
    /// What the parameters of MAC and PHY determine before a run.
    pub fn mac_properties(&self) -> mac::Properties {
        self.mac.parameters().properties(&*self.phy.build(&()))
    }
}

/// A flow from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its name.
    pub label: String,
    /// Where its data come from.
    pub from: NodeId,
    /// Where they go.
    pub to: NodeId,
    /// When it starts.
    pub start: Start,
    /// When its application stops; `None`: never.
    pub stop: Option<Instant>,
    /// The source of its data.
    pub application: app::Config,
    /// The TCP that carries it.
    pub tcp: farlink_tcp::Config,
    /// What its bytes are.
    pub payload: Payload,
}

impl Flow {
    /// True when TCP carries the flow, not datagrams.
    pub fn is_tcp(&self) -> bool {
        self.application.parameters().traffic().protocol == app::Protocol::Tcp
    }

    /// Bytes of its longest packets, with headers of IP and of UDP, or of TCP with timestamps.
    pub fn packet_size(&self) -> u32 {
        if self.is_tcp() {
            return self.tcp.segment_size.0 as u32 + Self::TCP_HEADERS;
        }
        self.application.parameters().traffic().write.0 as u32 + Self::UDP_HEADERS
    }

    /// IP and TCP headers with timestamps, in bytes; also the size of an ACK.
    pub const TCP_HEADERS: u32 = 52;

    /// IP and UDP headers, in bytes.
    pub const UDP_HEADERS: u32 = 28;
}

/// Flows that arrive, each over a TCP connection of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its name.
    pub label: String,
    /// Where data come from: one of these for each flow.
    pub from: Vec<NodeId>,
    /// Where they go.
    pub to: Vec<NodeId>,
    /// Nothing arrives before.
    pub start: Instant,
    /// Nothing arrives from then on; `None`: until the end of the run.
    pub stop: Option<Instant>,
    /// When flows arrive.
    pub arrivals: arrivals::Config,
    /// How large they are.
    pub size: size::Config,
    /// The TCP that carries them.
    pub tcp: farlink_tcp::Config,
    /// The largest size of each class of results, in ascending order; larger flows are a class of their own.
    pub classes: Vec<Bytes>,
    /// Keeps a row for each flow.
    pub keeps_rows: bool,
}

impl Workload {
    /// Bytes of its longest packets.
    pub fn packet_size(&self) -> u32 {
        self.tcp.segment_size.0 as u32 + Flow::TCP_HEADERS
    }

    /// The mean size of its flows in bytes.
    pub fn mean_size(&self) -> f64 {
        let of_arrivals = self.arrivals.parameters().mean_size();
        of_arrivals.unwrap_or_else(|| self.size.parameters().mean())
    }

    /// True when some flow would have one node at both ends, or no ends.
    pub fn has_same_ends(&self) -> bool {
        self.to.is_empty()
            || !self.from.iter().all(|from| self.to.iter().any(|to| to != from))
            || self.from.is_empty()
    }

    /// True when the file of its sizes was not read.
    pub fn is_unread(&self) -> bool {
        matches!(&self.size, size::Config::Cdf(cdf) if cdf.csv.rows.is_empty())
    }

    /// The pairs of nodes that its flows may have as sender and receiver.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let to = |from: NodeId| self.to.iter().map(move |&to| (from, to));
        self.from.iter().flat_map(move |&from| to(from)).filter(|(from, to)| from != to)
    }
}

config! {
    /// What is recorded besides the results.
    pub struct Record {
        /// Sampling interval of windows, timers, sequence numbers and queues; `"none"`: no series.
        pub interval: Option<Duration> = None,
    }
}
