//! A failing case becomes a smaller one that fails as well.

use crate::case::Case;
use crate::check::check;

/// Runs at most so many candidates.
const MOST_RUNS: usize = 400;

/// The case without the sections and lines that it fails without. A candidate that validation refuses does not fail.
pub fn shrink(case: &Case) -> Case {
    let mut smallest = case.clone();
    let mut runs = 0;
    for separator in ["\n\n", "\n"] {
        let mut place = 0;
        loop {
            let parts: Vec<&str> = smallest.text.split(separator).collect();
            if place >= parts.len() || runs >= MOST_RUNS {
                break;
            }
            let kept = parts.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, part)| *part);
            let candidate = Case { text: kept.collect::<Vec<_>>().join(separator), ..smallest.clone() };
            runs += 1;
            if candidate.validate().is_ok() && check(&candidate).is_err() {
                smallest = candidate;
            } else {
                place += 1;
            }
        }
    }
    smallest
}
