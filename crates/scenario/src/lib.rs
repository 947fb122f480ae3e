//! A scenario file becomes a network, and a run of the network becomes results.
//!
//! ```text
//! text -> Draft -> Document -> Scenario -> Simulation -> RunResults
//! ```
//!
//! A scenario may name a congestion control of another crate: [`Draft::validate_with`] accepts the name, and
//! [`Simulation::plug`] takes what implements it.
//!
//! A [`Draft`] is TOML as written, with values set over it. [`Draft::validate`] reads it into the typed
//! [`document`] and compiles that into a [`Scenario`]; every mistake is one [`Error`] with the place of the key or
//! value at fault. A [`Simulation`] advances a run in slices; [`RunResults`] give the JSON contract. This crate uses
//! no thread, file, clock or environment: files come in through [`Files`].
//!
//! The modules; each imports only those below it:
//!
//! ```text
//! schema pages catalogue             the registered models, for schema, documentation and lists
//! simulation animation capture       a run in slices, and its recordings
//! explain                            what limited each flow
//! ledger workload_results series     fates of packets and time series, as columns
//! run_results bottleneck             the results of a run
//! scenario                           a valid scenario
//! warnings                           what is implausible in it
//! estimate transfer rates            what it will cost
//! reach paths                        reception ranges on channels, paths of flows
//! resolved                           its canonical text
//! compile                            a document becomes a blueprint
//! arp layout movement                defaults, nodes, links and positions that a document implies
//! sound_speed traces                 files of values over time or depth
//! plugged                            congestion controls that the registry lacks
//! draft                              a text with values set over it
//! document workload topology tcp link   the tables of a scenario file
//! files section                      what it names; the macro that declares a table
//! located text                       values that know their place in a text
//! warning error                      messages with file, line and key
//! columns xml quantity bins          readers of CSV, XML and quantities; measures in bins
//! hash printable version             helpers without a room of their own
//! ```

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
mod paths;
mod plugged;
mod printable;
mod quantity;
mod rates;
mod reach;
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
pub mod workload;
mod workload_results;
mod xml;

pub use animation::Window;
pub use catalogue::{BuiltIn, built_in, models};
pub use draft::Draft;
pub use error::Error;
pub use estimate::{Amount, Estimate, Share};
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
