//! Every registered recovery against the harness.

use farlink_conformance::recovery::registered;
use farlink_conformance::sequence;
use farlink_tcp::recovery::Config;

fn survives(name: &str) {
    let harness = registered(Config::named(name).unwrap());
    let played = sequence::run(&harness, 1, 5_000, 200).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert_eq!(played, 1_000_000);
}

#[test]
fn every_recovery_survives_a_million_operations() {
    std::thread::scope(|scope| {
        for &name in Config::NAMES {
            scope.spawn(move || survives(name));
        }
    });
}
