//! The packets of each flow, and the events and memory that they take.

use farlink_kernel::Instant;
use farlink_network::app::{self, Protocol};
use farlink_network::payload::Payload;
use farlink_network::schedule::{Schedule, Start};
use farlink_network::{Blueprint, blueprint};
use farlink_tcp::config::DelayedAck;
use farlink_tcp::congestion;

use super::medium::Medium;
use super::network::{Leg, Network};
use super::{Share, memory};
use crate::rates::mean_rates;

/// IP and TCP headers with timestamps, in bytes; also the size of an ACK.
const TCP_HEADERS: u32 = 52;

/// IP and UDP headers, in bytes.
pub(crate) const UDP_HEADERS: u32 = 28;

/// The number of rounds that share out the capacity of links and channels.
const ROUNDS: usize = 8;

pub(super) struct Flow {
    number: usize,
    legs: Vec<Leg>,
    /// Data packets per second that its source offers.
    offered: f64,
    /// Data packets per second that links and channels carry.
    carried: f64,
    /// The time from its start to its end, in seconds.
    active_s: f64,
    /// The limit on packets, by the size of what it sends.
    most: f64,
    size: u32,
    acks: f64,
    /// The largest number of packets in flight.
    window: f64,
    /// Events of a data packet on its path, its ACKs included.
    of_a_packet: f64,
    /// Events of its source per packet.
    of_its_source: f64,
}

/// The flows of a run, with the rates that links and channels leave them.
pub(super) fn flows(blueprint: &Blueprint, network: &Network<'_>, media: &[Medium]) -> Vec<Flow> {
    let rates = mean_rates(blueprint);
    let mut flows: Vec<Flow> =
        (0..blueprint.flows.len()).map(|number| flow(blueprint, network, media, &rates, number)).collect();
    let links = 2 * blueprint.links.len();
    for flow in &mut flows {
        let most = flow.uses(media, &rates).map(|(_, share)| 1.0 / share).fold(f64::INFINITY, f64::min);
        flow.carried = flow.carried.min(most);
    }
    for _ in 0..ROUNDS {
        // The load of each direction of a link and of each channel, as a share of its capacity.
        let mut load = vec![0.0; links + media.len()];
        for flow in &flows {
            flow.uses(media, &rates).for_each(|(resource, share)| load[resource] += flow.carried * share);
        }
        for flow in &mut flows {
            let fullest = flow.uses(media, &rates).map(|(resource, _)| load[resource]).fold(1.0, f64::max);
            flow.carried /= fullest;
        }
    }
    flows
}

fn flow(
    blueprint: &Blueprint,
    network: &Network<'_>,
    media: &[Medium],
    rates: &[f64],
    number: usize,
) -> Flow {
    let described = &blueprint.flows[number];
    let is_tcp = is_tcp(described);
    let tcp = &described.tcp;
    let legs = network.path(described.from, described.to);
    let segment = tcp.segment_size.0 as f64;
    let (mut pace, mut most, _) = source(&described.application, segment);
    if let app::Config::Relay(relay) = &described.application
        && let Some(first) = blueprint.flows.iter().find(|flow| flow.label == relay.flow)
    {
        most = source(&first.application, segment).1;
    }
    let size = packet_size(described);
    let acks = match (is_tcp, tcp.delayed_ack) {
        (false, _) => 0.0,
        (true, DelayedAck::Off) => 1.0,
        (true, _) => 0.5,
    };
    let window = window(tcp);
    if is_tcp && legs.is_empty() {
        // Without a path no segment is acknowledged.
        pace = 0.0;
    } else if is_tcp {
        pace = pace.min(window / round_trip_s(blueprint, media, rates, &legs, size).max(1e-9));
    }
    let of_a_packet = legs.iter().map(|leg| of_a_hop(media, leg, size, acks)).sum();
    let is_paced = tcp.pacing || matches!(tcp.congestion_control, congestion::Config::Bbr(_));
    Flow {
        number,
        legs,
        offered: pace,
        carried: pace,
        active_s: active_s(blueprint, described),
        most,
        size,
        acks,
        window,
        of_a_packet,
        of_its_source: if is_tcp && !is_paced { 0.1 } else { 1.0 },
    }
}

