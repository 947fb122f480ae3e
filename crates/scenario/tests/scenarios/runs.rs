//! Built-in scenarios run, give the JSON of the contract, and give equal bytes again.

use std::io::Write;
use std::sync::{Arc, Mutex};

use farlink_kernel::{Duration, Instant};
use farlink_scenario::{
    Column, Draft, Files, Record, RunResults, Scenario, Simulation, Window, built_in, explain,
};
use serde_json::Value;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("built-in scenarios read no files".into())
    }
}

/// The built-in scenario `name` with values set over it.
fn scenario(name: &str, settings: &[(&str, &str)]) -> Scenario {
    let scenario = built_in().iter().find(|scenario| scenario.name == name).expect("a built-in scenario");
    let mut draft = Draft::parse(scenario.text, name).unwrap();
    for (path, value) in settings {
        draft.set(path, value).unwrap_or_else(|error| panic!("{error}"));
    }
    draft.validate(&NoFiles).unwrap_or_else(|error| panic!("{error}"))
}

fn run(scenario: &Scenario, seed: u64, slice: Duration) -> RunResults {
    run_recording(scenario, seed, slice, Record { series: true })
}

fn run_recording(scenario: &Scenario, seed: u64, slice: Duration, record: Record) -> RunResults {
    let mut simulation = Simulation::new(scenario, seed, record);
    let mut until = Instant::ZERO + slice;
    while simulation.advance(until) {
        until += slice;
    }
    simulation.finish()
}

const SHORT: (&str, &str) = ("duration", "10 s");

#[test]
fn every_built_in_scenario_runs_and_its_time_is_accounted_for() {
    for one in built_in() {
        let scenario = scenario(one.name, &[("duration", "30 s")]);
        let json = run(&scenario, 1, Duration::from_secs(1)).to_json();
        let flows = json["flows"].as_array().unwrap();
        let arrives = |flow: &Value| flow["goodput_bps"].as_f64().unwrap() > 0.0;
        // Mobile nodes may have no route to each other for the whole run.
        let all_have_a_route = one.name != "manet";
        assert!(flows.iter().any(arrives), "{}", one.name);
        for flow in flows {
            assert!(arrives(flow) || !all_have_a_route, "{} {flow}", one.name);
            // Null without TCP.
            let Some(limited_by) = flow["limited_by"].as_object() else { continue };
            let shares: f64 = limited_by.values().filter_map(Value::as_f64).sum();
            assert!((shares - 1.0).abs() < 1e-9, "{} {flow}", one.name);
        }
    }
}

#[test]
fn time_without_events_at_the_end_counts_in_any_slices_with_or_without_samples() {
    let settings = [("duration", "30 s"), ("links.0.down", "[\"5 s..29900 ms\"]")];
    let silent = scenario("satellite", &settings);
    let document = |slice, series| run_recording(&silent, 1, slice, Record { series }).to_json();
    let mut sampled = document(Duration::from_secs(1), true);
    assert_eq!(sampled["engine"]["sim_s"], 30.0);
    sampled["engine"]["events"] = Value::Null;
    for slice in [Duration::from_millis(7), Duration::from_millis(29_950), Duration::from_secs(100)] {
        let mut plain = document(slice, false);
        plain["engine"]["events"] = Value::Null;
        assert_eq!(plain, sampled);
    }
}

#[test]
fn the_document_has_the_keys_of_the_contract() {
    let json = run(&scenario("satellite", &[SHORT]), 7, Duration::from_secs(1)).to_json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&json),
        "flows workloads drops drops_by_node failed_attempts ledger links stations airtime hops jain engine"
    );
    assert_eq!(
        keys(&json["ledger"][0]),
        "flow seed class originated duplicated delivered discarded dropped failed_attempts in_flight"
    );
    assert_eq!(
        keys(&json["flows"][0]),
        "flow seed start_s throughput_bps goodput_bps delay_mean_s delay_p50_s delay_p95_s delay_p99_s rtt_min_s rtt_mean_s rtt_max_s timer_rtt_max_s \
         packets_sent packets_delivered packets_retransmitted needless_retransmissions packets_reordered packets_discarded reverse_packets_repeated delivery_ratio timeouts \
         fast_retransmits freezes route_probes size_bytes received_bytes completion_s drops discarded failed_attempts limited_by bottleneck \
         bottleneck_utilisation sent_bps packets_lost loss_rate delay_variation_mean_s \
         jitter_mean_s jitter_max_s"
    );
    assert_eq!(keys(&json["links"][0]), "link utilisation queue_mean_packets queue_max_packets");
    assert_eq!(keys(&json["engine"]), "events sim_s");
    assert_eq!((&json["flows"][0]["seed"], &json["engine"]["sim_s"]), (&7.into(), &10.0.into()));
}

