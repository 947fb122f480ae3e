//! Everything between two TCP ends, a folder per layer.
//!
//! The modules; each imports only those below it, and [`world`] alone knows all:
//!
//! ```text
//! world        owns everything; a packet's path through a node; results
//! transport    flows: TCP connections and datagrams
//! blueprint    what a run is made from
//! topology     the network as a graph, for ideal routing
//! interface    where a node meets a link or a shared channel: queue, MAC, ARP
//! channel      what lies between interfaces: shared channels, propagation, errors
//! observe      captures and monitors
//! metrics      counters and time series
//! mac          when frames are sent
//! queue        which packets wait, and which are dropped
//! routing      the next hop of a packet
//! context      what a layer may use and ask for
//! phy          how frames become signals
//! oracle       the network as ideal routing knows it
//! frame        what a MAC sends
//! results      what a run gives
//! packet       what travels, and the ledger of its copies
//! wire         messages of the protocols, and their bytes
//! mobility     where nodes are
//! event host hop   what happens when, in hosts and on the way
//! timer        deadlines of protocols
//! app          what flows send
//! payload schedule space ids   what all of these use
//! ```
//!
//! A packet goes down from [`app`] through [`transport`], [`routing`], [`queue`], [`mac`] and [`phy`] to [`channel`],
//! then up again.
//!
//! # A congestion control from another crate
//!
//! Models work as boxed trait objects, so that another crate can implement
//! [`CongestionControl`](farlink_tcp::congestion::CongestionControl) and give one to a flow of a [`World`]:
//!
//! ```
//! use farlink_kernel::{Duration, Instant};
//! use farlink_network::blueprint::{Blueprint, Flow, Link, Node, Record};
//! use farlink_network::ids::{FlowId, NodeId};
//! use farlink_network::interface::link;
//! use farlink_network::payload::Payload;
//! use farlink_network::schedule::Start;
//! use farlink_network::space::Position;
//! use farlink_network::{World, app, host, routing};
//! use farlink_tcp::congestion::{Ack, CongestionControl, Loss, Reno};
//! use farlink_tcp::{Config, Window};
//!
//! /// Reno that keeps seven tenths of the window after a loss.
//! #[derive(Debug)]
//! struct Timid(Reno);
//!
//! impl CongestionControl for Timid {
//!     fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
//!         self.0.on_ack(window, ack);
//!     }
//!
//!     fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
//!         self.0.reduce(window, loss, self.0.share(loss, 0.7));
//!     }
//! }
//!
//! let tcp = Config::default();
//! let timid = Timid(Reno::with(tcp.window_arithmetic()));
//! let link = link::Config::default(); // 10 Mbit/s, 10 ms
//! let flow = Flow {
//!     label: "transfer".into(),
//!     from: NodeId(0),
//!     to: NodeId(1),
//!     start: Start::At(Instant::ZERO),
//!     stop: None,
//!     application: app::Config::named("bulk").expect("a registered model"),
//!     tcp,
//!     payload: Payload::Pattern,
//! };
//! let blueprint = Blueprint {
//!     nodes: ["a", "b"].map(|name| Node::at(name, Position::default())).into(),
//!     links: vec![Link { between: [NodeId(0), NodeId(1)], forward: link.clone(), reverse: link }],
//!     channels: Vec::new(),
//!     routing: routing::Config::named("shortest_path").expect("a registered model"),
//!     host_delay: host::Config::named("none").expect("a registered model"),
//!     flows: vec![flow],
//!     record: Record::default(),
//!     duration: Duration::from_secs(10),
//! };
//! let mut world = World::new(&blueprint, 1).expect("a network that can be built");
//! world.set_congestion_control(FlowId(0), Box::new(timid));
//! world.run_until(Instant::NEVER);
//! assert!(world.finish().flows[0].goodput_bps > 9e6);
//! ```

pub mod app;
pub mod blueprint;
pub mod channel;
mod context;
mod event;
pub mod frame;
pub mod hop;
pub mod host;
pub mod ids;
pub mod interface;
pub mod mac;
mod metrics;
pub mod mobility;
pub mod observe;
mod oracle;
pub mod packet;
pub mod payload;
pub mod phy;
pub mod queue;
pub mod results;
pub mod routing;
pub mod schedule;
pub mod space;
mod timer;
mod topology;
mod transport;
pub mod wire;
mod world;

pub use blueprint::Blueprint;
pub use results::Results;
pub use world::{Detour, Detours, World};
