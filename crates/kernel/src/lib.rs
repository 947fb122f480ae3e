//! The kernel: time, units, events, random numbers and containers. It contains no term of networking.
//!
//! In order: [`time`] and [`units`], [`queue`] (the event queue), [`random`] (named streams and hashed draws), [`math`],
//! [`slab`] and [`ring`] (containers with ids), [`mod@config`] and [`mod@registry`] (how a model declares its parameters,
//! and a folder of models its members).

pub mod config;
pub mod math;
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
