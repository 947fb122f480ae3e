//! Fuzz targets: functions that take any bytes, and panic where an invariant is broken.
//!
//! `fuzz/` at the root of the repository runs them under libFuzzer (coverage-guided, nightly toolchain); [`mutate`]
//! runs them on any toolchain; `tests/replay.rs` runs them over the corpora and over every input that once failed.

pub mod checks;
pub mod corpus;
mod dialogue;
mod files;
pub mod mutate;
mod scenario;
pub mod seeds;
mod settings;
mod wire;

/// A function that is fuzzed, under the name of its corpus.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the corpus, of the dictionary and of the libFuzzer binary.
    pub name: &'static str,
    /// What takes the bytes.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "scenario", run: scenario::read },
    Target { name: "settings", run: settings::set },
    Target { name: "rate_csv", run: files::rate_csv },
    Target { name: "delay_csv", run: files::delay_csv },
    Target { name: "mahimahi", run: files::mahimahi },
    Target { name: "sound_speed", run: files::sound_speed },
    Target { name: "ns2_movement", run: files::ns2_movement },
    Target { name: "bonnmotion", run: files::bonnmotion },
    Target { name: "fcd", run: files::fcd },
    Target { name: "graphml", run: files::graphml },
    Target { name: "network_csv", run: files::network_csv },
    Target { name: "wire", run: wire::packet },
    Target { name: "dialogue", run: dialogue::play },
];

/// The target called `name`.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
