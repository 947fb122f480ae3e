//! Propagation: who hears a transmission on a shared channel, and after how long.

use farlink_kernel::registry;

pub mod disc;

/// The role.
pub trait Propagation: std::fmt::Debug + Send {}

registry! {
    /// Propagation models of shared channels.
    Propagation(()) {
        /// Everyone within a range hears, nobody beyond it.
        disc::Disc,
    }
}
