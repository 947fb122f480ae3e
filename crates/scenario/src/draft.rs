//! A scenario's text as written, with the values set over it; not yet validated.

use farlink_kernel::config::{Entry, Node, Refusal, Span, Value, unknown};

use crate::document::Document;
use crate::error::{Error, Sources};
use crate::scenario::Scenario;
use crate::text;

/// How a value given on the command line names itself in messages.
const SET: &str = "--set";
/// What stands in a path for every item of a list.
const EVERY: &str = "*";

/// Where the files a scenario mentions come from: this crate opens none itself.
pub trait Files {
    /// The content of the file at `path` as written in the scenario, or why it cannot be had.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// Parsed text, not yet validated.
#[derive(Clone, Debug)]
pub struct Draft {
    root: Node,
    sources: Sources,
}

impl Draft {
    /// Reads TOML; `origin` is the file's name for messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        let mut sources = Sources::default();
        let start = sources.add(origin, text);
        match text::read_document(text, start) {
            Ok(root) => Ok(Self { root, sources }),
            Err(refusal) => Err(sources.error(refusal)),
        }
    }

    /// Sets the value at a dotted path such as `flows.0.tcp.congestion_control`: a TOML value, or a bare
    /// word or quantity, which needs no quotes. Missing tables on the way are made; `*` is every item of a list.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let start = self.sources.add(SET, &format!("{path}={value}"));
        let set = text::read_value(value, start + path.len() + 1)
            .map_err(|refusal| refusal.within(path))
            .and_then(|node| set(&mut self.root, path, start, &node));
        set.map_err(|refusal| self.sources.error(refusal))
    }

    /// Checks everything and reads the files the scenario mentions.
    pub fn validate(mut self, files: &dyn Files) -> Result<Scenario, Error> {
        Scenario::read(&self.root, &mut self.sources, files).map_err(|refusal| self.sources.error(refusal))
    }
}

/// Walks `path`, which stands at `start` of the sources, and puts `new` at its end, or ends: `*` stands for every
/// item of a list.
fn set(root: &mut Node, path: &str, start: usize, new: &Node) -> Result<(), Refusal> {
    let mut at = start;
    let mut keys = Vec::new();
    for key in path.split('.') {
        keys.push((key, at..at + key.len()));
        at += key.len() + 1;
    }
    let has_topology = root.get("topology").is_some();
    let mut walked = Vec::new();
    put(root, &keys, new, has_topology, &mut walked).map_err(|refusal| Refusal { path: walked, ..refusal })
}

/// Puts `new` below `node`, where `keys` lead; `walked` is the way to `node`, after a refusal to where it happened.
fn put(
    node: &mut Node,
    keys: &[(&str, Span)],
    new: &Node,
    has_topology: bool,
    walked: &mut Vec<String>,
) -> Result<(), Refusal> {
    let Some(((key, span), rest)) = keys.split_first() else {
        *node = new.clone();
        return Ok(());
    };
    let is_every = *key == EVERY;
    match &mut node.value {
        Value::Table(entries) if entries.is_empty() && (is_every || key.parse::<usize>().is_ok()) => {
            Err(unwritten(walked, span.clone(), has_topology))
        }
        Value::List(items) if is_every => {
            for (index, item) in items.iter_mut().enumerate() {
                walked.push(index.to_string());
                put(item, rest, new, has_topology, walked)?;
                walked.pop();
            }
            Ok(())
        }
        _ if is_every => {
            let message = format!("`*` stands for every item of a list; here is {}", node.what());
            Err(Refusal::new(span.clone(), message, "name the key"))
        }
        _ => {
            let next = step(node, key, span.clone())?;
            walked.push((*key).into());
            put(next, rest, new, has_topology, walked)?;
            walked.pop();
            Ok(())
        }
    }
}

/// The refusal of an item of a list, to which `walked` leads, that is not written, or was laid out from a topology.
fn unwritten(walked: &[String], span: Span, has_topology: bool) -> Refusal {
    let list = walked.last().map_or("", String::as_str);
    let fields = Document::fields();
    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
    if walked.len() == 1 && !known.contains(&list) {
        let before = span.start - 1;
        return unknown(list, "key", before - list.len()..before, &known);
    }
    let remedy = match list {
        "links" if has_topology => {
            "its links come from the topology: set topology.link.rate, .delay, ..".into()
        }
        "nodes" if has_topology => "its nodes come from the topology: set topology.nodes, .rows, ..".into(),
        _ => format!("write [[{list}]] in the file, or set {list} to a list"),
    };
    Refusal::new(span, format!("the scenario has no list `{list}`"), remedy)
}

