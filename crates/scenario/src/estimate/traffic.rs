//! The packets of each flow, and the events and memory that they take.

use farlink_kernel::{Duration, Instant};
use farlink_network::ids::NodeId;
use farlink_network::payload::Payload;
use farlink_network::{Blueprint, blueprint};
use farlink_tcp::Amount;
use farlink_tcp::config::DelayedAck;

use super::Share;
use super::medium::Medium;
use crate::paths::{Leg, Network};
use crate::rates::mean_rates;
use crate::transfer::transfer_size;

/// Bytes of a packet in flight: its header, its entry in a queue or a link, and its entry in the scoreboard.
const OF_A_PACKET: f64 = 300.0;

/// The copies of a stored payload: the receiver's buffer, and at the end of the run the bytes sent and received.
const COPIES_OF_STORED: f64 = 3.0;

pub(super) struct Flow<'a> {
    number: usize,
    settings: &'a blueprint::Flow,
    /// Packets per second that its source offers, and that links and channels carry.
    offered: f64,
    carried: f64,
    /// The time from its start to its end, in seconds.
    active_s: f64,
    /// The limit on packets, by the length of what it sends.
    most: f64,
    /// The time for which a packet occupies directions of links (two per link), then channels, in seconds.
    uses: Vec<(usize, f64)>,
    /// Events of a packet on its path, its ACKs included.
    of_a_packet: f64,
    /// Packets that the queues on its path hold, and the delay of its links in seconds.
    room: f64,
    delay_s: f64,
}

/// The flows of a run, with the rates that links and channels leave them.
pub(super) fn flows<'a>(blueprint: &'a Blueprint, media: &'a [Medium]) -> Vec<Flow<'a>> {
    let plan = Plan::new(blueprint, media);
    let mut flows: Vec<Flow<'_>> = (0..blueprint.flows.len()).map(|number| plan.flow(number)).collect();
    // The load of each direction of a link and of each channel, as a share of its capacity.
    let mut load = vec![0.0; 2 * blueprint.links.len() + media.len()];
    for flow in &mut flows {
        flow.carried = flow.uses.iter().map(|(_, busy_s)| 1.0 / busy_s).fold(flow.offered, f64::min);
        flow.uses.iter().for_each(|&(resource, busy_s)| load[resource] += flow.carried * busy_s);
    }
    for flow in &mut flows {
        flow.carried /= flow.uses.iter().map(|&(resource, _)| load[resource]).fold(1.0, f64::max);
    }
    flows
}

pub(super) struct Plan<'a> {
    blueprint: &'a Blueprint,
    media: &'a [Medium],
    network: Network<'a>,
    rates: Vec<f64>,
}

/// What a packet takes on a leg of its path.
pub(super) struct Crossing {
    pub(super) events: f64,
    /// From one end of the leg to the other, in seconds.
    delay_s: f64,
    /// The link or channel, and the time for which it is occupied.
    pub(super) uses: (usize, f64),
}

impl<'a> Plan<'a> {
    pub(super) fn new(blueprint: &'a Blueprint, media: &'a [Medium]) -> Self {
        Self { blueprint, media, network: Network::new(blueprint), rates: mean_rates(blueprint) }
    }

    /// What a packet of `size` bytes takes from one node to another, leg by leg.
    pub(super) fn legs(&self, (from, to): (NodeId, NodeId), size: u32) -> Vec<Crossing> {
        self.network.path(from, to).into_iter().map(|leg| self.crossing(leg, size)).collect()
    }

