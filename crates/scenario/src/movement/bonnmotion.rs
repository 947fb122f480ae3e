//! Movement files of BonnMotion in its own format (N. Aschenbruck, R. Ernst, E. Gerhards-Padilla, M. Schwamborn,
//! "BonnMotion: A Mobility Scenario Generation and Analysis Tool", SIMUTools 2010).
//!
//! A line for each node: `0.0 8.0 9.0 10.0 50.0 70.0` is at (8, 9) at 0 s and at (50, 70) at 10 s, and goes straight
//! on between. A node stands where its line ends, and before its first time where it begins. In a file of three
//! dimensions a point is a time, x, y and z. Nothing in a file says which it is, so it is read as the first, and as the
//! second where that makes no sense: numbers left over, or times that go back.

use farlink_kernel::config::Diagnostic;

use super::ns2::{coordinate, seconds};
use super::ways::{Point, Ways};

const REMEDY: &str =
    "write a time, x and y, or in all lines a time, x, y and z, for each point: 0.0 8.0 9.0 10.0 50.0 70.0";
const PLANE: usize = 3;
const SPACE: usize = 4;

/// Reads a file that begins at `start` of the sources, for a scenario of so many nodes.
pub(crate) fn read(text: &str, start: usize, nodes: usize) -> Result<Ways, Diagnostic> {
    read_as(PLANE, text, start, nodes)
        .or_else(|diagnostic| read_as(SPACE, text, start, nodes).map_err(|_| diagnostic))
}

fn read_as(numbers: usize, text: &str, start: usize, nodes: usize) -> Result<Ways, Diagnostic> {
    let (mut ways, mut at) = (Vec::new(), start);
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let way = read_line(line, numbers).map_err(|message| Diagnostic::new(span.clone(), message, REMEDY))?;
        if ways.len() >= nodes {
            let message = format!("the file has more lines than the scenario has nodes, {nodes}");
            return Err(Diagnostic::new(span, message, "give the scenario as many nodes as the file has lines"));
        }
        ways.push(way);
    }
    if ways.is_empty() {
        return Err(Diagnostic::new(start..start, "nobody moves", REMEDY));
    }
    Ok(Ways(ways))
}

/// Reads a way, of so many numbers for each point.
fn read_line(line: &str, numbers: usize) -> Result<Vec<Point>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let groups = words.chunks_exact(numbers);
    if !groups.remainder().is_empty() {
        if words.iter().any(|word| word.parse::<f64>().is_err()) {
            return Err("expected numbers only".into());
        }
        return Err(format!("{} numbers, which are not three for each point", words.len()));
    }
    let mut way: Vec<Point> = Vec::with_capacity(words.len() / numbers);
    for group in groups {
        let point = || -> Result<Point, (String, String)> {
            let z = group.get(3).map(|word| coordinate(word)).transpose()?;
            Ok(Point { at: seconds(group[0])?, x: coordinate(group[1])?, y: coordinate(group[2])?, z })
        };
        let point = point().map_err(|(message, _)| message)?;
        if way.last().is_some_and(|last| last.at > point.at) {
            return Err(format!("the time {} s after a later one", group[0]));
        }
        way.push(point);
    }
    Ok(way)
}

#[cfg(test)]
mod tests {
    use farlink_network::mobility::scripted::Move;
    use farlink_network::space::{Metres, Position};

    use super::*;

    fn plain(text: &str, node: u32) -> ((f64, f64), Vec<[f64; 4]>) {
        let movement = read(text, 0, 2).unwrap();
        let (begin, moves) =
            movement.script(node, Position { x: Metres(1.0), y: Metres(2.0), z: Metres(3.0) });
        assert_eq!(begin.z, Metres(3.0));
        let one = |one: &Move| [one.at.as_secs_f64(), one.to.x.0, one.to.y.0, one.speed.0];
        ((begin.x.0, begin.y.0), moves.iter().map(one).collect())
    }

    #[test]
    fn a_node_goes_straight_from_point_to_point_and_stands_where_two_are_the_same() {
        let text = "0.0 8 9 10.0 38 49 15.0 38 49 20 38 39\n\n5.0 1.5 2.5\n";
        let moves = vec![[0.0, 38.0, 49.0, 5.0], [10.0, 38.0, 49.0, 0.0], [15.0, 38.0, 39.0, 2.0]];
        assert_eq!(plain(text, 0), ((8.0, 9.0), moves));
        assert_eq!(plain(text, 1), ((1.5, 2.5), vec![]));
        assert_eq!(plain("0 8 9 4 8 9 4 50 9\n", 1), ((1.0, 2.0), vec![]), "a node without a line stays");
        let (_, jumps) = plain("0 8 9 4 8 9 4 50 9\n", 0);
        assert_eq!(jumps, [[0.0, 8.0, 9.0, 0.0], [4.0, 50.0, 9.0, f64::INFINITY]]);
    }

    #[test]
    fn a_file_of_three_dimensions_is_known_by_making_no_sense_in_two() {
        let first = |text: &str| {
            let movement = read(text, 0, 2).unwrap();
            let (begin, moves) = movement.script(0, Position::default());
            (begin, moves[0].to.z, moves[0].speed.0)
        };
        let begin = Position { x: Metres(1.0), y: Metres(2.0), z: Metres(3.0) };
        assert_eq!(first("0 1 2 3 10 31 42 3\n0 9 9 9\n"), (begin, Some(Metres(3.0)), 5.0));
        // Twelve numbers may be four points of three or three of four; times in order tell.
        assert_eq!(first("0 1 2 3 5 1 2 13 9 1 2 13\n"), (begin, Some(Metres(13.0)), 2.0));
        assert_eq!(first("0 1 2 3 5 1 4 1 2 13 9 1\n").1, None);
    }

    #[test]
    fn a_mistake_is_refused_at_its_line() {
        for (text, expected) in [
            ("0 1 2\n0 1 2 3\n", "4 numbers, which are not three"),
            ("0 1 2\n0 1 x\n", "a coordinate is not a number"),
            ("0 1 2\n# two\n", "expected numbers only"),
            ("0 1 2\n5 1 2 4 1 2\n", "the time 4 s after a later one"),
            ("0 1 2\n-1 1 2\n", "the time -1.0 s"),
        ] {
            let diagnostic = read(text, 100, 2).unwrap_err();
            assert!(diagnostic.message.contains(expected), "{}", diagnostic.message);
            assert_eq!(diagnostic.span, 106..100 + text.trim_end().len());
        }
        let diagnostic = read("0 1 2\n0 1 2\n0 1 2\n", 0, 2).unwrap_err();
        assert!(diagnostic.message.contains("more lines than the scenario has nodes"), "{}", diagnostic.message);
        assert_eq!(read("\n", 100, 2).unwrap_err().message, "nobody moves");
    }
}
