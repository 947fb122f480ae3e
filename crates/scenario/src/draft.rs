//! A scenario's text as written, with the values set over it; not yet validated.

use farlink_kernel::config::{Diagnostic, Entry, Node, Span, Value, unknown};

use crate::document::Document;
use crate::error::{Error, Sources};
use crate::text;

/// How a value given on the command line names itself in messages.
const SET: &str = "--set";
/// What stands in a path for every item of a list.
const EVERY: &str = "*";

/// Parsed text, not yet validated.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) root: Node,
    pub(crate) sources: Sources,
}

impl Draft {
    /// Reads TOML; `origin` is the file's name for messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        let mut sources = Sources::default();
        let start = sources.add(origin, text);
        match text::read_document(text, start) {
            Ok(root) => Ok(Self { root, sources }),
            Err(diagnostic) => Err(sources.error(diagnostic)),
        }
    }

    /// Sets the value at a dotted path such as `flows.0.tcp.congestion_control`: a TOML value, or a bare
    /// word or quantity, which needs no quotes. Missing tables on the path are made; `*` is every item of a list.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let start = self.sources.add(SET, &format!("{path}={value}"));
        let mut at = start;
        let mut keys = Vec::new();
        for key in path.split('.') {
            keys.push((key, at..at + key.len()));
            at += key.len() + 1;
        }
        let setting = Setting { value, start: at, has_topology: self.root.get("topology").is_some() };
        setting.put(&mut self.root, &keys).map_err(|diagnostic| self.sources.error(diagnostic))
    }
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
        match &mut node.value {
            Value::Table(entries) if entries.is_empty() && (is_every || key.parse::<usize>().is_ok()) => {
                Err(self.no_item(node, span.clone()))
            }
            Value::List(items) if is_every => items.iter_mut().try_for_each(|item| self.put(item, rest)),
            _ if is_every => {
                let message = format!("`*` stands for every item of a list; here is {}", node.what());
                Err(Diagnostic { span: span.clone(), ..node.refuse(message, "name the key") })
            }
            _ => self.put(step(node, key, span)?, rest),
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
            let count = items.len();
            let refuse = |message| place.refuse(message, "items are counted from 0");
            let index: usize =
                key.parse().map_err(|_| refuse(format!("`{key}` is not the number of an item")))?;
            items
                .get_mut(index)
                .ok_or_else(|| refuse(format!("there is no item {index}: the list has {count}")))
        }
        _ => Err(place.refuse(format!("nothing can be set inside {what}"), "")),
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
