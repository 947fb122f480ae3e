//! The kernel: time, units, events, random numbers and containers. It contains no term of networking.
//!
//! The modules; each imports only those below it:
//!
//! ```text
//! registry    a folder of models declares its members
//! config      a model declares its parameters
//! queue       the event queue
//! units       bytes, rates
//! slab ring   containers with ids
//! ordered     maps and sets in the order of their keys
//! random      named streams and hashed draws
//! time        instants and durations, in nanoseconds
//! math        functions with the same bits everywhere
//! ```

pub mod config;
pub mod math;
pub mod ordered;
pub mod queue;
pub mod random;
pub mod registry;
pub mod ring;
pub mod slab;
pub mod time;
pub mod units;

pub use config::{Diagnostic, Field, Kind, Node, Value};
pub use queue::{EventQueue, Order, Phase};
pub use time::{Duration, Instant};
pub use units::{BitRate, Bytes};
