//! Networks that a campaign found to fail, cut down: `found/*.toml`, each of which `farlink run` takes, too.

use std::collections::BTreeMap;

use farlink_networks::case::Case;
use farlink_networks::check::check;

const FOUND: [(&str, &str); 4] = [
    ("aodv_over_a_link_that_is_down", include_str!("../found/aodv_over_a_link_that_is_down.toml")),
    ("delivered_more_than_sent", include_str!("../found/delivered_more_than_sent.toml")),
    ("dsr_packet_returns_to_its_source", include_str!("../found/dsr_packet_returns_to_its_source.toml")),
    ("messages_over_slots", include_str!("../found/messages_over_slots.toml")),
];

#[test]
fn networks_that_failed_once_hold() {
    for (name, text) in FOUND {
        let case = Case { seed: 0, kind: "found", text: text.into(), files: BTreeMap::new() };
        let outcome = check(&case).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(outcome.is_complete && outcome.packets > 20, "{name}: {outcome:?}");
    }
}
