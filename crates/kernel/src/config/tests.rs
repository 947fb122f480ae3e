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
        pub size: Option<Bytes> = None,
    }
}

fn table(entries: &[(&str, Value)]) -> Node {
    let entry = |(i, (key, value)): (usize, &(&str, Value))| Entry {
        key: (*key).into(),
        span: i * 10..i * 10 + 3,
        node: Node { value: value.clone(), span: i * 10 + 5..i * 10 + 8 },
    };
    Node { value: Value::Table(entries.iter().enumerate().map(entry).collect()), span: 0..0 }
}

#[test]
fn absent_keys_take_their_defaults() {
    let config = Config::read(&table(&[("side", Value::Text("right".into()))])).unwrap();
    assert_eq!(config, Config { side: Side::Right, ..Config::default() });
}

#[test]
fn an_unknown_key_is_refused_at_its_place_with_the_nearest_one() {
    let refusal = Config::read(&table(&[("wiat", Value::Integer(1))])).unwrap_err();
    assert_eq!((refusal.span.clone(), refusal.remedy.as_str()), (0..3, "did you mean `wait`?"));
}

#[test]
fn a_bad_value_is_refused_at_the_value_and_names_the_path() {
    let refusal = Config::read(&table(&[("wait", Value::Text("5 parsecs".into()))])).unwrap_err();
    assert_eq!((refusal.span.clone(), refusal.path.clone()), (5..8, vec!["wait".to_owned()]));
    assert!(refusal.message.contains("parsecs"), "{}", refusal.message);
}

#[test]
fn what_is_shown_can_be_read_again() {
    assert_eq!(Config::default().show(), "{ wait = \"25 ms\", side = \"left\", size = \"none\" }");
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
