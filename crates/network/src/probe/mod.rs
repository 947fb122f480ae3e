//! Probes: what is watched while a run runs.

pub mod capture;
