//! ETSI TR 101 112 (UMTS 30.03), annex B, 1998; F. Bai, N. Sadagopan, A. Helmy, IMPORTANT,
//! INFOCOM 2003.
//!
//! Nodes move along the streets of a regular town. At a crossing a node goes straight on or turns left or right,
//! and draws a new speed for the next block; where one of the three ways is missing, the other two are equally
//! likely. Every block is then entered as often as every other, in either sense, so that at a random time a
//! node is uniformly on the streets and its speed has the density f(v) / v: a run begins like that.

use farlink_kernel::config::Fraction;
use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, Instant, config};

use super::leg::Leg;
use super::speeds::Speeds;
use super::{Mobility, Parameters, Placement, Setup, Start};
use crate::space::{Area, Metres, Pace, Position};

pub(super) const SOURCE: &str = "ETSI TR 101 112, 1998; Bai, Sadagopan, Helmy, INFOCOM 2003";

config! {
    /// Parameters of the town.
    pub struct Config {
        /// Width and height of the area; a corner is at (0, 0). Streets run along its edges too.
        pub area: Area = Area::square(1000.0),
        /// Distance of parallel streets; rounded so that a whole number of blocks fits into each side.
        pub block: Metres = Metres(200.0); in Metres(1.0)..,
        /// Lower bound of the speed.
        pub min_speed: Pace = Pace(1.0); in Pace::MOVING,
        /// Upper bound of the speed, which is drawn uniformly for every block.
        pub max_speed: Pace = Pace(5.0); in Pace::MOVING,
        /// Probability of turning at a crossing, left and right together.
        pub turn_probability: Fraction = Fraction(0.5),
        /// How a run begins; from a position a node starts at the crossing nearest to it.
        pub start: Start = Start::Stationary,
    }
    where min_speed <= max_speed
}

impl Parameters for Config {
    fn placement(&self) -> Placement {
        self.start.placement(self.area)
    }

