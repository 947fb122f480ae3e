//! A draft as TOML: what was written and set, without defaults.

use std::fmt::Write;

use farlink_kernel::config::{Entry, Node, Value};

use super::Draft;

impl Draft {
    /// The draft as TOML that reads back as the same scenario: values first, then a section for each table.
    pub fn to_toml(&self) -> String {
        let Value::Table(entries) = &self.root.value else { return String::new() };
        let (sections, values): (Vec<&Entry>, _) = entries.iter().partition(|entry| is_section(&entry.node));
        let mut text = String::new();
        lines(&mut text, values);
        for entry in sections {
            let (key, node) = (entry.show_key(), &entry.node);
            if let Value::List(items) = &node.value {
                for item in items {
                    section(&mut text, &format!("[[{key}]]"), item);
                }
            } else {
                section(&mut text, &format!("[{key}]"), node);
            }
        }
        text
    }
}

fn is_table(node: &Node) -> bool {
    matches!(node.value, Value::Table(_))
}

fn is_section(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => !items.is_empty() && items.iter().all(is_table),
        _ => is_table(node),
    }
}

fn section(text: &mut String, header: &str, table: &Node) {
    if let Value::Table(entries) = &table.value {
        writeln!(text, "\n{header}").expect("a string takes all");
        lines(text, entries.iter().collect());
    }
}

fn lines(text: &mut String, entries: Vec<&Entry>) {
    for entry in entries {
        writeln!(text, "{} = {}", entry.show_key(), entry.node.show()).expect("a string takes all");
    }
}
