//! Whole connections with every registered reaction to route failures against the harness: none stays frozen.

use farlink_conformance::connection::{predicted_and_not, with_route_failure};
use farlink_conformance::sequence;
use farlink_tcp::route_failure::{Config, tcp_fsr};

const CASES: u64 = 100_000;

/// Every answer there is, TCP-FSR's in both its ways.
fn answers() -> Vec<Config> {
    let onward = Config::TcpFsr(tcp_fsr::Config { go_back_n: false, ..tcp_fsr::Config::default() });
    Config::NAMES.iter().map(|name| Config::named(name).unwrap()).chain([onward]).collect()
}

fn survives(answer: &Config, sequences: u64) {
    let harness = with_route_failure(answer.clone());
    let played =
        sequence::run(&harness, 1, sequences, 40).unwrap_or_else(|failure| panic!("{answer:?}: {failure}"));
    assert_eq!(played, sequences * 40);
}

#[test]
fn no_answer_to_route_failures_locks_up_in_a_hundred_thousand_cases() {
    let answers = answers();
    let sequences = CASES.div_ceil(answers.len() as u64);
    std::thread::scope(|scope| {
        for answer in &answers {
            scope.spawn(move || survives(answer, sequences));
        }
    });
}

#[test]
fn header_prediction_leaves_the_state_that_the_full_path_leaves() {
    for answer in answers() {
        predicted_and_not(|| with_route_failure(answer.clone()), 3, 150, 40)
            .unwrap_or_else(|differs| panic!("{answer:?}: {differs}"));
    }
}