#[test]
fn jains_index_counts_a_relayed_transfer_once() {
    let split = scenario("gateway_split", &[SHORT]);
    let json = run(&split, 1, Duration::from_secs(1)).to_json();
    let [wire, air] = [0, 1].map(|flow| json["flows"][flow]["goodput_bps"].as_f64().unwrap());
    assert_ne!(wire, air);
    assert_eq!(json["jain"], 1.0);
}

#[test]
fn the_same_seed_gives_the_same_bytes_however_the_run_is_sliced() {
    let scenario = scenario("competition", &[SHORT]);
    let text = |seed, slice| {
        let results = run(&scenario, seed, slice);
        format!("{}{:?}{}", results.to_json(), results.series(), explain(&results))
    };
    let whole = text(3, Duration::from_secs(10));
    assert_eq!(whole, text(3, Duration::from_millis(7)));
    assert_ne!(whole, text(4, Duration::from_secs(10)));
}

#[test]
fn fast_open_saves_a_round_trip_of_a_short_transfer_and_its_bytes_arrive() {
    // More than the initial window of ten segments, and not more than that and the data of a SYN.
    let completion = |fast_open| {
        let settings = [
            ("duration", "20 s"),
            ("links.0.error", "\"none\""),
            ("flows.0.application", "{ name = \"file\", size = \"15500 B\" }"),
            ("flows.0.payload", "\"stored\""),
            ("flows.0.tcp.congestion_control", "reno"),
            ("flows.0.tcp.fast_open", fast_open),
        ];
        let results = run(&scenario("satellite", &settings), 1, Duration::from_secs(1));
        results.to_json()["flows"][0]["completion_s"].as_f64().expect("it completes")
    };
    let (off, request) = (completion("off"), completion("request"));
    assert!((off - request).abs() < 0.001, "{off} s and {request} s");
    for early in ["cookie", "without_cookie"] {
        let saved = off - completion(early);
        assert!((saved - 0.6).abs() < 0.01, "{early} saves {saved} s of a round trip of 0.6 s");
    }
}

/// Slices of `events` events, each ended by its number of events or by a second of simulated time.
fn run_by_events(scenario: &Scenario, seed: u64, events: u64) -> RunResults {
    let mut simulation = Simulation::new(scenario, seed, Record { series: true });
    let mut until = Instant::ZERO;
    loop {
        until = until.max(simulation.now() + Duration::from_secs(1));
        let limit = simulation.events() + events;
        if !simulation.advance_events(until, limit) {
            return simulation.finish();
        }
        assert!(simulation.events() >= limit || simulation.now() == until);
    }
}

#[test]
fn every_built_in_scenario_gives_the_same_bytes_again_also_in_slices_of_few_events() {
    for one in built_in() {
        let scenario = scenario(one.name, &[("duration", "25 s")]);
        let text =
            |results: RunResults| format!("{}{:?}{}", results.to_json(), results.series(), explain(&results));
        let whole = text(run(&scenario, 9, Duration::from_secs(1)));
        assert_eq!(whole, text(run(&scenario, 9, Duration::from_secs(1))), "{}", one.name);
        assert_eq!(whole, text(run_by_events(&scenario, 9, 7)), "{}", one.name);
    }
}

