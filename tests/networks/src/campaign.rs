//! Many networks: each once on one thread, then all again on several, which must give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::case::Case;
use crate::check::{Digest, Outcome, check};
use crate::shrink::shrink;

/// The threads of the second run.
const THREADS: usize = 2;

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    networks: u64,
    complete: u64,
    packets: u64,
    copies: u64,
    in_flight: u64,
    lost_acks: u64,
    events: u64,
    fates: BTreeMap<&'static str, u64>,
    /// Networks of each kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Causes, reasons and locations that occurred.
    pub words: BTreeSet<&'static str>,
}

impl Report {
    fn add(&mut self, case: &Case, outcome: &Outcome) {
        self.networks += 1;
        self.complete += u64::from(outcome.is_complete);
        self.packets += outcome.packets;
        self.copies += outcome.copies;
        self.in_flight += outcome.in_flight;
        self.lost_acks += outcome.lost_acks;
        self.events += outcome.events;
        for (fate, packets) in &outcome.fates {
            *self.fates.entry(fate).or_default() += packets;
        }
        *self.kinds.entry(case.kind).or_default() += 1;
        self.words.extend(&outcome.words);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fates: Vec<String> =
            self.fates.iter().map(|(fate, packets)| format!("{packets} {fate}")).collect();
        write!(
            f,
            "{} networks: {} packets, each with one fate ({}); {} copies, {} of them in flight at the end and found \
             there; {} lost link-layer acknowledgements; every ledger closed; no number is NaN; the same bytes on 1 and \
             {THREADS} threads; {} events, {} networks ran their 5 s, the others to their event limit",
            self.networks,
            self.packets,
            fates.join(", "),
            self.copies,
            self.in_flight,
            self.lost_acks,
            self.events,
            self.complete,
        )
    }
}

/// Runs the networks of these seeds. The error is the first failure, with its scenario cut down.
pub fn run(seeds: Range<u64>) -> Result<Report, String> {
    let mut report = Report::default();
    let mut first = Vec::new();
    for seed in seeds.clone() {
        let case = Case::new(seed);
        let outcome = check(&case).map_err(|why| describe(&case, &why))?;
        report.add(&case, &outcome);
        first.push(outcome.digest);
    }
    let again = digests(&seeds);
    for ((seed, digest), again) in seeds.zip(first).zip(again) {
        if again.as_ref() != Ok(&digest) {
            let case = Case::new(seed);
            return Err(format!("seed {seed}: another run gave other bytes ({again:?})\n{}", show(&case)));
        }
    }
    Ok(report)
}

/// The digests of the networks, run on several threads at once.
pub fn digests(seeds: &Range<u64>) -> Vec<Result<Digest, String>> {
    let next = AtomicU64::new(seeds.start);
    let found = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let digest = check(&Case::new(seed)).map(|outcome| outcome.digest);
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(seed, digest);
        }
    };
    thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

fn describe(case: &Case, why: &str) -> String {
    let small = shrink(case);
    let again = check(&small).err().unwrap_or_default();
    format!("seed {} ({}): {why}\n\ncut down, it fails so: {again}\n{}", case.seed, case.kind, show(&small))
}

/// The scenario and its files.
pub fn show(case: &Case) -> String {
    let files = case.files.iter().filter(|(name, _)| case.text.contains(&format!("{name:?}")));
    let files: Vec<String> = files.map(|(name, text)| format!("--- {name}\n{text}")).collect();
    format!("--- network{}.toml\n{}\n{}", case.seed, case.text, files.join("\n"))
}
