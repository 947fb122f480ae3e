//! Positions of nodes against those of ns-2, recorded by `tests/verification/ns2/record_movement.py`.

use farlink_kernel::{Duration, Instant};
use farlink_network::ids::NodeId;
use farlink_network::mobility::Setup;
use farlink_network::mobility::trajectory::Trajectory;
use farlink_scenario::{Draft, Files, Scenario};
use serde_json::Value;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/verification/ns2/movement/", $name))
    };
}

/// One movement file.
struct TestFiles<'a>(&'a str);

impl Files for TestFiles<'_> {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.into())
    }
}

fn scenario(text: &str, file: &str) -> Scenario {
    let draft = Draft::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    draft.validate(&TestFiles(file)).unwrap_or_else(|error| panic!("{error}"))
}

/// A scenario with this number of nodes that move by the file.
fn scripted(nodes: u64, file: &str) -> Scenario {
    let text = format!(
        "name = \"file\"\nduration = \"300 s\"\n\
         topology = {{ name = \"chain\", nodes = {nodes}, spacing = \"0 m\" }}\n\
         mobility = {{ name = \"scripted\", moves = {{ ns2 = \"movement.tcl\" }} }}\n\
         [radio]\n[[flows]]\nfrom = \"n0\"\nto = \"n1\"\n"
    );
    scenario(&text, file)
}

fn trajectories(scenario: &Scenario, seed: u64) -> Vec<Trajectory> {
    let nodes = scenario.blueprint.nodes.iter().zip(0..);
    let trajectory = |(node, number): (&farlink_network::blueprint::Node, u32)| {
        Trajectory::new(&node.mobility, &Setup { seed, node: NodeId(number), position: node.position })
    };
    nodes.map(trajectory).collect()
}

/// The largest distance between the two simulators' positions in metres, and the number of samples.
fn furthest(name: &str, nodes: &mut [Trajectory], shift: f64) -> (f64, usize) {
    let all: Value = serde_json::from_str(recorded!("positions.json")).unwrap();
    let samples = all[name]["samples"].as_array().unwrap();
    let error = |sample: &Value| {
        let [time, node, x, y] = [0, 1, 2, 3].map(|i| sample[i].as_f64().unwrap());
        let here = nodes[node as usize].position(Instant::ZERO + Duration::from_secs_f64(time));
        (here.x.0 + shift - x).abs().max((here.y.0 + shift - y).abs())
    };
    (samples.iter().map(error).fold(0.0, f64::max), samples.len())
}

/// Rounding to nanoseconds moves a node of 40 m/s by 20 nm; ns-2's positions are recorded in nanometres.
const TOLERANCE_M: f64 = 1e-6;

#[test]
fn a_file_of_setdest_puts_nodes_where_ns2_does_at_1000_times() {
    let scenario = scripted(20, recorded!("setdest.tcl"));
    let (error, samples) = furthest("setdest", &mut trajectories(&scenario, 1), 0.0);
    assert!(samples == 1000 && error < TOLERANCE_M, "{error} m in {samples} samples");
}

#[test]
fn interruptions_stops_and_repeated_commands_are_those_of_ns2() {
    let scenario = scripted(2, recorded!("script.tcl"));
    let (error, samples) = furthest("script", &mut trajectories(&scenario, 1), 0.0);
    assert!(samples == 200 && error < TOLERANCE_M, "{error} m in {samples} samples");
}

#[test]
fn ns2_moves_by_the_file_we_write_as_we_do_by_the_models() {
    let scenario = scenario(recorded!("farlink.toml"), "");
    let written = scenario.ns2_movement(3, 1.0).unwrap();
    assert!(written == recorded!("farlink.tcl"), "record ns-2's positions anew from:\n{written}");
    let (error, samples) = furthest("farlink", &mut trajectories(&scenario, 3), 1.0);
    assert!(samples == 400 && error < TOLERANCE_M, "{error} m in {samples} samples");
}

