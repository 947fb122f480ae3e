//! Movement files of BonnMotion in its own format (N. Aschenbruck, R. Ernst, E. Gerhards-Padilla, M. Schwamborn,
//! "BonnMotion: A Mobility Scenario Generation and Analysis Tool", SIMUTools 2010).
//!
//! A line for each node: `0.0 8.0 9.0 10.0 50.0 70.0` is at (8, 9) at 0 s and at (50, 70) at 10 s, with a straight
//! line between. Before its first point and after its last a node does not move. In a file of three dimensions a point
//! is a time, x, y and z. A file does not name its dimensions: it has those with which no number is left over and no time
//! decreases. One that fits both is refused, unless the scenario names the dimensions.

use farlink_kernel::config::Diagnostic;

use super::ns2::{coordinate, seconds};
use super::waypoints::{Point, Waypoints};

const REMEDY: &str =
    "write a time, x and y, or in all lines a time, x, y and z, for each point: 0.0 8.0 9.0 10.0 50.0 70.0";
const PLANE: usize = 3;
const SPACE: usize = 4;

/// Reads a file that begins at `start` of the sources, for a scenario with this number of nodes.
pub(crate) fn read(
    text: &str,
    start: usize,
    nodes: usize,
    dimensions: Option<u8>,
) -> Result<Waypoints, Diagnostic> {
    if let Some(dimensions) = dimensions {
        return read_as(usize::from(dimensions) + 1, text, start, nodes);
    }
    match (read_as(PLANE, text, start, nodes), read_as(SPACE, text, start, nodes)) {
        (Ok(_), Ok(_)) => {
            let message = "the file fits two dimensions and three";
            Err(Diagnostic::new(
                start..start,
                message,
                "add dimensions = 2 or dimensions = 3 beside bonnmotion",
            ))
        }
        (plane, Err(_)) => plane,
        (Err(_), space) => space,
    }
}

fn read_as(numbers: usize, text: &str, start: usize, nodes: usize) -> Result<Waypoints, Diagnostic> {
    let (mut nodes_read, mut at) = (Vec::new(), start);
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let points =
            read_line(line, numbers).map_err(|message| Diagnostic::new(span.clone(), message, REMEDY))?;
        if nodes_read.len() >= nodes {
            let message = format!("the file has more lines than the scenario has nodes, {nodes}");
            return Err(Diagnostic::new(
                span,
                message,
                "give the scenario as many nodes as the file has lines",
            ));
        }
        nodes_read.push(points);
    }
    if nodes_read.is_empty() {
        return Err(Diagnostic::new(start..start, "no node moves", REMEDY));
    }
    Ok(Waypoints(nodes_read))
}

/// Reads the points of a node, each of this many numbers.
fn read_line(line: &str, numbers: usize) -> Result<Vec<Point>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let groups = words.chunks_exact(numbers);
    if !groups.remainder().is_empty() {
        if words.iter().any(|word| word.parse::<f64>().is_err()) {
            return Err("expected numbers only".into());
        }
        let each = if numbers == PLANE { "three" } else { "four" };
        return Err(format!("{} numbers, which are not {each} for each point", words.len()));
    }
    let mut points: Vec<Point> = Vec::with_capacity(words.len() / numbers);
    for group in groups {
        let point = || -> Result<Point, (String, String)> {
            let z = group.get(3).map(|word| coordinate(word)).transpose()?;
            Ok(Point { at: seconds(group[0])?, x: coordinate(group[1])?, y: coordinate(group[2])?, z })
        };
        let point = point().map_err(|(message, _)| message)?;
        if points.last().is_some_and(|last| last.at > point.at) {
            return Err(format!("the time {} s after a later one", group[0]));
        }
        points.push(point);
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use farlink_network::mobility::scripted::Move;
    use farlink_network::space::{Metres, Position};

    use super::*;

    fn plain(text: &str, node: u32) -> ((f64, f64), Vec<[f64; 4]>) {
        let movement = read(text, 0, 2, None).unwrap();
        let (begin, moves) =
            movement.script(node, Position { x: Metres(1.0), y: Metres(2.0), z: Metres(3.0) });
        assert_eq!(begin.z, Metres(3.0));
        let one = |one: &Move| [one.at.as_secs_f64(), one.to.x.0, one.to.y.0, one.speed.0];
        ((begin.x.0, begin.y.0), moves.iter().map(one).collect())
    }

    #[test]
    fn a_node_moves_in_straight_lines_and_rests_between_equal_points() {
        let text = "0.0 8 9 10.0 38 49 15.0 38 49 20 38 39\n\n5.0 1.5 2.5\n";
        let moves = vec![[0.0, 38.0, 49.0, 5.0], [10.0, 38.0, 49.0, 0.0], [15.0, 38.0, 39.0, 2.0]];
        assert_eq!(plain(text, 0), ((8.0, 9.0), moves));
        assert_eq!(plain(text, 1), ((1.5, 2.5), vec![]));
        assert_eq!(plain("0 8 9 4 8 9 4 50 9\n", 1), ((1.0, 2.0), vec![]), "a node without a line stays");
        let (_, jumps) = plain("0 8 9 4 8 9 4 50 9\n", 0);
        assert_eq!(jumps, [[0.0, 8.0, 9.0, 0.0], [4.0, 50.0, 9.0, f64::INFINITY]]);
    }

    #[test]
    fn a_file_has_three_dimensions_if_it_is_not_valid_with_two() {
        let first = |text: &str| {
            let movement = read(text, 0, 2, None).unwrap();
            let (begin, moves) = movement.script(0, Position::default());
            (begin, moves[0].to.z, moves[0].speed.0)
        };
        let begin = Position { x: Metres(1.0), y: Metres(2.0), z: Metres(3.0) };
        assert_eq!(first("0 1 2 3 10 31 42 3\n0 9 9 9\n"), (begin, Some(Metres(3.0)), 5.0));
        // Twelve numbers may be four points of three or three of four; the order of times decides.
        assert_eq!(first("0 1 2 3 5 1 2 13 9 1 2 13\n"), (begin, Some(Metres(13.0)), 2.0));
        assert_eq!(first("0 1 2 3 5 1 4 1 2 13 9 1\n").1, None);
    }

    #[test]
    fn a_file_that_fits_both_is_refused_without_the_key() {
        // In space three points at 0, 5 and 9 s; in the plane four at 0, 3, 13 and 20 s.
        let text = "0 1 2 3 5 1 13 13 9 20 2 13\n";
        let refused = read(text, 100, 2, None).unwrap_err();
        assert_eq!((refused.span, refused.remedy.contains("dimensions = 3")), (100..100, true));
        let points = |dimensions| read(text, 0, 2, Some(dimensions)).unwrap().0[0].len();
        assert_eq!([points(2), points(3)], [4, 3]);
        let wrong = read("0 1 2 3 10 31 42 3\n", 0, 2, Some(2)).unwrap_err();
        assert!(wrong.message.contains("8 numbers, which are not three"), "{}", wrong.message);
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
            let diagnostic = read(text, 100, 2, None).unwrap_err();
            assert!(diagnostic.message.contains(expected), "{}", diagnostic.message);
            assert_eq!(diagnostic.span, 106..100 + text.trim_end().len());
        }
        let diagnostic = read("0 1 2\n0 1 2\n0 1 2\n", 0, 2, None).unwrap_err();
        assert!(
            diagnostic.message.contains("more lines than the scenario has nodes"),
            "{}",
            diagnostic.message
        );
        assert_eq!(read("\n", 100, 2, None).unwrap_err().message, "no node moves");
    }
}
