//! Every packet that a transport discards has a cause in the ledger and in its flow's results.

use super::*;
use crate::packet::Class;

/// A link that holds up every tenth packet.
fn holding(config: &error::impair::Config, application: app::Config) -> Results {
    let line = link::Config { error: error::Config::Impair(config.clone()), ..direction(10, 20, 100) };
    let mut sent = flow(NodeId(0), NodeId(1), application);
    sent.tcp.timestamps = true;
    sent.tcp.dsack = true;
    run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![sent], 30), 1)
}

fn entry(results: &Results, class: Class) -> &crate::results::LedgerEntry {
    results.ledger.iter().find(|entry| entry.class == class.word()).unwrap()
}

fn count(counts: &[(&'static str, u64)], word: &str) -> u64 {
    counts.iter().find(|(of, _)| *of == word).map_or(0, |(_, count)| *count)
}

#[test]
fn reordering_leaves_discards_with_causes_and_needless_retransmissions() {
    let config = error::impair::Config { reorder: Fraction(0.1), hold: ms(120), ..Default::default() };
    let results = holding(&config, app::Config::named("bulk").unwrap());
    let (flow, data) = (&results.flows[0], entry(&results, Class::Data));
    assert_eq!(data.dropped, []);
    // What was taken is new, and all the rest has a cause.
    assert_eq!(data.delivered, flow.packets_delivered);
    let [duplicates, old] = ["duplicate_data", "old_timestamp"].map(|why| count(&data.discarded, why));
    assert!(duplicates > 50 && old > 0, "{data:?}");
    assert!(count(&flow.discarded, "duplicate_data") >= duplicates, "{:?}", flow.discarded);
    // No packet was lost: only what PAWS discarded was to be retransmitted.
    assert!(flow.needless_retransmissions <= duplicates, "{flow:?}");
    assert!(flow.needless_retransmissions + old + 5 > flow.packets_retransmitted, "{flow:?}");
    assert!(flow.packets_reordered > 50, "{flow:?}");
}

#[test]
fn copies_made_by_a_link_have_a_cause_of_their_own() {
    let config = error::impair::Config { duplicate: Fraction(0.1), ..Default::default() };
    let results = holding(&config, file(300_000));
    let (flow, data) = (&results.flows[0], entry(&results, Class::Data));
    assert_eq!(count(&data.discarded, "duplicated_by_link"), count(&data.duplicated, "link"));
    assert_eq!(count(&data.discarded, "duplicate_data"), 0);
    assert_eq!((flow.needless_retransmissions, flow.packets_reordered), (0, 0), "{flow:?}");
    let datagrams = holding(&config, app::Config::named("constant_bit_rate").unwrap());
    let data = entry(&datagrams, Class::Data);
    let copies = count(&data.duplicated, "link");
    let open = count(&data.in_flight, "link");
    assert!(
        (copies.saturating_sub(open)..=copies).contains(&count(&data.discarded, "duplicated_by_link")),
        "{data:?}"
    );
    assert_eq!(data.delivered, datagrams.flows[0].packets_delivered);
}

#[test]
fn copies_that_a_link_makes_of_retransmissions_are_not_needless() {
    let config =
        error::impair::Config { lose: Fraction(0.02), duplicate: Fraction(0.3), ..Default::default() };
    let results = holding(&config, app::Config::named("bulk").unwrap());
    let (flow, data) = (&results.flows[0], entry(&results, Class::Data));
    let open = count(&data.in_flight, "link");
    let copies = count(&data.duplicated, "link");
    let by_link = count(&data.discarded, "duplicated_by_link");
    assert!(by_link > 500 && (copies - open..=copies).contains(&by_link), "{data:?}");
    // One packet came twice only where the sender had sent it twice.
    assert_eq!(flow.needless_retransmissions, count(&data.discarded, "duplicate_data"), "{data:?}");
    assert!(flow.packets_retransmitted > 50, "{flow:?}");
    assert!(10 * flow.needless_retransmissions < flow.packets_retransmitted, "{flow:?}");
}
