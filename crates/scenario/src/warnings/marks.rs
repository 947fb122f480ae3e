//! Senders that wait for ECN marks on a path where nothing marks.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_tcp::config::EcnMode;
use farlink_tcp::congestion::EcnResponse;
use farlink_tcp::connection::congestion_setup;

use super::senders::{Sender, senders};
use crate::document::Document;
use crate::paths::{Leg, Network};

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for sender in senders(document, blueprint) {
        let Some(tcp) = sender.tcp else { continue };
        let name = tcp.congestion_control.name();
        let answers_marks = answers_marks(tcp);
        if !answers_marks && matches!(tcp.ecn, EcnMode::Auto | EcnMode::Off) {
            continue;
        }
        if tcp.ecn == EcnMode::Off {
            let message = format!("`{name}` answers marks, of which it gets none without ECN");
            found.push(sender.refuse_at("tcp.ecn", message, "leave ecn out, which agrees on what it needs"));
        } else if is_unmarked(&network, blueprint, &sender) {
            let (key, message, remedy) = if answers_marks {
                let message = format!(
                    "no queue on the path of `{}` marks packets, which `{name}` would answer",
                    sender.label
                );
                ("tcp.congestion_control", message, "write ecn = true in a queue, or queue = \"dualpi2\"")
            } else {
                let message = format!("no effect: no queue on the path of `{}` marks packets", sender.label);
                ("tcp.ecn", message, "write ecn = true in a queue, or leave ecn out here")
            };
            found.push(sender.refuse_at(key, message, remedy));
        }
    }
    found
}

/// True when the congestion control answers marks in a manner of its own, not as losses.
fn answers_marks(tcp: &farlink_tcp::Config) -> bool {
    let control = tcp.congestion_control.build(&congestion_setup(tcp, 0));
    control.ecn_response() != EcnResponse::Classic
}

/// True when data pass queues, and none of these marks.
fn is_unmarked(network: &Network, blueprint: &Blueprint, sender: &Sender<'_>) -> bool {
    let legs = sender.legs(network);
    let queue = |leg: &Leg| match *leg {
        Leg::Link(number) => &blueprint.direction(number).queue,
        Leg::Channel { number, .. } => &blueprint.channels[number].radio.queue,
    };
    !legs.is_empty() && legs.iter().map(queue).all(|queue| !queue.parameters().marks())
}
