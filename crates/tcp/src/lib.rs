//! TCP without clocks, sockets, nodes or payload bytes: segments, notices and time go in; segments and deadlines come
//! out.
//!
//! The modules; each imports only those below it:
//!
//! ```text
//! connection      one end: handshake, sender, receiver, timers; one file per concern
//! preset          RFC, ns-2, TCP-Linux of ns-2, Linux
//! config          all options
//! route_failure   reactions to notices
//! recovery        what to retransmit, and when
//! congestion      one paper per file; what Linux and ns-2 compute otherwise in a folder of its own
//! wire            segments as bytes
//! segment         header fields and options
//! fast_open       RFC 7413's option
//! accurate_ecn    RFC 9768's option
//! window          what congestion control owns
//! notice          notifications from routing
//! discard         why a receiver discards
//! amount          packets or bytes
//! seq             sequence numbers
//! ```

pub mod accurate_ecn;
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
