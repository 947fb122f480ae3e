//! Underwater acoustic channels against closed forms: frame error rate, propagation delay, throughput of ALOHA.

use super::shared_channel::{self, line, one_datagram};
use super::underwater::underwater;
use super::*;
use crate::channel::propagation;
use crate::channel::propagation_speed::PropagationSpeed;
use crate::channel::propagation_speed::medwin::Medwin;
use crate::ids::InterfaceId;
use crate::ids::{FlowId, NodeId};
use crate::mac::{self, aloha};
use crate::packet::{Class, Payload as Carried, Place};
use crate::phy::frequency::Frequency;
use crate::phy::noise::{Noise, Wenz};
use crate::phy::power::Power;
use crate::phy::{self, acoustic, antenna};
use crate::space::{Metres, Position};
use farlink_kernel::random::Stream;
use farlink_tcp::Ecn;

/// Puts a datagram of `size` bytes for node 0 into a station.
fn inject(world: &mut World, station: NodeId, number: u32, size: u32) {
    let packet = Packet {
        number: 0,
        flow: FlowId(0),
        source: station,
        destination: NodeId(0),
        to: End::Receiver,
        class: Class::Data,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_attempt: false,
        is_retransmission: false,
        is_copied: false,
        place: Place::node(station),
        size,
        first_sent: world.context.now,
        offset: u64::from(number),
        header: None,
        payload: Carried::Datagram(size - 28),
    };
    world.inject(station, InterfaceId(station.0), packet);
}

#[test]
fn the_frame_error_rate_of_one_hop_matches_the_closed_form() {
    // 25 kHz, a bandwidth of 50 kHz, shipping and no wind; FSK at 150 kbit/s over 70 m.
    let frequency = Frequency::from_hertz(25_000.0);
    let wenz = Wenz { frequency, ..Wenz::default() };
    let path_loss = propagation::acoustic::Config { frequency, ..Default::default() };
    for source_level in [114.0, 114.5, 115.0] {
        let snr_db = source_level
            - path_loss.attenuation_db(Metres(70.0))
            - wenz.density_db()
            - 10.0 * libm::log10(wenz.bandwidth.hertz);
        let eb_n0 = libm::pow(10.0, snr_db / 10.0) * wenz.bandwidth.hertz / 150_000.0;
        let bit_error_rate = 0.5 * libm::exp(-eb_n0 / 2.0);
        let (bytes, frames) = (552, 20_000);
        let expected = libm::pow(1.0 - bit_error_rate, 8.0 * f64::from(bytes));
        let mut radio =
            underwater(mac::Config::Csma(mac::csma::Config { header: Bytes(0), ..Default::default() }));
        radio.phy = phy::Config::Acoustic(acoustic::Config {
            modulation: acoustic::Modulation::Fsk,
            ..Default::default()
        });
        radio.propagation = propagation::Config::Acoustic(path_loss.clone());
        radio.antenna = antenna::Config {
            power: Power::from_source_level(source_level),
            receive_threshold: Power::from_source_level(60.0),
            carrier_sense_threshold: Power::from_source_level(60.0),
            reception: antenna::Reception::Interference,
            noise: Noise::Wenz(wenz.clone()),
            ..Default::default()
        };
        let network =
            line(&[0.0, 70.0], radio, vec![one_datagram(NodeId(1), NodeId(0), Instant::NEVER)], 3000);
        let mut world = World::new(&network, 1).unwrap();
        for frame in 0..frames {
            world.run_until(at(u64::from(frame) * 100));
            inject(&mut world, NodeId(1), frame, bytes);
        }
        world.run_until(Instant::NEVER);
        let arrived = world.context.packets.account(Class::Data).delivered as f64 / f64::from(frames);
        // Four standard deviations.
        let off = 4.0 * (expected * (1.0 - expected) / f64::from(frames)).sqrt();
        assert!((0.05..0.99).contains(&expected) && (arrived - expected).abs() < off, "{arrived} {expected}");
    }
}

#[test]
fn propagation_delay_is_the_integral_of_the_slowness_between_two_depths() {
    let mut radio = underwater(mac::Config::Aloha(aloha::Config { timeout: ms(5000), ..Default::default() }));
    let medwin = Medwin { temperature_c: 4.0, ..Medwin::default() };
    radio.propagation_speed = PropagationSpeed::Medwin(medwin.clone());
    let mut network = line(&[0.0, 900.0], radio, vec![one_datagram(NodeId(0), NodeId(1), at(0))], 20);
    (network.nodes[0].position.z, network.nodes[1].position.z) = (Metres(-100.0), Metres(-1300.0));
    let mut world = World::new(&network, 1).unwrap();
    world.run_until(at(20_000));
    // Over 1500 m, from 100 to 1300 m of depth, the sound speed grows linearly.
    let (top, bottom) = (medwin.speed_at(-100.0), medwin.speed_at(-1300.0));
    let delay = 1500.0 * libm::log(bottom / top) / (bottom - top);
    let answered = world.channels[0].frame_log[1].0.as_secs_f64();
    assert!((answered - 1.0 - delay).abs() < 2e-9, "{answered} {delay}");
}

/// Throughput of ALOHA at a sink, in frames per frame time. Stations around it at equal distances get packets in turn from a
/// Poisson process of `offered` frames per frame time.
fn throughput(offered: f64, slot: Option<Duration>) -> f64 {
    const STATIONS: u32 = 40;
    let config = aloha::Config { slot, ..shared_channel::unacknowledged() };
    let flows = vec![one_datagram(NodeId(1), NodeId(0), Instant::NEVER)];
    let frames = 60_000;
    let mut network = line(
        &[0.0; STATIONS as usize + 1],
        underwater(mac::Config::Aloha(config)),
        flows,
        u64::MAX / 2_000_000_000,
    );
    for (node, number) in network.nodes[1..].iter_mut().zip(0..) {
        let angle = f64::from(number) / f64::from(STATIONS) * std::f64::consts::TAU;
        let (x, y) = (Metres(1500.0 * libm::cos(angle)), Metres(1500.0 * libm::sin(angle)));
        node.position = Position { x, y, z: Metres(0.0) };
    }
    let mut world = World::new(&network, 1).unwrap();
    let mut stream = Stream::new(7, "offered load", 0);
    let mut now = Instant::ZERO;
    for frame in 0..frames {
        now += Duration::from_secs_f64(-libm::log(1.0 - stream.uniform()) / offered);
        world.run_until(now);
        let station = 1 + frame % STATIONS;
        inject(&mut world, NodeId(station), frame, 111);
    }
    world.run_until(now + Duration::from_secs(10));
    let arrived = world.context.packets.account(Class::Data).delivered;
    arrived as f64 / now.as_secs_f64()
}

#[test]
fn aloha_throughput_is_g_exp_minus_2g_and_with_slots_g_exp_minus_g() {
    for offered in [0.1, 0.5, 1.0] {
        let pure = throughput(offered, None) / (offered * libm::exp(-2.0 * offered));
        let slotted = throughput(offered, Some(Duration::from_secs(1))) / (offered * libm::exp(-offered));
        assert!(
            (0.97..1.03).contains(&pure) && (0.97..1.03).contains(&slotted),
            "{offered}: {pure} {slotted}"
        );
    }
}
