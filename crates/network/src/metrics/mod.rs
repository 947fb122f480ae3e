//! Metrics: what is counted while a run runs.

pub(crate) mod arrivals;
pub(crate) mod arrived;
pub(crate) mod attempts;
pub(crate) mod delay;
pub(crate) mod e_model;
pub(crate) mod flow;
pub(crate) mod jitter;
pub(crate) mod load;
pub(crate) mod numbers;
pub(crate) mod playout;
pub(crate) mod repeats;
pub(crate) mod series;
pub(crate) mod station;
pub(crate) mod usage;