#[test]
fn an_animation_is_the_same_in_slices_of_few_events() {
    let scenario = scenario("chain_80211", &[("duration", "2 s")]);
    let animation = |events| {
        let mut simulation = Simulation::new(&scenario, 1, Record { series: true });
        simulation.animate(Window { start: Instant::ZERO, end: Instant::NEVER });
        while simulation.advance_events(Instant::NEVER, simulation.events() + events) {}
        simulation.finish().animation.expect("asked for").to_string()
    };
    assert_eq!(animation(u64::MAX / 2), animation(1));
}

/// At the end of a run packets created = delivered + discarded + dropped by cause + in flight.
#[test]
fn the_ledger_of_every_built_in_scenario_balances_at_any_end() {
    for one in built_in() {
        for duration in ["22 s", "23333 ms", "31 s"] {
            let results = run(&scenario(one.name, &[("duration", duration)]), 2, Duration::from_secs(1));
            let json = results.to_json();
            let of_flow = |flow: &Value| {
                flow["drops"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>()
            };
            let by_flow: u64 = json["flows"].as_array().unwrap().iter().map(of_flow).sum();
            let by_cause: u64 = json["drops"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
            // Routing messages belong to no flow.
            let has_only_flows = one.name != "manet";
            assert!(by_flow <= by_cause, "{}", one.name);
            assert!(by_flow == by_cause || !has_only_flows, "{}: {by_flow} of {by_cause}", one.name);
            for flow in &results.measured.flows {
                assert!(flow.packets_delivered <= flow.packets_sent, "{} {flow:?}", one.name);
            }
        }
    }
}

#[test]
fn series_have_a_row_per_interval_and_columns_of_equal_length() {
    let scenario = scenario("satellite", &[SHORT, ("record.interval", "1 s")]);
    let series = run(&scenario, 1, Duration::from_secs(1)).series();
    for (table, per_sample) in [(&series.flows, 1), (&series.links, 2)] {
        for (name, column) in &table.columns {
            let rows = match column {
                Column::Text(rows) => rows.len(),
                Column::Word(rows, _) => rows.len(),
                Column::Integer(rows) => rows.len(),
                Column::Number(rows) => rows.len(),
            };
            assert_eq!(rows, 11 * per_sample, "{name}");
        }
    }
}

#[test]
fn results_carry_what_it_takes_to_make_them_again() {
    let scenario = scenario("satellite", &[SHORT]);
    let results = run(&scenario, 5, Duration::from_secs(1));
    let provenance = &results.provenance;
    assert_eq!((provenance.seed, provenance.version), (5, farlink_scenario::VERSION));
    let again = Draft::parse(&provenance.resolved, "resolved").unwrap().validate(&NoFiles).unwrap();
    assert_eq!(run(&again, provenance.seed, Duration::from_secs(1)).to_json(), results.to_json());
}

#[test]
fn an_explanation_names_the_link_with_the_lowest_rate() {
    let results = run(&scenario("satellite", &[("duration", "30 s")]), 1, Duration::from_secs(1));
    let text = &explain(&results).flows[0].text;
    assert!(text.starts_with("`transfer` delivered ") && text.contains(" of ground->remote. "), "{text}");
}

/// A file whose content can be read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_capture_has_every_data_packet_of_every_sender_once() {
    let scenario = scenario("dumbbell", &[SHORT]);
    let sink = Shared::default();
    let mut simulation = Simulation::new(&scenario, 1, Record::default());
    simulation.capture(Box::new(sink.clone()));
    simulation.advance(Instant::NEVER);
    let results = simulation.finish();
    assert_eq!(results.capture_error, None);

    let bytes = sink.0.lock().unwrap();
    let (mut data_packets, mut at) = (0, 24);
    while at < bytes.len() {
        let len = u32::from_le_bytes(bytes[at + 8..][..4].try_into().unwrap()) as usize;
        let decoded =
            farlink_tcp::wire::decode(&bytes[at + 16..][..len]).expect("true lengths and checksums");
        // The receivers send ACKs only.
        data_packets += u64::from(!decoded.payload.is_empty());
        at += 16 + len;
    }
    let sent: u64 = results.measured.flows.iter().map(|flow| flow.packets_sent).sum();
    assert_eq!(data_packets, sent);
}
