//! One run of a scenario, advanced in slices of simulated time or of events.

use std::collections::BTreeMap;

use farlink_kernel::{Duration, Instant};
use farlink_network::World;
use farlink_network::blueprint::Flow;
use farlink_network::ids::{FlowId, InterfaceId, NodeId};
use farlink_network::observe::monitor::Place;
use farlink_network::queue;
use farlink_network::results::{FlowSeries, LinkSeries};
use farlink_tcp::congestion::CongestionControl;

use crate::animation::{Animation, Window};
use crate::capture::{self, Recording, Sink};
use crate::rates::mean_rates;
use crate::run_results::{Provenance, Route, RunResults, Windows};
use crate::scenario::Scenario;
use crate::transfer::{is_relayed, transfer_size};
use crate::version::VERSION;

/// What a run keeps besides its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Time series, sampled every `record.interval`.
    pub series: bool,
}

/// A run in progress.
#[derive(Debug)]
pub struct Simulation {
    world: World,
    duration: Duration,
    provenance: Provenance,
    routes: Vec<Route>,
    rates_bps: Vec<f64>,
    queues: Vec<queue::Config>,
    recorders: Vec<Box<dyn Recording>>,
    animation: Option<Animation>,
    /// Names of congestion controls that are still to be plugged in, by flow.
    awaited: BTreeMap<u32, String>,
}

impl Simulation {
    /// Builds the scenario's network with `seed`.
    pub fn new(scenario: &Scenario, seed: u64, record: Record) -> Self {
        let mut blueprint = scenario.blueprint.clone();
        if !record.series {
            blueprint.record.interval = None;
        }
        let mut world = World::new(&blueprint, seed).expect("validated: the network can be built");
        let route = |(number, flow): (u32, &Flow)| {
            let farlink_tcp::Config { max_window, receive_buffer, .. } = flow.tcp;
            Route {
                path: world.way(FlowId(number)).into_iter().map(InterfaceId::as_index).collect(),
                tcp: flow.is_tcp().then_some(Windows { max_window, receive_buffer }),
                size: transfer_size(&blueprint.flows, flow),
                is_relayed: is_relayed(&blueprint.flows, flow),
            }
        };
        let queues = blueprint.links.iter().flat_map(|link| [&link.forward.queue, &link.reverse.queue]);
        Self {
            routes: (0..).zip(&blueprint.flows).map(route).collect(),
            rates_bps: mean_rates(&blueprint),
            queues: queues.cloned().collect(),
            recorders: Vec::new(),
            animation: None,
            awaited: scenario.plugged.clone(),
            world,
            duration: blueprint.duration,
            provenance: Provenance {
                version: VERSION,
                scenario: scenario.name.clone(),
                resolved: scenario.resolved.clone(),
                file_hashes: scenario.file_hashes.clone(),
                seed,
            },
        }
    }

    /// Gives the flow at `index` a congestion control that the registry lacks. Call it before the first [`advance`], which
    /// panics where one of [`Scenario::plugged`] is missing.
    ///
    /// [`advance`]: Self::advance
    pub fn plug(&mut self, index: u32, congestion_control: Box<dyn CongestionControl>) {
        self.awaited.remove(&index);
        self.world.set_congestion_control(FlowId(index), congestion_control);
    }

    /// Writes a pcap of the packets at the flows' senders into `sink`, with valid headers and checksums. A write
    /// that fails ends the run; [`RunResults::capture_error`] then says why. Call it before the first
    /// [`advance`].
    ///
    /// [`advance`]: Self::advance
    pub fn capture(&mut self, sink: Sink) {
        let recorder = capture::senders::recorder(sink);
        self.world.set_capture(Box::new(recorder.clone()));
        self.recorders.push(Box::new(recorder));
    }

