//! Datagrams through a policer: a tenth of the link's rate, and no queue that would warn of it.

use super::*;
use crate::queue::policer;

fn policed(flow: Flow, seconds: u64) -> Results {
    let policer = policer::Config {
        rate: BitRate::from_bps(10_000_000),
        burst: Bytes(250_000),
        limit: Amount::Packets(1000),
    };
    let line = link::Config { queue: queue::Config::Policer(policer), ..direction(100, 10, 1000) };
    run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![flow], seconds), 1)
}

fn count(results: &Results, cause: Cause) -> u64 {
    results.drops.iter().filter(|(name, _)| *name == cause.word()).map(|(_, drops)| *drops).sum()
}

#[test]
fn datagrams_pass_at_the_rate_after_the_burst() {
    let sender =
        app::constant_bit_rate::Config { rate: BitRate::from_bps(20_000_000), packet_size: Bytes(1472) };
    let results = policed(flow(NodeId(0), NodeId(1), app::Config::ConstantBitRate(sender)), 10);
    let sent = results.flows[0].packets_sent;
    // Tokens for the burst and for the time until the last packet was sent.
    let period = 1472.0 * 8.0 / 20e6;
    let tokens = 250_000.0 * 8.0 + 10e6 * period * (sent - 1) as f64;
    assert_eq!(sent - count(&results, Cause::Policed), (tokens / 12_000.0) as u64);
    assert_eq!(count(&results, Cause::QueueFull), 0);
}
