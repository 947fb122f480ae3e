//! [`Start`]: how a run begins, for models whose stationary state can be drawn.

use farlink_kernel::choice;

choice! {
    /// How a run begins.
    pub enum Start {
        /// As at a random time of an endless run; positions are drawn.
        Stationary = "stationary",
        /// Where the scenario puts the node.
        Position = "position",
    }
}
