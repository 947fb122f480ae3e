//! A scenario file becomes a network, and the network's run becomes results.
//!
//! ```text
//! text -> Draft -> Scenario -> Simulation -> RunResults
//! ```
//!
//! A [`Draft`] is TOML as written, with values set over it; [`Draft::validate`] reads it into the typed
//! [`Scenario`], and every mistake is one [`Error`] that points at the key or value at fault. A
//! [`Simulation`] runs it in slices; [`RunResults`] speak the words of the JSON contract. No thread, file,
//! clock or environment in here: files come in through [`Files`].

mod animation;
mod bottleneck;
mod capture;
mod catalogue;
mod compile;
pub mod document;
mod draft;
mod error;
mod estimate;
mod explain;
mod files;
mod hash;
mod layout;
mod ledger;
mod link;
mod located;
mod movement;
mod pages;
mod printable;
mod quantity;
mod rates;
mod resolved;
mod run_results;
mod scenario;
mod schema;
mod section;
mod series;
mod simulation;
mod sound_speed;
pub mod tcp;
mod text;
pub mod topology;
mod traces;
mod version;
mod xml;

pub use animation::Window;
pub use catalogue::{Ready, models, ready};
pub use draft::Draft;
pub use error::Error;
pub use estimate::{Estimate, Share};
pub use explain::{Change, Explanation, FlowExplanation, explain};
pub use files::Files;
pub use pages::{models_page, python_names};
pub use printable::message as printable;
pub use quantity::quantity;
pub use run_results::{Provenance, RunResults};
pub use scenario::Scenario;
pub use schema::schema;
pub use series::{Column, Series, Table, UNDEFINED};
pub use simulation::{Record, Simulation};
pub use text::read_document;
pub use version::{BUILD, VERSION};
