//! How many packets flows send, and over which hops.

use farlink_kernel::Instant;
use farlink_network::app::{self, Carrier};
use farlink_network::course::{Course, Start};
use farlink_network::payload::Payload;
use farlink_network::{Blueprint, blueprint};
use farlink_tcp::config::DelayedAck;
use farlink_tcp::congestion;

use super::medium::Medium;
use super::network::{Leg, Network};
use super::{Share, memory};
use crate::rates::mean_rates;

/// IP and TCP headers with timestamps, in bytes; an acknowledgement is as long.
const TCP_HEADERS: u32 = 52;

/// IP and UDP headers, in bytes.
const UDP_HEADERS: u32 = 28;

/// The rates are adapted so often to what links and channels carry.
const ROUNDS: usize = 8;

/// The traffic of one flow.
pub(super) struct Flow {
    number: usize,
    legs: Vec<Leg>,
    /// Data packets that its source offers in a second.
    offered: f64,
    /// Those of them that links and channels carry.
    carried: f64,
    /// For how long it sends, in seconds.
    active_s: f64,
    /// As many packets there are to send.
    most: f64,
    /// Size of a data packet in bytes.
    size: u32,
    /// ACKs for a data packet.
    acks: f64,
    /// Packets that can be under way.
    window: f64,
    /// Events of a data packet on its path, its ACKs included.
    of_a_packet: f64,
    /// Events of its source for each packet.
    of_its_source: f64,
}

/// The flows of a run, their rates shared out.
pub(super) fn flows(blueprint: &Blueprint, network: &Network<'_>, media: &[Medium]) -> Vec<Flow> {
    let rates = mean_rates(blueprint);
    let mut flows: Vec<Flow> =
        (0..blueprint.flows.len()).map(|number| flow(blueprint, network, media, &rates, number)).collect();
    let wires = 2 * blueprint.links.len();
    for flow in &mut flows {
        let most = flow.uses(media, &rates).map(|(_, share)| 1.0 / share).fold(f64::INFINITY, f64::min);
        flow.carried = flow.carried.min(most);
    }
    for _ in 0..ROUNDS {
        // How much of each direction of a link and of each channel is asked for, 1 being all of it.
        let mut asked = vec![0.0; wires + media.len()];
        for flow in &flows {
            flow.uses(media, &rates).for_each(|(resource, share)| asked[resource] += flow.carried * share);
        }
        for flow in &mut flows {
            let fullest = flow.uses(media, &rates).map(|(resource, _)| asked[resource]).fold(1.0, f64::max);
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
    let is_tcp = app::carrier(&described.application) == Carrier::Tcp;
    let tcp = &described.tcp;
    let legs = network.path(described.from, described.to);
    let segment = tcp.segment_size.0 as f64;
    let (mut pace, mut most, payload) = source(&described.application, segment);
    if let app::Config::Relay(relay) = &described.application
        && let Some(first) = blueprint.flows.iter().find(|flow| flow.label == relay.of)
    {
        most = source(&first.application, segment).1;
    }
    let size = if is_tcp { tcp.segment_size.0 as u32 + TCP_HEADERS } else { payload as u32 + UDP_HEADERS };
    let acks = match (is_tcp, tcp.delayed_ack) {
        (false, _) => 0.0,
        (true, DelayedAck::Off) => 1.0,
        (true, _) => 0.5,
    };
    let window = window(tcp);
    if is_tcp && legs.is_empty() {
        // Nothing leads there: nothing is acknowledged.
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

/// Packets in a second, packets in all, and bytes of a packet that an application offers; packets are segments where
/// it is bytes that are offered.
fn source(application: &app::Config, segment: f64) -> (f64, f64, f64) {
    let packets = |bytes: f64, carrier| if carrier == Carrier::Tcp { bytes / segment } else { 1.0 };
    match application {
        app::Config::Bulk(_) | app::Config::Relay(_) => (f64::INFINITY, f64::INFINITY, segment),
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
            (share / interval * packets(bytes, source.over), f64::INFINITY, bytes)
        }
    }
}

/// How many segments can be under way.
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
        Leg::Wire(wire) => {
            let link = &blueprint.links[wire / 2];
            let delays = [&link.forward.delay, &link.reverse.delay].map(delay_s);
            delays[0] + delays[1] + bits / rates[wire].max(1.0)
        }
        Leg::Channel { number, ends } => {
            let medium = &media[number];
            medium.hops(ends) * (medium.exchange_s(size) + medium.exchange_s(TCP_HEADERS))
        }
    };
    legs.iter().map(of_leg).sum()
}

/// The shortest delay of a course, in seconds.
pub(super) fn delay_s(delay: &Course<farlink_kernel::Duration>) -> f64 {
    match delay {
        Course::Constant(delay) => delay.as_secs_f64(),
        Course::Steps(steps) => {
            steps.points.iter().map(|(_, delay)| delay.as_secs_f64()).fold(f64::INFINITY, f64::min)
        }
        Course::File(_) => 0.0,
    }
}

/// Events of a data packet and its ACKs on one leg: on a link they arrive, which is one each.
fn of_a_hop(media: &[Medium], leg: &Leg, size: u32, acks: f64) -> f64 {
    match *leg {
        Leg::Wire(_) => 1.0 + acks,
        Leg::Channel { number, ends } => {
            let medium = &media[number];
            medium.hops(ends) * (medium.events(size) + acks * medium.events(TCP_HEADERS))
        }
    }
}

impl Flow {
    /// The share of each direction of a link, then of each channel, that one packet in a second takes. ACKs on links
    /// are left out: those that a full link drops are made up for by later ones.
    fn uses<'a>(&'a self, media: &'a [Medium], rates: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let wires = rates.len() - media.iter().map(Medium::members).sum::<usize>();
        self.legs.iter().map(move |leg| match *leg {
            Leg::Wire(wire) => (wire, f64::from(8 * self.size) / rates[wire].max(1.0)),
            Leg::Channel { number, ends } => {
                let medium = &media[number];
                let exchange_s = medium.exchange_s(self.size) + self.acks * medium.exchange_s(TCP_HEADERS);
                (wires + number, medium.hops(ends) * exchange_s / medium.reuse)
            }
        })
    }

    fn packets(&self) -> f64 {
        (self.carried * self.active_s).min(self.most)
    }

    /// What its packets take.
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
            app::Config::Bulk(_) | app::Config::Relay(_) => {
                return "write a shorter duration, or lower rates of the links on its path".into();
            }
        };
        format!("lower flows.{}.{key}, or write a shorter duration", self.number)
    }

    /// What they take in memory.
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
        let (under_way, key) = self.under_way(blueprint);
        let bytes = under_way * memory::OF_A_PACKET;
        let cause = format!("flow `{label}` has up to {under_way:.1e} packets under way");
        shares.push(Share::new(bytes, cause, format!("lower {key}")));
        if self.acks == 0.0 {
            let cause = format!("flow `{label}` is counted packet by packet");
            shares.push(Share::new(packets / 8.0, cause, self.remedy(blueprint)));
        }
        shares
    }

    /// How many packets can be on the path at once, and the key that bounds them.
    fn under_way(&self, blueprint: &Blueprint) -> (f64, String) {
        let (mut room, mut key) = (0.0, format!("flows.{}.tcp.max_window", self.number));
        for leg in &self.legs {
            let Leg::Wire(wire) = *leg else { continue };
            let link = &blueprint.links[wire / 2];
            let direction = if wire % 2 == 0 { &link.forward } else { &link.reverse };
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
