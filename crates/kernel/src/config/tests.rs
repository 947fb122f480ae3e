#![allow(unreachable_pub)]
use super::*;
use crate::time::Duration;
use crate::units::Bytes;

crate::choice! {
    /// A choice.
    pub enum Side {
        /// Left.
        Left = "left",
        /// Right.
        Right = "right",
    }
}

crate::config! {
    /// Parameters of a test.
    pub struct Config {
        /// A wait. Unit: duration.
        pub wait: Duration = Duration::from_millis(25),
        /// A side.
        pub side: Side = Side::Left,
        /// Maybe a size.
        pub size: Option<Bytes> = None; in Bytes(2)..=Bytes(8),
        /// A gain.
        pub gain: f64 = 1.0; in above(0.0),
        /// A larger gain.
        pub most: f64 = 2.0,
    }
    where gain < most
}

crate::config! {
    /// Parameters with a preset.
    pub struct Tuned {
        /// The source of the values.
        pub preset: Side = Side::Left,
        /// A wait.
        pub wait: Duration = Duration::from_millis(25); with Right = Duration::from_millis(50),
        /// A size.
        pub size: Bytes = Bytes(1),
    }
    preset Side
}

#[test]
fn a_preset_comes_first_wherever_it_is_written() {
    let word = |word: &str| Value::Text(word.into());
    let read = |entries: &[(&str, Value)]| Tuned::read(&table(entries)).unwrap();
    assert_eq!(read(&[("preset", word("right"))]), Tuned::of(Side::Right));
    assert_eq!(Tuned::of(Side::Right).wait, Duration::from_millis(50));
    let tuned = read(&[("wait", word("1 s")), ("size", word("3 B")), ("preset", word("right"))]);
    let expected = Tuned { preset: Side::Right, wait: Duration::from_secs(1), size: Bytes(3) };
    assert_eq!(tuned, expected);
    let diagnostic = Tuned::read(&table(&[("preset", word("rihgt"))])).unwrap_err();
    assert_eq!((&*diagnostic.key, diagnostic.remedy.as_str()), ("preset", "did you mean `right`?"));
}

fn table(entries: &[(&str, Value)]) -> Node {
    let entry = |(i, (key, value)): (usize, &(&str, Value))| Entry {
        key: (*key).into(),
        span: i * 10..i * 10 + 3,
        node: Node { value: value.clone(), span: i * 10 + 5..i * 10 + 8, key: (*key).into() },
    };
    Node::new(Value::Table(entries.iter().enumerate().map(entry).collect()))
}

#[test]
fn absent_keys_take_their_defaults() {
    let config = Config::read(&table(&[("side", Value::Text("right".into()))])).unwrap();
    assert_eq!(config, Config { side: Side::Right, ..Config::default() });
}

#[test]
fn an_unknown_key_is_refused_at_its_place_with_the_nearest_one() {
    let diagnostic = Config::read(&table(&[("wiat", Value::Integer(1))])).unwrap_err();
    assert_eq!((diagnostic.span.clone(), diagnostic.remedy.as_str()), (0..3, "did you mean `wait`?"));
}

#[test]
fn of_very_many_known_words_the_closest_are_listed_and_the_others_counted() {
    let names: Vec<String> = (0..10_000).map(|number| format!("n{number}")).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let diagnostic = unknown("gateway", "node", &Node::text(""), &known);
    assert_eq!(diagnostic.remedy, "known: n0, n1, n2, n3, n4 and 9995 others");
    let remedy = unknown("n12345", "node", &Node::text(""), &known).remedy;
    assert_eq!(remedy, "known: n1234, n1235, n1245, n1345, n2345 and 9995 others");
    assert_eq!(unknown("gateway", "node", &Node::text(""), &known[..3]).remedy, "known: n0, n1, n2");
    assert_eq!(unknown("2.0", "node", &Node::text(""), &["0.0", "0.1"]).remedy, "known: 0.0, 0.1");
}

#[test]
fn a_bad_value_is_refused_at_the_value_and_names_the_path() {
    let diagnostic = Config::read(&table(&[("wait", Value::Text("5 parsecs".into()))])).unwrap_err();
    assert_eq!((diagnostic.span.clone(), &*diagnostic.key), (5..8, "wait"));
    assert!(diagnostic.message.contains("parsecs"), "{}", diagnostic.message);
}

#[test]
fn what_is_shown_can_be_read_again() {
    assert_eq!(
        Config::default().show(),
        "{ wait = \"25 ms\", side = \"left\", size = \"none\", gain = 1.0, most = 2.0 }"
    );
    assert_eq!(Option::<Bytes>::read(&Node::text("none")), Ok(None));
}

#[test]
fn fields_carry_their_docs_and_defaults() {
    let fields = Config::fields();
    assert_eq!(fields[0].doc, "A wait. Unit: duration.");
    assert_eq!(fields[0].default.as_deref(), Some("\"25 ms\""));
}

#[test]
fn quantities_that_would_overflow_the_engine_are_refused() {
    assert!(Duration::read(&Node::text("1e30 s")).unwrap_err().message.contains("100 years"));
    assert!(Bytes::read(&Node::text("1e30 GB")).is_err());
    assert!(Duration::read(&Node::text("1 h")).is_ok());
}

#[test]
fn what_is_out_of_bounds_or_out_of_order_is_refused_at_its_place() {
    let diagnostic = |entries: &[(&str, Value)]| Config::read(&table(entries)).unwrap_err();
    let zero = diagnostic(&[("gain", Value::Float(0.0))]);
    assert_eq!((zero.message.as_str(), zero.span), ("expected more than 0.0, found the number 0", 5..8));
    let size = diagnostic(&[("size", Value::Text("9 B".into()))]);
    assert_eq!(size.message, "expected at least \"2 B\" and at most \"8 B\", found \"9 B\"");
    assert_eq!(&*size.key, "size");
    let order = diagnostic(&[("wait", Value::Text("1 s".into())), ("most", Value::Float(0.5))]);
    assert_eq!((order.message.as_str(), order.span), ("gain = 1.0 with most = 0.5", 15..18));
    assert_eq!((order.remedy.as_str(), &*order.key), ("keep gain < most", "most"));
}

#[test]
fn bounds_are_part_of_the_kind_and_absence_is_within_all() {
    let Kind::Within(_, words) = &Config::fields()[3].kind else { panic!("gain has bounds") };
    assert_eq!(words, "more than 0.0");
    assert_eq!(Config::read(&table(&[("size", Value::Text("none".into()))])).unwrap().size, None);
}
