//! Every registered model with its parameters, and the ready scenarios.

use serde_json::{Value, json};

/// A scenario that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// What it is called by.
    pub name: &'static str,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

/// The scenarios that come with the program.
pub fn ready() -> &'static [Ready] {
    &[]
}

/// Every registered model: kind, name, doc, source and parameters.
pub fn models() -> Value {
    json!([])
}
