//! The items of a list, by number or by label.
//!
//! A flow and a workload are called by their `label`, a node and a channel by their `name`, a link by its ends: `a-b`. A number comes
//! first: a node called `7` is reached by its number only.

use farlink_kernel::config::{Diagnostic, Node, Span, unknown};

use crate::document::{default_channel, default_label};
use crate::workload;

/// The place in `list`, which has these `items`, of the one that `key`, at `span`, names.
pub(super) fn place(list: &Node, items: &[Node], key: &str, span: &Span) -> Result<usize, Diagnostic> {
    let refuse = |message: String, remedy: String| Diagnostic {
        key: list.key_of(key),
        span: span.clone(),
        ..list.refuse(message, remedy)
    };
    if let Ok(number) = key.parse::<usize>() {
        let count = items.len();
        let message = || format!("there is no item {number}: the list has {count}");
        let remedy = || "items are counted from 0".into();
        return if number < count { Ok(number) } else { Err(refuse(message(), remedy())) };
    }
    let labels: Vec<Labels> = items.iter().enumerate().map(|(i, item)| Labels::of(list, item, i)).collect();
    let found: Vec<usize> = (0..items.len()).filter(|&i| labels[i].is(key)).collect();
    match found[..] {
        [only] => Ok(only),
        [] => {
            let mut known: Vec<&str> =
                labels.iter().filter_map(|label| label.0.first()).map(String::as_str).collect();
            known.dedup();
            let remedy = if known.is_empty() {
                "items are counted from 0".into()
            } else {
                unknown(key, "item", list, &known).remedy
            };
            Err(refuse(format!("no item of the list is called `{key}`"), remedy))
        }
        _ => {
            let numbers: Vec<String> = found.iter().map(usize::to_string).collect();
            let message = format!("{} items of the list are called `{key}`", found.len());
            Err(refuse(message, format!("write the number: {}", numbers.join(" or "))))
        }
    }
}

/// What an item is called; a link by its ends in both orders.
struct Labels(Vec<String>);

impl Labels {
    fn of(list: &Node, item: &Node, place: usize) -> Self {
        let text = |key| {
            item.get(key).and_then(|value| value.as_text("a text").ok()).filter(|text| !text.is_empty())
        };
        let ends = |number| item.get("between")?.get(number)?.as_text("a text").ok();
        Self(match &*list.key {
            "flows" => vec![text("label").map_or_else(|| default_label(place), Into::into)],
            "workloads" => vec![text("label").map_or_else(|| workload::default_label(place), Into::into)],
            "channels" => vec![text("name").map_or_else(default_channel, Into::into)],
            "links" => match (ends("0"), ends("1")) {
                (Some(a), Some(b)) => vec![format!("{a}-{b}"), format!("{b}-{a}")],
                _ => Vec::new(),
            },
            _ => text("name").map(Into::into).into_iter().collect(),
        })
    }

    fn is(&self, key: &str) -> bool {
        self.0.iter().any(|label| label == key)
    }
}
