//! Hosts: the time that a host takes for what its transport sends and receives.
//!
//! A packet passes a host between transport and interface, in one of two directions. In each the host hands packets on first in,
//! first out. What a host forwards, and what routing sends, takes no time.

use farlink_kernel::{Instant, registry};

pub mod line;
pub mod linux_vm;
pub mod none;
pub mod samples;

/// The direction of a packet through a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From an interface to the transport.
    #[default]
    Up,
    /// From the transport to an interface.
    Down,
}

/// A packet that a host takes in hand now.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Now.
    pub now: Instant,
    /// When the packet before it came.
    pub last: Instant,
    /// When the host is done with the packet before it.
    pub free: Instant,
}

/// How long a host takes, in one direction.
pub trait HostDelay: std::fmt::Debug + Send {
    /// When the host is done with the packet: not before it is done with the one before. Called once per packet, in order.
    fn done(&mut self, turn: &Turn) -> Instant;
}

/// What a member is made from besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The node's number.
    pub node: u64,
    /// The direction.
    pub direction: Direction,
}

impl Setup {
    /// The index of a stream of its own.
    fn index(&self) -> u64 {
        2 * self.node + self.direction as u64
    }
}

registry! {
    /// Time that hosts take for what they send and receive.
    HostDelay(Setup) {
        /// Hosts take no time.
        none::Ideal = Config,
        /// Times drawn from lists, for each packet and for each burst.
        samples::Samples,
        /// The virtual machine on which the recordings of Linux were made.
        linux_vm::LinuxVm,
    }
}

#[cfg(test)]
mod tests;