fn is_tcp(flow: &blueprint::Flow) -> bool {
    app::protocol(&flow.application) == Protocol::Tcp
}

/// The bytes of a data packet, headers of IP and of TCP or UDP included.
pub(crate) fn packet_size(flow: &blueprint::Flow) -> u32 {
    let segment = flow.tcp.segment_size.0;
    if is_tcp(flow) {
        return segment as u32 + TCP_HEADERS;
    }
    source(&flow.application, segment as f64).2 as u32 + UDP_HEADERS
}

/// Packets per second, the limit on packets, and bytes of a packet that an application offers; a stream of bytes is
/// counted in segments.
fn source(application: &app::Config, segment: f64) -> (f64, f64, f64) {
    let packets = |bytes: f64, carrier| if carrier == Protocol::Tcp { bytes / segment } else { 1.0 };
    match application {
        app::Config::File(file) => (f64::INFINITY, (file.size.0 as f64 / segment).ceil(), segment),
        app::Config::ConstantBitRate(source) => {
            let interval = source.rate.time_to_send(source.packet_size).as_secs_f64().max(1e-9);
            (1.0 / interval, f64::INFINITY, source.packet_size.0 as f64)
        }
        app::Config::OnOff(source) => {
            let bytes = source.packet_size.0 as f64;
            let interval = source.rate.time_to_send(source.packet_size).as_secs_f64().max(1e-9);
            // A burst ends with a whole packet.
            let burst = source.on.as_secs_f64().max(interval);
            let share = burst / (burst + source.off.as_secs_f64());
            (share / interval * packets(bytes, source.transport), f64::INFINITY, bytes)
        }
        // A stream without a bound of its own.
        _ => (f64::INFINITY, f64::INFINITY, segment),
    }
}

/// The largest number of segments in flight.
fn window(tcp: &farlink_tcp::Config) -> f64 {
    let segment = tcp.segment_size;
    let scaled = if tcp.window_scaling { f64::INFINITY } else { 65_535.0 / segment.0 as f64 };
    let most = tcp.max_window.map_or(f64::INFINITY, |most| most.segments(segment));
    (tcp.receive_buffer.0 as f64 / segment.0 as f64).min(scaled).min(most).max(1.0)
}

fn active_s(blueprint: &Blueprint, flow: &blueprint::Flow) -> f64 {
    let start = match flow.start {
        Start::At(at) => at,
        Start::Within(interval) => interval.start,
    };
    let end = Instant::ZERO.saturating_add(blueprint.duration);
    flow.stop.unwrap_or(end).min(end).saturating_since(start).as_secs_f64()
}

fn round_trip_s(blueprint: &Blueprint, media: &[Medium], rates: &[f64], legs: &[Leg], size: u32) -> f64 {
    let bits = f64::from(8 * (size + TCP_HEADERS));
    let of_leg = |leg: &Leg| match *leg {
        Leg::Link(number) => {
            let link = &blueprint.links[number / 2];
            let delays = [&link.forward.delay, &link.reverse.delay].map(delay_s);
            delays[0] + delays[1] + bits / rates[number].max(1.0)
        }
        Leg::Channel { number, ends } => {
            let medium = &media[number];
            medium.hops(ends) * (medium.exchange_s(size) + medium.exchange_s(TCP_HEADERS))
        }
    };
    legs.iter().map(of_leg).sum()
}

pub(super) fn delay_s(delay: &Schedule<farlink_kernel::Duration>) -> f64 {
    match delay {
        Schedule::Constant(delay) => delay.as_secs_f64(),
        Schedule::Steps(steps) => {
            steps.points.iter().map(|(_, delay)| delay.as_secs_f64()).fold(f64::INFINITY, f64::min)
        }
        Schedule::File(_) => 0.0,
    }
}

/// Events of a data packet and its ACKs on one leg; on a link each packet is one event, its arrival.
fn of_a_hop(media: &[Medium], leg: &Leg, size: u32, acks: f64) -> f64 {
    match *leg {
        Leg::Link(_) => 1.0 + acks,
        Leg::Channel { number, ends } => {
            let medium = &media[number];
            medium.hops(ends) * (medium.events(size) + acks * medium.events(TCP_HEADERS))
        }
    }
}

