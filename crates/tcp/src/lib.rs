//! TCP as a machine without clocks, sockets, nodes or payload bytes: segments, notices and time go in;
//! segments and deadlines come out.
//!
//! Read in packet order: [`segment`] (what travels) and [`seq`] (its 32-bit numbers), [`connection`] (one
//! end: handshake, sender, receiver, timers, one file per concern), [`window`] (what congestion control
//! owns), [`congestion`] (one paper per file), [`recovery`] (which segment goes next, and when it may),
//! [`route_failure`] (what a broken route means),
//! [`notice`] (what routers tell), [`wire`] (segments as bytes). [`config`] holds the options and the
//! presets over them.

pub mod amount;
pub mod config;
pub mod congestion;
pub mod connection;
pub mod notice;
pub mod preset;
pub mod recovery;
pub mod route_failure;
pub mod segment;
pub mod seq;
pub mod window;
pub mod wire;

pub use amount::Amount;
pub use config::Config;
pub use connection::Connection;
pub use notice::Notice;
pub use segment::{Ecn, Flags, Segment};
pub use seq::SeqNumber;
pub use window::Window;
