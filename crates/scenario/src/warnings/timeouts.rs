//! MACs on shared channels that do not wait for as long as signals travel.

use farlink_kernel::Duration;
use farlink_kernel::config::Diagnostic;
use farlink_network::blueprint::{Channel, Radio};
use farlink_network::{Blueprint, mac};

use crate::document::Document;
use crate::estimate::{Hop, Leg, Medium, Network};

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for (number, (written, channel)) in document.channels.iter().zip(&blueprint.channels).enumerate() {
        let Some(wait) = Wait::of(channel) else { continue };
        let medium = Medium::new(blueprint, channel);
        // Sound may be slower at other depths.
        if wait.is_enough_for(medium.longest_delay() * 2) {
            continue;
        }
        let hop = |leg: Leg| match leg {
            Leg::Channel { number: over, ends } if over == number => medium.hop(ends),
            _ => None,
        };
        let legs = blueprint.flows.iter().flat_map(|flow| network.path(flow.from, flow.to));
        let Some(hop) = legs.filter_map(hop).max_by_key(|hop| hop.delay) else { continue };
        if !wait.is_enough_for(hop.delay) {
            found.push(written.refuse_at(wait.key, wait.message(&hop, blueprint), wait.remedy(hop.delay)));
        }
    }
    found
}

/// What a MAC waits for, and the key that bounds it.
struct Wait {
    key: &'static str,
    bound: Duration,
    /// The excess that guard times make up for.
    margin: Duration,
    /// The number of propagation delays that must fit within the bound.
    delays: u64,
    /// What an acknowledgement takes besides.
    response: Duration,
}

impl Wait {
    fn of(channel: &Channel) -> Option<Self> {
        let Radio { mac, phy, .. } = &channel.radio;
        let phy = phy.build(&());
        let acknowledged = |timeout: Duration, header: farlink_kernel::Bytes| Self {
            key: "mac.timeout",
            bound: timeout,
            margin: Duration::ZERO,
            delays: 2,
            response: phy.air_time(header.0 as u32, phy.basic_mode()) + phy.turnaround() * 2,
        };
        let planned = |bound: Duration| Self {
            key: "mac.max_propagation_delay",
            bound,
            margin: bound.mul_f64(0.1),
            delays: 1,
            response: Duration::ZERO,
        };
        match mac {
            mac::Config::Aloha(config) if config.acknowledge => {
                Some(acknowledged(config.timeout, config.header))
            }
            mac::Config::CsAloha(config) if config.acknowledge => {
                Some(acknowledged(config.timeout, config.header))
            }
            mac::Config::UwCsma(config) => Some(planned(config.max_propagation_delay)),
            mac::Config::TLohi(config) => Some(planned(config.max_propagation_delay)),
            mac::Config::SlottedFama(config) => Some(planned(config.max_propagation_delay)),
            mac::Config::Tdma(config) => Some(planned(config.max_propagation_delay)),
            // A response must begin within a slot and the time to detect it (IEEE 802.11-2020, 10.3.2.11).
            mac::Config::Dcf(_) => Some(Self {
                key: "mac",
                bound: phy.timing().slot + phy.header_time(phy.basic_mode()),
                margin: Duration::ZERO,
                delays: 2,
                response: Duration::ZERO,
            }),
            _ => None,
        }
    }

    fn is_enough_for(&self, delay: Duration) -> bool {
        delay * self.delays <= self.bound + self.margin
    }

    fn message(&self, hop: &Hop, blueprint: &Blueprint) -> String {
        let [a, b] = hop.ends.map(|node| blueprint.nodes[node].name.as_str());
        let delay = rounded_up(hop.delay);
        let far = format!("signals take {delay} from `{a}` to `{b}`, {:.0} m", hop.distance.0);
        match self.key {
            "mac.timeout" => {
                format!("{far}: an acknowledgement takes longer than the timeout, {}", self.bound)
            }
            "mac" => format!("{far}: a response begins later than its timeout, {} after SIFS", self.bound),
            _ => format!("{far}: longer than the {} that the MAC allows for", self.bound),
        }
    }

    fn remedy(&self, delay: Duration) -> String {
        match self.key {
            "mac" => "place the nodes closer, or write another MAC such as \"aloha\"".into(),
            _ => format!("write at least \"{}\"", rounded_up(delay * self.delays + self.response)),
        }
    }
}

/// The next duration of whole milliseconds, or of microseconds if it is below ten milliseconds.
fn rounded_up(duration: Duration) -> Duration {
    let unit = if duration < Duration::from_millis(10) { 1000 } else { 1_000_000 };
    Duration::from_nanos(duration.as_nanos().div_ceil(unit) * unit)
}
