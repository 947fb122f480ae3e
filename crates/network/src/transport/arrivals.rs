//! Flows that arrive: their ids are used again when nothing of the flow before is left.

use std::collections::VecDeque;

use super::{Endpoints, Flow, Initial, Transport, tcp};
use crate::app;
use crate::blueprint;
use crate::context::Context;
use crate::ids::{End, FlowId};
use crate::schedule::Start;
use crate::workload::Arrival;
use farlink_kernel::Instant;
use farlink_tcp::SeqNumber;

/// The ids after those of the blueprint's flows.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Flows that are complete, and may have left.
    complete: VecDeque<FlowId>,
}

/// How many complete flows are looked at when one arrives. Two for each arrival catch up with any backlog.
const LOOKED_AT: usize = 2;

impl Transport {
    /// Flows of the blueprint; those after them have arrived.
    pub fn fixed(&self) -> &[Flow] {
        &self.flows[..self.fixed]
    }

    /// True for a flow that has arrived.
    pub fn has_arrived(&self, flow: FlowId) -> bool {
        flow.as_index() >= self.fixed
    }

    /// Everything of an arrived flow was delivered and acknowledged.
    pub fn on_arrived_complete(&mut self, flow: FlowId) {
        self.slots.complete.push_back(flow);
    }

    /// The id of a flow of which no packet and no timer is left.
    pub fn vacant(&mut self, cx: &Context) -> Option<FlowId> {
        for _ in 0..LOOKED_AT.min(self.slots.complete.len()) {
            let flow = self.slots.complete.pop_front()?;
            let Endpoints::Tcp(tcp) = &self.flows[flow].endpoints else { continue };
            if tcp.has_left() && !cx.packets.has_packets(flow) {
                return Some(flow);
            }
            self.slots.complete.push_back(flow);
        }
        None
    }

    /// A flow begins under an id, a new one or one that is vacant. `config` is what all flows of its workload have.
    pub fn begin(
        &mut self,
        id: Option<FlowId>,
        config: &blueprint::Flow,
        arrival: &Arrival,
        now: Instant,
    ) -> FlowId {
        let number = id.unwrap_or(FlowId(self.flows.len() as u32));
        let [sender, receiver, tcp] = arrival.seeds;
        let initial = Initial { numbers: [sender, receiver].map(|seed| SeqNumber(seed as u32)), seed: tcp };
        let application = app::Config::File(app::file::Config { size: arrival.size });
        let [from, to] = arrival.between;
        let config = blueprint::Flow { from, to, start: Start::At(now), application, ..config.clone() };
        let application = config.application.build(&app::Setup { seed: tcp, flow: u64::from(number) });
        let mut flow = Flow::with(number, &config, application, now, &initial);
        match id {
            None => self.flows.push(flow),
            Some(id) => {
                if let (Endpoints::Tcp(new), Endpoints::Tcp(old)) =
                    (&mut flow.endpoints, &self.flows[id].endpoints)
                {
                    new.follow(old);
                }
                self.flows[id] = flow;
            }
        }
        number
    }
}

impl tcp::Tcp {
    /// True when neither end will send anything unless a packet comes.
    fn has_left(&self) -> bool {
        [End::Sender, End::Receiver].into_iter().all(|end| self.connection(end).is_at_rest())
    }
}
