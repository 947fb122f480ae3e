//! What the recipe for a routing protocol promises of its example, `one_hop`.

use std::io::Write;
use std::sync::{Arc, Mutex};

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Files, Record, Simulation, models, schema};

const NETWORK: &str = r#"
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

#[test]
fn the_protocol_is_listed_and_in_the_schema() {
    let models = models();
    let listed = |model: &&serde_json::Value| model["kind"] == "routing" && model["name"] == "one_hop";
    let model = models.as_array().unwrap().iter().find(listed).expect("the protocol is listed");
    assert_eq!(model["parameters"][0]["name"], "interval");
    assert!(schema().contains("one_hop"));
}

#[test]
fn its_messages_are_in_captures_and_traces_and_its_routes_carry_a_file() {
    let scenario = Draft::parse(NETWORK, "one_hop.toml").unwrap().validate(&NoFiles).unwrap();
    let (capture, trace) = (Bytes::default(), Bytes::default());
    let mut simulation = Simulation::new(&scenario, 1, Record { series: false });
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
