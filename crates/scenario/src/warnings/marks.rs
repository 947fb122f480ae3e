//! Senders that wait for ECN marks on a path where nothing marks.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::blueprint::Flow;
use farlink_network::queue::Config as Queue;
use farlink_tcp::config::EcnMode;

use crate::document::Document;
use crate::paths::{Leg, Network};

/// Congestion controls that differ from Reno by their answer to marks.
const ANSWER_MARKS: [&str; 2] = ["dctcp", "prague"];

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for (written, flow) in document.flows.iter().zip(&blueprint.flows) {
        let name = flow.tcp.congestion_control.name();
        let answers_marks = ANSWER_MARKS.contains(&name);
        if !flow.is_tcp() || !answers_marks && matches!(flow.tcp.ecn, EcnMode::Auto | EcnMode::Off) {
            continue;
        }
        if flow.tcp.ecn == EcnMode::Off {
            let message = format!("`{name}` gets no marks without ECN, and is Reno then");
            found.push(written.refuse_at("tcp.ecn", message, "leave ecn out, which agrees on what it needs"));
        } else if is_unmarked(&network, blueprint, flow) {
            let (key, message, remedy) = if answers_marks {
                let message =
                    format!("no queue on the path of `{}` marks packets: `{name}` is Reno there", flow.label);
                ("tcp.congestion_control", message, "write ecn = true in a queue, or queue = \"dualpi2\"")
            } else {
                let message = format!("no effect: no queue on the path of `{}` marks packets", flow.label);
                ("tcp.ecn", message, "write ecn = true in a queue, or leave ecn out here")
            };
            found.push(written.refuse_at(key, message, remedy));
        }
    }
    found
}

/// True when the flow's data pass queues, and none of these marks.
fn is_unmarked(network: &Network, blueprint: &Blueprint, flow: &Flow) -> bool {
    let path = network.path(flow.from, flow.to);
    let queue = |leg: &Leg| match *leg {
        Leg::Link(number) => &blueprint.direction(number).queue,
        Leg::Channel { number, .. } => &blueprint.channels[number].radio.queue,
    };
    !path.is_empty() && path.iter().map(queue).all(never_marks)
}

fn never_marks(queue: &Queue) -> bool {
    match queue {
        Queue::DropTail(_) | Queue::Policer(_) | Queue::Priority(_) => true,
        Queue::Red(red) => !red.ecn,
        Queue::Codel(codel) => !codel.ecn && codel.ce_threshold.is_none(),
        Queue::FqCodel(codel) => !codel.ecn && codel.ce_threshold.is_none(),
        Queue::Pie(pie) => !pie.ecn,
        Queue::FqPie(pie) => !pie.ecn,
        Queue::DualPi2(_) => false,
    }
}
