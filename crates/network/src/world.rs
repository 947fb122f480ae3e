//! [`World`]: owns everything; its loop is one `match`.

use farlink_kernel::{EventQueue, Instant, Phase};
use farlink_tcp::congestion;

use crate::blueprint::{self, Blueprint, BuildError};
use crate::channel::shared::SharedChannel;
use crate::context::{Context, Effect};
use crate::event::Event;
use crate::hop::{Arrival, Hop, NextHop};
use crate::ids::{End, FlowId, InterfaceId, NodeId};
use crate::interface::Interface;
use crate::metrics::load::Watch;
use crate::metrics::series::Protocol;
use crate::observe::capture::Capture;
use crate::observe::monitor::{Monitor, Monitors, Place};
use crate::packet::Packet;
use crate::queue::Backlog;
use crate::results::{FlowSeries, LinkSeries};
use crate::routing::router::Router;
use crate::transport::{Endpoints, Transport};

mod arp;
mod arrivals;
mod build;
mod detour;
mod flow_results;
mod frame_path;
mod hosts;
mod layers;
mod ledger;
mod loads;
mod lost_datagrams;
mod packet_path;
mod results;
mod retry;
mod watch;

pub use detour::{Detour, Detours};

/// A run under way.
#[derive(Debug)]
pub struct World {
    pub(crate) events: EventQueue<Event>,
    pub(crate) context: Context,
    pub(crate) transport: Transport,
    pub(crate) routers: Vec<Router>,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) channels: Vec<SharedChannel>,
    pub(crate) monitors: Option<Box<Monitors>>,
    /// `None` where hosts take no time.
    hosts: Option<hosts::Hosts>,
    blueprint: Blueprint,
    arrivals: arrivals::Arrivals,
    /// By flow of the blueprint; `None` before its start.
    watches: Vec<Option<Watch>>,
    end: Instant,
    /// Nothing later than this is to happen yet.
    pub(crate) until: Instant,
    flow_series: FlowSeries,
    link_series: LinkSeries,
}

impl World {
    /// Refuses what no world can be made from, as [`World::new`] does.
    pub fn check(blueprint: &Blueprint, seed: u64) -> Result<(), BuildError> {
        build::check(blueprint)?;
        build::routers(blueprint, seed, &mut Context::new(0)).map(|_| ())
    }

    /// A world at the start of its time.
    pub fn new(blueprint: &Blueprint, seed: u64) -> Result<Self, BuildError> {
        build::check(blueprint)?;
        let mut context = Context::with_workloads(blueprint.flows.len(), blueprint.workloads.len());
        let routers = build::routers(blueprint, seed, &mut context)?;
        let end = Instant::ZERO.saturating_add(blueprint.duration);
        let channels = build::channels(blueprint, seed);
        let interfaces = build::interfaces(blueprint, &channels, &routers, seed, end);
        let transport = Transport::new(&blueprint.flows, seed, &mut context);
        let mut world = Self {
            events: EventQueue::new(),
            context,
            transport,
            routers,
            interfaces,
            channels,
            monitors: None,
            hosts: hosts::Hosts::new(blueprint, seed),
            watches: blueprint.flows.iter().map(|_| None).collect(),
            blueprint: blueprint.clone(),
            arrivals: arrivals::Arrivals::new(blueprint, seed, end),
            end,
            until: Instant::ZERO,
            flow_series: FlowSeries::default(),
            link_series: LinkSeries::default(),
        };
        (0..world.routers.len() as u32).for_each(|node| world.listen_to_router(NodeId(node)));
        world.settle();
        world.await_arrivals();
        world.push_ends_of_outages();
        if blueprint.record.interval.is_some() {
            world.events.push(Instant::ZERO, Phase::Sample, 0, Event::Sample);
        }
        Ok(world)
    }

    fn push_ends_of_outages(&mut self) {
        for (interface, number) in self.interfaces.iter().zip(0..) {
            if let Interface::Link(link) = interface {
                for at in link.comes_back() {
                    self.events.push(at, Phase::SignalStart, number, Event::LinkUp(InterfaceId(number)));
                }
            }
        }
    }

    /// Gives the sending end of `flow` a congestion control from outside the registry, before the run.
    pub fn set_congestion_control(&mut self, flow: FlowId, member: congestion::Any) {
        self.transport.set_congestion_control(flow, member);
    }

    /// Lets `capture` see the segments of every TCP flow as they pass the flow's sender.
    pub fn set_capture(&mut self, capture: Box<dyn Capture>) {
        self.transport.capture = Some(capture);
    }

    /// Lets `monitor` see the packets, and the frames on the shared channels from `place`. Before the run.
    pub fn add_monitor(&mut self, monitor: Box<dyn Monitor>, place: Place) {
        self.monitors.get_or_insert_default().add(monitor, place);
        self.channels.iter_mut().for_each(|channel| channel.missed = Some(Vec::new()));
    }

    /// What the world was made from.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The interfaces that data of `flow` would pass now, from its sender on; it ends early where routing has
    /// no answer yet.
    pub fn way(&mut self, flow: FlowId) -> Vec<InterfaceId> {
        let blueprint::Flow { from, to, .. } = self.blueprint.flows[flow];
        self.hops(from, to).into_iter().map(|hop| hop.interface).collect()
    }

    /// The nodes that data of `flow` would pass now, from its sender on, in the same way.
    pub fn path(&mut self, flow: FlowId) -> Vec<NodeId> {
        let next = |hop: Hop| match hop.next_hop {
            NextHop::Node(next) => Some(next),
            NextHop::Everyone => None,
        };
        let blueprint::Flow { from, to, .. } = self.blueprint.flows[flow];
        std::iter::once(from).chain(self.hops(from, to).into_iter().filter_map(next)).collect()
    }

