//! What limited each flow: two or three sentences and a table.

mod change;
mod datagrams;
mod discards;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use farlink_network::results::{FlowResult, LinkResult};
use serde_json::{Value, json};

use crate::bottleneck::Bottleneck;
use crate::run_results::{Route, RunResults};

pub use change::Change;
use words::{count, losses, rate, time};

/// What limited the flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// One for every flow, in order.
    pub flows: Vec<FlowExplanation>,
}

/// What limited one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowExplanation {
    /// The flow's label.
    pub flow: String,
    /// Two or three sentences, the bottleneck first if there is one.
    pub text: String,
    /// The saturated link or channel on the flow's path and the share of the flow's time it was busy.
    pub bottleneck: Option<(String, f64)>,
    /// What limited the flow, as fractions of its time, largest first; empty for flows without TCP.
    pub limited_by: Vec<(String, f64)>,
    /// A value that could be larger. Whether that helps is not known before a second run.
    pub change: Option<Change>,
    /// Where the flow's packets were dropped, of both directions, most first.
    pub drops: Vec<DropsAtPlace>,
}

/// Packets of a flow that were dropped for one cause at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropsAtPlace {
    /// The link, or the interface on a channel; the node of those dropped before routing had chosen one.
    pub place: String,
    /// The cause, as in the document.
    pub cause: String,
    /// How many.
    pub packets: u64,
}

impl Explanation {
    /// The explanation as a JSON array.
    pub fn to_json(&self) -> Value {
        let flow = |flow: &FlowExplanation| {
            let limited_by: serde_json::Map<String, Value> =
                flow.limited_by.iter().map(|(what, share)| (what.clone(), json!(share))).collect();
            let bottleneck = flow.bottleneck.as_ref();
            let bottleneck = bottleneck.map(|(link, share)| json!({ "link": link, "utilisation": share }));
            json!({
                "flow": flow.flow, "text": flow.text, "bottleneck": bottleneck, "limited_by": limited_by,
                "drops": flow.drops.iter().map(DropsAtPlace::to_json).collect::<Vec<_>>(),
            })
        };
        self.flows.iter().map(flow).collect()
    }
}

impl DropsAtPlace {
    fn to_json(&self) -> Value {
        json!({ "place": self.place, "cause": self.cause, "packets": self.packets })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, flow) in self.flows.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n" };
            writeln!(f, "{gap}{}", flow.text)?;
            let busy = flow.bottleneck.iter().map(|(link, share)| (format!("{link} busy"), share));
            let shares = flow.limited_by.iter().map(|(what, share)| (what.replace('_', " "), share));
            for (what, share) in busy.chain(shares) {
                writeln!(f, "  {what:<18} {:>5.1} %", share * 100.0)?;
            }
        }
        Ok(())
    }
}

/// Explains a run from what it measured.
pub fn explain(results: &RunResults) -> Explanation {
    let flows = results.measured.flows.iter().zip(&results.routes).enumerate();
    Explanation { flows: flows.map(|(i, (flow, route))| explain_flow(results, i, flow, route)).collect() }
}

fn explain_flow(results: &RunResults, number: usize, flow: &FlowResult, route: &Route) -> FlowExplanation {
    let mut limited_by: Vec<(String, f64)> = flow
        .limited_by
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(what, share)| ((*what).into(), *share))
        .collect();
    // Stable: equal shares stay in the order of the contract.
    limited_by.sort_by(|a, b| b.1.total_cmp(&a.1));
    let largest = limited_by.first().map(|(what, share)| (what.as_str(), *share));
    let bottleneck = Bottleneck::of(flow, &results.measured);
    let change = match (&bottleneck, largest) {
        (None, Some((what, _))) => change::candidate(results, number, route, what),
        _ => None,
    };
    let text = match (&flow.datagrams, &bottleneck) {
        (Some(datagrams), _) => datagrams::text(flow, datagrams, bottleneck.as_ref(), results),
        (None, Some(full)) => format!(
            "Bottleneck: {}{}. {}; {}.",
            full.text(),
            follows(flow, largest),
            achieved(flow, Narrowest::of(route, results).as_ref()),
            losses(flow, results)
        ),
        (None, None) => {
            format!(
                "{}. {}",
                achieved(flow, Narrowest::of(route, results).as_ref()),
                cause(flow, largest, results)
            )
        }
    };
    let text = format!("{text}{}{}", discards::text(flow, number, results), end_to_end(flow, results));
    let bottleneck = bottleneck.map(|full| (full.link.to_owned(), full.utilisation()));
    let drops = drops_by_place(flow, results);
    FlowExplanation { flow: flow.label.clone(), text, bottleneck, limited_by, change, drops }
}

