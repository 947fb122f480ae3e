//! Every registered recovery against the harness.

use farlink_conformance::recovery::registered;
use farlink_conformance::sequence;
use farlink_tcp::recovery::Config;

#[test]
fn every_recovery_survives_a_million_operations() {
    for &name in Config::NAMES {
        let harness = registered(Config::named(name).unwrap());
        let played =
            sequence::run(&harness, 1, 5_000, 200).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(played, 1_000_000);
    }
}