impl Flow {
    /// The share of each direction of a link, then of each channel, that one packet per second takes. ACKs on links
    /// are left out: later ACKs replace those that a full link drops.
    fn uses<'a>(&'a self, media: &'a [Medium], rates: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let links = rates.len() - media.iter().map(Medium::members).sum::<usize>();
        self.legs.iter().map(move |leg| match *leg {
            Leg::Link(link) => (link, f64::from(8 * self.size) / rates[link].max(1.0)),
            Leg::Channel { number, ends } => {
                let medium = &media[number];
                let exchange_s = medium.exchange_s(self.size) + self.acks * medium.exchange_s(TCP_HEADERS);
                (links + number, medium.hops(ends) * exchange_s / medium.reuse)
            }
        })
    }

    fn packets(&self) -> f64 {
        (self.carried * self.active_s).min(self.most)
    }

    pub(super) fn events(&self, blueprint: &Blueprint) -> Share {
        let offered = (self.offered * self.active_s).min(self.most);
        let of_its_source = if self.acks == 0.0 { offered } else { self.packets() * self.of_its_source };
        let events = self.packets() * self.of_a_packet + of_its_source;
        let label = &blueprint.flows[self.number].label;
        let packets = if self.acks == 0.0 { offered } else { self.packets() };
        Share::new(
            events,
            format!("flow `{label}` sends up to {packets:.1e} packets"),
            self.remedy(blueprint),
        )
    }

    fn remedy(&self, blueprint: &Blueprint) -> String {
        let key = match blueprint.flows[self.number].application {
            app::Config::ConstantBitRate(_) | app::Config::OnOff(_) => "application.rate",
            app::Config::File(_) => "application.size",
            _ => {
                return "write a shorter duration, or lower rates of the links on its path".into();
            }
        };
        format!("lower flows.{}.{key}, or write a shorter duration", self.number)
    }

    pub(super) fn bytes(&self, blueprint: &Blueprint) -> Vec<Share> {
        let flow = &blueprint.flows[self.number];
        let label = &flow.label;
        let packets = self.packets();
        let mut shares = Vec::new();
        if flow.payload == Payload::Stored {
            let bytes = memory::COPIES_OF_STORED * packets * flow.tcp.segment_size.0 as f64;
            let remedy = format!("write flows.{}.payload = \"pattern\"", self.number);
            shares.push(Share::new(bytes, format!("the stored payload of flow `{label}`"), remedy));
        }
        let (in_flight, key) = self.in_flight(blueprint);
        let bytes = in_flight * memory::OF_A_PACKET;
        let cause = format!("flow `{label}` has up to {in_flight:.1e} packets in flight");
        shares.push(Share::new(bytes, cause, format!("lower {key}")));
        if self.acks == 0.0 {
            let cause = format!("flow `{label}` is counted packet by packet");
            shares.push(Share::new(packets / 8.0, cause, self.remedy(blueprint)));
        }
        shares
    }

    /// The largest number of packets on its path, and the key that bounds it.
    fn in_flight(&self, blueprint: &Blueprint) -> (f64, String) {
        let (mut room, mut key) = (0.0, format!("flows.{}.tcp.max_window", self.number));
        for leg in &self.legs {
            let Leg::Link(number) = *leg else { continue };
            let link = &blueprint.links[number / 2];
            let direction = if number % 2 == 0 { &link.forward } else { &link.reverse };
            room += memory::packets(memory::limit(&direction.queue), self.size)
                + self.carried * delay_s(&direction.delay);
        }
        let radios = self.legs.iter().any(|leg| matches!(leg, Leg::Channel { .. }));
        let sent = (self.offered * self.active_s).min(self.most);
        if self.acks == 0.0 {
            key = "the queues' limits on its path".into();
        }
        let most = if self.acks == 0.0 { sent } else { self.window.min(sent) };
        (if radios { most.min(room + 1000.0) } else { most.min(room) }, key)
    }
}
