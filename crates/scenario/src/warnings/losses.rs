//! Links that carry no data packet of a flow: queues without room for one, and error rates at which none is without errors.

use farlink_kernel::Bytes;
use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::blueprint::Flow;
use farlink_network::channel::error::Errors;
use farlink_network::interface::link::Config;
use farlink_tcp::Amount;

use super::directions::{first_packet, key};
use crate::document::Document;
use crate::paths::{Leg, Network};

/// Of so many packets less than one arrives.
const MANY: f64 = 1000.0;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for flow in &blueprint.flows {
        for leg in network.path(flow.from, flow.to) {
            match leg {
                Leg::Link(number) => {
                    let faults = faults(flow, number, blueprint);
                    found.extend(faults.map(|(key, message, remedy)| {
                        document.links[number / 2].refuse_at(&key, message, remedy)
                    }));
                }
                Leg::Channel { number, .. } => {
                    let fault = no_room(flow, blueprint.channels[number].radio.queue.limit());
                    found.extend(fault.map(|(message, remedy)| {
                        document.channels[number].refuse_at("queue.limit", message, remedy)
                    }));
                }
            }
        }
    }
    found
}

fn faults(
    flow: &Flow,
    number: usize,
    blueprint: &Blueprint,
) -> impl Iterator<Item = (String, String, String)> {
    let config = blueprint.direction(number);
    let full = no_room(flow, config.queue.limit()).map(|(message, remedy)| {
        (key(number, "queue.limit", |config| &config.queue, blueprint), message, remedy)
    });
    let lost = all_lost(flow, config).map(|(message, remedy)| {
        (key(number, "error.rate", |config| &config.error, blueprint), message, remedy)
    });
    [full, lost].into_iter().flatten()
}

fn no_room(flow: &Flow, limit: Amount) -> Option<(String, String)> {
    let (Amount::Bytes(limit), size) = (limit, first_packet(flow)) else { return None };
    (limit < size).then(|| {
        let message = format!("a queue of {limit} has no room for a packet of {size} of `{}`", flow.label);
        (message, "write a limit of several packets, such as \"100 packets\" or \"150 kB\"".into())
    })
}

fn all_lost(flow: &Flow, config: &Config) -> Option<(String, String)> {
    let Bytes(size) = first_packet(flow);
    let (name, rate, arrives, remedy) = match config.error.parameters().errors() {
        Errors::None | Errors::Other => return None,
        Errors::Packets(rate) => {
            let remedy = format!("a rate is a share of 1: write {} for {rate} %", rate / 100.0);
            ("packet", rate, 1.0 - rate, remedy)
        }
        Errors::Bits(rate) => {
            let arrives = libm::exp(8.0 * size as f64 * libm::log1p(-rate));
            ("bit", rate, arrives, "write a lower rate, such as 1e-6".into())
        }
    };
    (arrives * MANY < 1.0).then(|| {
        let message = format!(
            "with a {name} error rate of {rate} fewer than one in {MANY} packets of {size} B of `{}` arrive",
            flow.label
        );
        (message, remedy)
    })
}
