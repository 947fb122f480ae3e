//! Probes: what is watched while a run runs.

pub mod capture;
pub mod delay;
pub mod flow;
pub mod series;
pub mod usage;
