//! [`Estimate`]: the events and the memory of a run, to an order of magnitude, before it begins.
//!
//! Flows send as fast as application, window and RTT allow, and share links and channels in proportion; a channel
//! carries as many concurrent exchanges as spatial reuse allows ([`medium`]). Losses, congestion control and route
//! discoveries are left out: a flow with many losses takes fewer events. `tests/estimate.rs` compares it with runs.

mod arrivals;
mod background;
mod medium;
mod traffic;

use farlink_network::Blueprint;

use medium::Medium;
use traffic::Flow;

/// The resources that a run takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Its events by cause, largest first.
    pub events: Vec<Share>,
    /// Its memory in bytes by cause, largest first.
    pub bytes: Vec<Share>,
}

/// A part of an estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Number of events or bytes.
    pub amount: f64,
    /// The cause: `flow "bulk": 2e7 packets`.
    pub cause: String,
    /// The change that reduces it.
    pub remedy: String,
    /// True for a share that does not depend on what happens in the run.
    pub is_certain: bool,
}

/// A sum, the cause of most of it and the change that reduces that.
pub type Amount = (f64, String, String);

impl Share {
    fn new(amount: f64, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { amount, cause: cause.into(), remedy: remedy.into(), is_certain: false }
    }

    fn certain(self) -> Self {
        Self { is_certain: true, ..self }
    }
}

impl Estimate {
    /// The estimate for a run, with time series or without.
    pub fn of(blueprint: &Blueprint, keeps_series: bool) -> Self {
        let media: Vec<Medium> =
            blueprint.channels.iter().map(|channel| Medium::new(blueprint, channel)).collect();
        let flows = traffic::flows(blueprint, &media);
        let mut events: Vec<Share> = flows.iter().map(Flow::events).collect();
        events.extend(arrivals::events(blueprint, &media));
        events.extend(background::events(blueprint, &media, keeps_series));
        let mut bytes = background::bytes(blueprint, &media, keeps_series);
        bytes.extend(flows.iter().flat_map(Flow::bytes));
        bytes.extend(arrivals::bytes(blueprint));
        for shares in [&mut events, &mut bytes] {
            shares.sort_by(|a, b| b.amount.total_cmp(&a.amount));
        }
        Self { events, bytes }
    }

    /// Events, bytes, and bytes that do not depend on what happens in the run.
    pub fn amounts(&self) -> [Amount; 3] {
        let of = |shares: &[Share], counts: fn(&Share) -> bool| {
            let mut shares = shares.iter().filter(|share| counts(share)).peekable();
            let most = shares.peek().map(|most| (most.cause.clone(), most.remedy.clone()));
            let (cause, remedy) = most.unwrap_or_default();
            (shares.fold(0.0, |sum, share| sum + share.amount), cause, remedy)
        };
        [of(&self.events, |_| true), of(&self.bytes, |_| true), of(&self.bytes, |share| share.is_certain)]
    }
}
