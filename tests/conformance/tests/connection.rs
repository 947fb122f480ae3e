//! Whole connections with every registered recovery against the harness.

use farlink_conformance::connection::with_recovery;
use farlink_conformance::sequence;
use farlink_tcp::recovery::Config;

#[test]
fn every_recovery_in_a_connection_survives_a_million_operations() {
    for &name in Config::NAMES {
        let harness = with_recovery(Config::named(name).unwrap());
        let played =
            sequence::run(&harness, 1, 1_000, 200).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(played, 200_000);
    }
}
