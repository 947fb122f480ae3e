//! TOML text becomes a tree of [`Node`]s that remember where they stand.

use farlink_kernel::config::{Entry, Node, Refusal, Span, Value};
use toml::de::{DeTable, DeValue, Error};

/// Reads a document that begins at `start` of the sources; spans count from there.
pub fn read_document(text: &str, start: usize) -> Result<Node, Refusal> {
    let document = DeTable::parse(text).map_err(|error| syntax(&error, text, start))?;
    let value = Value::Table(entries(document.get_ref(), start)?);
    Ok(Node { value, span: start..start })
}

/// Reads one value that begins at `start` of the sources. A bare word or quantity is a string.
pub(crate) fn read_value(text: &str, start: usize) -> Result<Node, Refusal> {
    match DeValue::parse(text) {
        Ok(value) => node(value.get_ref(), &value.span(), start),
        Err(error) if text.starts_with(['{', '[', '"', '\'']) => Err(syntax(&error, text, start)),
        Err(_) => Ok(Node { value: Value::Text(text.trim().into()), span: start..start + text.len() }),
    }
}

fn shift(span: &Span, start: usize) -> Span {
    span.start + start..span.end + start
}

fn syntax(error: &Error, text: &str, start: usize) -> Refusal {
    let span = error.span().unwrap_or(text.len()..text.len());
    // The parser lists what it expected on further lines; one line is enough here.
    let message = error.message().replace('\n', ", ");
    Refusal::new(shift(&span, start), message, "")
}

fn entries(table: &DeTable<'_>, start: usize) -> Result<Vec<Entry>, Refusal> {
    let mut entries = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let node =
            node(value.get_ref(), &value.span(), start).map_err(|refusal| refusal.within(name.as_str()))?;
        entries.push(Entry { key: name, span: shift(&key.span(), start), node });
    }
    // The parser's table is in alphabetical order; mistakes shall be reported in the order written.
    entries.sort_by_key(|entry| entry.span.start);
    Ok(entries)
}

fn node(value: &DeValue<'_>, span: &Span, start: usize) -> Result<Node, Refusal> {
    let span = shift(span, start);
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => return Err(Refusal::new(span, format!("the number {number} is too large"), "")),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => return Err(Refusal::new(span, format!("{number} is no number"), "")),
        },
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .enumerate()
                .map(|(i, item)| {
                    node(item.get_ref(), &item.span(), start).map_err(|refusal| refusal.within(i.to_string()))
                })
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => Value::Table(entries(table, start)?),
    };
    Ok(Node { value, span })
}
