//! TCP without clocks, sockets, nodes or payload bytes: segments, notices and time go in; segments and deadlines come
//! out.
//!
//! The modules in order; each imports only those before it:
//!
//! 1. [`seq`] (sequence numbers), [`amount`] (packets or bytes), [`notice`] (notifications from routing), [`window`] (what
//!    congestion control owns)
//! 2. [`fast_open`] (RFC 7413's option), [`segment`] (header fields and options), [`wire`] (segments as bytes)
//! 3. [`congestion`] (one paper per file; what Linux and ns-2 compute otherwise in a folder of its own)
//! 4. [`recovery`] (what to retransmit, and when), [`route_failure`] (reactions to notices)
//! 5. [`config`] (all options), [`preset`] (RFC, ns-2, TCP-Linux of ns-2, Linux)
//! 6. [`connection`] (one end: handshake, sender, receiver, timers; one file per concern)

pub mod amount;
pub mod config;
pub mod congestion;
pub mod connection;
pub mod discard;
pub mod fast_open;
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
pub use discard::Discard;
pub use notice::Notice;
pub use segment::{Ecn, Flags, Segment};
pub use seq::SeqNumber;
pub use window::Window;
