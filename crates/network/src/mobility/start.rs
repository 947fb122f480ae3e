//! [`Start`]: how a run begins, for models whose stationary state can be drawn.

use farlink_kernel::choice;
use farlink_kernel::random::Stream;

use super::Placement;
use crate::space::{Area, Position};

choice! {
    /// How a run begins.
    pub enum Start {
        /// As at a random time of an endless run; positions are drawn.
        Stationary = "stationary",
        /// Where the scenario puts the node.
        Position = "position",
    }
}

impl Start {
    /// What the scenario says about the initial position in an area.
    pub fn placement(self, area: Area) -> Placement {
        match self {
            Self::Stationary => Placement::Drawn,
            Self::Position => Placement::Within(area),
        }
    }

    /// The initial position of a node whose positions are uniform over the area in the long run.
    pub fn place(self, area: &Area, position: Position, stream: &mut Stream) -> Position {
        match self {
            Self::Stationary => area.draw(stream, position.z),
            Self::Position => position,
        }
    }
}
