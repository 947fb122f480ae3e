//! The default model of a key, whose parameters are set without its name: `links.0.queue.limit=100`.

use farlink_kernel::Field;
use farlink_kernel::config::{Entry, Kind, Model, Node, Span, Value};

use crate::document::Document;

/// Where defaults depend on other keys: on the preset, and on the forward direction.
const DEPENDENT: [&str; 2] = ["tcp", "reverse"];

/// Names the default model in the empty table `node` at `span`, if that model has a parameter `parameter`.
pub(super) fn name_model(node: &mut Node, parameter: &str, span: &Span) {
    let is_empty = matches!(&node.value, Value::Table(entries) if entries.is_empty());
    if !is_empty || node.key.split('.').any(|key| DEPENDENT.contains(&key)) {
        return;
    }
    let Some(name) = default_name(&node.key, parameter) else { return };
    let name = Node { key: node.key_of("name"), span: span.clone(), value: Value::Text(name.into()) };
    node.value = Value::Table(vec![Entry { key: "name".into(), span: span.clone(), node: name }]);
}

fn default_name(path: &str, parameter: &str) -> Option<&'static str> {
    let mut keys = path.split('.').filter(|key| key.parse::<usize>().is_err());
    let first = keys.next()?;
    let mut field = Document::fields().into_iter().find(|field| field.name == first)?;
    for key in keys {
        field = fields(&field.kind).into_iter().find(|field| field.name == key)?;
    }
    let (Kind::Model(models), Some(default)) = (&field.kind, &field.default) else { return None };
    let is_default = |model: &Model| {
        let (alone, first) = (format!("\"{}\"", model.name), format!("{{ name = \"{}\",", model.name));
        *default == alone || default.starts_with(&first)
    };
    let model = models().into_iter().find(is_default)?;
    model.fields.iter().any(|field| field.name == parameter).then_some(model.name)
}

/// The fields of a table, of the items of a list of tables, or of all models.
fn fields(kind: &Kind) -> Vec<Field> {
    match kind {
        Kind::Table(fields) => fields.clone(),
        Kind::List(inner) | Kind::Within(inner, _) => fields(inner),
        Kind::AnyOf(kinds) => kinds.iter().flat_map(fields).collect(),
        Kind::Model(models) => models().into_iter().flat_map(|model| model.fields).collect(),
        _ => Vec::new(),
    }
}
