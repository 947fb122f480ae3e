//! Flows of workloads: they arrive, are complete, and leave.

use farlink_kernel::{Bytes, Duration, Instant, Phase};
use farlink_tcp::config::Handshake;
use farlink_tcp::fast_open::FastOpen;

use crate::app;
use crate::blueprint::{self, Blueprint};
use crate::event::Event;
use crate::ids::{End, FlowId, InterfaceId, NodeId};
use crate::interface::Interface;
use crate::metrics::arrived::{Arrived, Counted, Workload};
use crate::payload::Payload;
use crate::results::WorkloadResult;
use crate::schedule::{Schedule, Start};
use crate::transport::Endpoints;
use crate::workload::arrivals::{Next, Setup};
use crate::workload::{Arrival, Source};
use crate::world::World;

/// IP and TCP headers in bytes, and the option with timestamps.
const HEADERS: u64 = 40;
const TIMESTAMPS: u64 = 12;

/// The workloads of a run, and their flows that have not left.
#[derive(Debug)]
pub(crate) struct Arrivals {
    workloads: Vec<Running>,
    /// By the place of their ids after those of the blueprint's flows.
    live: Vec<(u32, Arrived)>,
}

#[derive(Debug)]
struct Running {
    source: Source,
    /// What all of its flows have.
    config: blueprint::Flow,
    measured: Workload,
}

impl Arrivals {
    pub(super) fn new(blueprint: &Blueprint, seed: u64, end: Instant) -> Self {
        let running = |(number, workload): (u64, &blueprint::Workload)| {
            let blueprint::Workload {
                from, to, start, stop, arrivals, size, tcp, classes, keeps_rows, ..
            } = workload;
            // Nothing that arrives at the end of the run is part of it.
            let stop = stop.map_or(end, |stop| stop.min(end));
            let mean_size = size.parameters().mean();
            let setup = Setup { seed, workload: number, start: *start, stop, mean_size };
            let config = blueprint::Flow {
                label: String::new(),
                from: from[0],
                to: to[0],
                start: Start::At(*start),
                stop: None,
                application: app::Config::File(app::file::Config::default()),
                tcp: tcp.clone(),
                payload: Payload::Pattern,
            };
            let source = Source::new(&setup, [from, to], arrivals, size);
            Running { source, config, measured: Workload::new(classes, *keeps_rows) }
        };
        Self { workloads: (0..).zip(&blueprint.workloads).map(running).collect(), live: Vec::new() }
    }

    fn first(&self) -> Vec<(u32, Next)> {
        let of = |(number, running): (u32, &Running)| {
            running.source.arrivals.first().into_iter().map(move |next| (number, next)).collect::<Vec<_>>()
        };
        (0..).zip(&self.workloads).flat_map(of).collect()
    }
}

impl World {
    /// Before the run.
    pub(super) fn await_arrivals(&mut self) {
        for (workload, next) in self.arrivals.first() {
            self.await_arrival(workload, next);
        }
    }

    fn await_arrival(&mut self, workload: u32, Next { at, number }: Next) {
        let event = Event::FlowArrival { workload, number };
        self.events.push(at, Phase::Application, workload, event);
    }

    /// A flow of a workload arrives.
    #[cold]
    #[inline(never)]
    pub(super) fn on_flow_arrival(&mut self, workload: u32, number: u32) {
        let now = self.context.now;
        let source = &self.arrivals.workloads[workload as usize].source;
        let (arrival, next) =
            (source.arrival(number), source.arrivals.after_arrival(Next { at: now, number }));
        if let Some(next) = next {
            self.await_arrival(workload, next);
        }
        let Arrival { between, size, .. } = arrival;
        let alone = self.time_alone(workload, between, size);
        let vacant = self.transport.vacant(&self.context);
        match vacant {
            Some(flow) => {
                self.leave(flow);
                self.context.packets.replace_flow(flow, workload);
            }
            None => self.context.packets.add_flow(workload),
        }
        let running = &mut self.arrivals.workloads[workload as usize];
        running.measured.on_arrival(size);
        let flow = self.transport.begin(vacant, &running.config, &arrival, now);
        let arrived = Arrived { number, between, size, start: now, alone, complete: None };
        let slot = self.slot(flow);
        if slot == self.arrivals.live.len() {
            self.arrivals.live.push((workload, arrived));
        } else {
            self.arrivals.live[slot] = (workload, arrived);
        }
        self.transport.on_start(flow, &mut self.context);
    }

    fn slot(&self, flow: FlowId) -> usize {
        flow.as_index() - self.transport.fixed().len()
    }

