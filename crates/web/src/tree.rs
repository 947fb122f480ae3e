//! A TOML text as JSON.

use farlink_kernel::config::{Node, Value as Written};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::wasm_bindgen;

/// The TOML `text` as JSON; throws the message of a syntax error.
#[wasm_bindgen(js_name = tomlToJson)]
pub fn toml_to_json(text: &str) -> Result<String, String> {
    let root = farlink_scenario::read_document(text, 0).map_err(|error| error.message)?;
    Ok(value(&root).to_string())
}

/// The number of a quantity in the unit of a column's name, such as s; undefined for any other text.
#[wasm_bindgen]
pub fn quantity(text: &str) -> Option<f64> {
    farlink_scenario::quantity(text).map(|(number, _)| number)
}

fn value(node: &Node) -> Value {
    match &node.value {
        Written::Bool(flag) => (*flag).into(),
        Written::Integer(number) => (*number).into(),
        Written::Float(number) => (*number).into(),
        Written::Text(text) => text.as_str().into(),
        Written::List(items) => items.iter().map(value).collect(),
        Written::Table(entries) => Value::Object(
            entries.iter().map(|entry| (entry.key.clone(), value(&entry.node))).collect::<Map<_, _>>(),
        ),
    }
}
