//! The kernel: time, units, order, luck and ids. It knows no networking word.
//!
//! Read in this order: [`time`] and [`units`] (the quantities everything is measured in),
//! [`queue`] (what happens next, in a written order), [`random`] (named streams and hashed draws), [`math`],
//! [`slab`] (things with `u32` ids), [`ring`] (things in a row), [`mod@config`] and [`mod@registry`] (how a model declares its parameters
//! and how a folder of models declares its members).

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
