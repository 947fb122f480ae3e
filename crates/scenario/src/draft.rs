//! A scenario's text as written, with the values set over it; not yet validated.

use farlink_kernel::config::{Diagnostic, Entry, Node, Span, Value, unknown};

use crate::document::Document;
use crate::error::{Error, Sources};
use crate::text;

mod defaults;
mod items;
mod write;

/// How a value given on the command line names itself in messages.
const SET: &str = "--set";
/// What stands in a path for every item of a list.
const EVERY: &str = "*";
/// What stands in a path for a further item of a list.
const FURTHER: &str = "+";

/// Parsed text, not yet validated.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) root: Node,
    pub(crate) sources: Sources,
}

impl Draft {
    /// Reads TOML; `origin` is the file's name for messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        // Editors of Windows begin a file with a byte order mark, which is no column of its first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut sources = Sources::default();
        let start = sources.add(origin, text);
        match text::read_document(text, start) {
            Ok(root) => Ok(Self { root, sources }),
            Err(diagnostic) => Err(sources.error(diagnostic)),
        }
    }

    /// Sets the value at a dotted path such as `flows.0.tcp.congestion_control`: a TOML value, or a bare
    /// word or quantity, which needs no quotes. Missing tables on the path are made. An item of a list stands in the
    /// path by its number or its label; `*` is every item, `+` a further one.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let start = self.sources.add(SET, &format!("{path}={value}"));
        self.put(&keys(path, start), value, start + path.len() + 1)
    }

    /// Sets a value like [`Self::set`]; messages show the value alone, as the text of `call`.
    pub fn set_by(&mut self, call: &str, path: &str, value: &str) -> Result<(), Error> {
        let start = self.sources.add(call, value);
        let keys: Vec<_> = path.split('.').map(|key| (key, start..start + value.len())).collect();
        self.put(&keys, value, start)
    }

    fn put(&mut self, keys: &[(&str, Span)], value: &str, start: usize) -> Result<(), Error> {
        let setting = Setting { value, start, has_topology: self.root.get("topology").is_some() };
        setting.put(&mut self.root, keys).map_err(|diagnostic| self.sources.error(diagnostic))
    }

    /// The dotted path with numbers in place of the labels of items; numbers are not checked.
    pub fn path(&self, path: &str) -> Result<String, Error> {
        let mut sources = self.sources.clone();
        let start = sources.add(SET, path);
        let mut node = Some(&self.root);
        let mut resolved = Vec::new();
        for (key, span) in keys(path, start) {
            let number = match node.map(|node| (node, &node.value)) {
                Some((list, Value::List(items))) if is_label(key) => {
                    let place = items::place(list, items, key, &span);
                    Some(place.map_err(|diagnostic| sources.error(diagnostic))?.to_string())
                }
                _ => None,
            };
            let key = number.unwrap_or_else(|| key.into());
            node = node.and_then(|node| node.get(&key));
            resolved.push(key);
        }
        Ok(resolved.join("."))
    }
}

/// The keys of a dotted path that begins at `start` of the sources.
fn keys(path: &str, start: usize) -> Vec<(&str, Span)> {
    let mut at = start;
    let place = |key: &str| {
        let span = at..at + key.len();
        at = span.end + 1;
        span
    };
    path.split('.').zip(path.split('.').map(place)).collect()
}

struct Setting<'a> {
    value: &'a str,
    /// Where the value begins in the sources.
    start: usize,
    has_topology: bool,
}

