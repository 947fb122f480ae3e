//! Sequences of operations: made from a seed, run step by step, shortened when they fail.

use std::cell::Cell;
use std::fmt::{self, Debug};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use farlink_kernel::random::Stream;

/// A plug-point's harness.
pub trait Harness {
    /// Something that may happen.
    type Operation: Clone + Debug;
    /// The member at work and the world as it knows it.
    type State;

    /// The world before the first operation; `rng` decides about its circumstances.
    fn begin(&self, rng: &mut Stream) -> Self::State;

    /// Any operation.
    fn operation(&self, rng: &mut Stream) -> Self::Operation;

    /// Lets it happen; the error is the invariant that broke.
    fn step(&self, state: &mut Self::State, operation: &Self::Operation) -> Result<(), String>;

    /// What must hold after the last operation.
    fn finish(&self, state: &mut Self::State) -> Result<(), String> {
        let _ = state;
        Ok(())
    }
}

/// A sequence that broke an invariant, as short as it could be made.
#[derive(Debug)]
pub struct Failure<O> {
    /// The seed of the run.
    pub seed: u64,
    /// Which sequence of the run it was.
    pub sequence: u64,
    /// What is left of it.
    pub operations: Vec<O>,
    /// The invariant that broke.
    pub broken: String,
}

impl<O: Debug> fmt::Display for Failure<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.broken)?;
        writeln!(f, "replay(&harness, {}, {}, &[", self.seed, self.sequence)?;
        self.operations.iter().try_for_each(|operation| writeln!(f, "    {operation:?},"))?;
        writeln!(f, "])")
    }
}

/// Runs `sequences` sequences of `length` operations each; how many operations were run, or the first
/// failure, cut down.
pub fn run<H: Harness>(
    harness: &H,
    seed: u64,
    sequences: u64,
    length: usize,
) -> Result<u64, Box<Failure<H::Operation>>> {
    for sequence in 0..sequences {
        let mut rng = Stream::new(seed, "operations", sequence);
        let operations: Vec<_> = (0..length).map(|_| harness.operation(&mut rng)).collect();
        let play = |operations: &[H::Operation]| replay(harness, seed, sequence, operations);
        if let Err(broken) = play(&operations) {
            let operations = shorten(operations, |rest| play(rest).is_err());
            let broken = play(&operations).err().unwrap_or(broken);
            return Err(Box::new(Failure { seed, sequence, operations, broken }));
        }
    }
    Ok(sequences * length as u64)
}

/// Plays `operations` in the circumstances of one sequence of a run; the error is the invariant that broke,
/// or the words of a panic.
pub fn replay<H: Harness>(
    harness: &H,
    seed: u64,
    sequence: u64,
    operations: &[H::Operation],
) -> Result<(), String> {
    quietly(|| {
        let mut state = harness.begin(&mut Stream::new(seed, "circumstances", sequence));
        operations.iter().try_for_each(|operation| harness.step(&mut state, operation))?;
        harness.finish(&mut state)
    })
}

thread_local! {
    /// Panics of this thread are looked for, not printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    /// File and line of the last of them.
    static PLACE: Cell<Option<(String, u32)>> = const { Cell::new(None) };
}

/// Turns a panic of `play` into an error, without the words that a panic prints: cutting down a sequence
/// meets it hundreds of times.
fn quietly(play: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                PLACE.set(info.location().map(|place| (place.file().into(), place.line())));
            } else {
                loud(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(play));
    QUIET.set(false);
    result.unwrap_or_else(|payload| {
        let words = payload.downcast_ref::<String>().map(String::as_str);
        let words = words.or(payload.downcast_ref::<&str>().copied()).unwrap_or("without words");
        let place = PLACE.take().map_or_else(String::new, |(file, line)| format!(" at {file}:{line}"));
        Err(format!("panic{place}: {words}"))
    })
}

/// Leaves out ever smaller pieces as long as the rest still fails, single operations until none can go.
fn shorten<O: Clone>(mut operations: Vec<O>, fails: impl Fn(&[O]) -> bool) -> Vec<O> {
    let mut piece = operations.len() / 2;
    while piece > 0 {
        let (mut at, before) = (0, operations.len());
        while at < operations.len() {
            let end = (at + piece).min(operations.len());
            let rest = [&operations[..at], &operations[end..]].concat();
            if fails(&rest) {
                operations = rest;
            } else {
                at = end;
            }
        }
        if piece > 1 || operations.len() == before {
            piece /= 2;
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds numbers up; breaks above 100, panics where `panics`.
    struct Sum {
        panics: bool,
    }

    impl Harness for Sum {
        type Operation = u64;
        type State = u64;

        fn begin(&self, _rng: &mut Stream) -> u64 {
            0
        }

        fn operation(&self, rng: &mut Stream) -> u64 {
            rng.below(60)
        }

        fn step(&self, state: &mut u64, operation: &u64) -> Result<(), String> {
            *state += operation;
            assert!(!self.panics || *state <= 100, "{state} is too much");
            if *state > 100 { Err(format!("{state} is above 100")) } else { Ok(()) }
        }
    }

    #[test]
    fn a_failing_sequence_is_cut_down_to_what_it_needs_and_can_be_replayed() {
        let sum = Sum { panics: false };
        let failure = run(&sum, 1, 10, 1_000).unwrap_err();
        assert!((2..=5).contains(&failure.operations.len()), "{failure}");
        assert!(failure.operations.iter().sum::<u64>() > 100);
        let again = replay(&sum, failure.seed, failure.sequence, &failure.operations);
        assert_eq!(again, Err(failure.broken));
    }

    #[test]
    fn a_panic_is_a_failure_that_is_cut_down_too() {
        let failure = run(&Sum { panics: true }, 1, 10, 1_000).unwrap_err();
        assert!(
            failure.broken.contains("is too much") && failure.broken.contains("sequence.rs"),
            "{failure}"
        );
        assert!(failure.operations.len() <= 5, "{failure}");
    }

    #[test]
    fn what_was_run_is_counted() {
        assert_eq!(run(&Sum { panics: false }, 1, 20, 1).unwrap(), 20);
    }
}
