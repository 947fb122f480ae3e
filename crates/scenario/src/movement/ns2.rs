//! Movement files of ns-2: what `setdest`, BonnMotion's NSFile and SUMO's traceExporter write.
//!
//! ```text
//! $node_(0) set X_ 12.5                        where a node is before it moves; Y_, Z_ alike
//! $ns_ at 2.0 "$node_(0) setdest 50 70 1.5"    from 2 s, a straight line to (50, 70) at 1.5 m/s
//! $ns_ at 9.0 "$node_(0) set X_ 30"            a jump
//! $god_ set-dist 0 1 2                         ignored: hop counts for ns-2's statistics
//! ```
//!
//! A command without a time applies before the run. A jump ends the current movement.

use std::collections::BTreeMap;

use farlink_kernel::config::{CENTURY, Diagnostic};
use farlink_kernel::{Duration, Instant};
use farlink_network::mobility::leg::Leg;
use farlink_network::mobility::scripted::Move;
use farlink_network::space::{Metres, Pace, Position, Waypoint};

/// The commands of each node, by its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movement {
    scripts: BTreeMap<u32, Script>,
}

#[derive(Clone, Debug, Default)]
struct Script {
    initial: [Option<f64>; 3],
    commands: Vec<(Instant, Command)>,
}

#[derive(Clone, Copy, Debug)]
enum Command {
    SetDest {
        x: f64,
        y: f64,
        speed: f64,
    },
    /// One coordinate: its index and value.
    Set(usize, f64),
}

const REMEDY: &str = "write $node_(0) set X_ 12.5, or $ns_ at 2.0 \"$node_(0) setdest 50.0 70.0 1.5\"";

impl Movement {
    /// Reads a file that begins at `start` of the sources, for a scenario with this number of nodes.
    pub(crate) fn read(text: &str, start: usize, nodes: usize) -> Result<Self, Diagnostic> {
        let mut movement = Self::default();
        let mut at = start;
        for line in text.split_inclusive('\n') {
            let content = line.split('#').next().unwrap_or_default();
            let blank = content.len() - content.trim_start().len();
            let span = at + blank..at + blank + content.trim().len();
            movement
                .read_line(content, nodes)
                .map_err(|(message, remedy)| Diagnostic::new(span, message, remedy))?;
            at += line.len();
        }
        if movement.scripts.is_empty() {
            return Err(Diagnostic::new(start..start, "no node moves", REMEDY));
        }
        for script in movement.scripts.values_mut() {
            // A stable sort: of two commands at the same time the later in the file applies.
            script.commands.sort_by_key(|(at, _)| *at);
        }
        Ok(movement)
    }

    fn read_line(&mut self, line: &str, nodes: usize) -> Result<(), (String, String)> {
        let is_between = |c: char| c.is_whitespace() || c == '"' || c == ';';
        let words: Vec<&str> = line.split(is_between).filter(|word| !word.is_empty()).collect();
        let (at, words) = match &words[..] {
            ["$ns_" | "$ns", "at", time, rest @ ..] => (Some(seconds(time)?), rest),
            rest => (None, rest),
        };
        let (node, command) = match words {
            [] if at.is_none() => return Ok(()),
            ["$god_" | "$god", ..] => return Ok(()),
            [first, ..] if first.starts_with('<') => {
                let remedy = "give traceExporter's ns2mobility, or write { fcd = .. } for floating car data";
                return Err(("this is XML, no movement file of ns-2".into(), remedy.into()));
            }
            [application, "start" | "stop"] if application.starts_with("$g(") => {
                let remedy = "leave out SUMO's activity file; flows have a start, and applications a size";
                return Err(("this file starts applications, it moves no node".into(), remedy.into()));
            }
            [node, "set", axis @ ("X_" | "Y_" | "Z_"), value] => {
                let axis = usize::from(axis.as_bytes()[0] - b'X');
                (node, Command::Set(axis, coordinate(value)?))
            }
            [node, "setdest", x, y, speed] => {
                (node, Command::SetDest { x: coordinate(x)?, y: coordinate(y)?, speed: pace(speed)? })
            }
            _ => return Err(("not a movement command of ns-2".into(), REMEDY.into())),
        };
        let script = self.scripts.entry(node_number(node, nodes)?).or_default();
        match (at, command) {
            (None, Command::Set(axis, value)) => script.initial[axis] = Some(value),
            _ => script.commands.push((at.unwrap_or(Instant::ZERO), command)),
        }
        Ok(())
    }

