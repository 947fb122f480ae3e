//! The node follows a script: the `setdest` of ns-2 (CMU Monarch extensions, 1998).
//!
//! "From now on go to this point at this speed." What comes later interrupts, wherever the node is then; speed
//! zero stops it; it does not pass its destination. Movement files of ns-2 are lists of these.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value, refuse_unknown, show_table};
use farlink_kernel::{Field, Instant, choice, config};

use super::leg::Leg;
use super::{Mobility, Parameters, Placement, Setup};
use crate::space::{Pace, Position, Waypoint};

pub(super) const SOURCE: &str = "ns-2 manual, chapter 16";

config! {
    /// Parameters of the script.
    pub struct Config {
        /// What the node does when: a list of `{ at = "10 s", to = ["50 m", "70 m"], speed = "2 m/s" }` in the
        /// order of their times, or `{ ns2 = "FILE" }` for a movement file of ns-2, `{ bonnmotion = "FILE" }`
        /// for one of BonnMotion (with `dimensions = 2` or `3` where the file fits both), `{ fcd = "FILE" }` for floating car data of SUMO, whose node i is the i-th of the
        /// scenario. A scenario has to say it.
        pub moves: Moves = Moves::List(Vec::new()),
    }
}

impl Parameters for Config {
    fn placement(&self) -> Placement {
        Placement::Anywhere
    }

    fn check(&self, is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic> {
        if is_given("moves") {
            return Ok(());
        }
        let message = "a script without `moves`: no node would move";
        let remedy = "add moves = [{ at = \"10 s\", to = [\"50 m\", \"0 m\"], speed = \"2 m/s\" }] or \
                      moves = { ns2 = \"FILE\" }, or write \"static\"";
        Err(Diagnostic::new(0..0, message, remedy))
    }
}

config! {
    /// A command.
    pub struct Move {
        /// From when on.
        pub at: Instant = Instant::ZERO,
        /// Where to; without a third coordinate at the same height.
        pub to: Waypoint = Waypoint::default(),
        /// How fast; zero stops the node where it is.
        pub speed: Pace = Pace(0.0); in ..=Pace::FASTEST,
    }
}

impl Move {
    /// A node's move from `from` unless the script interrupts it; at infinite speed it jumps.
    pub fn leg(&self, from: Position) -> Leg {
        if self.speed.0 > 0.0 {
            Leg::straight(from, self.to.from(from), self.at, self.speed.0)
        } else {
            Leg::rest(from, self.at, Instant::NEVER)
        }
    }
}

/// Commands in the order of their times.
#[derive(Clone, Debug, PartialEq)]
pub enum Moves {
    /// As written.
    List(Vec<Move>),
    /// A movement file; its reader replaces it with each node's list.
    File(File),
}

/// A movement file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Its format.
    pub format: Format,
    /// Its path as written.
    pub path: String,
    /// Of BonnMotion: 2 or 3, where the file fits both.
    pub dimensions: Option<u8>,
}

const DIMENSIONS: &str = "dimensions";

choice! {
    /// Formats of movement files; the word is the key that names one.
    pub enum Format {
        /// Commands in Tcl: what setdest, BonnMotion's NSFile and SUMO's traceExporter write.
        Ns2 = "ns2",
        /// A line of times and places for each node: BonnMotion's own.
        BonnMotion = "bonnmotion",
        /// Everyone's place at every step: floating car data of SUMO.
        Fcd = "fcd",
    }
}

impl Format {
    const ALL: [Self; 3] = [Self::Ns2, Self::BonnMotion, Self::Fcd];
}

impl Read for Moves {
    fn kind() -> Kind {
        let required = |field: Field| Field { default: None, ..field };
        let one = Kind::Table(Move::fields().into_iter().map(required).collect());
        let doc = "A movement file.";
        let file = |format: Format| {
            let mut fields = vec![Field { name: format.word(), kind: Kind::Text, default: None, doc }];
            if format == Format::BonnMotion {
                let (kind, doc) = (Kind::Integer { min: 2 }, "2 or 3, where the file fits both.");
                fields.push(Field { name: DIMENSIONS, kind, default: Some("\"none\"".into()), doc });
            }
            Kind::Table(fields)
        };
        let files = Format::ALL.map(file);
        Kind::AnyOf(std::iter::once(Kind::List(Box::new(one))).chain(files).collect())
    }

    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let items = match &node.value {
            Value::List(items) => items,
            Value::Table(_) => return File::read(node).map(Self::File),
            _ => return Err(node.expected("a list of moves or { ns2 = \"FILE\" }")),
        };
        let mut moves: Vec<Move> = Vec::with_capacity(items.len());
        for item in items {
            let one = read_move(item)?;
            if moves.last().is_some_and(|last| last.at > one.at) {
                return Err(item.refuse("a move before the last one", "sort them by time"));
            }
            moves.push(one);
        }
        Ok(Self::List(moves))
    }

    fn show(&self) -> String {
        match self {
            Self::List(moves) => moves.show(),
            Self::File(file) => file.show(),
        }
    }
}

