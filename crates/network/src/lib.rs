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
//! workload     which flows arrive, and when
//! payload schedule space ids   what all of these use
//! ```
//!
//! A packet goes down from [`app`] through [`transport`], [`routing`], [`queue`], [`mac`] and [`phy`] to [`channel`],
//! then up again.
//!
//! # A congestion control from another crate
//!
//! Models work as boxed trait objects, so that another crate can implement
//! [`CongestionControl`](farlink_tcp::congestion::CongestionControl) and give one to a flow by
//! [`World::set_congestion_control`]. `docs/how-to-add/congestion-control.md` has such a crate, which the tests build.

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
pub mod workload;
mod world;

pub use blueprint::Blueprint;
pub use results::Results;
pub use world::{Detour, Detours, World};
