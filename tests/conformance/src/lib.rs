//! One harness per plug-point, run over its whole registry: a new member is tested without a line of its own.
//!
//! [`sequence`] makes sequences of operations from a seed, runs them, and cuts a failing one down;
//! [`congestion`] says what may happen to a congestion control and what must hold after each step,
//! [`recovery`] and [`connection`] the same for loss recovery and for a whole connection. [`threshold`] bounds ssthresh
//! in all of them.

pub mod congestion;
pub mod connection;
mod model;
pub mod recovery;
mod rules;
pub mod sequence;
pub mod threshold;
