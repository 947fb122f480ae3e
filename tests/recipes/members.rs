//! What the recipes promise of their examples.

use std::io::Write;
use std::sync::{Arc, Mutex};

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Files, Record, Scenario, Simulation, models, models_page, schema};

const ROUTED: &str = r#"
name = "two stations"
duration = "10 s"
nodes = [{ name = "a" }, { name = "b", position = ["200 m", "0 m"] }]
[radio]
mac = "dcf"
[routing]
name = "one_hop"
[[flows]]
from = "a"
to = "b"
start = "5 s"
application = { name = "file", size = "100 kB" }
"#;

const ON_A_RIVER: &str = r#"
name = "a ferry"
duration = "600 s"
mobility = "ferry"
nodes = [{ name = "a", position = ["0 m", "0 m"] }, { name = "b", position = ["0 m", "200 m"] }]
[radio]
mac = { name = "repeat", times = 2 }
[[flows]]
from = "a"
to = "b"
application = "telemetry"
"#;

/// The examples with the keys that name them.
const EXAMPLES: &[(&str, &str)] = &[
    ("application", "telemetry"),
    ("congestion_control", "steady"),
    ("congestion_control", "timid"),
    ("error", "periodic"),
    ("mac", "repeat"),
    ("mobility", "ferry"),
    ("propagation", "tunnel"),
    ("queue", "drop_front"),
    ("recovery", "patient"),
    ("route_failure", "nap"),
    ("routing", "one_hop"),
];

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("{path} is not needed"))
    }
}

#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Bytes {
    fn contains(&self, wanted: &[u8]) -> bool {
        self.0.lock().unwrap().windows(wanted.len()).any(|bytes| bytes == wanted)
    }
}

fn scenario(text: &str) -> Scenario {
    Draft::parse(text, "example.toml").unwrap().validate(&NoFiles).unwrap()
}

/// The amount and the cause of the events that a cause with these words takes.
fn events(text: &str, words: &str) -> (f64, String) {
    let shares = scenario(text).estimate(true).events;
    let share = shares.into_iter().find(|share| share.cause.contains(words)).expect(words);
    (share.amount, share.cause)
}

#[test]
fn examples_are_in_the_list_the_schema_and_the_page_of_models() {
    let (models, schema, page) = (models(), schema(), models_page());
    for (kind, name) in EXAMPLES {
        let listed = |model: &serde_json::Value| model["kind"] == *kind && model["name"] == *name;
        assert!(models.as_array().unwrap().iter().any(listed), "{name} is not listed");
        assert!(schema.contains(&format!("\"{name}\"")), "{name} is not in the schema");
        assert!(page.contains(&format!("`{name}`")), "{name} is not on the page of models");
    }
}

#[test]
fn the_estimate_counts_writes_frames_and_legs() {
    let (twice, cause) = events(ON_A_RIVER, "flow `");
    assert!(cause.contains("6.0e2 packets"), "{cause}");
    let (often, _) = events(&ON_A_RIVER.replace("times = 2", "times = 20"), "flow `");
    assert!(often > 5.0 * twice, "{often} events and {twice}");
    // Of each ferry a stop, a crossing and a stop end before the run.
    let (legs, _) = events(ON_A_RIVER, "straight lines");
    assert_eq!(legs, 6.0);
}

#[test]
fn captures_have_the_packets_of_frames_in_a_format_of_their_own() {
    let capture = Bytes::default();
    let mut simulation = Simulation::new(&scenario(ON_A_RIVER), 1, Record { series: false });
    simulation.capture_frames(Box::new(capture.clone()), None);
    while simulation.advance(Instant::NEVER) {}
    assert!(simulation.finish().to_json()["flows"][0]["goodput_bps"].as_f64() > Some(1500.0));
    assert!(capture.contains(&[228, 0, 0, 0, 0, 0, 0, 0]), "LINKTYPE_IPV4, no limit on lengths");
    assert!(capture.contains(&[10, 0, 0, 1, 10, 0, 0, 2]), "the packet's source and destination");
}

#[test]
fn positions_outside_the_area_are_refused() {
    let beyond = ON_A_RIVER.replace("\"200 m\"", "\"1200 m\"");
    let error = Draft::parse(&beyond, "example.toml").unwrap().validate(&NoFiles).unwrap_err();
    assert!(error.to_string().contains("`b` is outside the area"), "{error}");
}

#[test]
fn messages_of_the_routing_protocol_are_in_captures_and_traces_and_its_routes_carry_a_file() {
    let (capture, trace) = (Bytes::default(), Bytes::default());
    let mut simulation = Simulation::new(&scenario(ROUTED), 1, Record { series: false });
    simulation.capture_frames(Box::new(capture.clone()), None);
    simulation.trace(Box::new(trace.clone()));
    while simulation.advance(Instant::NEVER) {}
    assert!(simulation.finish().to_json()["flows"][0]["completion_s"].is_number());
    // Ports, length and no checksum of UDP, then the address of node 1 and its fourth message.
    let port = 49_747_u16.to_be_bytes();
    let hello = [&port[..], &port[..]].concat();
    assert!(capture.contains(&hello), "the port is in the capture");
    assert!(capture.contains(&[10, 0, 0, 2, 0, 0, 0, 3]), "the message is in the capture");
    assert!(trace.contains(b" ONEHOP 36 "), "the message is in the trace");
}