#[test]
fn a_file_we_wrote_reads_back_as_the_same_movement() {
    let models = scenario(recorded!("farlink.toml"), "");
    let written = models.ns2_movement(7, 0.5).unwrap();
    let mut read = trajectories(&scripted(8, &written), 1);
    for (original, read) in trajectories(&models, 7).iter_mut().zip(&mut read) {
        for n in 0..1000 {
            let now = Instant::ZERO + Duration::from_millis(100 * n);
            let (there, here) = (original.position(now), read.position(now));
            let error = (there.x.0 + 0.5 - here.x.0).abs().max((there.y.0 + 0.5 - here.y.0).abs());
            assert!(error < TOLERANCE_M, "{error} m at {now}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_file() {
    let mut nodes = trajectories(&scripted(2, "\u{feff}$node_(1) set X_ 40.0\n"), 1);
    assert_eq!(nodes[1].position(Instant::ZERO).x.0, 40.0);
}

#[test]
fn what_ns2_cannot_read_is_not_written() {
    let text = |moves: &str, position: &str| {
        format!(
            "name = \"x\"\nduration = \"10 s\"\n[radio]\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             [[nodes]]\nname = \"b\"\nposition = {position}\n\
             [[nodes]]\nname = \"a\"\nposition = [\"1 m\", \"1 m\"]\n\
             mobility = {{ name = \"scripted\", moves = {moves} }}\n"
        )
    };
    let refused = |moves: &str, position: &str, file: &str| {
        scenario(&text(moves, position), file).ns2_movement(1, 0.0).unwrap_err()
    };
    let jump = refused("{ ns2 = \"f\" }", "[\"9 m\", \"9 m\"]", "$ns_ at 5 \"$node_(1) set X_ 40\"\n");
    assert_eq!(jump, "`a` jumps at 5 s; ns-2 knows no jumps");
    let climb = "[{ at = \"1 s\", to = [\"1 m\", \"1 m\", \"9 m\"], speed = \"1 m/s\" }]";
    assert!(refused(climb, "[\"9 m\", \"9 m\"]", "").contains("one height"));
    assert!(refused("[]", "[\"9 m\", \"-3.5 m\"]", "").ends_with("shift all by 4 m"));
    let far = scenario(&text("[]", "[\"9 m\", \"9 m\"]"), "").ns2_movement(1, 1e300).unwrap_err();
    assert_eq!(far, "`b` comes to a coordinate beyond 10^9 km: shift by less");
}

macro_rules! of_sumo {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/verification/sumo/", $name))
    };
}

/// A scenario with this number of vehicles that move by SUMO's file.
fn vehicles(format: &str, file: &str) -> Vec<Trajectory> {
    let text = format!(
        "name = \"traffic\"\nduration = \"100 s\"\n\
         topology = {{ name = \"chain\", nodes = 5, spacing = \"0 m\" }}\n\
         mobility = {{ name = \"scripted\", moves = {{ {format} = \"traffic\" }} }}\n\
         [radio]\n[[flows]]\nfrom = \"n0\"\nto = \"n1\"\n"
    );
    trajectories(&scenario(&text, file), 1)
}

/// Seconds, vehicle, x and y: every line of SUMO's own export.
fn seen_by_sumo() -> Vec<(f64, usize, f64, f64)> {
    let number = |line: &str, name: &str| -> Option<f64> {
        line.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse().ok()
    };
    let mut time = 0.0;
    let mut seen = Vec::new();
    for line in of_sumo!("fcd.xml").lines() {
        time = number(line, "time").unwrap_or(time);
        if let (Some(id), Some(x), Some(y)) = (number(line, "id"), number(line, "x"), number(line, "y")) {
            seen.push((time, id as usize, x, y));
        }
    }
    seen
}

fn distance(vehicle: &mut Trajectory, at: f64, x: f64, y: f64) -> f64 {
    let here = vehicle.position(Instant::ZERO + Duration::from_secs_f64(at));
    (here.x.0 - x).abs().max((here.y.0 - y).abs())
}

#[test]
fn vehicles_are_where_sumo_saw_them() {
    let mut vehicles = vehicles("fcd", of_sumo!("fcd.xml"));
    let seen = seen_by_sumo();
    assert!(seen.len() > 150);
    for (at, id, x, y) in seen {
        assert!(distance(&mut vehicles[id], at, x, y) < TOLERANCE_M, "vehicle {id} at {at} s");
    }
}

#[test]
fn vehicles_of_an_export_for_ns2_are_a_step_behind() {
    let mut vehicles = vehicles("ns2", of_sumo!("mobility.tcl"));
    let late = |(at, id, x, y)| distance(&mut vehicles[id], at + 1.0, x, y);
    let furthest = seen_by_sumo().into_iter().map(late).fold(0.0, f64::max);
    // At corners the path is shorter than at full speed, so that a node is late by rounding only.
    assert!(furthest < 0.05, "{furthest} m");
}

#[test]
fn a_vehicle_waits_where_it_departs_and_stays_where_it_arrives() {
    for (format, file) in [("fcd", of_sumo!("fcd.xml")), ("ns2", of_sumo!("mobility.tcl"))] {
        let mut vehicles = vehicles(format, file);
        for (id, vehicle) in vehicles.iter_mut().enumerate() {
            let seen: Vec<_> = seen_by_sumo().into_iter().filter(|(_, each, ..)| *each == id).collect();
            let ((departure, _, x, y), (arrival, _, end_x, end_y)) = (seen[0], seen[seen.len() - 1]);
            assert!(departure >= 5.0 && arrival <= 60.0);
            assert!(
                distance(vehicle, 0.0, x, y) < TOLERANCE_M
                    && distance(vehicle, departure, x, y) < TOLERANCE_M
            );
            assert!(distance(vehicle, arrival + 1.0, end_x, end_y) < 0.05);
            assert!(distance(vehicle, 100.0, end_x, end_y) < TOLERANCE_M);
        }
    }
}

/// What SUMO's traceExporter and BonnMotion make from cars in Berlin at 14 m/s, in degrees and in metres.
#[test]
fn coordinates_in_degrees_are_refused_and_short_moves_in_metres_are_not() {
    let ns2 = |degrees: f64, speed: f64| {
        let step = |time, node, x| {
            format!("$ns_ at {time} \"$node_({node}) setdest {x} {} {speed}\"\n", 52.5 * degrees)
        };
        let begin =
            |node, x| format!("$node_({node}) set X_ {x}\n$node_({node}) set Y_ {}\n", 52.5 * degrees);
        let cars = [0, 1].map(|node| {
            let x = |second: f64| (13.4 + 0.01 * f64::from(node) + 0.000_206 * second) * degrees;
            begin(node, x(0.0)) + &[1.0, 2.0, 3.0].map(|time| step(time, node, x(time))).concat()
        });
        cars.concat()
    };
    let bonnmotion = |unit: f64| {
        let line =
            |x: f64| format!("0 {} 52.5 10 {} 52.5 20 {} 52.5\n", x, x + 0.002 * unit, x + 0.004 * unit);
        line(13.4) + &line(13.41)
    };
    let checked = |format: &str, file: &str| {
        let text = format!(
            "name = \"file\"\nduration = \"30 s\"\nnodes = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             mobility = {{ name = \"scripted\", moves = {{ {format} = \"cars\" }} }}\n\
             [radio]\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n"
        );
        Draft::parse(&text, "test.toml")
            .unwrap()
            .validate(&TestFiles(file))
            .map_err(|error| error.to_string())
    };
    for (format, file) in [("ns2", ns2(1.0, 14.0)), ("bonnmotion", bonnmotion(1.0))] {
        let error = checked(format, &file).map(drop).unwrap_err();
        assert!(error.contains("degrees"), "{error}");
    }
    // Walkers who rest between steps of centimetres, and cars whose positions are metres.
    for (format, file) in
        [("ns2", ns2(111_000.0, 14.0)), ("ns2", ns2(100.0, 0.05)), ("bonnmotion", bonnmotion(1e3))]
    {
        assert_eq!(checked(format, &file).err(), None);
    }
}

/// A random topology, or a chain without `spacing`, is a number of nodes; without a channel no position has an effect.
#[test]
fn a_topology_whose_positions_are_drawn_by_the_mobility_model_is_warned_of() {
    let drawn = "[mobility]\nname = \"random_walk\"\narea = [\"400 m\", \"400 m\"]\nmax_speed = \"2 m/s\"\n";
    let from_start = format!("{drawn}start = \"position\"\n");
    let (grid, rows) = ("grid", "rows = 2\ncolumns = 2");
    let random = "nodes = 4\narea = [\"9 m\", \"9 m\"]";
    let (radio, link) = ("[radio]\n", "link = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n");
    for (shape, rest, network, mobility, is_warned) in [
        (grid, rows, radio, drawn, true),
        ("chain", "nodes = 4\nspacing = \"9 m\"", radio, drawn, true),
        ("chain", "nodes = 4", radio, drawn, false),
        (grid, rows, radio, &*from_start, false),
        (grid, rows, radio, "mobility = \"static\"\n", false),
        (grid, rows, link, drawn, false),
        ("random", random, radio, drawn, false),
    ] {
        let [before, after] = if mobility.starts_with('[') { ["", mobility] } else { [mobility, ""] };
        let text = format!(
            "name = \"test\"\nduration = \"10 s\"\n{before}[topology]\nname = \"{shape}\"\n{rest}\n{network}{after}\
             [[flows]]\nfrom = \"n0\"\nto = \"n3\"\n"
        );
        let text = if shape == grid { text.replace("n0", "0.0").replace("n3", "1.1") } else { text };
        let warnings = scenario(&text, "").warnings;
        let found: Vec<&str> = warnings.iter().map(|one| one.parts().message.as_str()).collect();
        let message =
            format!("`random_walk` draws the initial positions: those of topology `{shape}` have no effect");
        assert_eq!(found, if is_warned { vec![&*message] } else { vec![] }, "{text}");
    }
}
