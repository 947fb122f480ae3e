//! A scenario file becomes a network, and a run of the network becomes results.
//!
//! ```text
//! text -> Draft -> Document -> Scenario -> Simulation -> RunResults
//! ```
//!
//! A [`Draft`] is TOML as written, with values set over it. [`Draft::validate`] reads it into the typed
//! [`document`] and compiles that into a [`Scenario`]; every mistake is one [`Error`] with the place of the key or
//! value at fault. A [`Simulation`] advances a run in slices; [`RunResults`] give the JSON contract. This crate uses
//! no thread, file, clock or environment: files come in through [`Files`].
//!
//! The modules, lowest first; each imports only from those before it:
//!
//! - `version`, `printable`, `hash`, [`bins`], [`quantity()`], `xml`, `columns`: helpers without a room of their own;
//! - `error`, [`Warning`], `text`, `located`: texts, their tree of values, and values that know their place in it;
//! - `section`, `files`, `link`, [`tcp`], [`topology`], [`document`]: the tables of a scenario file;
//! - `draft`: a text with values set over it;
//! - `traces`, `sound_speed`, `movement`, `layout`, `arp`, `compile`: a document becomes a blueprint;
//! - `resolved`, `rates`, `estimate`, `warnings`, `scenario`: the validated scenario, its canonical text, its cost and
//!   what is implausible in it;
//! - `bottleneck`, `run_results`, `series`, `ledger`, `explain`: the results of a run;
//! - `capture`, `animation`, `simulation`: a run and its recordings;
//! - `catalogue`, `pages`, `schema`: the registered models, for lists, documentation and schema.

mod animation;
mod arp;
pub mod bins;
mod bottleneck;
mod capture;
mod catalogue;
mod columns;
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
mod transfer;
mod version;
mod warning;
mod warnings;
mod xml;

pub use animation::Window;
pub use catalogue::{BuiltIn, built_in, models};
pub use draft::Draft;
pub use error::Error;
pub use estimate::{Estimate, Share};
pub use explain::{Change, DropsAtPlace, Explanation, FlowExplanation, explain};
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
pub use warning::Warning;
