//! Readings of the interfaces on flows' paths, when a flow starts and when it ends.

use crate::blueprint;
use crate::ids::{FlowId, InterfaceId, NodeId};
use crate::interface::Interface;
use crate::metrics::load::{Reading, Watch};
use crate::results::{Carries, PathLoad};
use crate::world::World;

impl World {
    /// A flow starts: its path is the one that routing knows now. A node whose routing has no answer yet adds its
    /// interfaces on shared channels.
    #[cold]
    pub(crate) fn begin_watch(&mut self, flow: FlowId) {
        if self.transport.has_arrived(flow) {
            return;
        }
        let blueprint::Flow { from, to, .. } = self.blueprint.flows[flow];
        let now = self.context.now;
        let data = self.path_interfaces(from, to).into_iter().map(|interface| (interface, Carries::Data));
        let acks = self.path_interfaces(to, from).into_iter().map(|interface| (interface, Carries::Acks));
        let path = data.chain(acks).map(|(interface, carries)| (interface, carries, self.reading(interface)));
        self.watches[flow] = Some(Watch::new(now, path.collect()));
    }

    /// A flow ends by itself.
    #[cold]
    pub(crate) fn on_complete(&mut self, flow: FlowId) {
        if self.transport.has_arrived(flow) {
            self.on_arrived_complete(flow);
        } else {
            self.end_watch(flow);
        }
    }

    /// A flow ends, by itself or with the run.
    #[cold]
    pub(crate) fn end_watch(&mut self, flow: FlowId) {
        if let Some(mut watch) = self.watches[flow].take() {
            watch.end(self.context.now, |interface| self.reading(interface));
            self.watches[flow] = Some(watch);
        }
    }

    pub(crate) fn path_loads(&mut self) -> Vec<Vec<PathLoad>> {
        (0..self.watches.len() as u32).for_each(|flow| self.end_watch(FlowId(flow)));
        self.watches.drain(..).map(|watch| watch.map(Watch::loads).unwrap_or_default()).collect()
    }

    fn path_interfaces(&mut self, from: NodeId, to: NodeId) -> Vec<InterfaceId> {
        let hops: Vec<_> = self.hops(from, to).into_iter().map(|hop| hop.interface).collect();
        if !hops.is_empty() {
            return hops;
        }
        let is_own = |interface: &Interface| matches!(interface, Interface::Station(own) if own.node == from);
        let numbered = (0..).map(InterfaceId).zip(&self.interfaces);
        numbered.filter(|(_, interface)| is_own(interface)).map(|(number, _)| number).collect()
    }

    fn reading(&self, interface: InterfaceId) -> Reading {
        let now = self.context.now;
        match &self.interfaces[interface] {
            Interface::Link(link) => Reading { sent: link.usage.busy_by(now), ..Reading::default() },
            Interface::Station(station) => {
                let sent = station.usage.busy_by(now);
                let sensed = self.channels[station.channel].sensed_time(station.member, now);
                let backlogged = station.usage.backlogged_by(now);
                Reading { sent, medium: Some(sent + sensed), backlogged }
            }
        }
    }
}