/// What a relay passed on, over both connections.
fn end_to_end(flow: &FlowResult, results: &RunResults) -> String {
    let Some(bytes) = &flow.end_to_end else { return String::new() };
    let origin = &results.measured.flows[bytes.origin as usize].label;
    let delay = bytes.delay_mean.map(|mean| format!(" with a mean delay of {}", time(mean)));
    let complete =
        bytes.completion.map(|length| format!(", complete {} after the start of `{origin}`", time(length)));
    let (delay, complete) = (delay.unwrap_or_default(), complete.unwrap_or_default());
    let goodput = rate(bytes.goodput_bps);
    format!(" End to end, from `{origin}` on, {} arrived{delay}: {goodput}{complete}.", bytes.bytes)
}

fn drops_by_place(flow: &FlowResult, results: &RunResults) -> Vec<DropsAtPlace> {
    // Of all classes.
    let mut places: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for drops in &flow.drops_by_place {
        *places.entry((results.place(drops), drops.cause)).or_default() += drops.packets;
    }
    let at = |((place, cause), packets): ((&str, &str), u64)| DropsAtPlace {
        place: place.to_owned(),
        cause: cause.to_owned(),
        packets,
    };
    let mut drops: Vec<_> = places.into_iter().map(at).collect();
    drops.sort_by_key(|drops| Reverse(drops.packets));
    drops
}

/// The link with the lowest rate on a flow's path; of several equally narrow ones the busiest.
struct Narrowest<'a> {
    link: &'a LinkResult,
    rate_bps: f64,
}

impl<'a> Narrowest<'a> {
    /// `None` for a flow whose path is not known before the run.
    fn of(route: &Route, results: &'a RunResults) -> Option<Self> {
        let (links, rates) = (&results.measured.links, &results.rates_bps);
        let narrower = |a: &&usize, b: &&usize| {
            let busier = links[**b].utilisation.total_cmp(&links[**a].utilisation);
            rates[**a].total_cmp(&rates[**b]).then(busier)
        };
        let narrowest = *route.path.iter().min_by(narrower)?;
        Some(Self { link: &links[narrowest], rate_bps: rates[narrowest] })
    }
}

/// The goodput as a share of the lowest rate on the path.
fn achieved(flow: &FlowResult, narrowest: Option<&Narrowest<'_>>) -> String {
    let achieved = format!("`{}` delivered {} of payload", flow.label, rate(flow.goodput_bps));
    match narrowest {
        None => achieved,
        Some(Narrowest { link, rate_bps }) => {
            let share = flow.goodput_bps / rate_bps * 100.0;
            format!("{achieved}, {share:.0} % of the {} of {}", rate(*rate_bps), link.link)
        }
    }
}

/// The keys whose value bounds what the flow has in flight.
fn bounds_on_flight(flow: &FlowResult) -> &'static str {
    if flow.end_to_end.is_some() { "`max_window` or the relay's `buffer`" } else { "`max_window`" }
}

/// How the flow behaved at its bottleneck.
fn follows(flow: &FlowResult, largest: Option<(&str, f64)>) -> String {
    let Some((what, share)) = largest else { return String::new() };
    let share = format!("{:.0} % of the flow's time", share * 100.0);
    match what {
        "congestion_window" => "; this link limits the congestion window".into(),
        "max_window" => format!("; {} suffices to fill it", bounds_on_flight(flow)),
        "receive_window" => "; the receiver's window suffices to fill it".into(),
        "pacing" => "; this link limits the pacing rate".into(),
        "recovery" => format!("; {share} was spent in loss recovery"),
        "timeout" => format!("; {share} was spent waiting for the retransmission timer"),
        "frozen" => format!("; for {share} its route was broken"),
        other => format!("; {share}: {}", other.replace('_', " ")),
    }
}

/// What limited a flow without a bottleneck.
fn cause(flow: &FlowResult, largest: Option<(&str, f64)>, results: &RunResults) -> String {
    let lost = losses(flow, results);
    let Some((what, share)) = largest else { return format!("It was never active; {lost}.") };
    let share = format!("{:.0} % of its time", share * 100.0);
    let reductions = format!(
        "{lost}, and there were {} and {}",
        count(flow.fast_retransmits, "fast recovery", "fast recoveries"),
        count(flow.timeouts, "timeout", "timeouts")
    );
    let limit = match what {
        "handshake" => format!("it waited for the handshake; {lost}"),
        "application" => {
            "nothing was left to send: its last data were in flight, or its application wrote nothing".into()
        }
        "congestion_window" => format!("the congestion window limited it: {reductions}"),
        "receive_window" => format!("the receiver's window (`receive_buffer`) limited it; {lost}"),
        "max_window" => format!("{} limited it; {lost}", bounds_on_flight(flow)),
        "recovery" => format!("it was in loss recovery: {reductions}"),
        "timeout" => format!("it waited for the retransmission timer: {reductions}"),
        "pacing" => format!("pacing limited it: {reductions}"),
        "frozen" => format!("its route was broken and TCP was frozen; {lost}"),
        other => format!("{} limited it: {reductions}", other.replace('_', " ")),
    };
    format!("For {share} {limit}.")
}

#[cfg(test)]
mod tests;
