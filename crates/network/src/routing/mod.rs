//! Routing: over which interface and to which neighbour a packet goes next.

use farlink_kernel::registry;

pub mod shortest_path;

/// The role.
pub trait Routing: std::fmt::Debug + Send {}

registry! {
    /// Routing protocols.
    Routing(()) {
        /// Shortest paths over the graph of links and neighbours, known to all from the start.
        shortest_path::ShortestPath,
    }
}
