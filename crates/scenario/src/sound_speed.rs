//! Sound speed profiles from files of `depth_m,speed_mps`.

use farlink_network::blueprint::Node;
use farlink_network::channel::propagation_speed::PropagationSpeed;
use farlink_network::channel::propagation_speed::profile::Profile;

use crate::columns::Table;
use crate::files::{Fault, Reader};

/// The depth of the deepest sea (in m), and the range of sound speeds in sea water (in m/s).
const DEEPEST: f64 = 12_000.0;
const SPEEDS: std::ops::RangeInclusive<f64> = 1000.0..=2000.0;

/// The message for a node that is deeper than any sea, where no sound speed is known.
pub(crate) fn too_deep<'a>(
    speed: &PropagationSpeed,
    mut nodes: impl Iterator<Item = &'a Node>,
) -> Option<String> {
    let surface = speed.surface()?;
    let depth = |node: &Node| surface.0 - node.position.z.0;
    let node = nodes.find(|node| depth(node) > DEEPEST)?;
    Some(format!("`{}` is {} km under water, deeper than any sea", node.name, depth(node) / 1000.0))
}

/// The sound speed with its file read, if it names one.
pub(crate) fn read(speed: &PropagationSpeed, reader: &mut Reader<'_>) -> Result<PropagationSpeed, Fault> {
    let PropagationSpeed::File(table) = speed else { return Ok(speed.clone()) };
    let (text, start) = reader.text(&table.path)?;
    let points = points(&text, start)?;
    if points.is_empty() {
        return Err(Fault::File(format!("\"{}\" has no lines", table.path), String::new()));
    }
    Ok(PropagationSpeed::Profile(Profile::new(points, table.surface)))
}

/// Lines of `depth,speed`, after a header if there is one.
fn points(text: &str, start: usize) -> Result<Vec<(f64, f64)>, Fault> {
    let remedy = "write lines of depth_m,speed_mps";
    let table = Table { text, start, columns: &["depth_m", "speed_mps"], remedy };
    let mut points: Vec<(f64, f64)> = Vec::new();
    let read = table.each_of_numbers(|numbers, at| {
        let refuse = |message| Err(table.refuse(&at, message));
        let Some([depth, speed]) = numbers else { return refuse("expected two numbers") };
        if !(0.0..=DEEPEST).contains(&depth) || !SPEEDS.contains(&speed) {
            return refuse("expected a depth from 0 to 12000 m and a speed from 1000 to 2000 m/s");
        }
        if points.last().is_some_and(|last| last.0 >= depth) {
            return refuse("depths must increase from line to line");
        }
        points.push((depth, speed));
        Ok(())
    });
    read.map(|()| points).map_err(Fault::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_may_begin_with_a_header() {
        let Ok(points) = points("depth_m,speed_mps\n0,1520\n50, 1518.5\n", 0) else { panic!("refused") };
        assert_eq!(points, [(0.0, 1520.0), (50.0, 1518.5)]);
    }

    #[test]
    fn a_line_of_spaces_is_no_depth() {
        let Ok(points) = points("depth_m,speed_mps\n   \n0,1500\n100,1520\n  ", 0) else { panic!("refused") };
        assert_eq!(points, [(0.0, 1500.0), (100.0, 1520.0)]);
    }

    #[test]
    fn a_bad_line_is_refused_at_its_place() {
        let place = |text| match points(text, 0) {
            Err(Fault::Line(diagnostic)) => diagnostic.span,
            _ => panic!("accepted"),
        };
        assert_eq!(place("0,1500\n10,fast\n"), 7..14);
        assert_eq!(place("0,1500\n0,1500\n"), 7..13);
        assert_eq!(place("0,1500\n10,1500,3\n"), 7..16);
        assert_eq!(place("0,150\n"), 0..5);
    }
}
