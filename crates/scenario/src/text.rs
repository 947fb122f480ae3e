//! TOML text becomes a tree of [`Node`]s that keep their key and their place in the text.

use std::sync::Arc;

use farlink_kernel::config::{Diagnostic, Entry, Node, Span, Value};
use toml::de::{DeTable, DeValue, Error};

/// Reads a document that begins at `start` of the sources; spans count from there.
pub fn read_document(text: &str, start: usize) -> Result<Node, Diagnostic> {
    let document = DeTable::parse(text).map_err(|error| syntax(&error, text, start))?;
    let root = Node { span: start..start, ..Node::new(Value::Table(Vec::new())) };
    Ok(root.with(Value::Table(entries(document.get_ref(), start, &root)?)))
}

/// Reads the value of `key` that begins at `start` of the sources. A bare word or quantity is a string.
pub(crate) fn read_value(text: &str, start: usize, key: Arc<str>) -> Result<Node, Diagnostic> {
    match DeValue::parse(text) {
        Ok(value) => node(value.get_ref(), &value.span(), start, key),
        Err(error) if text.starts_with(['{', '[', '"', '\'']) => Err(syntax(&error, text, start).at(key)),
        Err(_) => Ok(Node { value: Value::Text(text.trim().into()), span: start..start + text.len(), key }),
    }
}

fn shift(span: &Span, start: usize) -> Span {
    span.start + start..span.end + start
}

fn syntax(error: &Error, text: &str, start: usize) -> Diagnostic {
    let span = error.span().unwrap_or(text.len()..text.len());
    // The parser lists the expected tokens on further lines.
    let message = error.message().replace('\n', ", ");
    Diagnostic::new(shift(&span, start), message, "")
}

/// The limit on characters of a dotted key, which every item of a list below it repeats.
const LONGEST_KEY: usize = 200;

/// The entries of `table`, which is `parent`.
fn entries(table: &DeTable<'_>, start: usize, parent: &Node) -> Result<Vec<Entry>, Diagnostic> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let name = key.get_ref().to_string();
        if parent.key.len() + name.len() > LONGEST_KEY {
            let message = format!("a key of more than {LONGEST_KEY} characters");
            return Err(Diagnostic::new(shift(&key.span(), start), message, "").at(Arc::clone(&parent.key)));
        }
        let node = node(value.get_ref(), &value.span(), start, parent.key_of(&name))?;
        entries.push(Entry { key: name, span: shift(&key.span(), start), node });
    }
    // The parser's table is in alphabetical order; errors are reported in the order written.
    entries.sort_by_key(|entry| entry.span.start);
    Ok(entries)
}

fn node(value: &DeValue<'_>, span: &Span, start: usize, key: Arc<str>) -> Result<Node, Diagnostic> {
    let place = Node { value: Value::Bool(false), span: shift(span, start), key };
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => return Err(place.refuse(format!("the number {number} is too large"), "")),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => return Err(place.refuse(format!("{number} is no number"), "")),
        },
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => {
            let keys = (0..).map(|i: usize| place.key_of(&i.to_string()));
            let nodes = items.iter().zip(keys).map(|(it, key)| node(it.get_ref(), &it.span(), start, key));
            Value::List(nodes.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Table(entries(table, start, &place)?),
    };
    Ok(Node { value, ..place })
}
