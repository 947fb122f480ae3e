use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::ids::NodeId;
use farlink_network::queue;
use farlink_network::results::{
    Carries, Datagrams, DropsAt, Engine, FlowSeries, LedgerEntry, LinkResult, LinkSeries, PathLoad,
};
use farlink_tcp::Amount;

use super::*;
use crate::run_results::{Provenance, Windows};

fn flow() -> FlowResult {
    FlowResult {
        label: "transfer".into(),
        start: Some(Instant::ZERO),
        end: Instant::ZERO + Duration::from_secs(60),
        throughput_bps: 18.2e6,
        goodput_bps: 16.98e6,
        packets_sent: 80_000,
        packets_delivered: 79_000,
        packets_retransmitted: 120,
        delivery_ratio: 0.99,
        timeouts: 2,
        fast_retransmits: 41,
        drops: vec![("bit_error", 100), ("queue_full", 20)],
        drops_by_place: vec![drops_at("bit_error", 100), drops_at("queue_full", 20)],
        limited_by: vec![("handshake", 0.01), ("congestion_window", 0.83), ("recovery", 0.16)],
        ..FlowResult::default()
    }
}

#[test]
fn drops_are_listed_by_interface_and_the_rest_by_node() {
    let unrouted = DropsAt { link: None, ..drops_at("hop_limit", 7) };
    let drops_by_place = [flow().drops_by_place, vec![unrouted]].concat();
    let explained = explained(FlowResult { drops_by_place, ..flow() }, 0.5);
    let places = explained.flows[0].drops.iter();
    let places: Vec<_> =
        places.map(|drops| (drops.place.as_str(), drops.cause.as_str(), drops.packets)).collect();
    let link = "ground->remote";
    assert_eq!(places, [(link, "bit_error", 100), (link, "queue_full", 20), ("ground", "hop_limit", 7)]);
}

fn drops_at(cause: &'static str, packets: u64) -> DropsAt {
    DropsAt { node: NodeId(1), link: Some(1), class: "data", cause, packets }
}

/// The flow over home->ground, hardly busy, and ground->remote, so busy over the flow's time.
fn explained(flow: FlowResult, utilisation: f64) -> Explanation {
    explained_with(flow, utilisation, Vec::new())
}

fn explained_with(flow: FlowResult, utilisation: f64, ledger: Vec<LedgerEntry>) -> Explanation {
    explained_behind("drop_tail", flow, utilisation, ledger)
}

