//! Every parameter of every model at extreme values: a run to its end, or one error.

use farlink_kernel::config::Model;
use farlink_kernel::{Duration, Field, Instant, Kind};
use farlink_network::channel::{error, jitter, propagation};
use farlink_network::interface::link;
use farlink_network::{app, mac, mobility, phy, queue, routing};
use farlink_scenario::document::Record as Sampling;
use farlink_scenario::{Draft, Files, Record, Scenario, Simulation, topology};
use farlink_tcp::{congestion, recovery};

/// A link and a radio hop, both lossy, so that every model is used.
const SCENARIO: &str = r#"name = "odd"
duration = "1 s"
nodes = [{ name = "a" }, { name = "b", position = ["0 m", "1 m"] }, { name = "c", position = ["100 m", "0 m"] }]

[[links]]
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = { name = "drop_tail", limit = "5 packets" }

[radio]


[[flows]]
from = "a"
to = "b"
tcp = { ecn = true, initial_ssthresh = "20 packets" }

[[flows]]
from = "a"
to = "c"
application = "constant_bit_rate"

[record]
interval = "100 ms"
"#;

const AODV: &str = "{ name = \"aodv\" }";

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("no such file".into())
    }
}

/// Extreme values of that kind, as TOML.
fn odd_values(kind: &Kind) -> Vec<String> {
    let texts = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    match kind {
        Kind::Integer { .. } => texts(&["0", "1", "65535", "4294967295", "9223372036854775807", "-1"]),
        Kind::Number { .. } => texts(&["0", "-1", "1e-300", "1", "1e9", "1e300", "nan", "inf"]),
        Kind::Quantity { units, example, .. } => {
            let unit = units.last().copied().unwrap_or_else(|| example.rsplit(' ').next().unwrap());
            ["0", "-1", "1e-9", "1", "1e6", "1e300", "nan"]
                .map(|number| format!("\"{number} {unit}\""))
                .into_iter()
                .chain(units.iter().flat_map(|unit| [format!("\"0 {unit}\""), format!("\"1 {unit}\"")]))
                .collect()
        }
        Kind::List(inner) => {
            odd_values(inner).iter().map(|value| format!("[{value}]")).chain(["[]".into()]).collect()
        }
        Kind::AnyOf(kinds) => kinds.iter().flat_map(odd_values).collect(),
        Kind::Within(kind, _) => odd_values(kind),
        Kind::Bool | Kind::Text | Kind::Choice(_) | Kind::Table(_) | Kind::Model(_) => Vec::new(),
    }
}

/// The scenario with these values set over it, or its error: one line with a place and a message.
fn validate(settings: &[(String, String)]) -> Option<Scenario> {
    let mut draft = Draft::parse(SCENARIO, "odd.toml").unwrap();
    let set = settings.iter().try_for_each(|(path, value)| draft.set(path, value));
    match set.and_then(|()| draft.validate(&NoFiles)) {
        Ok(scenario) => Some(scenario),
        Err(error) => {
            let is_clean = error.line > 0 && !error.message.is_empty() && !error.message.contains('\n');
            assert!(is_clean, "{settings:?}: {error:?}");
            None
        }
    }
}

/// Sets each parameter of `fields` under `path`, besides the settings of `base`; returns the numbers of runs and of
/// refusals. A run reaches its end without a panic.
fn try_all(path: &str, fields: &[Field], base: &[(&str, &str)]) -> [usize; 2] {
    let mut tried = [0; 2];
    for field in fields {
        for value in odd_values(&field.kind) {
            let owned = |&(path, value): &(&str, &str)| (path.to_owned(), value.to_owned());
            let mut settings: Vec<_> = base.iter().map(owned).collect();
            settings.push((format!("{path}.{}", field.name), value));
            let Some(scenario) = validate(&settings) else {
                tried[1] += 1;
                continue;
            };
            let mut simulation = Simulation::new(&scenario, 1, Record { series: true });
            let second = Instant::ZERO + Duration::from_secs(1);
            assert_eq!(simulation.advance(second), scenario.duration() > Duration::from_secs(1));
            simulation.finish();
            tried[0] += 1;
        }
    }
    tried
}

