//! Medium access: when a frame is sent on a shared channel, and what happens when nobody answers.

use farlink_kernel::registry;

pub mod aloha;

/// The role.
pub trait Mac: std::fmt::Debug + Send {}

/// What a member is told when it is set to work.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The interface's number, the key of its luck.
    pub interface: u64,
}

registry! {
    /// Medium access protocols.
    Mac(Setup) {
        /// Sends when it has something; waits at random and sends again when no acknowledgement comes.
        aloha::Aloha,
    }
}
