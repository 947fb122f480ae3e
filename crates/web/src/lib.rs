//! The engine for JavaScript: converts. No logic. `web/src/engine/worker.ts` is the only user.
//!
//! The modules; each imports only those below it:
//!
//! ```text
//! scenario   text becomes a scenario, an error JSON
//! run        a run in slices, its series meanwhile
//! results    tables of a run
//! columns    tables as bytes
//! tree       TOML as JSON
//! models     what may be written in a scenario
//! panic      the message of a defect
//! memory     files and captures
//! bins       measures over time in bins
//! ```

pub mod bins;
pub mod columns;
mod memory;
pub mod models;
pub mod panic;
pub mod results;
pub mod run;
pub mod scenario;
pub mod tree;
