//! Retransmission timers that never expire.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_tcp::config::TimerRestart;

use super::senders::senders;
use crate::document::Document;

/// Most recoveries find a lost retransmission by the timer alone. New data are sent meanwhile, and every ACK restarts the timer.
pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for sender in senders(document, blueprint) {
        let Some(tcp) = sender.tcp else { continue };
        if tcp.recovery.needs_timer() && tcp.timer_restart == TimerRestart::EveryAck {
            let message = format!(
                "recovery `{}` finds a lost retransmission by the timer alone, and every ACK restarts that: it may never expire",
                tcp.recovery.name()
            );
            found.push(sender.refuse_at("tcp.recovery", message, "add timer_restart = \"new_data\""));
        }
    }
    found
}
