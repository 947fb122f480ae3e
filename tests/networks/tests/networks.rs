//! Four hundred random networks of all kinds; `make networks` runs 2 000.

use farlink_networks::campaign;
use farlink_networks::case::KINDS;

#[test]
fn every_packet_of_random_networks_has_one_fate_and_runs_repeat() {
    let report = campaign::run(0..400).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(report.kinds.len(), KINDS.len(), "{:?}", report.kinds);
    let met = [
        "queue_full",
        "link_error",
        "corrupted",
        "link_down",
        "link_failure",
        "collision",
        "bit_error",
        "arp",
        "no_route",
        "acknowledged",
        "broadcast",
        "duplicate",
        "attempt",
        "queue",
        "mac",
        "link",
        "medium",
        "routing_buffer",
    ];
    let missing: Vec<_> = met.iter().filter(|word| !report.words.contains(*word)).collect();
    assert!(missing.is_empty(), "never met: {missing:?} in {:?}", report.words);
}
