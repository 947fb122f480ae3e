//! Queues: what waits at an interface, in which order it leaves, and what is refused or marked.

use farlink_kernel::registry;

pub mod codel;
pub mod drop_tail;
pub mod fq_codel;
pub mod red;

/// The role.
pub trait Queue: std::fmt::Debug + Send {}

/// What a member is told when it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The interface's number, the key of its luck.
    pub interface: u64,
    /// The rate the queue is emptied at when the run begins.
    pub rate: farlink_kernel::BitRate,
}

registry! {
    /// Queues.
    Queue(Setup) {
        /// First in, first out; what does not fit is dropped.
        drop_tail::DropTail,
        /// Random early detection: drops or marks grow with the average length.
        red::Red,
        /// Controlled delay: drops or marks when packets wait too long.
        codel::Codel,
        /// Flow queues served in turn, each with controlled delay.
        fq_codel::FqCodel,
    }
}
