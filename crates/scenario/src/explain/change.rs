//! [`Change`]: a value of the scenario whose increase might help a flow.

use farlink_kernel::Bytes;
use farlink_kernel::config::Read;
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
    /// `value` gives the TOML for twice the amount.
    fn doubled(path: String, amount: Amount, value: impl FnOnce(Amount) -> String) -> Option<Self> {
        let twice = match amount {
            Amount::Packets(count) => Amount::Packets(count.checked_mul(2)?),
            Amount::Bytes(bytes) => Amount::Bytes(Bytes(bytes.0.checked_mul(2)?)),
        };
        let plain = |amount: Amount| amount.show().trim_matches('"').to_owned();
        Some(Self { path, value: value(twice), from: plain(amount), to: plain(twice) })
    }
}

/// The value whose increase might help a flow that `what` limited for the largest share of its time, if any.
pub(super) fn candidate(results: &RunResults, number: usize, route: &Route, what: &str) -> Option<Change> {
    let windows = route.tcp?;
    let (key, amount) = match what {
        "max_window" => ("max_window", windows.max_window?),
        "receive_window" => ("receive_buffer", Amount::Bytes(windows.receive_buffer)),
        "congestion_window" | "recovery" | "timeout" => return queue(results, number),
        _ => return None,
    };
    Change::doubled(format!("flows.{number}.tcp.{key}"), amount, |twice| twice.show())
}

/// The queue of a link whose overflow dropped more than half of what the flow lost.
fn queue(results: &RunResults, number: usize) -> Option<Change> {
    let flow = &results.measured.flows[number];
    let lost: u64 = flow.drops.iter().map(|(_, packets)| packets).sum();
    let at = flow.drops_by_place.iter().find(|drops| drops.packets * 2 > lost)?;
    let mut queue = results.queues.get(at.link? as usize).filter(|_| at.cause == "queue_full")?.clone();
    let (link, direction) = (at.link? / 2, if at.link? % 2 == 0 { "" } else { "reverse." });
    Change::doubled(format!("links.{link}.{direction}queue"), queue.limit(), |twice| {
        *queue.limit_mut() = twice;
        queue.show()
    })
}
