//! Links that carry no data packet of a flow: queues without room for one, and error rates at which none is without errors.

use std::collections::BTreeSet;

use farlink_kernel::Bytes;
use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::channel::error::Errors;
use farlink_network::interface::link::Config;
use farlink_tcp::Amount;

use super::directions::key;
use super::senders::{Sender, senders};
use crate::document::Document;
use crate::paths::{Leg, Network};

/// Of so many packets less than one arrives.
const MANY: f64 = 1000.0;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for sender in senders(document, blueprint) {
        let mut channels = BTreeSet::new();
        for leg in sender.legs(&network) {
            match leg {
                Leg::Link(number) => {
                    let faults = faults(&sender, number, blueprint);
                    found.extend(faults.map(|(key, message, remedy)| {
                        document.links[number / 2].refuse_at(&key, message, remedy)
                    }));
                }
                Leg::Channel { number, .. } if channels.insert(number) => {
                    let fault = no_room(&sender, blueprint.channels[number].radio.queue.limit());
                    found.extend(fault.map(|(message, remedy)| {
                        document.channels[number].refuse_at("queue.limit", message, remedy)
                    }));
                }
                Leg::Channel { .. } => {}
            }
        }
    }
    found
}

fn faults(
    sender: &Sender<'_>,
    number: usize,
    blueprint: &Blueprint,
) -> impl Iterator<Item = (String, String, String)> {
    let config = blueprint.direction(number);
    let full = no_room(sender, config.queue.limit()).map(|(message, remedy)| {
        (key(number, "queue.limit", |config| &config.queue, blueprint), message, remedy)
    });
    let lost = all_lost(sender, config).map(|(message, remedy)| {
        (key(number, "error.rate", |config| &config.error, blueprint), message, remedy)
    });
    [full, lost].into_iter().flatten()
}

fn no_room(sender: &Sender<'_>, limit: Amount) -> Option<(String, String)> {
    let (Amount::Bytes(limit), size) = (limit, sender.first_packet()) else { return None };
    (limit < size).then(|| {
        let message = format!("a queue of {limit} has no room for a packet of {size} of `{}`", sender.label);
        (message, "write a limit of several packets, such as \"100 packets\" or \"150 kB\"".into())
    })
}

fn all_lost(sender: &Sender<'_>, config: &Config) -> Option<(String, String)> {
    let Bytes(size) = sender.first_packet();
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
            sender.label
        );
        (message, remedy)
    })
}
