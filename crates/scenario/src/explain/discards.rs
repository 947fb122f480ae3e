//! What arrived and was not taken: needless retransmissions, and what the transports discarded for other causes.

use farlink_network::results::FlowResult;

use super::words::count;

/// Sentences about both; empty without any.
pub(super) fn text(flow: &FlowResult) -> String {
    let others =
        flow.discarded.iter().filter(|(cause, _)| *cause != "duplicate_data" || flow.datagrams.is_some());
    let others: Vec<String> = others.map(|(cause, packets)| format!("{packets} {}", words(cause))).collect();
    let discarded = match &others[..] {
        [] => String::new(),
        all => format!(" Discarded on arrival: {}.", all.join(", ")),
    };
    format!("{}{discarded}", needless(flow))
}

fn words(cause: &str) -> String {
    match cause {
        "duplicate_data" => "with data that had arrived before".into(),
        "old_timestamp" => "with an old timestamp (PAWS, RFC 7323 section 5.3)".into(),
        "no_timestamp" => "without the timestamp agreed on".into(),
        "outside_window" => "outside the window".into(),
        "invalid_ack" => "with an invalid acknowledgement".into(),
        "repeated_syn" => "for a repeated SYN".into(),
        "no_connection" => "without a connection".into(),
        other => format!("for {}", other.replace('_', " ")),
    }
}

/// The evidence names the cause: a packet that comes late is taken for lost, and so is one whose acknowledgement is lost
/// or comes after the timer.
fn needless(flow: &FlowResult) -> String {
    let needless = flow.needless_retransmissions;
    if needless == 0 {
        return String::new();
    }
    let of = count(flow.packets_retransmitted, "retransmission was", "retransmissions were");
    let cause = if 2 * flow.packets_reordered >= needless {
        let late = count(flow.packets_reordered, "packet", "packets");
        format!("{late} arrived after one that was sent later (reordering)")
    } else if flow.timeouts > 0 && 2 * flow.timeouts >= flow.fast_retransmits {
        "the retransmission timer expired although they had arrived".into()
    } else {
        "acknowledgements of them were lost or late".into()
    };
    format!(" {needless} of {of} needless, as their data arrived twice: {cause}.")
}
