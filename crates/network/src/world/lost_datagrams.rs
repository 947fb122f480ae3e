//! Which datagrams were lost, known at the end of a run.

use std::collections::BTreeSet;
use std::iter::Peekable;

use crate::packet::{Packet, Payload};
use crate::results::{FlowSeries, UNDEFINED};
use crate::transport::udp::Udp;
use crate::transport::{Endpoints, Flow};
use crate::world::World;

/// By flow, the numbers of the datagrams that did not arrive yet and of which a copy is under way.
pub(super) type Open = Vec<BTreeSet<u64>>;

/// The numbers of the lost datagrams in rising order.
pub(super) fn lost<'a>(udp: &'a Udp, open: &'a BTreeSet<u64>) -> impl Iterator<Item = u64> + 'a {
    (0..udp.sent()).filter(|number| is_lost(udp, open, *number))
}

/// No copy arrived, and none is under way.
pub(super) fn is_lost(udp: &Udp, open: &BTreeSet<u64>, number: u64) -> bool {
    !udp.has_arrived(number) && !open.contains(&number)
}

impl World {
    pub(super) fn open_datagrams(&self) -> Open {
        let mut open = vec![BTreeSet::new(); self.transport.flows.len()];
        for held in self.held() {
            let Packet { flow, offset: number, payload, .. } = self.context.packets[held.packet];
            let (Payload::Datagram(_), Endpoints::Udp(udp)) =
                (payload, self.transport.flows[flow].endpoints())
            else {
                continue;
            };
            if !udp.has_arrived(number) {
                open[flow].insert(number);
            }
        }
        open
    }

    /// Adds to the samples how many of the datagrams sent until then were lost.
    pub(super) fn add_lost_datagrams(&mut self, open: &Open) {
        self.flow_series.packets_lost = lost_so_far(&self.flow_series, &self.transport.flows, open);
    }
}

/// A column of `series`.
fn lost_so_far(series: &FlowSeries, flows: &[Flow], open: &Open) -> Vec<u64> {
    let mut counters: Vec<_> = flows.iter().zip(open).map(|(flow, open)| counter(flow, open)).collect();
    let rows = series.flow.iter().zip(&series.packets_sent);
    rows.map(|(flow, sent)| counters[*flow as usize].as_mut().map_or(UNDEFINED, |flow| flow.below(*sent)))
        .collect()
}

/// Counts the lost datagrams of a flow as it goes through them.
struct Counter<Lost: Iterator<Item = u64>> {
    lost: Peekable<Lost>,
    count: u64,
}

/// `None` for TCP.
fn counter<'a>(
    flow: &'a Flow,
    open: &'a BTreeSet<u64>,
) -> Option<Counter<impl Iterator<Item = u64> + use<'a>>> {
    match flow.endpoints() {
        Endpoints::Tcp(_) => None,
        Endpoints::Udp(udp) => Some(Counter { lost: lost(udp, open).peekable(), count: 0 }),
    }
}

impl<Lost: Iterator<Item = u64>> Counter<Lost> {
    /// How many numbers below `sent`, which does not fall, are those of lost datagrams.
    fn below(&mut self, sent: u64) -> u64 {
        while self.lost.next_if(|number| *number < sent).is_some() {
            self.count += 1;
        }
        self.count
    }
}
