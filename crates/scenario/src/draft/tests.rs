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
    let mut draft = Draft::parse("[[flows]]\ntcp = { congestion_control = \"hybla\" }", "a.toml").unwrap();
    draft.set("flows.0.tcp.congestion_control.rtt0", "50 ms").unwrap();
    let Some(Node { value: Value::List(flows), .. }) = draft.root.get("flows") else { panic!("no flows") };
    let model = flows[0].get("tcp").and_then(|tcp| tcp.get("congestion_control")).unwrap();
    assert_eq!(model.get("name").unwrap().value, Value::Text("hybla".into()));
    assert_eq!(model.get("rtt0").unwrap().value, Value::Text("50 ms".into()));
}

#[test]
fn a_star_sets_every_item_of_a_list() {
    let mut draft = Draft::parse("[[flows]]\n[[flows]]\nx = 1", "a.toml").unwrap();
    draft.set("flows.*.tcp.ecn", "true").unwrap();
    let Some(Node { value: Value::List(flows), .. }) = draft.root.get("flows") else { panic!("no flows") };
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

const LABELLED: &str = r#"
nodes = [{ name = "a" }, { name = "b" }, { name = "7" }]
links = [{ between = ["a", "b"] }, { between = ["b", "7"] }, { between = ["a", "b"] }]
channels = [{}]
flows = [{ from = "a" }, { label = "transfer" }]
"#;

#[test]
fn an_item_stands_in_a_path_by_its_label() {
    let path = |path| Draft::parse(LABELLED, "a.toml").unwrap().path(path).unwrap();
    assert_eq!(path("flows.transfer.tcp.congestion_control"), "flows.1.tcp.congestion_control");
    assert_eq!(path("flows.flow0.tcp"), "flows.0.tcp");
    assert_eq!(path("nodes.b.position"), "nodes.1.position");
    assert_eq!(path("links.b-7.rate"), "links.1.rate");
    assert_eq!(path("links.7-b.reverse.rate"), "links.1.reverse.rate");
    assert_eq!(path("channels.radio.mac"), "channels.0.mac");
    assert_eq!(path("nodes.1.name"), "nodes.1.name");
    assert_eq!(path("flows.*.tcp"), "flows.*.tcp");
    assert_eq!(path("record.interval"), "record.interval");
    assert_eq!(after(LABELLED, "flows.1.start", "1 s").unwrap().key.as_ref(), "flows.1.start");
    let mut draft = Draft::parse(LABELLED, "a.toml").unwrap();
    draft.set("flows.transfer.start", "1 s").unwrap();
    assert!(draft.to_toml().ends_with("[[flows]]\nlabel = \"transfer\"\nstart = \"1 s\"\n"));
}

#[test]
fn an_unknown_or_ambiguous_label_is_refused_with_the_known_ones() {
    let refused = |path| Draft::parse(LABELLED, "a.toml").unwrap().set(path, "x").unwrap_err();
    let error = refused("flows.transfr.start");
    assert_eq!((error.key.as_str(), error.column, error.width), ("flows.transfr", 7, 7));
    assert_eq!(error.remedy, "did you mean `transfer`?");
    assert_eq!(refused("flows.upload.start").remedy, "known: flow0, transfer");
    let error = refused("links.a-b.rate");
    assert_eq!(error.message, "2 items of the list are called `a-b`");
    assert_eq!(error.remedy, "write the number: 0 or 2");
    let error = after("[[flows]]\ntcp = 1\nx = [1]", "flows.0.x.first", "2").unwrap_err();
    assert_eq!(error.remedy, "items are counted from 0");
}

#[test]
fn a_plus_adds_an_item_to_a_list() {
    let mut draft = Draft::parse("name = \"a\"\n[[nodes]]\nname = \"a\"", "a.toml").unwrap();
    draft.set_by("node(\"b\")", "nodes.+", "{ name = \"b\" }").unwrap();
    draft.set("flows.+", "{ from = \"a\" }").unwrap();
    draft.set("flows.0.to", "b").unwrap();
    let text = "name = \"a\"\n\n[[nodes]]\nname = \"a\"\n\n[[nodes]]\nname = \"b\"\n\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n";
    assert_eq!(draft.to_toml(), text);
    let error = draft.set_by("node(1)", "name.+", "1").unwrap_err();
    assert_eq!((error.file.as_str(), error.key.as_str()), ("node(1)", "name"));
    assert!(error.message.contains("adds an item to a list; here is \"a\""), "{error}");
}

#[test]
fn any_key_and_number_reads_back_from_the_written_text() {
    let mut draft = Draft::parse("\"a b\" = nan\n[\"[c\"]\n\"\" = { \"d\\n\" = -inf }\n", "a.toml").unwrap();
    draft.set("e f.g=", "1").unwrap();
    let text = "\"a b\" = nan\n\n[\"[c\"]\n\"\" = { \"d\\n\" = -inf }\n\n[\"e f\"]\n\"g=\" = 1\n";
    assert_eq!(draft.to_toml(), text);
    assert_eq!(Draft::parse(text, "again.toml").unwrap().to_toml(), text);
}

#[test]
fn a_parameter_is_set_on_the_default_model_where_that_has_it() {
    let text = "[[links]]\nbetween = [\"a\", \"b\"]";
    let queue = |path, value| after(text, path, value).map(|node| node.value);
    assert_eq!(queue("links.0.queue.limit", "100"), Ok(Value::Integer(100)));
    assert_eq!(queue("links.0.queue.name", "red"), Ok(Value::Text("red".into())));
    let named = |path: &str, table: &str| {
        let mut draft = Draft::parse(text, "a.toml").unwrap();
        draft.set(path, "1").unwrap();
        let node = table.split('.').fold(draft.root, |node, key| node.get(key).unwrap().clone());
        node.get("name").map(|name| name.value.clone())
    };
    assert_eq!(named("links.0.queue.limit", "links.0.queue"), Some(Value::Text("drop_tail".into())));
    assert_eq!(
        named("links.0.queue.min_threshold", "links.0.queue"),
        None,
        "the default has no such parameter"
    );
    assert_eq!(named("radio.mac.retries", "radio.mac"), Some(Value::Text("aloha".into())));
    // What these are by default depends on the preset and on the other direction.
    assert_eq!(named("flows.tcp.congestion_control.c", "flows.tcp.congestion_control"), None);
    assert_eq!(named("links.0.reverse.queue.limit", "links.0.reverse.queue"), None);
}
