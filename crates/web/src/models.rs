//! What may be written in a scenario, and the scenarios that are part of the program.

use farlink_scenario::BuiltIn;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The program's version.
#[wasm_bindgen]
pub fn version() -> String {
    farlink_scenario::VERSION.into()
}

/// The JSON Schema of a scenario file.
#[wasm_bindgen]
pub fn schema() -> String {
    farlink_scenario::schema()
}

/// Every registered model, as a JSON array.
#[wasm_bindgen]
pub fn models() -> String {
    farlink_scenario::models().to_string()
}

/// The built-in scenarios, as a JSON array.
#[wasm_bindgen(js_name = builtIns)]
pub fn built_ins() -> String {
    let object = |one: &BuiltIn| json!({ "name": one.name, "toml": one.text, "title": one.summary });
    farlink_scenario::built_in().iter().map(object).collect::<Value>().to_string()
}