/// Every parameter of every model that may stand under `path`.
fn try_models(path: &str, models: &[Model], base: &[(&str, &str)]) {
    let mut total = [0; 2];
    for model in models {
        let named = format!("{{ name = \"{}\" }}", model.name);
        let base = [base, &[(path, &named)]].concat();
        let tried = try_all(path, &model.fields, &base);
        total = [total[0] + tried[0], total[1] + tried[1]];
    }
    assert!(total[0] > 0 && total[1] > 0, "{path}: {total:?}");
}

#[test]
fn no_parameter_of_a_queue_breaks_a_run() {
    try_models("links.0.queue", &queue::Config::models(), &[]);
}

#[test]
fn no_parameter_of_an_error_model_breaks_a_run() {
    try_models("links.0.error", &error::Config::models(), &[]);
}

#[test]
fn no_parameter_of_a_jitter_breaks_a_run() {
    try_models("links.0.jitter", &jitter::Config::models(), &[]);
}

#[test]
fn no_parameter_of_a_congestion_control_breaks_a_run() {
    for preset in ["rfc", "ns2_linux"] {
        let base = [("flows.0.tcp.preset", preset)];
        try_models("flows.0.tcp.congestion_control", &congestion::Config::models(), &base);
    }
}

#[test]
fn no_parameter_of_a_recovery_breaks_a_run() {
    try_models("flows.0.tcp.recovery", &recovery::Config::models(), &[]);
}

#[test]
fn no_parameter_of_an_application_breaks_a_run() {
    // A packet every nanosecond: a second of it would take minutes, a few microseconds do.
    try_models("flows.1.application", &app::Config::models(), &[("duration", "20 us")]);
}

#[test]
fn no_parameter_of_a_radio_breaks_a_run() {
    try_models("radio.mac", &mac::Config::models(), &[]);
    try_models("radio.propagation", &propagation::Config::models(), &[]);
    try_models("radio.phy", &phy::Config::models(), &[]);
    try_all("radio.antenna", &phy::antenna::Config::fields(), &[]);
    try_all("radio.antenna", &phy::antenna::Config::fields(), &[("radio.antenna.reception", "interference")]);
}

#[test]
fn no_parameter_of_a_routing_protocol_breaks_a_run() {
    // A hello every nanosecond: a second of it would take minutes.
    let short = ("duration", "1 ms");
    try_models("routing", &routing::Config::models(), &[short]);
    try_all(
        "routing",
        &routing::aodv::Config::fields(),
        &[short, ("routing", AODV), ("routing.hello", "true")],
    );
    try_all("routing", &routing::aodv::Config::fields(), &[("routing", AODV), ("routing.preset", "ns2")]);
}

#[test]
fn no_parameter_of_a_mobility_breaks_a_run() {
    // A step every nanosecond: a second of it would take minutes.
    let short = ("duration", "1 ms");
    try_models(
        "nodes.2.mobility",
        &mobility::Config::models(),
        &[short, ("nodes.0.position", "[\"0 m\", \"0 m\"]"), ("nodes.2", "{ name = \"c\" }")],
    );
    let base =
        [short, ("flows", "[{ from = \"a\", to = \"b\" }]"), ("nodes.2.position", "[\"1 m\", \"1 m\"]")];
    for model in mobility::Config::models()
        .iter()
        .filter(|model| model.fields.iter().any(|field| field.name == "start"))
    {
        let named = format!("{{ name = \"{}\", start = \"position\" }}", model.name);
        try_all("nodes.2.mobility", &model.fields, &[&base[..], &[("nodes.2.mobility", &named)]].concat());
    }
}

#[test]
fn no_parameter_of_a_topology_breaks_a_run() {
    let wired = [("radio", "none"), ("flows", "[{ from = \"a\", to = \"b\" }]")];
    try_models("topology", &topology::models(), &wired);
}

#[test]
fn no_key_of_a_table_breaks_a_run() {
    try_all("links.0", &link::Config::fields(), &[]);
    try_all("flows.0.tcp", &farlink_tcp::Config::fields(), &[]);
    try_all("record", &Sampling::fields(), &[("duration", "20 us")]);
}
