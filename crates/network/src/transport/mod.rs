//! Transport: the flows, each with an application, endpoints and counters.
//!
//! [`tcp`] joins connections to the world: segments become packets, deadlines become events. [`udp`] sends
//! datagrams without retransmission. [`stored`] keeps payload that is read. [`arrivals`] begins the flows of workloads.

use farlink_kernel::random::{Stream, draw, name_key};
use farlink_kernel::{Instant, Phase};
use farlink_tcp::{Notice, SeqNumber, congestion};

use crate::app::{self, Action, Length};
use crate::blueprint;
use crate::context::{Context, Effect};
use crate::event::Event;
use crate::ids::{End, FlowId, NodeId, PacketId};
use crate::metrics::flow::FlowCounters;
use crate::observe::capture::Capture;
use crate::packet::{Packet, Payload};
use crate::schedule::Start;
use end_to_end::EndToEnd;

pub(crate) mod arrivals;
pub(crate) mod end_to_end;
pub(crate) mod relay;
pub(crate) mod stored;
pub(crate) mod tcp;
pub(crate) mod udp;

#[derive(Debug)]
pub enum Endpoints {
    Tcp(Box<tcp::Tcp>),
    Udp(udp::Udp),
}

/// What both ends know about their flow.
#[derive(Debug)]
pub struct Identity {
    pub flow: FlowId,
    pub nodes: [NodeId; 2],
}

impl Identity {
    /// (from, to) of what `end` sends.
    fn direction(&self, end: End) -> [NodeId; 2] {
        [self.nodes[end as usize], self.nodes[end.other() as usize]]
    }
}

#[derive(Debug)]
pub struct Flow {
    identity: Identity,
    endpoints: Endpoints,
    application: app::Any,
    start: Instant,
    stop: Option<Instant>,
    is_stopped: bool,
    pub measured: FlowCounters,
    /// With flows that pass on its bytes, or whose bytes it passes on.
    joints: Vec<relay::Joint>,
}

/// The draws of a flow over TCP.
struct Initial {
    /// The initial sequence numbers of both ends.
    numbers: [SeqNumber; 2],
    /// Feeds members of TCP that draw random numbers.
    seed: u64,
}

impl Flow {
    fn new(flow: FlowId, config: &blueprint::Flow, joints: Vec<relay::Joint>, seed: u64) -> Self {
        let application = config.application.build(&app::Setup { seed, flow: u64::from(flow) });
        let start = match config.start {
            Start::At(start) => start,
            Start::Within(interval) => {
                let length = (interval.end - interval.start).as_nanos();
                let offset = Stream::new(seed, "start", u64::from(flow)).below(length);
                interval.start + farlink_kernel::Duration::from_nanos(offset)
            }
        };
        let number = |end: u64| SeqNumber(draw(seed, name_key("initial_seq"), u64::from(flow), end) as u32);
        let initial = Initial {
            numbers: [number(0), number(1)],
            seed: draw(seed, name_key("tcp"), u64::from(flow), 0),
        };
        Self { joints, ..Self::with(flow, config, application, start, &initial) }
    }

    /// A flow that starts at `start` and has no joints.
    fn with(
        flow: FlowId,
        config: &blueprint::Flow,
        application: app::Any,
        start: Instant,
        initial: &Initial,
    ) -> Self {
        let parameters = config.application.parameters();
        let traffic = parameters.traffic();
        let begins = if let Length::Relayed { .. } = traffic.length { Instant::NEVER } else { start };
        let endpoints = match traffic.protocol {
            app::Protocol::Tcp => {
                Endpoints::Tcp(Box::new(tcp::Tcp::new(flow, config, initial.numbers, initial.seed)))
            }
            app::Protocol::Udp => Endpoints::Udp(udp::Udp::new(parameters.receiver())),
        };
        Self {
            identity: Identity { flow, nodes: [config.from, config.to] },
            endpoints,
            application,
            start,
            stop: config.stop,
            is_stopped: false,
            measured: FlowCounters::new(begins),
            joints: Vec::new(),
        }
    }

    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    fn parts<'a>(
        &'a mut self,
        cx: &'a mut Context,
        capture: &'a mut Option<Box<dyn Capture>>,
    ) -> (&'a mut Endpoints, Io<'a>) {
        (&mut self.endpoints, Io { identity: &self.identity, measured: &mut self.measured, cx, capture })
    }
}

/// What the endpoints of a flow may use.
#[derive(Debug)]
pub struct Io<'a> {
    pub identity: &'a Identity,
    pub measured: &'a mut FlowCounters,
    pub cx: &'a mut Context,
    pub capture: &'a mut Option<Box<dyn Capture>>,
}

fn arm(cx: &mut Context, at: Instant, phase: Phase, flow: FlowId, event: fn(FlowId) -> Event) {
    cx.push(Effect::Arm { at, phase, target: flow.0, event: event(flow) });
}

/// The transports of all nodes. A flow's two ends share nothing but what is measured.
#[derive(Debug)]
pub struct Transport {
    /// The flows, in the blueprint's order, then those that have arrived.
    pub flows: Vec<Flow>,
    /// How many are the blueprint's.
    fixed: usize,
    slots: arrivals::Slots,
    /// One per relay.
    relayed: Vec<EndToEnd>,
    pub capture: Option<Box<dyn Capture>>,
}

