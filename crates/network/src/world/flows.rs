//! Results of the flows at the end of a run.

use std::collections::BTreeSet;

use crate::blueprint;
use crate::packet::{Packet, Payload};
use crate::results::{DropsAt, FlowResult};
use crate::transport::{Carrier, Flow};
use crate::world::World;

impl World {
    /// One per flow, in the blueprint's order.
    pub(super) fn flow_results(&mut self) -> Vec<FlowResult> {
        let (open, loads) = (self.open_datagrams(), self.path_loads());
        let flows = self.transport.flows.iter().zip(&self.blueprint.flows).enumerate();
        let results = flows.zip(open).zip(loads);
        results
            .map(|(((number, flow), open), path)| FlowResult { path, ..self.flow_result(number, flow, open) })
            .collect()
    }

    /// `open` datagrams of the flow did not arrive and are under way.
    fn flow_result(&self, number: usize, (flow, config): (&Flow, &blueprint::Flow), open: u64) -> FlowResult {
        let packets = &self.context.packets;
        let dropped = packets.drops_by_place(number);
        let dropped = dropped.map(|(link, cause, packets)| DropsAt { link, cause: cause.word(), packets });
        let losses = packets.losses(number);
        let mut result = flow.measured.result(&config.label, flow, &losses, self.context.now);
        result.drops_by_place = dropped.collect();
        if let Some(datagrams) = &mut result.datagrams {
            // Packets that came in from outside arrive without having been sent.
            datagrams.lost = result.packets_sent.saturating_sub(result.packets_delivered + open);
        }
        result
    }

    /// By flow, how many datagrams did not arrive yet of which a copy is under way.
    fn open_datagrams(&self) -> Vec<u64> {
        let mut open = vec![BTreeSet::new(); self.transport.flows.len()];
        for held in self.held() {
            let Packet { flow, offset: number, payload, .. } = self.context.packets[held.packet];
            let (Payload::Datagram(_), Carrier::Udp(udp)) =
                (payload, self.transport.flows[flow as usize].carrier())
            else {
                continue;
            };
            if !udp.has_arrived(number) {
                open[flow as usize].insert(number);
            }
        }
        open.iter().map(|numbers| numbers.len() as u64).collect()
    }
}