    /// True when the file gives `node` an initial X or Y; a missing coordinate is zero in ns-2.
    pub(crate) fn has_position(&self, node: u32) -> bool {
        let jumps_at_once = |(at, command): &(Instant, Command)| {
            *at == Instant::ZERO && matches!(command, Command::Set(0 | 1, _))
        };
        self.scripts.get(&node).is_some_and(|script| {
            script.initial[..2].iter().any(Option::is_some) || script.commands.iter().any(jumps_at_once)
        })
    }

    /// The initial position of `node`, which the scenario places at `position`, and its moves.
    pub(crate) fn script(&self, node: u32, position: Position) -> (Position, Vec<Move>) {
        let Some(script) = self.scripts.get(&node) else { return (position, Vec::new()) };
        let begin = script
            .initial
            .iter()
            .enumerate()
            .fold(position, |position, (axis, value)| with(position, axis, *value));
        let mut leg = Leg::rest(begin, Instant::ZERO, Instant::NEVER);
        let mut moves = Vec::with_capacity(script.commands.len());
        for &(at, command) in &script.commands {
            let here = leg.at(at);
            let one = match command {
                Command::SetDest { x, y, speed } => {
                    Move { at, to: Waypoint { x: Metres(x), y: Metres(y), z: None }, speed: Pace(speed) }
                }
                Command::Set(axis, value) => {
                    let Position { x, y, z } = with(here, axis, Some(value));
                    Move { at, to: Waypoint { x, y, z: Some(z) }, speed: Pace(f64::INFINITY) }
                }
            };
            leg = one.leg(here);
            moves.push(one);
        }
        (begin, moves)
    }
}

fn with(position: Position, axis: usize, value: Option<f64>) -> Position {
    let Some(value) = value.map(Metres) else { return position };
    match axis {
        0 => Position { x: value, ..position },
        1 => Position { y: value, ..position },
        _ => Position { z: value, ..position },
    }
}

fn node_number(word: &str, nodes: usize) -> Result<u32, (String, String)> {
    let digits = word.strip_prefix("$node_(").and_then(|rest| rest.strip_suffix(')'));
    match digits.and_then(|digits| digits.parse::<u32>().ok()) {
        None if digits.is_some() => {
            let remedy = "write the node's number; with SUMO export without --orig-ids";
            Err(("a node is named instead of numbered".into(), remedy.into()))
        }
        None => Err(("expected a node".into(), REMEDY.into())),
        Some(number) if number as usize >= nodes => {
            let message = format!("node {number} moves, but the scenario has {nodes} nodes, numbered from 0");
            Err((message, "give the scenario as many nodes as the file".into()))
        }
        Some(number) => Ok(number),
    }
}

fn number(word: &str) -> Result<f64, (String, String)> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(("expected a number".into(), REMEDY.into())),
    }
}

pub(super) fn coordinate(word: &str) -> Result<f64, (String, String)> {
    match Metres::parse_coordinate(word) {
        Ok(Metres(metres)) => Ok(metres),
        Err(what) => Err((format!("a coordinate {what}"), REMEDY.into())),
    }
}

fn pace(word: &str) -> Result<f64, (String, String)> {
    let speed = number(word)?;
    if (0.0..=Pace::FASTEST.0).contains(&speed) {
        return Ok(speed);
    }
    let remedy = "write 0 to 100000 m/s, or for a jump $ns_ at 2.0 \"$node_(0) set X_ 50.0\"";
    Err((format!("a speed of {speed:?} m/s"), remedy.into()))
}