    fn check(&self, _is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// East, north, west, south.
const HEADINGS: [[i32; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

#[derive(Clone, Debug)]
pub(crate) struct ManhattanGrid {
    area: Area,
    blocks: [u32; 2],
    speeds: Speeds,
    turn: f64,
    start: Start,
    position: Position,
    stream: Stream,
    /// The crossing ahead, and from which heading it is reached.
    ahead: [u32; 2],
    heading: usize,
}

impl ManhattanGrid {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let Config { area, block, .. } = config;
        let blocks = |side: Metres| libm::round(side.0 / block.0).max(1.0) as u32;
        Self {
            area: *area,
            blocks: [blocks(area.width), blocks(area.height)],
            speeds: Speeds { min: config.min_speed.0, max: config.max_speed.0 },
            turn: config.turn_probability.0,
            start: config.start,
            position: setup.position,
            stream: setup.stream(),
            ahead: [0; 2],
            heading: 0,
        }
    }

    fn place(&self, [column, row]: [u32; 2]) -> Position {
        let [columns, rows] = self.blocks;
        let part = |side: Metres, i: u32, n: u32| Metres(side.0 * f64::from(i) / f64::from(n));
        Position {
            x: part(self.area.width, column, columns),
            y: part(self.area.height, row, rows),
            z: self.position.z,
        }
    }

    /// The crossing that follows in this heading, if the town has it.
    fn next(&self, [column, row]: [u32; 2], heading: usize) -> Option<[u32; 2]> {
        let [east, north] = HEADINGS[heading];
        let step = |at: u32, by: i32, blocks: u32| at.checked_add_signed(by).filter(|next| *next <= blocks);
        Some([step(column, east, self.blocks[0])?, step(row, north, self.blocks[1])?])
    }

    /// Somewhere on the streets, each metre as likely as any other, in either sense.
    fn draw_start(&mut self) -> Leg {
        let [columns, rows] = self.blocks.map(f64::from);
        let (along_x, along_y) = (self.area.width.0 * (rows + 1.0), self.area.height.0 * (columns + 1.0));
        let is_along_x = self.stream.uniform() * (along_x + along_y) < along_x;
        let (axis, forward) = if is_along_x { (0, 0) } else { (1, 1) };
        let mut crossing = [0; 2];
        crossing[axis] = self.stream.below(u64::from(self.blocks[axis])) as u32;
        crossing[1 - axis] = self.stream.below(u64::from(self.blocks[1 - axis]) + 1) as u32;
        let mut ends = [crossing, self.next(crossing, forward).expect("a block ahead")];
        self.heading = forward;
        if self.stream.uniform() < 0.5 {
            ends.reverse();
            self.heading += 2;
        }
        self.ahead = ends[1];
        let [from, to] = ends.map(|crossing| self.place(crossing));
        let here = from.towards(to, self.stream.uniform());
        Leg::straight(here, to, Instant::ZERO, self.speeds.draw_under_way(&mut self.stream))
    }

    /// At the crossing nearest to the node's position, towards any of its neighbours.
    fn start_at_position(&mut self) -> Leg {
        let nearest = |place: Metres, side: Metres, blocks: u32| {
            (libm::round(place.0 / side.0 * f64::from(blocks)) as u32).min(blocks)
        };
        let Position { x, y, .. } = self.position;
        self.ahead =
            [nearest(x, self.area.width, self.blocks[0]), nearest(y, self.area.height, self.blocks[1])];
        let ways = (0..HEADINGS.len()).filter(|heading| self.next(self.ahead, *heading).is_some());
        let ways: Vec<usize> = ways.collect();
        let way = self.stream.below(ways.len() as u64) as usize;
        self.block(ways[way], Instant::ZERO)
    }

    fn block(&mut self, heading: usize, start: Instant) -> Leg {
        let from = self.ahead;
        self.heading = heading;
        self.ahead = self.next(from, heading).expect("a way that was chosen is there");
        let speed = self.speeds.draw(&mut self.stream);
        Leg::straight(self.place(from), self.place(self.ahead), start, speed)
    }

    /// Straight on, left or right.
    fn choose(&mut self) -> usize {
        let draw = self.stream.uniform();
        let [straight, left, right] = [0, 1, 3].map(|turned| (self.heading + turned) % HEADINGS.len());
        let ways = [straight, left, right].map(|way| self.next(self.ahead, way).map(|_| way));
        match ways {
            [Some(_), Some(_), Some(_)] if draw >= self.turn => straight,
            [Some(_), Some(_), Some(_)] => {
                if draw < self.turn / 2.0 {
                    left
                } else {
                    right
                }
            }
            [one, two, None] | [one, None, two] | [None, one, two] => {
                let (one, two) = (one.or(two), two.or(one));
                let way = if draw < 0.5 { one } else { two };
                way.expect("every crossing of a town can be left another way than back")
            }
        }
    }
}

impl Mobility for ManhattanGrid {
    fn first_leg(&mut self) -> Leg {
        match self.start {
            Start::Stationary => self.draw_start(),
            Start::Position => self.start_at_position(),
        }
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        let way = self.choose();
        self.block(way, last.end)
    }

    fn top_speed_mps(&self) -> f64 {
        self.speeds.max
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, mean_speed, share, trajectories};
    use super::*;
    use crate::ids::NodeId;
    use crate::mobility;

    /// Four by two blocks of 125 m and 150 m.
    fn town(turn: f64) -> mobility::Config {
        let area = Area { width: Metres(500.0), height: Metres(300.0) };
        let config =
            Config { area, block: Metres(130.0), turn_probability: Fraction(turn), ..Config::default() };
        mobility::Config::ManhattanGrid(config)
    }

    fn is_on(place: Metres, street: f64) -> bool {
        (place.0 - street).abs() < 1e-9
    }

    #[test]
    fn nodes_are_uniformly_on_the_streets_from_the_start_on() {
        let config = Config {
            area: Area { width: Metres(500.0), height: Metres(300.0) },
            block: Metres(100.0),
            turn_probability: Fraction(0.2),
            ..Config::default()
        };
        let mut nodes = trajectories(&mobility::Config::ManhattanGrid(config), 30_000);
        // Four streets of 500 m and six of 300 m: 3800 m.
        for second in [0, 100, 1_000] {
            let south = share(&mut nodes, second, |at| is_on(at.y, 0.0));
            let middle = share(&mut nodes, second, |at| is_on(at.x, 200.0) && at.y.0 < 100.0);
            let mean = mean_speed(&mut nodes, second);
            assert!((south - 500.0 / 3800.0).abs() < 0.008, "at {second} s: {south}");
            assert!((middle - 100.0 / 3800.0).abs() < 0.004, "at {second} s: {middle}");
            assert!((mean / 2.4853 - 1.0).abs() < 0.01, "at {second} s: {mean}");
        }
    }

    #[test]
    fn nodes_stay_on_streets_that_fit_the_area() {
        for turn in [0.0, 0.5, 1.0] {
            let mut nodes = trajectories(&town(turn), 20);
            for node in &mut nodes {
                for second in 0..500 {
                    let Position { x, y, .. } = node.position(at(second));
                    let is_on_a_street = (0..=4).any(|i| is_on(x, 125.0 * f64::from(i)))
                        || (0..=2).any(|i| is_on(y, 150.0 * f64::from(i)));
                    assert!(is_on_a_street && (0.0..=500.0).contains(&x.0), "{x:?} {y:?}");
                }
            }
        }
    }

    #[test]
    fn from_a_position_a_node_starts_at_the_nearest_crossing() {
        let mobility::Config::ManhattanGrid(config) = town(0.5) else { unreachable!() };
        let config = Config { start: Start::Position, ..config };
        let position = Position { x: Metres(180.0), y: Metres(1000.0), z: Metres(3.0) };
        let first = ManhattanGrid::new(&config, &Setup { seed: 1, node: NodeId(0), position }).first_leg();
        assert_eq!(first.from, Position { x: Metres(125.0), y: Metres(300.0), z: Metres(3.0) });
        let blocks = [125.0, 150.0].iter().any(|block| is_on(first.from.distance(first.to), *block));
        assert!(blocks, "{first:?}");
    }
}
