//! This build gives the results that are kept.

#![expect(clippy::disallowed_methods, reason = "a test reads a file; the engine does not")]

use farlink_determinism::compare::Differences;
use farlink_determinism::{kept, run};

#[test]
fn the_results_of_all_built_in_scenarios_have_the_hashes_that_are_kept() {
    let before = kept::parse(&std::fs::read_to_string(kept::path()).unwrap()).unwrap();
    let differences = Differences::between(&before, &run::all());
    assert!(differences.is_empty(), "`make hashes` keeps new ones:\n{}", differences.report());
}
