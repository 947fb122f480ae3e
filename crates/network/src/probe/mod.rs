//! Probes: what is watched while a run runs.

pub mod capture;
pub mod delay;
pub mod flow;
pub mod load;
pub mod monitor;
pub mod series;
pub mod station;
pub mod tries;
pub mod usage;
