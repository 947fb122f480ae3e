//! Everything between two TCP ends, a folder per layer in the order a packet meets them.
//!
//! Read [`blueprint`] (what a run is made from), then a packet's way down: [`app`] (what is to be sent),
//! [`routing`] (over which interface), [`queue`] (what waits), [`mac`] (when to send on a shared channel),
//! [`phy`] (signals) and [`channel`] (what lies between two interfaces). [`node`] joins them, [`world`] owns
//! them; [`mobility`] says where nodes are. [`results`] is what a run gives.

pub mod app;
pub mod blueprint;
pub mod channel;
pub mod context;
pub mod course;
pub mod event;
pub mod frame;
pub mod hop;
pub mod ids;
pub mod interface;
pub mod mac;
pub mod mobility;
pub mod oracle;
pub mod packet;
pub mod payload;
pub mod phy;
pub mod probe;
pub mod queue;
pub mod results;
pub mod routing;
pub mod space;
pub mod timer;
pub mod topology;
pub mod transport;
pub mod wire;
pub mod world;

pub use blueprint::Blueprint;
pub use results::Results;
pub use world::World;