/// The same with a queue of another discipline where the second link begins.
fn explained_behind(
    queue: &str,
    flow: FlowResult,
    utilisation: f64,
    ledger: Vec<LedgerEntry>,
) -> Explanation {
    let load = |link, utilisation| PathLoad {
        link,
        carries: Carries::Data,
        utilisation,
        medium: None,
        backlogged: 0.0,
    };
    let flow = FlowResult { path: vec![load(0, 0.01), load(1, utilisation)], ..flow };
    let tcp = Windows { max_window: Some(Amount::Packets(40)), receive_buffer: Bytes(100_000) };
    let link = |link: &str, utilisation| LinkResult {
        link: link.into(),
        utilisation,
        queue_mean_packets: 0.0,
        queue_max_packets: 0,
        packets: 0,
    };
    explain(&RunResults {
        routes: vec![Route {
            path: vec![0, 1],
            tcp: flow.datagrams.is_none().then_some(tcp),
            size: None,
            is_relayed: false,
        }],
        rates_bps: vec![1e9, 100e6],
        queues: ["drop_tail", queue].map(|name| queue::Config::named(name).unwrap()).into(),
        measured: farlink_network::Results {
            workloads: Vec::new(),
            flows: vec![flow],
            links: vec![link("home->ground", 0.01), link("ground->remote", utilisation)],
            stations: Vec::new(),
            hops: Vec::new(),
            drops: Vec::new(),
            message_drops: Vec::new(),
            failed_attempts: Vec::new(),
            ledger,
            ledger_rows: Vec::new(),
            flow_series: FlowSeries::default(),
            link_series: LinkSeries::default(),
            engine: Engine::default(),
        },
        nodes: ["home", "ground", "remote"].map(str::to_owned).to_vec(),
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
        "`transfer` delivered 16.98 Mbit/s of payload, 17 % of the 100 Mbit/s of ground->remote. \
         For 83 % of its time the congestion window limited it: 120 packets were lost, 100 of them by bit \
         errors at ground->remote, and there were 41 fast recoveries and 2 timeouts.\n\
         \x20 congestion window   83.0 %\n\
         \x20 recovery            16.0 %\n\
         \x20 handshake            1.0 %\n"
    );
}

#[test]
fn a_saturated_link_is_named_before_the_window_that_follows_it() {
    let explained = explained(flow(), 0.998);
    let start =
        "Bottleneck: link ground->remote, 99.8 % busy; this link limits the congestion window. `transfer` ";
    assert!(explained.flows[0].text.starts_with(start), "{explained}");
    let rows: Vec<String> = explained.to_string().lines().skip(1).map(str::to_owned).collect();
    assert_eq!(rows[0], "  ground->remote busy  99.8 %");
    assert_eq!(explained.flows[0].bottleneck, Some(("ground->remote".into(), 0.998)));
    assert_eq!(explained.flows[0].change, None);
}

#[test]
fn a_link_that_others_fill_does_not_limit_a_flow_without_data() {
    let idle = FlowResult { limited_by: vec![("application", 0.9), ("recovery", 0.1)], ..flow() };
    let explained = &explained(idle, 0.998).flows[0];
    assert_eq!(explained.bottleneck, None);
    assert!(explained.text.ends_with("For 90 % of its time nothing was left to send: its last data were in flight, or its application wrote nothing."));
}

#[test]
fn no_text_advises_what_was_not_run() {
    for what in ["max_window", "receive_window", "congestion_window", "recovery", "timeout"] {
        let limited = FlowResult { limited_by: vec![(what, 0.9)], ..flow() };
        for utilisation in [0.4, 0.99] {
            let text = &explained(limited.clone(), utilisation).flows[0].text;
            assert!(!text.contains("raise"), "{text}");
        }
    }
}

#[test]
fn a_window_or_a_queue_that_is_too_small_is_a_candidate_for_a_second_run() {
    let change = |what, drops: Vec<DropsAt>| {
        let drops = FlowResult {
            drops: drops.iter().map(|at| (at.cause, at.packets)).collect(),
            drops_by_place: drops,
            limited_by: vec![(what, 0.9)],
            ..flow()
        };
        explained(drops, 0.4).flows[0].change.clone().map(|change| (change.path, change.value))
    };
    let changed = |path: &str, value: &str| Some((path.to_owned(), value.to_owned()));
    assert_eq!(change("max_window", vec![]), changed("flows.0.tcp.max_window", "\"80 packets\""));
    assert_eq!(change("receive_window", vec![]), changed("flows.0.tcp.receive_buffer", "\"200000 B\""));
    let queue = "{ name = \"drop_tail\", limit = \"100 packets\" }";
    assert_eq!(change("recovery", vec![drops_at("queue_full", 9)]), changed("links.0.reverse.queue", queue));
    assert_eq!(change("recovery", vec![drops_at("bit_error", 9)]), None);
    assert_eq!(change("recovery", vec![]), None);
    assert_eq!(change("application", vec![]), None);
}

#[test]
fn a_larger_limit_is_a_candidate_whatever_the_discipline() {
    for queue in ["codel", "fq_codel", "red", "pie", "fq_pie", "dualpi2"] {
        let limit = queue::Config::named(queue).unwrap().limit();
        let Amount::Packets(packets) = limit else { panic!("{queue}: {limit:?}") };
        let lossy = FlowResult {
            drops: vec![("queue_full", 9)],
            drops_by_place: vec![drops_at("queue_full", 9)],
            limited_by: vec![("recovery", 0.9)],
            ..flow()
        };
        let explained = explained_behind(queue, lossy, 0.4, Vec::new());
        let change = explained.flows[0].change.clone().unwrap();
        assert_eq!(change.path, "links.0.reverse.queue");
        assert!(change.value.starts_with(&format!("{{ name = \"{queue}\", ")), "{}", change.value);
        assert!(change.value.contains(&format!("limit = \"{} packets\"", 2 * packets)), "{}", change.value);
    }
}

fn datagrams(lost: u64, drops: Vec<(&'static str, u64)>) -> FlowResult {
    FlowResult {
        packets_sent: 1000,
        packets_delivered: 1000 - lost - 2,
        delivery_ratio: (1000 - lost - 2) as f64 / 1000.0,
        delay_mean: Some(Duration::from_millis(30)),
        delay_p95: Some(Duration::from_millis(45)),
        drops_by_place: drops.iter().map(|(cause, packets)| drops_at(cause, *packets)).collect(),
        drops,
        limited_by: Vec::new(),
        datagrams: Some(Datagrams {
            sent_bps: 2e6,
            lost,
            delay_variation: Some(Duration::from_micros(800)),
            jitter_mean_s: Some(8e-4),
            jitter_max_s: Some(9e-4),
        }),
        ..flow()
    }
}

#[test]
fn datagrams_are_sent_lost_and_delayed() {
    assert_eq!(
        explained(datagrams(250, vec![("queue_full", 250)]), 1.0).to_string(),
        "Bottleneck: link ground->remote, 100.0 % busy. `transfer` sent 2.00 Mbit/s of payload; 74.8 % of its \
         datagrams arrived with a mean delay of 30 ms (95th percentile 45 ms, mean variation 0.80 ms). 250 (25.0 %) \
         were lost by queue overflow at ground->remote; 2 datagrams were in flight at the end.\n\
         \x20 ground->remote busy 100.0 %\n"
    );
    let text = explained(datagrams(0, Vec::new()), 0.4).to_string();
    assert!(text.starts_with("`transfer` sent 2.00 Mbit/s") && text.contains("None was lost"), "{text}");
    let text = explained(datagrams(40, vec![("link_error", 30), ("queue_full", 10)]), 0.4).to_string();
    assert!(
        text.contains("40 (4.0 %) were lost, 75 % of the drops by link errors at ground->remote"),
        "{text}"
    );
}

#[test]
fn datagrams_that_were_not_sent_are_not_explained() {
    let silent = FlowResult { packets_sent: 0, packets_delivered: 0, ..datagrams(0, Vec::new()) };
    assert_eq!(explained(silent, 0.4).flows[0].text, "`transfer` sent nothing.");
}

#[test]
fn needless_retransmissions_have_their_cause_and_discards_theirs() {
    let late = FlowResult {
        packets_retransmitted: 100,
        needless_retransmissions: 90,
        packets_reordered: 200,
        discarded: vec![("duplicate_data", 90), ("old_timestamp", 7)],
        ..flow()
    };
    let text = |flow: FlowResult| explained(flow, 0.4).flows[0].text.clone();
    let of_reordering = text(late.clone());
    for part in
        ["90 of 100 retransmissions were needless", "200 packets arrived after", "7 with an old timestamp"]
    {
        assert!(of_reordering.contains(part), "{of_reordering}");
    }
    let in_order = FlowResult { packets_reordered: 0, ..late };
    assert!(text(in_order).contains("arrived twice: no acknowledgement was lost."));
    assert!(!text(flow()).contains("needless"));
    let copied = FlowResult { discarded: vec![("duplicated_by_link", 31)], ..flow() };
    assert!(text(copied).contains("Discarded on arrival: 31 duplicated by a link."));
}

#[test]
fn lost_acknowledgements_are_named_with_their_cause_and_place() {
    let acks =
        |link, cause, packets| DropsAt { node: NodeId(0), link: Some(link), class: "ack", cause, packets };
    let needless = FlowResult {
        needless_retransmissions: 1,
        packets_retransmitted: 157,
        drops: vec![("queue_full", 160), ("link_error", 2)],
        drops_by_place: vec![
            drops_at("queue_full", 150),
            acks(0, "queue_full", 10),
            acks(0, "link_error", 2),
        ],
        timeouts: 60,
        ..flow()
    };
    let entry = LedgerEntry {
        flow: Some(0),
        class: "ack",
        originated: 100,
        duplicated: Vec::new(),
        delivered: 88,
        discarded: Vec::new(),
        dropped: vec![("queue_full", 10), ("link_error", 2)],
        failed_attempts: Vec::new(),
        in_flight: Vec::new(),
    };
    let text = explained_with(needless, 0.4, vec![entry]).flows[0].text.clone();
    let sentence = "1 of 157 retransmissions was needless, as the data arrived twice: 12 acknowledgements were lost, 10 of them \
                    by queue overflow at home->ground.";
    assert!(text.contains(sentence), "{text}");
}
