//! Observers: what is shown to captures, traces and animations while a run runs.

pub mod capture;
pub mod monitor;
