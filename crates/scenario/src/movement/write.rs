//! Writes the movement of a run as a movement file of ns-2, which other simulators read, too.

use std::fmt::Write;

use farlink_kernel::Instant;
use farlink_network::Blueprint;
use farlink_network::blueprint::Node;
use farlink_network::ids::NodeId;
use farlink_network::mobility;
use farlink_network::mobility::leg::Leg;
use farlink_network::mobility::trajectory::Trajectory;
use farlink_network::space::{Metres, Position};

/// The file, every coordinate moved by `shift` to the east and north; or why ns-2 cannot represent it.
pub(crate) fn ns2(name: &str, blueprint: &Blueprint, seed: u64, shift: Metres) -> Result<String, String> {
    let end = Instant::ZERO + blueprint.duration;
    let mut begins = String::new();
    let mut commands: Vec<(Instant, usize, String)> = Vec::new();
    let mut corner = [0.0_f64; 2];
    for (i, node) in blueprint.nodes.iter().enumerate() {
        let legs = legs(node, NodeId(i as u32), seed, end);
        check(&node.name, &legs, shift)?;
        let place = |position: Position| [position.x.0 + shift.0, position.y.0 + shift.0];
        let [x, y] = place(legs[0].from);
        for (axis, value) in [("X_", x), ("Y_", y), ("Z_", legs[0].from.z.0)] {
            writeln!(begins, "$node_({i}) set {axis} {value:.12}").expect("a string takes all");
        }
        for leg in &legs {
            let [x, y] = place(leg.to);
            corner = [corner[0].max(x), corner[1].max(y)];
            if !leg.is_rest() {
                let speed = leg.speed_mps();
                let command = format!("$node_({i}) setdest {x:.12} {y:.12} {speed:.12}");
                commands.push((leg.start, i, command));
            }
        }
    }
    commands.sort_by_key(|(at, node, _)| (*at, *node));
    let [width, height] = corner.map(|side| libm::floor(side) + 1.0);
    let mut text = format!(
        "# {name}, seed {seed}: {} nodes, {} s\n# The area ns-2 needs: $topo load_flatgrid {width} {height}\n",
        blueprint.nodes.len(),
        blueprint.duration.as_secs_f64(),
    );
    text += &begins;
    for (at, _, command) in commands {
        let nanos = at.as_nanos();
        let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        writeln!(text, "$ns_ at {seconds}.{rest:09} \"{command}\"").expect("a string takes all");
    }
    Ok(text)
}

/// The legs of a node until `end`.
pub(crate) fn legs(node: &Node, number: NodeId, seed: u64, end: Instant) -> Vec<Leg> {
    let setup = mobility::Setup { seed, node: number, position: node.position };
    let mut trajectory = Trajectory::new(&node.mobility, &setup);
    let mut legs = vec![*trajectory.leg(Instant::ZERO)];
    while legs[legs.len() - 1].end < end {
        legs.push(*trajectory.leg(legs[legs.len() - 1].end));
    }
    legs
}

/// Refuses jumps, changes of height, and coordinates of zero or less, which ns-2 does not have.
fn check(name: &str, legs: &[Leg], shift: Metres) -> Result<(), String> {
    if let Some(pair) = legs.windows(2).find(|pair| pair[0].to != pair[1].from) {
        return Err(format!("`{name}` jumps at {}; ns-2 knows no jumps", pair[1].start));
    }
    if legs.iter().any(|leg| leg.from.z != leg.to.z) {
        return Err(format!("`{name}` rises or sinks; in ns-2 every node moves at one height"));
    }
    let moved = |at: Position| Position { x: Metres(at.x.0 + shift.0), y: Metres(at.y.0 + shift.0), z: at.z };
    if !legs.iter().all(|leg| moved(leg.to).is_near()) {
        return Err(format!("`{name}` comes to a coordinate beyond 10^9 km: shift by less"));
    }
    let lowest = legs.iter().map(|leg| leg.to.x.0.min(leg.to.y.0));
    let lowest = lowest.fold(legs[0].from.x.0.min(legs[0].from.y.0), f64::min);
    if lowest + shift.0 <= 0.0 {
        let shift = libm::floor(-lowest) + 1.0;
        return Err(format!(
            "`{name}` comes to a coordinate of {lowest} m; ns-2 takes those above zero only: shift all by {shift} m"
        ));
    }
    Ok(())
}