    fn hops(&mut self, from: NodeId, to: NodeId) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut node = from;
        while node != to && hops.len() < usize::from(Packet::HOP_LIMIT) {
            let protocol = &mut self.routers[node].protocol;
            let Some(hop) = protocol.known_hop(to, &mut self.context) else { break };
            hops.push(hop);
            let NextHop::Node(next) = hop.next_hop else { break };
            node = next;
        }
        hops
    }

    /// When the next event is; `None` when nothing is left to happen or the run's duration is over.
    pub fn next_event(&self) -> Option<Instant> {
        self.events.peek().filter(|&at| at <= self.end)
    }

    /// The simulated time reached.
    pub fn now(&self) -> Instant {
        self.context.now
    }

    /// How many events were handled so far.
    pub fn events(&self) -> u64 {
        self.events.popped()
    }

    /// Handles every event up to and including `until` (at most the run's duration).
    pub fn run_until(&mut self, until: Instant) {
        self.run_events(until, u64::MAX);
    }

    /// The same until `limit` events were handled since the start; false when that came first. A transmission
    /// that reaches several listeners is not cut in two, so that a few events more than `limit` may be handled.
    pub fn run_events(&mut self, until: Instant, limit: u64) -> bool {
        let until = until.min(self.end);
        self.until = until;
        while self.events.popped() < limit {
            let Some((now, event)) = self.events.pop_until(until) else {
                self.context.set_now(self.context.now.max(until));
                return true;
            };
            self.context.set_now(now);
            self.handle(event);
            self.settle();
        }
        false
    }

    #[inline(always)]
    fn handle(&mut self, event: Event) {
        let cx = &mut self.context;
        match event {
            Event::Arrival(interface) => self.on_arrival(interface),
            Event::Sent(interface) => self.on_link_sent(interface),
            Event::LinkUp(interface) => self.on_link_up(interface),
            Event::Signal { channel, transmission, phase } => self.on_signal(channel, transmission, phase),
            Event::AntennaFree(interface) => self.on_transmitted(interface),
            Event::MacDeadline { interface, generation } => self.on_mac_deadline(interface, generation),
            Event::RoutingDeadline { node, generation } => self.on_routing_deadline(node, generation),
            Event::Deadline { flow, end, generation } => {
                self.transport.on_deadline(flow, end, generation, cx);
            }
            Event::Host { node, direction } => self.on_host(node, direction),
            Event::Start(flow) => self.transport.on_start(flow, cx),
            Event::FlowArrival { workload, number } => self.on_flow_arrival(workload, number),
            Event::Wake(flow) => self.transport.on_wake(flow, cx),
            Event::Stop(flow) => self.transport.on_stop(flow, cx),
            Event::Sample => self.sample(),
        }
    }

    /// The time series of flows and of links so far.
    pub fn series(&self) -> (&FlowSeries, &LinkSeries) {
        (&self.flow_series, &self.link_series)
    }

    /// A packet comes in from outside at an interface of a node (a real network, a test).
    pub fn inject(&mut self, node: NodeId, interface: InterfaceId, packet: Packet) {
        let owner = self.interfaces[interface].node();
        assert!(owner == node, "interface {interface} is not one of node {node}");
        let packet = self.context.packets.originate(packet);
        let arrival = Arrival { packet, interface, from: node };
        self.context.push(Effect::Up { node, arrival });
        self.settle();
    }

    /// The connection of one end of a flow; `None` for flows without TCP.
    pub fn connection(&self, flow: FlowId, end: End) -> Option<&farlink_tcp::Connection> {
        match self.transport.flows[flow].endpoints() {
            Endpoints::Tcp(tcp) => Some(tcp.connection(end)),
            Endpoints::Udp(_) => None,
        }
    }

    /// Packets that arrived after a sample were under way then.
    fn add_arrivals_to_samples(&mut self) {
        let flows = self.transport.fixed().len();
        for (flow, number) in self.transport.flows[..flows].iter_mut().zip(0..) {
            flow.measured.arrivals.add_to(&mut self.flow_series, number, flows);
        }
    }

    #[inline(never)]
    fn sample(&mut self) {
        let now = self.context.now;
        self.add_arrivals_to_samples();
        for (flow, number) in self.transport.fixed().iter().zip(0..) {
            match flow.endpoints() {
                Endpoints::Tcp(tcp) => {
                    let receiver = tcp.connection(End::Receiver).sample();
                    let sender = tcp.connection(End::Sender);
                    let counts = flow.measured.counts(sender.counters().data_segments_sent);
                    let sample = sender.sample();
                    self.flow_series.push(now, FlowId(number), counts, Protocol::Tcp(&sample, &receiver));
                }
                Endpoints::Udp(udp) => {
                    let counts = flow.measured.counts(udp.sent());
                    self.flow_series.push(now, FlowId(number), counts, Protocol::Udp(udp.jitter()));
                }
            }
        }
        for (interface, number) in self.interfaces.iter_mut().zip(0..) {
            let backlog: Backlog = match interface {
                Interface::Link(link) => link.backlog(now),
                Interface::Station(station) => station.queue.backlog(),
            };
            self.link_series.push(now, number, &backlog);
        }
        if let Some(interval) = self.blueprint.record.interval {
            self.events.push(now.saturating_add(interval), Phase::Sample, 0, Event::Sample);
        }
    }
}

#[cfg(test)]
mod tests;