impl Setting<'_> {
    /// Puts the value below `node`, where `keys` lead.
    fn put(&self, node: &mut Node, keys: &[(&str, Span)]) -> Result<(), Diagnostic> {
        let Some(((key, span), rest)) = keys.split_first() else {
            *node = text::read_value(self.value, self.start, node.key.clone())?;
            return Ok(());
        };
        let is_every = *key == EVERY;
        if *key == FURTHER {
            return self.put(add(node, span)?, rest);
        }
        match &mut node.value {
            Value::Table(entries) if entries.is_empty() && (is_every || key.parse::<usize>().is_ok()) => {
                Err(self.no_item(node, span.clone()))
            }
            Value::List(items) if is_every => items.iter_mut().try_for_each(|item| self.put(item, rest)),
            _ if is_every => {
                let message = format!("`*` stands for every item of a list; here is {}", node.what());
                Err(Diagnostic { span: span.clone(), ..node.refuse(message, "name the key") })
            }
            _ => {
                let next = step(node, key, span)?;
                if let Some((parameter, _)) = rest.first() {
                    defaults::name_model(next, parameter, span);
                }
                self.put(next, rest)
            }
        }
    }

    /// The diagnostic of an item of `list`, which is not written, or comes from a topology.
    fn no_item(&self, list: &Node, span: Span) -> Diagnostic {
        let fields = Document::fields();
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let (table, name) = list.key.rsplit_once('.').unwrap_or(("", &list.key));
        if table.is_empty() && !known.contains(&name) {
            let before = span.start - 1;
            return Diagnostic { span: before - name.len()..before, ..unknown(name, "key", list, &known) };
        }
        let remedy = match name {
            "links" if self.has_topology => {
                "its links come from the topology: set topology.link.rate, .delay, ..".into()
            }
            "nodes" if self.has_topology => {
                "its nodes come from the topology: set topology.nodes, .rows, ..".into()
            }
            _ => format!("write [[{name}]] in the file, or set {name} to a list"),
        };
        Diagnostic { span, ..list.refuse(format!("the scenario has no list `{name}`"), remedy) }
    }
}

/// The node under `key`, which stands at `span`; a table or a list's next item is made where there is none.
fn step<'a>(node: &'a mut Node, key: &str, span: &Span) -> Result<&'a mut Node, Diagnostic> {
    let place = Node { span: span.clone(), ..node.with(Value::Table(Vec::new())) };
    if key.is_empty() {
        return Err(place.refuse("a path with an empty key", "write KEY.KEY=VALUE"));
    }
    // A model without parameters is written as a bare name: give it a table to take some.
    if let (Value::Text(word), false) = (&node.value, key == "name") {
        let name = Node { key: node.key_of("name"), ..node.clone() };
        let entry = Entry { key: "name".into(), span: node.span.clone(), node: name };
        match word.as_str() {
            "none" => node.value = Value::Table(Vec::new()),
            word if is_name(word) => node.value = Value::Table(vec![entry]),
            _ => {}
        }
    }
    let what = node.what();
    match &mut node.value {
        Value::Table(entries) => {
            let position = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
                let node = Node { key: place.key_of(key), ..place };
                entries.push(Entry { key: key.into(), span: span.clone(), node });
                entries.len() - 1
            });
            Ok(&mut entries[position].node)
        }
        Value::List(items) => {
            let number = items::place(&place, items, key, span)?;
            Ok(&mut items[number])
        }
        _ => Err(place.refuse(format!("nothing can be set inside {what}"), "")),
    }
}

/// True for what is neither a number nor stands for several items.
fn is_label(key: &str) -> bool {
    key != EVERY && key != FURTHER && key.parse::<usize>().is_err()
}

/// A further item of the list `node`, which is made where there is none; `span` is where the path asks for it.
fn add<'a>(node: &'a mut Node, span: &Span) -> Result<&'a mut Node, Diagnostic> {
    if matches!(&node.value, Value::Table(entries) if entries.is_empty()) {
        node.value = Value::List(Vec::new());
    }
    let place = Node { span: span.clone(), ..node.with(Value::Table(Vec::new())) };
    let what = node.what();
    let Value::List(items) = &mut node.value else {
        return Err(place.refuse(format!("`+` adds an item to a list; here is {what}"), "name the key"));
    };
    items.push(Node { key: place.key_of(&items.len().to_string()), ..place });
    let last = items.len() - 1;
    Ok(&mut items[last])
}

/// True for what a model can be called: no quantity, no sentence.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests;
