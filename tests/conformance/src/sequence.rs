//! Sequences of operations: made from a seed, run step by step, cut down when they fail.

use std::fmt::{self, Debug};

use farlink_kernel::random::Stream;

/// A plug-point's harness.
pub trait Harness {
    /// Something that may happen.
    type Operation: Clone + Debug;
    /// The member at work and the world as it knows it.
    type State;

    /// The world before the first operation; `luck` decides about its circumstances.
    fn begin(&self, luck: &mut Stream) -> Self::State;

    /// Any operation.
    fn operation(&self, luck: &mut Stream) -> Self::Operation;

    /// Lets it happen; the error is the invariant that broke.
    fn step(&self, state: &mut Self::State, operation: &Self::Operation) -> Result<(), String>;
}

/// A sequence that broke an invariant, as short as it could be made.
#[derive(Debug)]
pub struct Failure<O> {
    /// Which sequence of the run it was.
    pub sequence: u64,
    /// What is left of it.
    pub operations: Vec<O>,
    /// The invariant that broke.
    pub broken: String,
}

impl<O: Debug> fmt::Display for Failure<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (sequence {})", self.broken, self.sequence)?;
        self.operations.iter().try_for_each(|operation| writeln!(f, "  {operation:?}"))
    }
}

/// Runs `sequences` sequences of `length` operations each; the first failure, cut down.
pub fn run<H: Harness>(
    harness: &H,
    seed: u64,
    sequences: u64,
    length: usize,
) -> Result<(), Box<Failure<H::Operation>>> {
    for sequence in 0..sequences {
        let mut luck = Stream::new(seed, "operations", sequence);
        let operations: Vec<_> = (0..length).map(|_| harness.operation(&mut luck)).collect();
        let play = |operations: &[H::Operation]| {
            let mut state = harness.begin(&mut Stream::new(seed, "circumstances", sequence));
            operations.iter().try_for_each(|operation| harness.step(&mut state, operation))
        };
        if let Err(broken) = play(&operations) {
            let operations = shorten(operations, |rest| play(rest).is_err());
            let broken = play(&operations).err().unwrap_or(broken);
            return Err(Box::new(Failure { sequence, operations, broken }));
        }
    }
    Ok(())
}

/// Leaves out ever smaller pieces as long as the rest still fails.
fn shorten<O: Clone>(mut operations: Vec<O>, fails: impl Fn(&[O]) -> bool) -> Vec<O> {
    let mut piece = operations.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < operations.len() {
            let end = (at + piece).min(operations.len());
            let rest = [&operations[..at], &operations[end..]].concat();
            if fails(&rest) {
                operations = rest;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds numbers up; breaks above 100.
    struct Sum;

    impl Harness for Sum {
        type Operation = u64;
        type State = u64;

        fn begin(&self, _luck: &mut Stream) -> u64 {
            0
        }

        fn operation(&self, luck: &mut Stream) -> u64 {
            luck.below(60)
        }

        fn step(&self, state: &mut u64, operation: &u64) -> Result<(), String> {
            *state += operation;
            if *state > 100 { Err(format!("{state} is above 100")) } else { Ok(()) }
        }
    }

    #[test]
    fn a_failing_sequence_is_cut_down_to_what_it_needs() {
        let failure = run(&Sum, 1, 10, 1_000).unwrap_err();
        assert!((2..=5).contains(&failure.operations.len()), "{failure}");
        assert!(failure.operations.iter().sum::<u64>() > 100);
    }
}
