//! What differs between kept and found hashes, as a text for people.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::column::Summary;
use crate::run::{Columns, Name};

/// The columns that differ, with their means before and after, in the order of their names.
#[derive(Debug, Default, PartialEq)]
pub struct Differences {
    /// Other hashes than before.
    pub changed: Vec<(Name, Summary, Summary)>,
    /// Columns that were not kept.
    pub added: Vec<Name>,
    /// Columns that are no longer there.
    pub removed: Vec<Name>,
}

impl Differences {
    /// Compares what is `kept` with what was `found`.
    pub fn between(kept: &Columns, found: &Columns) -> Self {
        let changed = |(name, before): (&Name, &Summary)| {
            let after = found.get(name).filter(|after| after.hash != before.hash)?;
            Some((name.clone(), before.clone(), after.clone()))
        };
        Self {
            changed: kept.iter().filter_map(changed).collect(),
            added: found.keys().filter(|name| !kept.contains_key(name)).cloned().collect(),
            removed: kept.keys().filter(|name| !found.contains_key(name)).cloned().collect(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A line per scenario, below it a line per column.
    pub fn report(&self) -> String {
        let lines: Vec<(&Name, String)> = self
            .changed
            .iter()
            .map(|(name, before, after)| (name, means(before.mean, after.mean)))
            .chain(self.added.iter().map(|name| (name, "new column".into())))
            .chain(self.removed.iter().map(|name| (name, "removed".into())))
            .collect();
        let scenarios: BTreeSet<&str> = lines.iter().map(|((scenario, ..), _)| scenario.as_str()).collect();
        let mut report = String::new();
        for scenario in scenarios {
            let _ = writeln!(report, "{scenario}:");
            for ((_, table, column), line) in lines.iter().filter(|(name, _)| name.0 == scenario) {
                let _ = writeln!(report, "  {table}.{column}: {line}");
            }
        }
        report
    }
}

fn means(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (None, None) => "other values".into(),
        (Some(before), Some(after)) if before == after => format!("other values, mean {before} as before"),
        _ => {
            let mean = |mean: Option<f64>| mean.map_or("none".into(), |mean| mean.to_string());
            format!("mean {} -> {}", mean(before), mean(after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(hashes: &[(&str, &str, Option<f64>)]) -> Columns {
        let entry = |(column, hash, mean): &(&str, &str, Option<f64>)| {
            let name = ("manet".to_owned(), "flows".to_owned(), (*column).to_owned());
            (name, Summary { hash: (*hash).to_owned(), mean: *mean })
        };
        hashes.iter().map(entry).collect()
    }

    #[test]
    fn a_difference_names_scenario_table_column_and_means() {
        let kept =
            columns(&[("a", "1", Some(2.0)), ("b", "1", None), ("c", "1", Some(2.0)), ("d", "1", None)]);
        let found =
            columns(&[("a", "2", Some(3.5)), ("b", "2", None), ("c", "2", Some(2.0)), ("e", "1", None)]);
        let expected = "manet:\n  flows.a: mean 2 -> 3.5\n  flows.b: other values\n  \
                        flows.c: other values, mean 2 as before\n  flows.e: new column\n  flows.d: removed\n";
        assert_eq!(Differences::between(&kept, &found).report(), expected);
    }

    #[test]
    fn equal_hashes_do_not_differ() {
        let kept = columns(&[("a", "1", Some(2.0))]);
        assert!(Differences::between(&kept, &kept).is_empty());
    }
}
