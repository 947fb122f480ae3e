//! The engine for JavaScript: converts. No logic.
//!
//! In order: [`bins`] (measures over time in bins), [`memory`] (files and captures), [`mod@panic`] (the message of a defect), [`models`] (what may be written in a
//! scenario), [`tree`] (TOML as JSON), [`columns`] (tables as bytes), [`results`], [`run`] (a run in slices, its series
//! meanwhile), [`scenario`] (text becomes a scenario, an error JSON). `web/src/engine/worker.ts` is the only user.

pub mod bins;
pub mod columns;
mod memory;
pub mod models;
pub mod panic;
pub mod results;
pub mod run;
pub mod scenario;
pub mod tree;
