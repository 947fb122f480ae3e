//! Every input in the repository, and some thousand mutations of them, keep the invariants of their target.

use farlink_fuzz::{TARGETS, corpus, mutate, seeds};

/// Mutations of each target.
const MUTATIONS: u64 = 300;

#[test]
fn every_input_in_the_repository_keeps_the_invariants() {
    let mut broken = Vec::new();
    for target in TARGETS {
        let inputs = corpus::all(target.name).expect("the corpus can be read");
        assert!(!inputs.is_empty(), "{}: no inputs", target.name);
        for (name, input) in inputs {
            if std::panic::catch_unwind(|| (target.run)(&input)).is_err() {
                broken.push(format!("{}/{name}", target.name));
            }
        }
    }
    assert!(broken.is_empty(), "broken by {}", broken.join(", "));
}

#[test]
fn mutated_inputs_keep_the_invariants() {
    for target in TARGETS {
        let inputs: Vec<Vec<u8>> = corpus::all(target.name)
            .expect("the corpus can be read")
            .into_iter()
            .map(|(_, input)| input)
            .collect();
        let words: Vec<Vec<u8>> = seeds::words(target.name).into_iter().map(String::into_bytes).collect();
        let broken = mutate::campaign(*target, &inputs, &words, 1, MUTATIONS);
        assert!(
            broken.is_none(),
            "{}: broken by {:?}",
            target.name,
            broken.map(|input| String::from_utf8_lossy(&input).into_owned())
        );
    }
}