impl File {
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let entries = node.entries()?;
        refuse_unknown(entries, &[Format::WORDS, &[DIMENSIONS]].concat())?;
        let files: Vec<_> = entries.iter().filter(|entry| entry.key != DIMENSIONS).collect();
        let [entry] = files[..] else { return Err(node.expected("{ ns2 = \"FILE\" }")) };
        let format = Format::ALL.into_iter().find(|format| format.word() == entry.key);
        let format = format.ok_or_else(|| node.expected("{ ns2 = \"FILE\" }"))?;
        let dimensions = match node.get(DIMENSIONS) {
            None => None,
            Some(text) if format != Format::BonnMotion => {
                return Err(text.refuse("a file of this format says its dimensions itself", "remove it"));
            }
            Some(text) => match text.value {
                Value::Integer(2) => Some(2),
                Value::Integer(3) => Some(3),
                _ => return Err(text.expected("2 or 3")),
            },
        };
        Ok(Self { format, path: entry.node.as_text("a file name")?.to_owned(), dimensions })
    }

    fn show(&self) -> String {
        let mut fields = vec![(self.format.word(), self.path.show())];
        fields.extend(self.dimensions.map(|number| (DIMENSIONS, number.show())));
        show_table(None, &fields)
    }
}

fn read_move(node: &Node) -> Result<Move, Diagnostic> {
    let one = Move::read(node)?;
    for Field { name, .. } in Move::fields() {
        if node.get(name).is_none() {
            let message = format!("`{name}` is missing");
            return Err(node.refuse(message, format!("add {name} = ...")));
        }
    }
    Ok(one)
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Scripted {
    position: Position,
    moves: Vec<Move>,
    begun: usize,
}

impl Scripted {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let moves = match &config.moves {
            Moves::List(moves) => moves.clone(),
            Moves::File(file) => panic!("movement file {} was not read", file.path),
        };
        Self { position: setup.position, moves, begun: 0 }
    }

    fn next_at(&self) -> Instant {
        self.moves.get(self.begun).map_or(Instant::NEVER, |next| next.at)
    }
}

impl Mobility for Scripted {
    fn first_leg(&mut self) -> Leg {
        Leg::rest(self.position, Instant::ZERO, self.next_at())
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        match self.moves.get(self.begun) {
            Some(now) if now.at == last.end => {
                self.begun += 1;
                now.leg(last.to).until(self.next_at())
            }
            _ => Leg::rest(last.to, last.end, self.next_at()),
        }
    }

    fn top_speed_mps(&self) -> f64 {
        self.moves.iter().fold(0.0, |top, one| top.max(one.speed.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::at;
    use super::super::trajectory::Trajectory;
    use super::*;
    use crate::ids::NodeId;
    use crate::mobility;
    use crate::space::Metres;

    fn trajectory(moves: &[(u64, [f64; 2], f64)]) -> Trajectory {
        let one = |&(second, [x, y], speed): &(u64, [f64; 2], f64)| Move {
            at: at(second),
            to: Waypoint { x: Metres(x), y: Metres(y), z: None },
            speed: Pace(speed),
        };
        let config = Config { moves: Moves::List(moves.iter().map(one).collect()) };
        let position = Position { x: Metres(10.0), y: Metres(0.0), z: Metres(5.0) };
        Trajectory::new(&mobility::Config::Scripted(config), &Setup { seed: 1, node: NodeId(0), position })
    }

    fn places(mut trajectory: Trajectory, seconds: &[u64]) -> Vec<(f64, f64)> {
        let place = |second: &u64| trajectory.position(at(*second));
        seconds.iter().map(place).map(|Position { x, y, .. }| (x.0, y.0)).collect()
    }

    #[test]
    fn a_node_rests_goes_arrives_and_rests() {
        let node = trajectory(&[(10, [40.0, 40.0], 5.0)]);
        let expected = [(10.0, 0.0), (10.0, 0.0), (25.0, 20.0), (40.0, 40.0), (40.0, 40.0)];
        assert_eq!(places(node, &[0, 10, 15, 20, 100]), expected);
    }

    #[test]
    fn a_later_command_interrupts_wherever_the_node_is_and_speed_zero_stops_it() {
        let node = trajectory(&[(0, [110.0, 0.0], 10.0), (4, [50.0, 90.0], 3.0), (10, [0.0, 0.0], 0.0)]);
        let expected = [(50.0, 0.0), (50.0, 6.0), (50.0, 18.0), (50.0, 18.0)];
        assert_eq!(places(node, &[4, 6, 10, 99]), expected);
    }

    #[test]
    fn of_two_commands_at_once_the_later_counts_and_infinite_speed_jumps() {
        let node =
            trajectory(&[(5, [0.0, 0.0], 1.0), (5, [10.0, 8.0], 2.0), (7, [500.0, 1.0], f64::INFINITY)]);
        assert_eq!(node.top_speed_mps(), f64::INFINITY);
        assert_eq!(places(node, &[5, 6, 7, 8]), [(10.0, 0.0), (10.0, 2.0), (500.0, 1.0), (500.0, 1.0)]);
    }

    #[test]
    fn what_already_is_there_stays_at_its_height() {
        let mut node = trajectory(&[(1, [10.0, 0.0], 4.0)]);
        assert_eq!(node.position(at(3)), Position { x: Metres(10.0), y: Metres(0.0), z: Metres(5.0) });
    }
}
