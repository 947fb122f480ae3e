//! What arrived and was not taken: needless retransmissions, and what the transports discarded for other causes.

use farlink_network::results::{FlowResult, LedgerEntry};

use super::words::{cause_in_words, count};
use crate::run_results::RunResults;

/// Sentences about both; empty without any.
pub(super) fn text(flow: &FlowResult, number: usize, results: &RunResults) -> String {
    let others =
        flow.discarded.iter().filter(|(cause, _)| *cause != "duplicate_data" || flow.datagrams.is_some());
    let others: Vec<String> = others.map(|(cause, packets)| format!("{packets} {}", words(cause))).collect();
    let discarded = match &others[..] {
        [] => String::new(),
        all => format!(" Discarded on arrival: {}.", all.join(", ")),
    };
    format!("{}{discarded}", needless(flow, number, results))
}

fn words(cause: &str) -> String {
    match cause {
        "duplicate_data" => "with data that had arrived before".into(),
        "duplicated_by_link" => "duplicated by a link".into(),
        "old_timestamp" => "with an old timestamp (PAWS, RFC 7323 section 5.3)".into(),
        "no_timestamp" => "without the timestamp agreed on".into(),
        "outside_window" => "outside the window".into(),
        "invalid_ack" => "with an invalid acknowledgement".into(),
        "repeated_syn" => "for a repeated SYN".into(),
        "no_connection" => "without a connection".into(),
        other => format!("for {}", other.replace('_', " ")),
    }
}

/// Packets that come late are taken for lost, and so are those whose acknowledgements were dropped. Without either the timer
/// was early, or the sender forgot what had been acknowledged selectively: the counts do not tell which.
fn needless(flow: &FlowResult, number: usize, results: &RunResults) -> String {
    let needless = flow.needless_retransmissions;
    if needless == 0 {
        return String::new();
    }
    let all = count(flow.packets_retransmitted, "retransmission", "retransmissions");
    let were = if needless == 1 { "was" } else { "were" };
    let lost = lost_acks(flow, number, results);
    let cause = if 2 * flow.packets_reordered >= needless {
        let late = count(flow.packets_reordered, "packet", "packets");
        format!("{late} arrived after one that was sent later (reordering)")
    } else if !lost.is_empty() {
        lost
    } else {
        "no acknowledgement was lost".into()
    };
    format!(" {needless} of {all} {were} needless, as the data arrived twice: {cause}.")
}

/// "12 acknowledgements were lost, 10 of them by queue overflow at remote->ground"; empty if none was.
fn lost_acks(flow: &FlowResult, number: usize, results: &RunResults) -> String {
    let is_of_acks = |entry: &&LedgerEntry| entry.flow == Some(number as u32) && entry.class == "ack";
    let dropped = results.measured.ledger.iter().find(is_of_acks).map_or(&[][..], |entry| &entry.dropped);
    let Some((cause, most)) = dropped.iter().max_by_key(|(_, packets)| *packets) else {
        return String::new();
    };
    let places = flow.drops_by_place.iter().filter(|drops| drops.class == "ack" && drops.cause == *cause);
    let (by, at) = (cause_in_words(cause), places.max_by_key(|drops| drops.packets));
    let (most, by) = match at {
        None => (*most, by),
        Some(drops) => (drops.packets, format!("{by} at {}", results.place(drops))),
    };
    let total: u64 = dropped.iter().map(|(_, packets)| packets).sum();
    let lost = count(total, "acknowledgement was lost", "acknowledgements were lost");
    if total == most { format!("{lost} by {by}") } else { format!("{lost}, {most} of them by {by}") }
}
