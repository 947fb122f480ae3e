//! What the papers of the congestion controls claim first, on one bottleneck: background transports yield and use what is
//! left, Copa keeps the queue short, BBR notices a policer.

use std::fmt::Write;

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Files, Record, Simulation};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("no files".into())
    }
}

/// 10 Mbit/s and a round trip of 42 ms with a queue of three times as much.
const NETWORK: &str = r#"
name = "bottleneck"
duration = "60 s"
nodes = [{ name = "a" }, { name = "b" }, { name = "left" }, { name = "right" }]
[[links]]
between = ["a", "left"]
rate = "100 Mbit/s"
delay = "1 ms"
[[links]]
between = ["b", "left"]
rate = "100 Mbit/s"
delay = "1 ms"
[[links]]
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { name = "drop_tail", limit = "100 packets" }
"#;

/// The flows of a run with these congestion controls. The first starts with the run, the others within a second.
fn flows(network: &str, congestion_controls: &[&str], tcp: &str) -> Vec<serde_json::Value> {
    let mut text = network.to_owned();
    for (index, control) in congestion_controls.iter().enumerate() {
        let from = ["a", "b"][index];
        let start = ["0 s", "0 s..1 s"][index];
        write!(
            text,
            "[[flows]]\nfrom = \"{from}\"\nto = \"right\"\nstart = \"{start}\"\n\
             tcp = {{ {tcp}, congestion_control = {control} }}\n"
        )
        .expect("a string");
    }
    let scenario = Draft::parse(&text, "bottleneck.toml")
        .and_then(|draft| draft.validate(&NoFiles))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario, 1, Record { series: false });
    simulation.advance(Instant::NEVER);
    simulation.finish().to_json()["flows"].as_array().expect("flows").clone()
}

fn number(flow: &serde_json::Value, key: &str) -> f64 {
    flow[key].as_f64().expect("a number")
}

/// Goodput in Mbit/s and mean delay in ms of flows on the bottleneck.
fn share(congestion_controls: &[&str], preset: &str) -> Vec<(f64, f64)> {
    let shares =
        |flow: &serde_json::Value| (number(flow, "goodput_bps") / 1e6, number(flow, "delay_mean_s") * 1e3);
    flows(NETWORK, congestion_controls, &format!("preset = \"{preset}\"")).iter().map(shares).collect()
}

const PLUS_PLUS: &str = "{ name = \"ledbat\", variant = \"plus_plus\" }";

/// Goodput and delay alone, and the goodput of Reno beside it.
fn alone_and_beside_reno(control: &str, preset: &str) -> ((f64, f64), f64) {
    (share(&[control], preset)[0], share(&[control, "\"reno\""], preset)[1].0)
}

/// Milliseconds of propagation and transmission.
const EMPTY: f64 = 22.4;

#[test]
fn ledbat_uses_a_free_link_at_its_target_and_yields_to_reno() {
    for preset in ["rfc", "linux"] {
        let ((goodput, delay), reno) = alone_and_beside_reno("\"ledbat\"", preset);
        assert!(goodput > 9.0 && reno > 7.5, "{preset}: {goodput} {reno}");
        assert!((EMPTY + 75.0..EMPTY + 105.0).contains(&delay), "{preset}: {delay}");
    }
}

#[test]
fn ledbat_plus_plus_yields_more_and_slows_down_for_a_tenth_of_the_time() {
    for preset in ["rfc", "linux"] {
        let ((goodput, delay), reno) = alone_and_beside_reno(PLUS_PLUS, preset);
        assert!(goodput > 8.5 && reno > 9.0, "{preset}: {goodput} {reno}");
        assert!((EMPTY + 45.0..EMPTY + 65.0).contains(&delay), "{preset}: {delay}");
    }
}

#[test]
fn tcp_lp_uses_most_of_a_free_link_with_a_short_queue_and_yields_to_reno() {
    let ((goodput, delay), reno) = alone_and_beside_reno("\"lp\"", "rfc");
    assert!(goodput > 6.0 && delay < EMPTY + 40.0, "{goodput} {delay}");
    assert!(reno > 9.0, "{reno}");
}

#[test]
fn two_copa_flows_share_alike() {
    let shares = share(&["\"copa\"", "\"copa\""], "rfc");
    let (first, second) = (shares[0].0, shares[1].0);
    assert!(first + second > 9.0 && (first / second - 1.0).abs() < 0.25, "{first} {second}");
}

#[test]
fn copa_keeps_the_queue_short_and_competes_with_reno() {
    for preset in ["rfc", "linux"] {
        let ((goodput, delay), reno) = alone_and_beside_reno("\"copa\"", preset);
        // 2.5/delta segments at most, 1.2 ms each (section 3).
        assert!(goodput > 9.0 && delay < EMPTY + 6.0, "{preset}: {goodput} {delay}");
        assert!((3.0..7.0).contains(&reno), "{preset}: {reno}");
    }
}

/// N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016: with the long-term rate BBR sends at
/// the rate of the tokens for 48 rounds; without, losses go on until its estimate has come down.
#[test]
fn bbr_that_detects_a_policer_loses_less() {
    let bottleneck =
        "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { name = \"drop_tail\", limit = \"100 packets\" }";
    let policed = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { name = \"policer\", rate = \"10 Mbit/s\", burst = \"250 kB\" }";
    let network = NETWORK.replace(bottleneck, policed);
    assert!(network.contains(policed));
    let lost = |preset: &str, detects: bool| {
        let control = format!("{{ name = \"bbr\", policer_detection = {detects} }}");
        let flow = &flows(&network, &[&control], &format!("preset = \"{preset}\""))[0];
        number(flow, "packets_retransmitted") / number(flow, "packets_sent")
    };
    for preset in ["rfc", "linux"] {
        let (without, with) = (lost(preset, false), lost(preset, true));
        assert!(with < without, "{preset}: {with} {without}");
    }
}

/// A mark is no reason to be Reno from then on: Vegas and Westwood go on after it as after a repaired loss.
#[test]
fn vegas_keeps_the_queue_short_after_a_mark() {
    let plain = "queue = { name = \"drop_tail\", limit = \"100 packets\" }";
    let network = NETWORK.replace(plain, "queue = { name = \"pie\", ecn = true }");
    for preset in ["rfc", "linux"] {
        let delay = |control: &str| {
            let marked = flows(&network, &[control], &format!("preset = \"{preset}\", ecn = \"classic\""));
            number(&marked[0], "delay_mean_s") * 1e3 - EMPTY
        };
        let (vegas, reno) = (delay("\"vegas\""), delay("\"reno\""));
        assert!(vegas < 0.8 * reno, "{preset}: {vegas} {reno}");
    }
}
