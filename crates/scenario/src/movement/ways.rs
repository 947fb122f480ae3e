//! Who is where when, straight on between: what BonnMotion and the floating car data of SUMO say.
//!
//! A node stands where its way ends, and before its first time where it begins.

use farlink_kernel::Instant;
use farlink_network::mobility::scripted::Move;
use farlink_network::space::{Metres, Pace, Position, Waypoint};

/// Where a node is when.
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

/// The nodes' ways, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Ways(pub(super) Vec<Vec<Point>>);

impl Ways {
    /// True when the file says where `node` begins.
    pub(crate) fn places(&self, node: u32) -> bool {
        self.0.get(node as usize).is_some_and(|way| !way.is_empty())
    }

    /// Where `node`, which the scenario puts at `position`, begins, and what it does then.
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
            // To stand is to have no speed, and to be elsewhere at once to have any.
            let speed = if distance > 0.0 { distance / length } else { 0.0 };
            let waypoint = Waypoint { x: Metres(to.x), y: Metres(to.y), z: to.z.map(Metres) };
            moves.push(Move { at: from.at, to: waypoint, speed: Pace(speed) });
            from = to;
        }
        (place(first), moves)
    }
}