    /// Everything of a flow that arrived was delivered and acknowledged.
    #[cold]
    #[inline(never)]
    pub(super) fn on_arrived_complete(&mut self, flow: FlowId) {
        let (now, slot) = (self.context.now, self.slot(flow));
        let (workload, arrived) = &mut self.arrivals.live[slot];
        if arrived.complete.is_some() {
            return;
        }
        arrived.complete = Some(now);
        let (workload, number) = (*workload, arrived.number);
        let Running { source, measured, .. } = &mut self.arrivals.workloads[workload as usize];
        measured.on_complete(arrived, now);
        let next = source.arrivals.after_completion(number, now);
        self.transport.on_arrived_complete(flow);
        if let Some(next) = next {
            self.await_arrival(workload, next);
        }
    }

    /// The counts of a flow go to its workload.
    fn leave(&mut self, flow: FlowId) {
        let (workload, arrived) = self.arrivals.live[self.slot(flow)];
        let Endpoints::Tcp(tcp) = self.transport.flows[flow].endpoints() else { return };
        let counters = tcp.connection(End::Sender).counters();
        let counted = Counted {
            received: tcp.connection(End::Receiver).received(),
            retransmissions: counters.retransmissions,
            timeouts: counters.timeouts,
        };
        self.arrivals.workloads[workload as usize].measured.on_left(&arrived, counted);
    }

    /// One per workload. The ledger is closed.
    pub(super) fn workload_results(&mut self) -> Vec<WorkloadResult> {
        let fixed = self.transport.fixed().len();
        (fixed..self.transport.flows.len()).for_each(|flow| self.leave(FlowId(flow as u32)));
        let workloads = std::mem::take(&mut self.arrivals.workloads);
        let result = |(number, running): (usize, Running)| WorkloadResult {
            label: self.blueprint.workloads[number].label.clone(),
            classes: running.measured.results(),
            flows: running.measured.rows(),
            drops: crate::packet::named(&self.context.packets.losses(fixed + number).drops),
            drops_by_place: self.drops_by_place(fixed + number),
        };
        workloads.into_iter().enumerate().map(result).collect()
    }

    /// The least completion time on an empty path, as links are now: the handshake, unless there is none; the payload with its
    /// headers at the lowest rate, the last packet over the other links, and its acknowledgement. `None` over shared channels,
    /// over links with rates that change, jitter or token buckets, and where routing has no answer.
    ///
    /// That is the ideal completion time of pFabric (Alizadeh et al., SIGCOMM 2013, section 5.1) and HPCC (Li et al., SIGCOMM
    /// 2019, section 5.1), with the handshake: slow start and loss are part of the slowdown.
    fn time_alone(&mut self, workload: u32, [from, to]: [NodeId; 2], size: Bytes) -> Option<Duration> {
        let tcp = &self.blueprint.workloads[workload as usize].tcp;
        let segment = tcp.segment_size.0.max(1);
        let is_early = matches!(tcp.fast_open, FastOpen::Cookie | FastOpen::WithoutCookie);
        let has_handshake = tcp.handshake == Handshake::ThreeWay && !is_early;
        let headers = HEADERS + if tcp.timestamps { TIMESTAMPS } else { 0 };
        let (segments, last) = (size.0.div_ceil(segment), (size.0 - 1) % segment + 1 + headers);
        let (data, acks) = (self.links_between(from, to)?, self.links_between(to, from)?);
        let over = |path: &[(u64, Duration)], bytes: u64| -> f64 {
            path.iter().map(|(rate, delay)| delay.as_secs_f64() + (8 * bytes) as f64 / *rate as f64).sum()
        };
        let lowest = data.iter().map(|(rate, _)| *rate).min()?;
        let wire = size.0 + segments * headers;
        let mut seconds =
            over(&data, last) + (8 * (wire - last)) as f64 / lowest as f64 + over(&acks, headers);
        if has_handshake {
            seconds += over(&data, HEADERS) + over(&acks, HEADERS);
        }
        seconds.is_finite().then(|| Duration::from_secs_f64(seconds))
    }

    /// The rates in bit/s and the delays of the links of a path, if it has no others than links that determine both.
    fn links_between(&mut self, from: NodeId, to: NodeId) -> Option<Vec<(u64, Duration)>> {
        let hops: Vec<InterfaceId> = self.hops(from, to).into_iter().map(|hop| hop.interface).collect();
        let now = self.context.now;
        let link = |interface: &InterfaceId| match &self.interfaces[*interface] {
            Interface::Link(_) => {
                let direction = self.blueprint.direction(interface.as_index());
                let Schedule::Constant(rate) = direction.rate else { return None };
                let is_steady = direction.jitter.is_none() && !direction.queue.parameters().limits_rate();
                is_steady.then(|| (rate.as_bps(), direction.delay.at(now).0))
            }
            Interface::Station(_) => None,
        };
        let links: Vec<_> = hops.iter().map(link).collect::<Option<_>>()?;
        let ends_there = hops.last().is_some_and(|last| match &self.interfaces[*last] {
            Interface::Link(link) => link.peer == to,
            Interface::Station(_) => false,
        });
        ends_there.then_some(links)
    }
}
