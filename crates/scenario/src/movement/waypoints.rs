//! Times and positions of nodes with straight lines between them, from BonnMotion or SUMO's floating car data.
//!
//! Before its first point and after its last a node does not move.

use farlink_kernel::Instant;
use farlink_network::mobility::scripted::Move;
use farlink_network::space::{Metres, Pace, Position, Waypoint};

/// The position of a node at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub at: Instant,
    pub x: f64,
    pub y: f64,
    /// None in a file of two dimensions.
    pub z: Option<f64>,
}

impl Point {
    fn position(&self, otherwise: Position) -> Position {
        let z = self.z.map_or(otherwise.z, Metres);
        Position { x: Metres(self.x), y: Metres(self.y), z }
    }
}

/// The points of each node, by its number.
#[derive(Clone, Debug)]
pub(crate) struct Waypoints(pub(super) Vec<Vec<Point>>);

impl Waypoints {
    /// True when the file gives `node` a position.
    pub(crate) fn has_position(&self, node: u32) -> bool {
        self.0.get(node as usize).is_some_and(|points| !points.is_empty())
    }

    /// The initial position of `node`, which the scenario places at `position`, and its moves.
    pub(crate) fn script(&self, node: u32, position: Position) -> (Position, Vec<Move>) {
        let Some([first, rest @ ..]) = self.0.get(node as usize).map(Vec::as_slice) else {
            return (position, Vec::new());
        };
        let place = |point: &Point| point.position(position);
        let mut from = first;
        let mut moves = Vec::with_capacity(rest.len() + 1);
        for to in rest {
            let distance = place(from).distance(place(to)).0;
            let length = to.at.saturating_since(from.at).as_secs_f64();
            // Speed zero is a rest, an infinite speed a jump.
            let speed = if distance > 0.0 { distance / length } else { 0.0 };
            let waypoint = Waypoint { x: Metres(to.x), y: Metres(to.y), z: to.z.map(Metres) };
            moves.push(Move { at: from.at, to: waypoint, speed: Pace(speed) });
            from = to;
        }
        (place(first), moves)
    }
}
