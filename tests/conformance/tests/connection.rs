//! Whole connections with every registered recovery against the harness.

use farlink_conformance::connection::{predicted_and_not, with_recovery};
use farlink_conformance::sequence;
use farlink_tcp::recovery::Config;

#[test]
fn every_recovery_in_a_connection_survives_millions_of_operations() {
    for seed in 1..=4 {
        for &name in Config::NAMES {
            let harness = with_recovery(Config::named(name).unwrap());
            let played = sequence::run(&harness, seed, 1_000, 200)
                .unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(played, 200_000);
        }
    }
}

#[test]
fn header_prediction_leaves_the_state_that_the_full_path_leaves() {
    for &name in Config::NAMES {
        predicted_and_not(|| with_recovery(Config::named(name).unwrap()), 2, 50, 100)
            .unwrap_or_else(|differs| panic!("{name}: {differs}"));
    }
}