pub(super) fn seconds(word: &str) -> Result<Instant, (String, String)> {
    let seconds = number(word)?;
    if (0.0..=CENTURY.as_secs_f64()).contains(&seconds) {
        return Ok(Instant::ZERO + Duration::from_secs_f64(seconds));
    }
    Err((format!("the time {seconds:?} s"), "write seconds from 0 to 100 years".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, z: f64) -> Position {
        Position { x: Metres(x), y: Metres(y), z: Metres(z) }
    }

    fn script(text: &str) -> (Position, Vec<(f64, Waypoint, f64)>) {
        let movement = Movement::read(text, 0, 2).unwrap();
        let (position, moves) = movement.script(0, at(1.0, 2.0, 3.0));
        let plain = |one: &Move| (one.at.as_secs_f64(), one.to, one.speed.0);
        (position, moves.iter().map(plain).collect())
    }

    fn to(x: f64, y: f64) -> Waypoint {
        Waypoint { x: Metres(x), y: Metres(y), z: None }
    }

    #[test]
    fn spellings_of_the_three_tools_are_one() {
        let setdest = "#\n# nodes: 2\n#\n$node_(0) set X_ 8.000000000000\n$node_(0) set Y_ 9.000000000000\n\
                       $god_ set-dist 0 1 16777215\n\
                       $ns_ at 2.500000000000 \"$node_(0) setdest 50.0 70.0 1.5\"\n\
                       $ns_ at 3.0 \"$god_ set-dist 0 1 1\"\n";
        let tabs = "$node_(0)\tset X_\t8\r\n$node_(0)  set Y_ 9.0;\r\n\
                    $ns at 2.5e0 \" $node_(0)\tsetdest 50 7e1 1.5 \";# on\r\n";
        let expected = (at(8.0, 9.0, 3.0), vec![(2.5, to(50.0, 70.0), 1.5)]);
        assert_eq!(script(setdest), expected);
        assert_eq!(script(tabs), expected);
        // SUMO puts a vehicle in its place only where it departs.
        let sumo = "$ns_ at 2.5 \"$node_(0) setdest 50 70 1.5\"\n$node_(0) set X_ 8\n$node_(0) set Y_ 9\n";
        assert_eq!(script(sumo), expected);
    }

    #[test]
    fn commands_are_sorted_by_time_and_those_at_the_same_time_stay_in_order() {
        let text = "$ns_ at 9 \"$node_(0) setdest 1 1 1\"\n$node_(0) setdest 2 2 2\n\
                    $ns_ at 4 \"$node_(0) setdest 3 3 3\"\n$ns_ at 4 \"$node_(0) setdest 4 4 0\"\n";
        let times: Vec<(f64, f64)> =
            script(text).1.iter().map(|(second, _, speed)| (*second, *speed)).collect();
        assert_eq!(times, [(0.0, 2.0), (4.0, 3.0), (4.0, 0.0), (9.0, 1.0)]);
    }

    #[test]
    fn a_coordinate_set_within_the_run_is_a_jump_from_wherever_the_node_is() {
        let text = "$ns_ at 0 \"$node_(0) setdest 11 2 1\"\n\
                    $ns_ at 4 \"$node_(0) set Y_ 90\"\n$ns_ at 4 \"$node_(0) set Z_ 7\"\n";
        let jump = |y, z| (4.0, Waypoint { x: Metres(5.0), y: Metres(y), z: Some(Metres(z)) }, f64::INFINITY);
        assert_eq!(script(text).1[1..], [jump(90.0, 3.0), jump(90.0, 7.0)]);
    }

    #[test]
    fn a_node_the_file_does_not_name_stays_where_the_scenario_puts_it() {
        let movement = Movement::read("$node_(1) set X_ 5\n", 0, 2).unwrap();
        assert_eq!(movement.script(0, at(1.0, 2.0, 3.0)), (at(1.0, 2.0, 3.0), Vec::new()));
    }

    #[test]
    fn a_file_in_which_no_node_moves_is_refused() {
        for text in ["", "# a comment\n\n", "$god_ set-dist 0 1 2\n"] {
            let diagnostic = Movement::read(text, 100, 2).unwrap_err();
            assert_eq!((diagnostic.span, diagnostic.message.as_str()), (100..100, "no node moves"));
        }
    }

    #[test]
    fn a_bad_line_is_refused_at_its_place() {
        let refused = |line: &str| {
            let diagnostic = Movement::read(&format!("# x\n  {line} # y\n"), 100, 2).unwrap_err();
            assert_eq!(diagnostic.span, 106..106 + line.len());
            diagnostic.message
        };
        assert_eq!(refused("$node_(0) setdest 1 2"), "not a movement command of ns-2");
        assert_eq!(refused("$node_(x) set X_ 2"), "a node is named instead of numbered");
        assert_eq!(refused("$node(0) set X_ 2"), "expected a node");
        assert_eq!(refused("<fcd-export>"), "this is XML, no movement file of ns-2");
        assert_eq!(
            refused("$ns_ at 5.0 \"$g(0) start\";"),
            "this file starts applications, it moves no node"
        );
        assert_eq!(refused("$ns_ at 1 \"$node_(0) setdest 1 nan 1\""), "a coordinate is not a number");
        assert_eq!(refused("$ns_ at -1 \"$node_(0) setdest 1 1 1\""), "the time -1.0 s");
        assert_eq!(refused("$ns_ at 1 \"$node_(0) setdest 1 1 -2\""), "a speed of -2.0 m/s");
        assert!(refused("$node_(2) set X_ 2").contains("the scenario has 2 nodes"));
    }
}