impl Transport {
    /// Flows that have not started; their starts and stops are asked for.
    pub fn new(flows: &[blueprint::Flow], seed: u64, cx: &mut Context) -> Self {
        let relayed = relay::relayed(flows);
        let flows: Vec<_> = flows
            .iter()
            .zip(relay::joints(flows))
            .zip(0..)
            .map(|((config, joints), number)| Flow::new(FlowId(number), config, joints, seed))
            .collect();
        for flow in &flows {
            arm(cx, flow.start, Phase::Application, flow.identity.flow, Event::Start);
            if let Some(stop) = flow.stop {
                arm(cx, stop.max(flow.start), Phase::Application, flow.identity.flow, Event::Stop);
            }
        }
        let (fixed, slots) = (flows.len(), arrivals::Slots::default());
        let mut transport = Self { flows, fixed, slots, relayed, capture: None };
        transport.let_gateways_read();
        transport
    }

    fn parts<'a>(&'a mut self, number: FlowId, cx: &'a mut Context) -> (&'a mut Endpoints, Io<'a>) {
        self.flows[number].parts(cx, &mut self.capture)
    }

    /// Replaces the congestion control of a flow's sender before it starts. UDP has none to replace.
    pub fn set_congestion_control(&mut self, flow: FlowId, member: congestion::Any) {
        if let Endpoints::Tcp(tcp) = &mut self.flows[flow].endpoints {
            tcp.set_congestion_control(member);
        }
    }

    /// A flow starts. The time of a relay begins later.
    pub fn on_start(&mut self, number: FlowId, cx: &mut Context) {
        if self.flows[number].measured.start != Instant::NEVER {
            cx.push(Effect::Begin { flow: number });
        }
        if let (Endpoints::Tcp(tcp), mut io) = self.parts(number, cx) {
            tcp.open(&mut io);
        }
        self.on_wake(number, cx);
        self.pass_on(number, cx);
    }

    pub fn on_wake(&mut self, number: FlowId, cx: &mut Context) {
        let flow = &mut self.flows[number];
        if flow.is_stopped {
            return;
        }
        let action = flow.application.on_wake(cx.now);
        match flow.parts(cx, &mut self.capture) {
            (Endpoints::Tcp(tcp), mut io) => tcp.act(action, &mut io),
            (Endpoints::Udp(udp), mut io) => udp.send(action.send, &mut io),
        }
        if action.wake != Instant::NEVER {
            arm(cx, action.wake, Phase::Application, number, Event::Wake);
        }
        self.note_sent(number, cx);
    }

    pub fn on_stop(&mut self, number: FlowId, cx: &mut Context) {
        self.flows[number].is_stopped = true;
        if let (Endpoints::Tcp(tcp), mut io) = self.parts(number, cx) {
            let action = Action { send: farlink_kernel::Bytes(0), close: true, wake: Instant::NEVER };
            tcp.act(action, &mut io);
        }
    }

    /// A packet of flow `number` reached the node of the end it is for, and ends here.
    #[inline(always)]
    pub fn on_packet(&mut self, number: FlowId, packet: PacketId, cx: &mut Context) {
        let has_joints = !self.flows[number].joints.is_empty();
        let before = has_joints.then(|| (cx.packets[packet].offset, self.flows[number].measured.delivered));
        match self.parts(number, cx) {
            (Endpoints::Tcp(tcp), mut io) => tcp.on_packet(packet, &mut io),
            (Endpoints::Udp(udp), mut io) => udp.on_packet(packet, &mut io),
        }
        if let Some((offset, delivered)) = before {
            if self.flows[number].measured.delivered > delivered {
                self.note_arrival(number, offset, cx);
            }
            self.pass_on(number, cx);
        }
    }

    /// A router's word reached the node of the end it is for.
    pub fn on_notice_packet(packet: PacketId, cx: &mut Context) {
        let Packet { flow, to: end, payload, .. } = cx.packets[packet];
        if let Payload::Notice(notice) = payload {
            cx.push(Effect::Notice { flow, end, notice });
        }
        cx.packets.deliver(packet);
    }

    /// A router's word for one end of a flow.
    pub fn on_notice(&mut self, number: FlowId, end: End, notice: Notice, cx: &mut Context) {
        if let (Endpoints::Tcp(tcp), mut io) = self.parts(number, cx) {
            tcp.on_notice(end, notice, &mut io);
        }
        self.note_sent(number, cx);
    }

    /// A word of routing's at a node about the route to another: the ends of flows between the two hear of it.
    pub fn on_route_notice(&mut self, node: NodeId, peer: NodeId, notice: Notice, cx: &mut Context) {
        for number in (0..self.flows.len() as u32).map(FlowId) {
            let Flow { identity: Identity { nodes, .. }, measured, .. } = &self.flows[number];
            let nodes = *nodes;
            // One that arrived and is complete waits for its id to be used again.
            if self.has_arrived(number) && measured.complete.is_some() {
                continue;
            }
            for end in [End::Sender, End::Receiver] {
                if (nodes[end as usize], nodes[end.other() as usize]) == (node, peer) {
                    self.on_notice(number, end, notice, cx);
                }
            }
        }
    }

    pub fn on_deadline(&mut self, number: FlowId, end: End, generation: u32, cx: &mut Context) {
        if let (Endpoints::Tcp(tcp), mut io) = self.parts(number, cx) {
            tcp.on_deadline(end, generation, &mut io);
        }
        self.note_sent(number, cx);
    }
}