    fn flow(&self, number: usize) -> Flow<'a> {
        let flow = &self.blueprint.flows[number];
        let traffic = flow.application.parameters().traffic();
        let (size, segment, write) =
            (flow.packet_size(), flow.tcp.segment_size.0 as f64, traffic.write.0 as f64);
        let legs = self.network.path(flow.from, flow.to);
        let (acks, payload, packets_of_write) = match flow.tcp.delayed_ack {
            _ if !flow.is_tcp() => (0.0, write, 1.0),
            DelayedAck::Off => (1.0, segment, (write / segment).max(1.0)),
            _ => (0.5, segment, (write / segment).max(1.0)),
        };
        let data: Vec<Crossing> = legs.iter().map(|&leg| self.crossing(leg, size)).collect();
        let back = |leg: &Leg| match *leg {
            Leg::Link(number) => Leg::Link(number ^ 1),
            over_channel @ Leg::Channel { .. } => over_channel,
        };
        let back: Vec<Crossing> =
            legs.iter().map(|leg| self.crossing(back(leg), blueprint::Flow::TCP_HEADERS)).collect();
        let mut offered = traffic.writes_per_second * packets_of_write;
        if flow.is_tcp() {
            let round_trip_s: f64 = data.iter().chain(&back).map(|leg| leg.delay_s).sum();
            // Without a path no segment is acknowledged.
            let window = if legs.is_empty() { 0.0 } else { window(&flow.tcp) };
            offered = offered.min(window / round_trip_s.max(1e-9));
        }
        let end = Instant::ZERO + self.blueprint.duration;
        let until = flow.stop.unwrap_or(end).min(end);
        let links = 2 * self.blueprint.links.len();
        // ACKs on links are left out: later ACKs replace those that a full link drops.
        let uses = |(data, back): (&Crossing, &Crossing)| match data.uses {
            (channel, busy_s) if channel >= links => (channel, busy_s + acks * back.uses.1),
            over_link => over_link,
        };
        Flow {
            number,
            settings: flow,
            offered,
            carried: offered,
            active_s: until.saturating_since(flow.start.bounds().start).as_secs_f64(),
            most: transfer_size(&self.blueprint.flows, flow)
                .map_or(f64::INFINITY, |size| (size.0 as f64 / payload).ceil()),
            uses: data.iter().zip(&back).map(uses).collect(),
            of_a_packet: data.iter().zip(&back).map(|(data, back)| data.events + acks * back.events).sum(),
            room: legs.iter().map(|&leg| self.room(leg, size)).sum(),
            delay_s: data.iter().map(|leg| leg.delay_s).sum(),
        }
    }

    /// What a packet of `size` bytes takes on a leg; on a link it is one event, its arrival.
    fn crossing(&self, leg: Leg, size: u32) -> Crossing {
        match leg {
            Leg::Link(number) => {
                let busy_s = f64::from(8 * size) / self.rates[number].max(1.0);
                let config = self.blueprint.direction(number);
                let jitter =
                    config.jitter.as_ref().map_or(Duration::ZERO, |jitter| jitter.parameters().mean());
                let delay_s = busy_s + (config.delay.bounds().0.saturating_add(jitter)).as_secs_f64();
                Crossing { events: 1.0, delay_s, uses: (number, busy_s) }
            }
            Leg::Channel { number, ends } => {
                let medium = &self.media[number];
                let (hops, exchange_s) = (medium.reach.hops(ends), medium.exchange_s(size));
                Crossing {
                    events: hops * medium.events(size),
                    delay_s: hops * exchange_s,
                    uses: (2 * self.blueprint.links.len() + number, hops * exchange_s / medium.reuse),
                }
            }
        }
    }

    /// The packets of `size` bytes that the queues on a leg hold.
    fn room(&self, leg: Leg, size: u32) -> f64 {
        let (hops, queue) = match leg {
            Leg::Link(number) => (1.0, &self.blueprint.direction(number).queue),
            Leg::Channel { number, ends } => {
                (self.media[number].reach.hops(ends), &self.blueprint.channels[number].radio.queue)
            }
        };
        hops * match queue.limit() {
            Amount::Packets(packets) => packets as f64,
            Amount::Bytes(bytes) => bytes.0 as f64 / f64::from(size.max(1)),
        }
    }
}

/// The largest number of segments in flight.
fn window(tcp: &farlink_tcp::Config) -> f64 {
    let segment = tcp.segment_size;
    let scaled = if tcp.window_scaling { f64::INFINITY } else { 65_535.0 / segment.0 as f64 };
    let most = tcp.max_window.map_or(f64::INFINITY, |most| most.segments(segment));
    (tcp.receive_buffer.0 as f64 / segment.0 as f64).min(scaled).min(most).max(1.0)
}

impl Flow<'_> {
    /// The packets that its source sends, and those that its path carries. TCP sends what the path carries.
    fn packets(&self) -> [f64; 2] {
        let sent = if self.settings.is_tcp() { self.carried } else { self.offered };
        [sent, self.carried].map(|rate| (rate * self.active_s).min(self.most))
    }

    pub(super) fn events(&self) -> Share {
        let [sent, carried] = self.packets();
        let cause = format!("flow `{}` sends up to {sent:.1e} packets", self.settings.label);
        Share::new(sent + carried * self.of_a_packet, cause, self.remedy())
    }

    fn remedy(&self) -> String {
        match self.settings.application.parameters().traffic().lower {
            Some(key) => {
                format!("lower flows.{}.application.{key}, or write a shorter duration", self.number)
            }
            None => "write a shorter duration, or lower rates of the links on its path".into(),
        }
    }

    pub(super) fn bytes(&self) -> Vec<Share> {
        let (flow, label, [sent, carried]) = (self.settings, &self.settings.label, self.packets());
        let mut shares = Vec::new();
        if flow.payload == Payload::Stored {
            let bytes = COPIES_OF_STORED * carried * flow.tcp.segment_size.0 as f64;
            let remedy = format!("write flows.{}.payload = \"pattern\"", self.number);
            shares.push(Share::new(bytes, format!("the stored payload of flow `{label}`"), remedy));
        }
        let (most, remedy) = if flow.is_tcp() {
            (window(&flow.tcp).min(sent), format!("lower flows.{}.tcp.max_window", self.number))
        } else {
            let cause = format!("flow `{label}` is counted packet by packet");
            shares.push(Share::new(carried / 8.0, cause, self.remedy()));
            (sent, "lower the queues' limits on its path".into())
        };
        let in_flight = most.min(self.room + self.carried * self.delay_s);
        let cause = format!("flow `{label}` has up to {in_flight:.1e} packets in flight");
        shares.push(Share::new(in_flight * OF_A_PACKET, cause, remedy));
        shares
    }
}
