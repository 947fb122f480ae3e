//! Nodes are where ns-2 has them: recorded by `tests/verification/ns2/record_movement.py`.

use farlink_kernel::{Duration, Instant};
use farlink_network::mobility::Setup;
use farlink_network::mobility::trajectory::Trajectory;
use farlink_scenario::{Draft, Files, Scenario};
use serde_json::Value;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../../tests/verification/ns2/movement/", $name))
    };
}

/// One movement file.
struct Shelf<'a>(&'a str);

impl Files for Shelf<'_> {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.into())
    }
}

fn scenario(text: &str, file: &str) -> Scenario {
    let draft = Draft::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    draft.validate(&Shelf(file)).unwrap_or_else(|error| panic!("{error}"))
}

/// So many nodes that move as the file says.
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
    let nodes = scenario.blueprint().nodes.iter().zip(0..);
    let trajectory = |(node, number): (&farlink_network::blueprint::Node, u32)| {
        Trajectory::new(&node.mobility, &Setup { seed, node: number, position: node.position })
    };
    nodes.map(trajectory).collect()
}

/// How far apart the two simulators have a node at worst, in metres; how many samples there are.
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
}
