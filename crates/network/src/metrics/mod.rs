//! Metrics: what is counted while a run runs.

pub mod attempts;
pub mod delay;
pub mod flow;
pub mod load;
pub mod series;
pub mod station;
pub mod usage;
