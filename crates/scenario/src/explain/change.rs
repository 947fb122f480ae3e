//! [`Change`]: a value of the scenario whose increase might help a flow.

use farlink_kernel::Bytes;
use farlink_tcp::Amount;

use crate::run_results::{Route, RunResults};

/// A value of the scenario, and its double.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The key to set: `flows.0.tcp.max_window`.
    pub path: String,
    /// The TOML to set it to: twice the present amount.
    pub value: String,
    /// The present amount.
    pub from: String,
    /// The proposed amount.
    pub to: String,
}

impl Change {
    /// `value` gives the TOML for an amount.
    fn doubled(path: String, amount: Amount, value: impl Fn(&str) -> String) -> Option<Self> {
        let twice = match amount {
            Amount::Packets(count) => Amount::Packets(count.checked_mul(2)?),
            Amount::Bytes(bytes) => Amount::Bytes(Bytes(bytes.0.checked_mul(2)?)),
        };
        let to = written(twice);
        Some(Self { path, value: value(&to), from: written(amount), to })
    }
}

fn written(amount: Amount) -> String {
    match amount {
        Amount::Packets(count) => format!("{count} packets"),
        Amount::Bytes(bytes) => bytes.to_string(),
    }
}

fn quoted(amount: &str) -> String {
    format!("\"{amount}\"")
}

/// The value whose increase might help a flow that `what` limited for the largest share of its time, if any.
pub(super) fn candidate(results: &RunResults, number: usize, route: &Route, what: &str) -> Option<Change> {
    let windows = route.tcp?;
    match what {
        "max_window" => {
            Change::doubled(format!("flows.{number}.tcp.max_window"), windows.max_window?, quoted)
        }
        "receive_window" => {
            let path = format!("flows.{number}.tcp.receive_buffer");
            Change::doubled(path, Amount::Bytes(windows.receive_buffer), quoted)
        }
        "congestion_window" | "recovery" | "timeout" => queue(results, number),
        _ => None,
    }
}

/// The drop-tail queue of a link that dropped more than half of what the flow lost.
fn queue(results: &RunResults, number: usize) -> Option<Change> {
    let flow = &results.measured.flows[number];
    let lost: u64 = flow.drops.iter().map(|(_, packets)| packets).sum();
    let at = flow.drops_by_place.iter().find(|drops| drops.packets * 2 > lost)?;
    let limit = (*results.queue_limits.get(at.link? as usize)?).filter(|_| at.cause == "queue_full")?;
    let (link, direction) = (at.link? / 2, if at.link? % 2 == 0 { "" } else { "reverse." });
    let drop_tail = |limit: &str| format!("{{ name = \"drop_tail\", limit = \"{limit}\" }}");
    Change::doubled(format!("links.{link}.{direction}queue"), limit, drop_tail)
}
