use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::results::{Engine, FlowSeries, LinkResult, LinkSeries};

use super::*;
use crate::results::Provenance;

fn flow() -> FlowResult {
    FlowResult {
        label: "transfer".into(),
        start: Instant::ZERO,
        end: Instant::ZERO + Duration::from_secs(60),
        throughput_bps: 18.2e6,
        goodput_bps: 16.98e6,
        delay_mean: None,
        delay_p95: None,
        rtt_min: None,
        rtt_mean: None,
        rtt_max: None,
        packets_sent: 80_000,
        packets_delivered: 79_000,
        packets_retransmitted: 120,
        packets_received_again: 0,
        arrival_rate: 0.99,
        timeouts: 2,
        fast_retransmits: 41,
        spurious: 0,
        freezes: 0,
        route_probes: 0,
        completion: None,
        bytes_received: Bytes(0),
        drops: vec![("bit_error", 100), ("queue_full", 20)],
        failed_tries: Vec::new(),
        limited_by: vec![("handshake", 0.01), ("congestion_window", 0.83), ("recovery", 0.16)],
        sent: None,
        received: None,
    }
}

fn explained(flow: FlowResult, utilisation: f64) -> Explanation {
    let link = |link: &str, utilisation| LinkResult {
        link: link.into(),
        utilisation,
        queue_mean_packets: 0.0,
        queue_max_packets: 0,
        packets: 0,
    };
    explain(&Results {
        routes: vec![Route { way: vec![0, 1], is_tcp: true }],
        rates_bps: vec![1e9, 100e6],
        measured: farlink_network::Results {
            flows: vec![flow],
            links: vec![link("home->ground", 0.01), link("ground->remote", utilisation)],
            stations: Vec::new(),
            hops: Vec::new(),
            drops: Vec::new(),
            failed_tries: Vec::new(),
            ledger: Vec::new(),
            ledger_rows: Vec::new(),
            flow_series: FlowSeries::default(),
            link_series: LinkSeries::default(),
            engine: Engine::default(),
        },
        nodes: Vec::new(),
        provenance: Provenance {
            version: "0",
            scenario: String::new(),
            resolved: String::new(),
            file_hashes: BTreeMap::new(),
            seed: 1,
        },
        capture_error: None,
        animation: None,
    })
}

#[test]
fn a_flow_that_loses_is_limited_by_its_window() {
    assert_eq!(
        explained(flow(), 0.18).to_string(),
        "`transfer` delivered 16.98 Mbit/s of payload, 17 % of the 100 Mbit/s of its bottleneck ground->remote. \
         For 83 % of its time its congestion window held it back: 120 packets were lost, 100 of them to bit \
         error, and there were 41 fast recoveries and 2 timeouts.\n\
         \x20 congestion window   83.0 %\n\
         \x20 recovery            16.0 %\n\
         \x20 handshake            1.0 %\n"
    );
}

#[test]
fn a_full_bottleneck_explains_itself() {
    let text = &explained(flow(), 0.99).flows[0].text;
    assert!(text.contains("The bottleneck was busy 99 % of the time, there was no more to have"), "{text}");
}

#[test]
fn a_window_that_is_too_small_names_the_key_to_raise() {
    let clean = FlowResult { drops: Vec::new(), limited_by: vec![("max_window", 0.9)], ..flow() };
    let text = &explained(clean, 0.4).flows[0].text;
    assert!(text.ends_with("the largest window allowed held it back: raise `max_window`."), "{text}");
}

#[test]
fn a_flow_without_tcp_says_so() {
    let datagrams =
        FlowResult { drops: vec![("queue_full", 1)], limited_by: vec![("handshake", 0.0)], ..flow() };
    let text = &explained(datagrams, 0.4).flows[0].text;
    assert!(
        text.ends_with("No TCP steered it; of 80000 packets sent, 1 packet was lost to queue full."),
        "{text}"
    );
}

#[test]
fn rates_have_units_that_suit_them() {
    let rates = [2.5e9, 100e6, 16.98e6, 1e6, 512.0e3, 40.0].map(rate);
    assert_eq!(
        rates,
        ["2.50 Gbit/s", "100 Mbit/s", "16.98 Mbit/s", "1.00 Mbit/s", "512.0 kbit/s", "40 bit/s"]
    );
}
