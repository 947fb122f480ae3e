//! [`Estimate`]: how many events a run takes and how much memory, before it begins, to an order of magnitude.
//!
//! A pure function of the blueprint. Flows send as fast as application, window and round trip allow, and share links
//! and channels in proportion; a channel carries as many exchanges as fit beside each other ([`medium`]). Losses,
//! congestion control and searches for routes are left out, so that the figure is an upper bound rather than a mean:
//! a flow that loses much takes fewer events. `tests/estimate.rs` compares it with runs.

mod medium;
mod memory;
mod network;
mod periodic;
mod traffic;

use farlink_network::Blueprint;

use medium::Medium;
use network::Network;

/// What a run takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Where its events come from, most first.
    pub events: Vec<Share>,
    /// What takes memory, in bytes, most first.
    pub bytes: Vec<Share>,
}

/// A part of an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// How much.
    pub amount: f64,
    /// What takes it: `flow "bulk": 2e7 packets`.
    pub cause: String,
    /// What makes it less.
    pub remedy: String,
    /// True for what every run takes, whatever happens in it.
    pub is_certain: bool,
}

impl Share {
    fn new(amount: f64, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { amount, cause: cause.into(), remedy: remedy.into(), is_certain: false }
    }

    fn certain(self) -> Self {
        Self { is_certain: true, ..self }
    }
}

impl Estimate {
    /// Of a run that keeps time series or not.
    pub fn of(blueprint: &Blueprint, keeps_series: bool) -> Self {
        let media: Vec<Medium> = blueprint.channels.iter().map(|it| Medium::new(blueprint, it)).collect();
        let network = Network::new(blueprint);
        let flows = traffic::flows(blueprint, &network, &media);
        let mut events: Vec<Share> = flows.iter().map(|flow| flow.events(blueprint)).collect();
        events.extend(periodic::shares(blueprint, &media, keeps_series));
        let mut bytes = memory::shares(blueprint, &media, keeps_series);
        bytes.extend(flows.iter().flat_map(|flow| flow.bytes(blueprint)));
        for shares in [&mut events, &mut bytes] {
            shares.sort_by(|a, b| b.amount.total_cmp(&a.amount));
        }
        Self { events, bytes }
    }

    /// All events.
    pub fn total_events(&self) -> f64 {
        self.events.iter().map(|share| share.amount).sum()
    }

    /// All bytes.
    pub fn total_bytes(&self) -> f64 {
        self.bytes.iter().map(|share| share.amount).sum()
    }

    /// The bytes that every run takes.
    pub fn certain_bytes(&self) -> f64 {
        self.bytes.iter().filter(|share| share.is_certain).map(|share| share.amount).sum()
    }
}
