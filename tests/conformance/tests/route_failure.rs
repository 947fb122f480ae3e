//! Whole connections with every registered answer to route failures against the harness: who stands still cannot do so
//! for ever.

use farlink_conformance::connection::with_route_failure;
use farlink_conformance::sequence;
use farlink_tcp::route_failure::Config;

const CASES: u64 = 100_000;

fn survives(name: &str, sequences: u64) {
    let harness = with_route_failure(Config::named(name).unwrap());
    let played =
        sequence::run(&harness, 1, sequences, 40).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert_eq!(played, sequences * 40);
}

#[test]
fn no_answer_to_route_failures_locks_up_in_a_hundred_thousand_cases() {
    let sequences = CASES.div_ceil(Config::NAMES.len() as u64);
    std::thread::scope(|scope| {
        for &name in Config::NAMES {
            scope.spawn(move || survives(name, sequences));
        }
    });
}