/// The node under `key`; a table or a list's next item is made where there is none.
fn step<'a>(node: &'a mut Node, key: &str, span: Span) -> Result<&'a mut Node, Refusal> {
    if key.is_empty() {
        return Err(Refusal::new(span, "a path with an empty key", "write KEY.KEY=VALUE"));
    }
    // A model without parameters is written as a bare name: give it a table to take some.
    if let (Value::Text(word), false) = (&node.value, key == "name") {
        let entry = Entry { key: "name".into(), span: node.span.clone(), node: node.clone() };
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
                let node = Node { value: Value::Table(Vec::new()), span: span.clone() };
                entries.push(Entry { key: key.into(), span, node });
                entries.len() - 1
            });
            Ok(&mut entries[position].node)
        }
        Value::List(items) => {
            let count = items.len();
            let refuse = |message| Refusal::new(span.clone(), message, "items are counted from 0");
            let index: usize =
                key.parse().map_err(|_| refuse(format!("`{key}` is not the number of an item")))?;
            items
                .get_mut(index)
                .ok_or_else(|| refuse(format!("there is no item {index}: the list has {count}")))
        }
        _ => Err(Refusal::new(span, format!("nothing can be set inside {what}"), "")),
    }
}

/// True for what a model can be called: no quantity, no sentence.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, path: &str, value: &str) -> Result<Node, Error> {
        let mut draft = Draft::parse(text, "a.toml")?;
        draft.set(path, value)?;
        Ok(path.split('.').fold(draft.root, |node, key| match node.value {
            Value::List(mut items) => items.swap_remove(key.parse().unwrap()),
            _ => node.get(key).unwrap().clone(),
        }))
    }

    #[test]
    fn bare_words_and_quantities_are_strings_and_toml_is_toml() {
        let value = |value| after("", "x", value).unwrap().value;
        assert_eq!(value("hybla"), Value::Text("hybla".into()));
        assert_eq!(value("100 ms"), Value::Text("100 ms".into()));
        assert_eq!(value("\"a b\""), Value::Text("a b".into()));
        assert_eq!(value("7"), Value::Integer(7));
        assert_eq!(value("1e-7"), Value::Float(1e-7));
        assert_eq!(value("true"), Value::Bool(true));
        assert!(matches!(value("{ name = \"red\" }"), Value::Table(_)));
    }

    #[test]
    fn missing_tables_are_made_and_bare_models_take_parameters() {
        assert_eq!(after("", "record.interval", "1 s").unwrap().value, Value::Text("1 s".into()));
        let mut draft =
            Draft::parse("[[flows]]\ntcp = { congestion_control = \"hybla\" }", "a.toml").unwrap();
        draft.set("flows.0.tcp.congestion_control.rtt0", "50 ms").unwrap();
        let Some(Node { value: Value::List(flows), .. }) = draft.root.get("flows") else {
            panic!("no flows")
        };
        let model = flows[0].get("tcp").and_then(|tcp| tcp.get("congestion_control")).unwrap();
        assert_eq!(model.get("name").unwrap().value, Value::Text("hybla".into()));
        assert_eq!(model.get("rtt0").unwrap().value, Value::Text("50 ms".into()));
    }

    #[test]
    fn a_star_sets_every_item_of_a_list() {
        let mut draft = Draft::parse("[[flows]]\n[[flows]]\nx = 1", "a.toml").unwrap();
        draft.set("flows.*.tcp.ecn", "true").unwrap();
        let Some(Node { value: Value::List(flows), .. }) = draft.root.get("flows") else {
            panic!("no flows")
        };
        let is_set = |flow: &Node| flow.get("tcp").and_then(|tcp| tcp.get("ecn")).unwrap().value.clone();
        assert_eq!(flows.iter().map(is_set).collect::<Vec<_>>(), [Value::Bool(true), Value::Bool(true)]);
        let error = after("[[flows]]\ntcp = 1", "flows.*.tcp.ecn", "true").unwrap_err();
        assert_eq!(error.key, "flows.0.tcp");
        assert!(after("x = 1", "flows.*.tcp", "y").unwrap_err().message.contains("no list `flows`"));
        let error = after("[flows]\na = 1", "flows.*.tcp", "y").unwrap_err();
        assert!(error.message.contains("every item of a list"), "{error}");
    }

    #[test]
    fn an_item_that_is_not_there_is_refused_at_its_place_in_the_path() {
        let error = after("[[flows]]", "flows.3.tcp", "x").unwrap_err();
        assert_eq!((error.file.as_str(), error.column, error.width), ("--set", 7, 1));
        assert!(error.message.contains("the list has 1"), "{error}");
    }
}
