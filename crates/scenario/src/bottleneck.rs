//! [`Bottleneck`]: the saturated link or shared medium on a flow's path.

use farlink_network::Results as Measured;
use farlink_network::results::{Carries, FlowResult, PathLoad, StationResult};

/// An interface is saturated when it was busy for this share of the flow's time: a link sends, the medium around a
/// station is busy, or packets wait at the station.
pub(crate) const SATURATED: f64 = 0.95;

/// A saturated interface on a flow's path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bottleneck<'a> {
    pub(crate) link: &'a str,
    /// Its station, if it is on a shared channel.
    station: Option<&'a StationResult>,
    pub(crate) load: &'a PathLoad,
    /// How many flows share it, including this one.
    pub(crate) flows: usize,
}

impl<'a> Bottleneck<'a> {
    /// The most loaded of the saturated interfaces on the path of the data, else on that of the acknowledgements; of
    /// equally loaded ones the first on the path. `None` when nothing is saturated, and for a flow that its application
    /// limited for most of its time: links that other flows saturate do not limit such a flow.
    pub(crate) fn of(flow: &'a FlowResult, measured: &'a Measured) -> Option<Self> {
        let idle = flow.limited_by.iter().find(|(what, _)| *what == "application");
        if idle.is_some_and(|(_, share)| *share > 0.5) {
            return None;
        }
        let most_loaded = |carries| {
            let saturated =
                flow.path.iter().filter(|load| load.carries == carries && level(load) >= SATURATED);
            saturated.reduce(|best, next| if level(next) > level(best) { next } else { best })
        };
        let load = most_loaded(Carries::Data).or_else(|| most_loaded(Carries::Acks))?;
        let shares = |other: &PathLoad| match (station(load, measured), station(other, measured)) {
            (Some(own), Some(other)) => own.channel == other.channel,
            _ => other.link == load.link,
        };
        let flows = measured.flows.iter().filter(|other| other.path.iter().any(shares)).count();
        Some(Self {
            link: &measured.links[load.link as usize].link,
            station: station(load, measured),
            load,
            flows,
        })
    }

    /// The share of the flow's time in which the link sent, or the shared medium was busy.
    pub(crate) fn utilisation(&self) -> f64 {
        self.load.medium.unwrap_or(self.load.utilisation)
    }

    /// Its name and its load: `link left->right, 99.8 % busy`.
    pub(crate) fn text(&self) -> String {
        let busy = percent(self.utilisation());
        let place = match self.station {
            None => format!("link {}, {busy} busy", self.link),
            Some(StationResult { channel, node, .. }) => format!(
                "channel {channel} at {node}, medium busy {busy} of the time, packets waiting {}",
                percent(self.load.backlogged)
            ),
        };
        let acks =
            if self.load.carries == Carries::Acks { ", on the path of the acknowledgements" } else { "" };
        let shared = if self.flows > 1 { format!(", shared by {} flows", self.flows) } else { String::new() };
        format!("{place}{acks}{shared}")
    }
}

/// How near to saturation an interface is.
fn level(load: &PathLoad) -> f64 {
    load.medium.map_or(load.utilisation, |medium| medium.max(load.backlogged))
}

/// The station of an interface on a shared channel. Stations are the last of the links, in the same order.
fn station<'a>(load: &PathLoad, measured: &'a Measured) -> Option<&'a StationResult> {
    let links_with_two_ends = measured.links.len() - measured.stations.len();
    (load.link as usize).checked_sub(links_with_two_ends).map(|number| &measured.stations[number])
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
