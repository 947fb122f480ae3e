//! The JSON Schema (draft 2020-12) of a scenario file.

/// The schema as JSON text.
pub fn schema() -> String {
    "{}\n".into()
}
