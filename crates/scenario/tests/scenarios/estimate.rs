//! The estimate of a run's events against the engine's counter.

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Files, Record, Scenario, Simulation, built_in};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("no files".into())
    }
}

fn set(text: &str, settings: &[(&str, &str)]) -> Scenario {
    let mut draft = Draft::parse(text, "test").unwrap();
    for (path, value) in settings {
        draft.set(path, value).unwrap_or_else(|error| panic!("{error}"));
    }
    draft.validate(&NoFiles).unwrap_or_else(|error| panic!("{error}"))
}

fn text_of(name: &str) -> &'static str {
    built_in().iter().find(|scenario| scenario.name == name).expect("a built-in scenario").text
}

/// Estimated events over those of a run.
fn ratio(scenario: &Scenario) -> f64 {
    let mut simulation = Simulation::new(scenario, 1, Record { series: true });
    simulation.advance(Instant::NEVER);
    scenario.estimate(true).amounts()[0].0 / simulation.events() as f64
}

/// Built-in scenarios and variants of them: (scenario, settings).
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("satellite", &[("duration", "60 s")]),
    ("satellite", &[("duration", "60 s"), ("links.0.rate", "1 Gbit/s"), ("links.0.error", "none")]),
    ("satellite", &[("duration", "600 s"), ("flows.0.tcp.max_window", "10 packets")]),
    ("satellite", &[("flows.0.application", "{ name = \"file\", size = \"1 MB\" }")]),
    ("satellite", &[("duration", "60 s"), ("links.0.jitter", "{ name = \"exponential\", mean = \"2 s\" }")]),
    ("dumbbell", &[]),
    ("dumbbell", &[("links.*.queue", "codel")]),
    ("dumbbell", &[("flows.*.tcp.congestion_control", "bbr")]),
    ("dumbbell", &[("flows.*.tcp.segment_size", "100 B")]),
    ("competition", &[("flows.2.application", "{ name = \"constant_bit_rate\", rate = \"1 Gbit/s\" }")]),
    ("competition", &[("flows.2.application", "{ name = \"on_off\", on = \"1 ns\", off = \"1 ms\" }")]),
    ("dumbbell", &[("record.interval", "100 us")]),
    ("chain_wired", &[]),
    ("asymmetric_access", &[]),
    ("competition", &[]),
    ("gateway", &[]),
    ("gateway_split", &[]),
    ("chain_80211", &[]),
    ("chain_80211", &[("topology.nodes", "20"), ("flows.0.to", "n19")]),
    (
        "chain_80211",
        &[("routing", "{ name = \"aodv\", hello = true, hello_interval = \"1 ms\" }"), ("duration", "5 s")],
    ),
    ("chain_80211", &[("routing", "{ name = \"olsr\", hello_interval = \"10 ms\" }"), ("duration", "10 s")]),
    ("chain_80211", &[("routing", "dsdv")]),
    ("chain_80211", &[("radio.phy.rate", "11 Mbit/s")]),
    ("frn", &[]),
    ("frn", &[("topology.nodes", "10")]),
    ("manet", &[("duration", "10 s")]),
    ("manet", &[("duration", "10 s"), ("topology.nodes", "30")]),
    ("manet", &[("duration", "10 s"), ("routing", "dsr")]),
    ("manet", &[("duration", "10 s"), ("routing", "olsr")]),
    ("manet", &[("duration", "10 s"), ("radio.propagation", "two_ray")]),
    ("underwater", &[]),
    ("underwater", &[("radio.mac", "slotted_fama")]),
    ("underwater", &[("radio.mac", "cs_aloha")]),
    ("underwater", &[("radio.mac", "tdma")]),
    ("underwater", &[("radio.mac", "t_lohi")]),
];

/// Observed: 0.5 to 3.2.
#[test]
fn the_estimate_is_within_a_factor_of_ten_of_the_events_of_a_run() {
    let ratios = CASES.iter().map(|(name, settings)| (ratio(&set(text_of(name), settings)), name, settings));
    let wrong: Vec<_> = ratios.filter(|(ratio, ..)| !(0.1..=10.0).contains(ratio)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_largest_cause_is_named_with_its_remedy() {
    let settings = [("flows.2.application", "{ name = \"constant_bit_rate\", rate = \"1000 Gbit/s\" }")];
    let estimate = set(text_of("competition"), &settings).estimate(true);
    let most = &estimate.events[0];
    assert!(most.amount > 1e10 && most.cause.contains("flow `cross_traffic` sends up to"), "{most:?}");
    assert!(most.remedy.starts_with("lower flows.2.application.rate"), "{most:?}");

    let stored =
        [("flows.0.payload", "stored"), ("flows.0.application", "{ name = \"file\", size = \"1 GB\" }")];
    let fast = [("links.0.rate", "100 Gbit/s"), ("links.0.delay", "1 us"), ("links.0.error", "none")];
    let estimate = set(text_of("satellite"), &[stored.as_slice(), &fast].concat()).estimate(false);
    let most = &estimate.bytes[0];
    assert!((2.9e9..3.1e9).contains(&most.amount) && most.remedy.contains("flows.0.payload"), "{most:?}");

    let mobility = "{ name = \"random_walk\", step = \"1 ms\" }";
    let estimate =
        set(text_of("manet"), &[("mobility", mobility), ("duration", "100000000 s")]).estimate(true);
    assert!(
        estimate.events.iter().any(|share| share.amount > 1e12 && share.remedy.contains("mobility.step"))
    );

    let estimate = set(text_of("dumbbell"), &[("record.interval", "1 ns")]).estimate(true);
    assert!(estimate.amounts()[2].0 > 1e12 && estimate.bytes[0].remedy.contains("record.interval"));
}
