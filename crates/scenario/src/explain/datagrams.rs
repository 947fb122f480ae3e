//! The explanation of a flow without TCP: rate, arrivals, delays and losses.

use farlink_network::results::{Datagrams, FlowResult};

use super::words::{count, dominant, rate, time};
use crate::bottleneck::Bottleneck;
use crate::run_results::RunResults;

pub(super) fn text(
    flow: &FlowResult,
    datagrams: &Datagrams,
    bottleneck: Option<&Bottleneck<'_>>,
    results: &RunResults,
) -> String {
    if flow.packets_sent == 0 {
        return format!("`{}` sent nothing.", flow.label);
    }
    let full = bottleneck.map(|full| format!("Bottleneck: {}. ", full.text())).unwrap_or_default();
    let sent = format!("`{}` sent {} of payload", flow.label, rate(datagrams.sent_bps));
    let arrived = format!("{:.1} % of its datagrams arrived", flow.delivery_ratio * 100.0);
    let (delays, lost) = (delays(flow, datagrams), lost(flow, datagrams, results));
    format!("{full}{sent}; {arrived}{delays}. {lost}.{}", heard(flow))
}

/// What the listener of a call hears.
fn heard(flow: &FlowResult) -> String {
    let Some(call) = &flow.call else { return String::new() };
    let Some(delay) = call.mouth_to_ear else { return String::new() };
    let late = match call.late {
        0 => "No packet arrived".into(),
        late => {
            let share = 100.0 * late as f64 / flow.packets_sent as f64;
            let late = count(late, "packet", "packets");
            format!("{late} ({share:.1} %) took longer than the first by more than `jitter_buffer`,")
        }
    };
    let rated = match call.rating.zip(call.mos) {
        Some((rating, mos)) => format!(", R {rating:.1}, MOS {mos:.2}"),
        None => "; R and MOS need `ie` and `bpl` of the codec".into(),
    };
    format!(" {late} too late to be played; mouth-to-ear delay {}{rated}.", time(delay))
}

fn delays(flow: &FlowResult, datagrams: &Datagrams) -> String {
    let (Some(mean), Some(p95)) = (flow.delay_mean, flow.delay_p95) else { return String::new() };
    let variation = datagrams.delay_variation;
    let variation = variation.map(|mean| format!(", mean variation {}", time(mean))).unwrap_or_default();
    format!(" with a mean delay of {} (95th percentile {}{variation})", time(mean), time(p95))
}

/// Copies that links or MACs made are drops of their own, so that causes are shares of the drops.
fn lost(flow: &FlowResult, datagrams: &Datagrams, results: &RunResults) -> String {
    let open = flow.packets_sent.saturating_sub(flow.packets_delivered + datagrams.lost);
    let open = match open {
        0 => String::new(),
        open => format!("; {} in flight at the end", count(open, "datagram was", "datagrams were")),
    };
    let rate = datagrams.lost as f64 / flow.packets_sent as f64 * 100.0;
    let drops: u64 = flow.drops.iter().map(|(_, count)| count).sum();
    let lost = match (datagrams.lost, dominant(flow, results)) {
        (0, _) => "None was lost".into(),
        (lost, None) => format!("{lost} ({rate:.1} %) were lost"),
        (lost, Some((cause, most))) if most == drops => format!("{lost} ({rate:.1} %) were lost by {cause}"),
        (lost, Some((cause, most))) => {
            let share = most as f64 / drops as f64 * 100.0;
            format!("{lost} ({rate:.1} %) were lost, {share:.0} % of the drops by {cause}")
        }
    };
    format!("{lost}{open}")
}
