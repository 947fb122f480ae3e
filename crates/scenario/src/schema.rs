//! The JSON Schema (draft 2020-12) of a scenario file, made from the same declarations as its parser.

use farlink_kernel::config::{Model, Node, Value as Written};
use farlink_kernel::{Field, Kind};
use serde_json::{Map, Value, json};

use crate::catalogue::plug_points;
use crate::document::Document;
use crate::text;

/// The schema as JSON text.
pub fn schema() -> String {
    let mut root = table(&Document::fields());
    let mut definitions = Map::new();
    for (kind, models) in plug_points() {
        definitions.insert(kind.to_owned(), any_model(kind, &models));
        definitions.extend(models.iter().map(|model| (format!("{kind}.{}", model.name), member(model))));
    }
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Farlink scenario");
    root["$defs"] = Value::Object(definitions);
    let text = serde_json::to_string_pretty(&root).expect("a tree of strings and numbers is JSON");
    text + "\n"
}

/// The schema of a value of this kind under the key `name`.
fn value(name: &str, kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Integer { min } => json!({ "type": "integer", "minimum": min }),
        Kind::Number { min, max } => number(*min, *max),
        Kind::Quantity { what, units, example } => quantity(what, units, example),
        Kind::Text => json!({ "type": "string" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::List(inner) => json!({ "type": "array", "items": value(name, inner) }),
        Kind::Table(fields) => table(fields),
        Kind::Model(models) => model(name, &models()),
        Kind::AnyOf(kinds) => {
            json!({ "anyOf": kinds.iter().map(|kind| value(name, kind)).collect::<Vec<_>>() })
        }
        Kind::Within(kind, bounds) => {
            let mut schema = value(name, kind);
            schema["$comment"] = json!(bounds);
            schema
        }
    }
}

/// Any member of a plug-point, or only those that a key accepts.
fn model(name: &str, models: &[Model]) -> Value {
    let is_plug_point = |(kind, members): &(&str, Vec<Model>)| *kind == name && members.len() == models.len();
    if plug_points().iter().any(is_plug_point) {
        return json!({ "$ref": format!("#/$defs/{name}") });
    }
    any_model(name, models)
}

fn number(min: f64, max: f64) -> Value {
    let mut schema = json!({ "type": "number" });
    for (key, bound) in [("minimum", min), ("maximum", max)] {
        if bound.is_finite() {
            schema[key] = json!(bound);
        }
    }
    schema
}

fn quantity(what: &str, units: &[&str], example: &str) -> Value {
    let mut schema = json!({ "type": "string", "description": what, "examples": [example] });
    if !units.is_empty() {
        let number = r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?";
        schema["pattern"] = json!(format!(r"^\s*{number}\s*({})\s*$", units.join("|")));
    }
    schema
}

fn table(fields: &[Field]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| field.default.is_none()).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = value(field.name, &field.kind);
    schema["description"] = json!(field.doc);
    if let Some(default) = &field.default {
        let node = text::read_value(default, 0, "".into()).expect("defaults are shown as TOML");
        schema["default"] = plain(&node);
    }
    schema
}

/// A bare name for a member, or a table with `name` and its parameters.
fn any_model(kind: &str, models: &[Model]) -> Value {
    let names: Vec<&str> = models.iter().map(|model| model.name).collect();
    let mut choices = vec![json!({ "enum": names })];
    choices.extend(names.iter().map(|name| json!({ "$ref": format!("#/$defs/{kind}.{name}") })));
    json!({ "anyOf": choices })
}

/// The table of a member.
fn member(model: &Model) -> Value {
    let mut schema = table(&model.fields);
    schema["description"] = json!(model.doc);
    schema["properties"]["name"] = json!({ "const": model.name });
    let mut required = vec!["name"];
    required.extend(model.fields.iter().filter(|field| field.default.is_none()).map(|field| field.name));
    schema["required"] = json!(required);
    schema
}

fn plain(node: &Node) -> Value {
    match &node.value {
        Written::Bool(flag) => json!(flag),
        Written::Integer(number) => json!(number),
        Written::Float(number) => json!(number),
        Written::Text(text) => json!(text),
        Written::List(items) => items.iter().map(plain).collect(),
        Written::Table(entries) => {
            Value::Object(entries.iter().map(|entry| (entry.key.clone(), plain(&entry.node))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_its_definition() {
        let schema: Value = serde_json::from_str(&schema()).unwrap();
        let text = schema.to_string();
        for reference in text.split("#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(schema["$defs"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn required_keys_are_those_without_a_default() {
        let schema: Value = serde_json::from_str(&schema()).unwrap();
        assert_eq!(schema["required"], json!(["name", "duration"]));
        assert_eq!(schema["properties"]["links"]["items"]["required"], json!(["between", "rate", "delay"]));
        assert_eq!(schema["properties"]["seed"]["default"], json!(1));
    }
}
