//! Why each flow was as fast as it was: two sentences and a table.

use std::fmt;

use farlink_kernel::BitRate;
use farlink_network::results::{FlowResult, LinkResult};
use serde_json::{Value, json};

use crate::results::{Results, Route};

/// A bottleneck busier than this is what limits a flow, whoever fills it.
const FULL: f64 = 0.95;

/// Why the flows were slow.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// One for every flow, in order.
    pub flows: Vec<FlowExplanation>,
}

/// Why one flow was slow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowExplanation {
    /// The flow's label.
    pub flow: String,
    /// Two sentences.
    pub text: String,
    /// What limited the flow, as fractions of its time, largest first; empty for flows without TCP.
    pub limited_by: Vec<(String, f64)>,
}

impl Explanation {
    /// The explanation as a JSON array.
    pub fn to_json(&self) -> Value {
        let flow = |flow: &FlowExplanation| {
            let limited_by: serde_json::Map<String, Value> =
                flow.limited_by.iter().map(|(what, share)| (what.clone(), json!(share))).collect();
            json!({ "flow": flow.flow, "text": flow.text, "limited_by": limited_by })
        };
        self.flows.iter().map(flow).collect()
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, flow) in self.flows.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n" };
            writeln!(f, "{gap}{}", flow.text)?;
            for (what, share) in &flow.limited_by {
                writeln!(f, "  {:<18} {:>5.1} %", what.replace('_', " "), share * 100.0)?;
            }
        }
        Ok(())
    }
}

/// Explains a run from what it measured.
pub fn explain(results: &Results) -> Explanation {
    let flows = results.measured.flows.iter().zip(&results.routes);
    Explanation { flows: flows.map(|(flow, route)| explain_flow(results, flow, route)).collect() }
}

fn explain_flow(results: &Results, flow: &FlowResult, route: &Route) -> FlowExplanation {
    let mut limited_by: Vec<(String, f64)> = flow
        .limited_by
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(what, share)| ((*what).into(), *share))
        .collect();
    // Stable: equal shares stay in the order of the contract.
    limited_by.sort_by(|a, b| b.1.total_cmp(&a.1));
    let bottleneck = Bottleneck::of(route, results);
    let largest = limited_by.first().map(|(what, share)| (what.as_str(), *share));
    let text =
        format!("{} {}", achieved(flow, bottleneck.as_ref()), cause(flow, largest, bottleneck.as_ref()));
    FlowExplanation { flow: flow.label.clone(), text, limited_by }
}

/// The narrowest link of a flow's way; of several equally narrow ones the busiest.
struct Bottleneck<'a> {
    link: &'a LinkResult,
    rate_bps: f64,
    /// How many other flows go through it.
    others: usize,
}

impl<'a> Bottleneck<'a> {
    /// `None` for a flow whose way is not known before the run.
    fn of(route: &Route, results: &'a Results) -> Option<Self> {
        let (links, rates) = (&results.measured.links, &results.rates_bps);
        let narrower = |a: &&usize, b: &&usize| {
            let busier = links[**b].utilisation.total_cmp(&links[**a].utilisation);
            rates[**a].total_cmp(&rates[**b]).then(busier)
        };
        let narrowest = *route.way.iter().min_by(narrower)?;
        let through = results.routes.iter().filter(|route| route.way.contains(&narrowest)).count();
        Some(Self { link: &links[narrowest], rate_bps: rates[narrowest], others: through - 1 })
    }
}

/// The first sentence: what was reached of what was there.
fn achieved(flow: &FlowResult, bottleneck: Option<&Bottleneck<'_>>) -> String {
    let achieved = format!("`{}` delivered {} of payload", flow.label, rate(flow.goodput_bps));
    match bottleneck {
        None => format!("{achieved}."),
        Some(Bottleneck { link, rate_bps, .. }) => {
            let share = flow.goodput_bps / rate_bps * 100.0;
            format!("{achieved}, {share:.0} % of the {} of its bottleneck {}.", rate(*rate_bps), link.link)
        }
    }
}

/// The second sentence: what held it back.
fn cause(flow: &FlowResult, largest: Option<(&str, f64)>, bottleneck: Option<&Bottleneck<'_>>) -> String {
    let lost = losses(flow);
    let Some((what, share)) = largest else {
        return format!("No TCP steered it; of {} packets sent, {lost}.", flow.packets_sent);
    };
    if let Some(full) = bottleneck.filter(|bottleneck| bottleneck.link.utilisation >= FULL) {
        let busy = format!("The bottleneck was busy {:.0} % of the time", full.link.utilisation * 100.0);
        return match full.others {
            0 => format!("{busy}, there was no more to have; {lost}."),
            others => format!(
                "{busy} and shared with {}; {lost}.",
                count(others as u64, "other flow", "other flows")
            ),
        };
    }
    let share = format!("{:.0} % of its time", share * 100.0);
    let reductions = format!(
        "{lost}, and there were {} and {}",
        count(flow.fast_retransmits, "fast recovery", "fast recoveries"),
        count(flow.timeouts, "timeout", "timeouts")
    );
    match what {
        "handshake" => format!("For {share} it waited for the handshake; {lost}."),
        "application" => format!("For {share} its application had nothing to send."),
        "congestion_window" => format!("For {share} its congestion window held it back: {reductions}."),
        "receive_window" => {
            format!("For {share} the receiver's window held it back: raise `receive_buffer`.")
        }
        "max_window" => format!("For {share} the largest window allowed held it back: raise `max_window`."),
        "recovery" => format!("For {share} it repaired losses: {reductions}."),
        "timeout" => format!("For {share} it waited for the retransmission timer: {reductions}."),
        "pacing" => format!("For {share} pacing held packets back: {reductions}."),
        "frozen" => format!("For {share} its route was broken and TCP stood still; {lost}."),
        other => format!("For {share} it was limited by {}: {reductions}.", other.replace('_', " ")),
    }
}

/// "34 packets were lost, 30 of them to bit_error".
fn losses(flow: &FlowResult) -> String {
    let total: u64 = flow.drops.iter().map(|(_, count)| count).sum();
    let most = flow.drops.iter().max_by_key(|(_, count)| *count);
    match (total, most) {
        (0, _) | (_, None) => "no packet was lost".into(),
        (1, Some((cause, _))) => format!("1 packet was lost to {}", cause.replace('_', " ")),
        (total, Some((cause, count))) if total == *count => {
            format!("{total} packets were lost to {}", cause.replace('_', " "))
        }
        (total, Some((cause, count))) => {
            format!("{total} packets were lost, {count} of them to {}", cause.replace('_', " "))
        }
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {one}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}

/// A rate with three digits or so, in the unit that suits it.
fn rate(bps: f64) -> String {
    match bps {
        b if b >= 999.5e6 => format!("{:.2} Gbit/s", b / 1e9),
        b if b >= 99.95e6 => format!("{:.0} Mbit/s", b / 1e6),
        b if b >= 999.5e3 => format!("{:.2} Mbit/s", b / 1e6),
        b if b >= 999.5 => format!("{:.1} kbit/s", b / 1e3),
        b => BitRate::from_bps(b as u64).to_string(),
    }
}

#[cfg(test)]
mod tests;