    /// Writes a pcapng of the frames on shared channels into `sink`: every frame as it is sent, or those that the
    /// node with this number sends and receives.
    pub fn capture_frames(&mut self, sink: Sink, node: Option<u32>) {
        let recorder = capture::frames::recorder(sink, self.world.blueprint());
        self.world.add_monitor(
            Box::new(recorder.clone()),
            node.map_or(Place::Channel, |node| Place::Node(NodeId(node))),
        );
        self.recorders.push(Box::new(recorder));
    }

    /// Writes a line for each event of a packet or frame, in ns-2's old wireless format.
    pub fn trace(&mut self, sink: Sink) {
        let recorder = capture::ns2::recorder(sink, self.world.blueprint());
        self.world.add_monitor(Box::new(recorder.clone()), Place::Everywhere);
        self.recorders.push(Box::new(recorder));
    }

    /// Keeps a row for every copy of a packet ([`RunResults::ledger`]). Call it before the first [`advance`].
    ///
    /// [`advance`]: Self::advance
    pub fn keep_ledger(&mut self) {
        self.world.keep_ledger();
    }

    /// Records the run for its animation ([`RunResults::animation`]), frames within `window` only. Call it before
    /// the first [`advance`].
    ///
    /// [`advance`]: Self::advance
    pub fn animate(&mut self, window: Window) {
        let animation = Animation::new(self.world.blueprint(), self.provenance.seed, window);
        self.world.add_monitor(Box::new(animation.recorder()), Place::Everywhere);
        self.animation = Some(animation);
    }

    /// Runs until `until` or the end, whichever is earlier; true while there is more to do.
    pub fn advance(&mut self, until: Instant) -> bool {
        self.advance_events(until, u64::MAX)
    }

    /// Like [`advance`], but also stops when [`events`] has reached `limit`. A slice of simulated time may hold any
    /// number of events; a limit on events bounds its wall-clock time. The results do not depend on the slices.
    ///
    /// [`advance`]: Self::advance
    /// [`events`]: Self::events
    pub fn advance_events(&mut self, until: Instant, limit: u64) -> bool {
        assert!(self.awaited.is_empty(), "not plugged in: {:?}", self.awaited);
        let end = Instant::ZERO + self.duration;
        self.run_until(until.min(end), limit);
        if self.recorders.iter().any(|recorder| recorder.has_failed()) {
            return false;
        }
        if self.world.next_event().is_none() {
            // The time after the last event is part of the run.
            self.run_until(end, u64::MAX);
            return false;
        }
        true
    }

    /// Stops wherever the animation samples the routes.
    fn run_until(&mut self, until: Instant, limit: u64) {
        if let Some(animation) = &mut self.animation {
            while animation.next_sample() <= until {
                let at = animation.next_sample();
                if !self.world.run_events(at, limit) {
                    return;
                }
                animation.sample(at, &mut self.world);
            }
        }
        self.world.run_events(until, limit);
    }

    /// How many events were handled so far.
    pub fn events(&self) -> u64 {
        self.world.events()
    }

    /// The simulated time reached.
    pub fn now(&self) -> Instant {
        self.world.now()
    }

    /// How long the run will be, in simulated time.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The time series of flows and of links so far; without rows unless recorded.
    pub fn series(&self) -> (&FlowSeries, &LinkSeries) {
        self.world.series()
    }

    /// The names of the links that the series of links counts.
    pub fn link_names(&self) -> Vec<String> {
        self.world.link_names()
    }

    /// The results of the run.
    pub fn finish(self) -> RunResults {
        RunResults {
            nodes: self.world.blueprint().nodes.iter().map(|node| node.name.clone()).collect(),
            measured: self.world.finish(),
            provenance: self.provenance,
            routes: self.routes,
            rates_bps: self.rates_bps,
            queues: self.queues,
            capture_error: self.recorders.into_iter().find_map(|recorder| recorder.finish()),
            animation: self.animation.map(|animation| animation.to_json(self.duration)),
        }
    }
}
