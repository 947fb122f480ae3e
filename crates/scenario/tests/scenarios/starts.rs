//! Every time in the results of a flow is counted from a start that is in the results.

use farlink_kernel::{Duration, Instant};
use farlink_network::blueprint::Link;
use farlink_network::interface::link;
use farlink_network::schedule::{Interval, Schedule, Start};
use farlink_network::{Blueprint, mobility, routing};
use farlink_scenario::{Draft, Files, Record, Scenario, Simulation, built_in};
use serde_json::Value;

const SHIFT: Duration = Duration::from_secs(20);
/// Of runs after the last start: the rest is more of the same.
const REST: Duration = Duration::from_secs(10);

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        panic!("a built-in scenario reads {path}")
    }
}

/// The built-in scenario with these settings.
fn scenario(text: &str, settings: &[(String, String)]) -> Scenario {
    let mut draft = Draft::parse(text, "built_in.toml").unwrap();
    for (path, value) in settings {
        draft.set(path, value).unwrap();
    }
    draft.validate(&NoFiles).unwrap()
}

fn flows(scenario: &Scenario) -> Vec<Value> {
    let mut simulation = Simulation::new(scenario, 1, Record { series: false });
    simulation.advance(Instant::NEVER);
    simulation.finish().to_json()["flows"].as_array().unwrap().clone()
}

/// The scenario with the starts of these flows, and the end, so much later. At the very start of a run radio channels
/// are not idle yet (DIFS), so that everything starts a second later.
fn shifted(text: &str, by: Duration, is_shifted: impl Fn(usize) -> bool) -> Scenario {
    let plain = scenario(text, &[]);
    let mut last = Instant::ZERO;
    let mut settings = Vec::new();
    for (number, flow) in plain.blueprint.flows.iter().enumerate() {
        let by = Duration::from_secs(1) + if is_shifted(number) { by } else { Duration::ZERO };
        let written = match flow.start {
            Start::At(at) => (at + by).to_string(),
            Start::Within(Interval { start, end }) => format!("{}..{}", start + by, end + by),
        };
        last = last.max(match flow.start {
            Start::At(at) | Start::Within(Interval { end: at, .. }) => at + by,
        });
        settings.push((format!("flows.{number}.start"), format!("\"{written}\"")));
    }
    settings.push(("duration".into(), format!("\"{}\"", last - Instant::ZERO + REST)));
    scenario(text, &settings)
}

/// True when nothing but flows depends on the time since the start of the run.
fn is_constant(blueprint: &Blueprint) -> bool {
    let is_steady = |direction: &link::Config| {
        let (rate, delay) = (&direction.rate, &direction.delay);
        matches!((rate, delay), (Schedule::Constant(_), Schedule::Constant(_))) && direction.down.is_empty()
    };
    let is_static = |config: &mobility::Config| matches!(config, mobility::Config::Static(_));
    blueprint.links.iter().all(|Link { forward, reverse, .. }| is_steady(forward) && is_steady(reverse))
        && blueprint.nodes.iter().all(|node| is_static(&node.mobility))
        && matches!(blueprint.routing, routing::Config::ShortestPath(_))
        && blueprint.flows.iter().all(|flow| flow.stop.is_none())
}

/// The flows without their starts, and these.
fn without_starts(flows: &[Value]) -> (Vec<Value>, Vec<f64>) {
    let mut flows = flows.to_vec();
    let starts = flows.iter_mut().map(|flow| flow["start_s"].take().as_f64().unwrap()).collect();
    (flows, starts)
}

fn assert_shifted(before: &[Value], after: &[Value], name: &str) {
    let ((before, starts), (after, later)) = (without_starts(before), without_starts(after));
    assert_eq!(before, after, "{name}");
    for (start, later) in starts.iter().zip(later) {
        assert!((later - start - SHIFT.as_secs_f64()).abs() < 1e-6, "{name}: {start} {later}");
    }
}

#[test]
fn a_shift_of_all_starts_shifts_nothing_but_the_starts() {
    let mut tried = Vec::new();
    for one in built_in() {
        if is_constant(&scenario(one.text, &[]).blueprint) {
            let [now, later] = [Duration::ZERO, SHIFT].map(|by| flows(&shifted(one.text, by, |_| true)));
            assert_shifted(&now, &later, one.name);
            tried.push(one.name);
        }
    }
    assert!(tried.len() >= 8 && tried.contains(&"gateway_split"), "{tried:?}");
}

/// The relay's connection is open, and waits.
#[test]
fn a_shift_of_a_relays_source_alone_shifts_the_relay() {
    let one = built_in().iter().find(|one| one.name == "gateway_split").unwrap();
    let [now, later] = [Duration::ZERO, SHIFT].map(|by| flows(&shifted(one.text, by, |number| number == 0)));
    assert_shifted(&now, &later, one.name);
}

#[test]
fn a_start_that_is_drawn_is_in_the_results() {
    let one = built_in().iter().find(|one| one.name == "dumbbell").unwrap();
    let starts = without_starts(&flows(&scenario(one.text, &[]))).1;
    assert!(starts[0] == 0.0 && starts[1] > 0.0 && starts[1] < 2.0, "{starts:?}");
}
