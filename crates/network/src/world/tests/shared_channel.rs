//! Shared channels: collisions, acknowledgements, packets given back.

use super::*;
use crate::blueprint::Radio;
use crate::channel::medium::Delay;
use crate::channel::propagation::{self, disc};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::ids::{FlowId, InterfaceId, NodeId};
use crate::mac::{self, aloha};
use crate::mobility::{self, Setup, trajectory::Trajectory};
use crate::packet::{Account, Class, Losses, Payload as Carried, Place};
use crate::phy::{self, modem};
use crate::space::{Metres, Speed};
use farlink_tcp::{Ecn, Notice};

/// Underwater acoustic: 1500 m take 1 s. A frame of 14 + 111 bytes lasts 1 s, too.
pub(super) fn slow_radio(mac: aloha::Config) -> Radio {
    Radio {
        propagation: propagation::Config::Disc(disc::Config { range: Metres(2000.0), ..Default::default() }),
        propagation_speed: PropagationSpeed::Constant(Speed(1500.0)),
        phy: phy::Config::Modem(modem::Config { rate: BitRate::from_bps(1000), ..Default::default() }),
        mac: mac::Config::Aloha(mac),
        ..Radio::default()
    }
}

fn fast_radio(range: f64) -> Radio {
    let disc = disc::Config { range: Metres(range), ..Default::default() };
    Radio { propagation: propagation::Config::Disc(disc), ..Radio::default() }
}

/// Nodes at these positions on a line, all on one channel.
pub(super) fn line(metres: &[f64], radio: Radio, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let mut network = blueprint(metres.len(), Vec::new(), flows, seconds);
    for (node, &x) in network.nodes.iter_mut().zip(metres) {
        node.position.x = Metres(x);
    }
    let members = (0..metres.len() as u32).map(NodeId).collect();
    network.channels = vec![Channel::new("water", members, radio)];
    network
}

/// Nodes 200 m apart, the first at 0 m.
pub(super) fn chain(
    nodes: usize,
    radio: Radio,
    routing: routing::Config,
    flows: Vec<Flow>,
    seconds: u64,
) -> Blueprint {
    let positions: Vec<_> = (0..nodes).map(|node| node as f64 * 200.0).collect();
    Blueprint { routing, ..line(&positions, radio, flows, seconds) }
}

/// The results of a world whose ledger is audited ten times a second.
pub(super) fn audited(mut world: World, seconds: u64) -> Results {
    for slice in 1..=seconds * 10 {
        world.run_until(at(slice * 100));
        world.audit();
    }
    world.finish()
}

/// One datagram of 111 bytes, all with IP and UDP headers, at `start`.
pub(super) fn one_datagram(from: NodeId, to: NodeId, start: Instant) -> Flow {
    let rate = app::constant_bit_rate::Config { rate: BitRate::from_bps(1), packet_size: Bytes(83) };
    Flow { start: Start::At(start), ..flow(from, to, app::Config::ConstantBitRate(rate)) }
}

fn delivered(results: &Results) -> Vec<u64> {
    results.flows.iter().map(|flow| flow.packets_delivered).collect()
}

pub(super) fn unacknowledged() -> aloha::Config {
    aloha::Config { acknowledge: false, ..aloha::Config::default() }
}

#[test]
fn frames_that_cross_in_the_water_do_not_collide() {
    // Both transmit for 1 s over a delay of 1.2 s: each is done when the other's frame arrives.
    let flows = vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(1), NodeId(0), at(0))];
    let results = run(&line(&[0.0, 1800.0], slow_radio(unacknowledged()), flows, 10), 1);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
}

#[test]
fn frames_that_overlap_at_a_listener_collide_only_there() {
    // 0 and 2 both reach 1 after 1 s; 2 reaches 3 after 0.2 s and nothing else does.
    let flows = || {
        vec![
            one_datagram(NodeId(0), NodeId(1), at(0)),
            one_datagram(NodeId(2), NodeId(1), at(500)),
            one_datagram(NodeId(2), NodeId(3), at(5000)),
        ]
    };
    let results = run(&line(&[0.0, 1500.0, 3000.0, 3300.0], slow_radio(unacknowledged()), flows(), 10), 1);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0, 1], vec![("collision", 2)]));
    // Sent far enough apart, both arrive.
    let flows = vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(2), NodeId(1), at(1000))];
    let results = run(&line(&[0.0, 1500.0, 3000.0], slow_radio(unacknowledged()), flows, 10), 1);
    assert_eq!(delivered(&results), [1, 1]);
}

#[test]
fn a_frame_that_ends_when_another_begins_is_received() {
    // At 2.2 s node 0's frame ends at node 1 and begins at node 2, where node 3's frame ends.
    let flows =
        vec![one_datagram(NodeId(0), NodeId(2), at(1000)), one_datagram(NodeId(3), NodeId(2), at(1100))];
    let positions = [0.0, 300.0, 1800.0, 1950.0];
    let results = run(&line(&positions, slow_radio(unacknowledged()), flows, 10), 1);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
}

#[test]
fn a_transmitting_node_receives_nothing() {
    let flows = vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(1), NodeId(0), at(600))];
    let results = run(&line(&[0.0, 1500.0], slow_radio(unacknowledged()), flows, 10), 1);
    assert_eq!((delivered(&results), results.drops), (vec![0, 1], vec![("receiver_transmitting", 1)]));
}

/// Moves a node on its line, unknown to ideal routing.
pub(super) fn put(world: &mut World, node: usize, x: f64) {
    let position = Position { x: Metres(x), ..Position::default() };
    let config = mobility::Config::named("static").expect("registered");
    let trajectory = Trajectory::new(&config, &Setup { seed: 1, node: NodeId(node as u32), position });
    world.channels[0].set_trajectory(node, trajectory, world.context.now);
}

/// Puts a packet of flow 0 into the queue of node 1.
fn inject(world: &mut World, destination: NodeId, class: Class) {
    let interface = 1;
    let packet = Packet {
        number: 0,
        flow: FlowId(0),
        source: NodeId(1),
        destination,
        to: End::Receiver,
        class,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_attempt: false,
        is_retransmission: false,
        is_copied: false,
        place: Place::node(NodeId(1)),
        size: 100,
        first_sent: world.context.now,
        offset: u64::from(destination),
        header: None,
        payload: Carried::Datagram(72),
    };
    world.inject(NodeId(1), InterfaceId(interface), packet);
}

#[test]
fn a_two_part_frame_is_acknowledged_part_by_part() {
    // Node 1 is busy with a first packet while data for 0 and an acknowledgement for 2 come: they share its
    // next frame, from 1.4 s to 3.1 s. Node 2 does not receive it, because it transmits to 3 meanwhile.
    let mac = aloha::Config { combine: true, timeout: Duration::from_secs(3), ..aloha::Config::default() };
    let mut radio = slow_radio(mac);
    radio.propagation =
        propagation::Config::Disc(disc::Config { range: Metres(400.0), ..Default::default() });
    let flows = vec![
        one_datagram(NodeId(1), NodeId(2), Instant::NEVER),
        one_datagram(NodeId(2), NodeId(3), at(2000)),
    ];
    let mut world = World::new(&line(&[0.0, 300.0, 600.0, 900.0], radio, flows, 60), 1).unwrap();
    inject(&mut world, NodeId(0), Class::Routing);
    inject(&mut world, NodeId(0), Class::Data);
    inject(&mut world, NodeId(2), Class::Ack);
    world.run_until(at(5000));
    let account = |world: &World, class| world.context.packets.account(class);
    // Of class data are this part and node 2's datagram: each was sent once and is done.
    let data = account(&world, Class::Data);
    assert_eq!((data.duplicated, data.delivered, &data.discarded[..4]), ([0, 0, 2], 2, &[2, 0, 0, 0][..]));
    assert_eq!(account(&world, Class::Ack).delivered, 0);
    world.run_until(Instant::NEVER);
    let (data, acks) = (account(&world, Class::Data), account(&world, Class::Ack));
    assert_eq!(data.duplicated, [0, 0, 2], "the part that was acknowledged is not retransmitted");
    assert_eq!((acks.duplicated, acks.delivered, &acks.discarded[..4]), ([0, 0, 2], 1, &[1, 0, 0, 0][..]));
    let results = world.finish();
    assert_eq!((results.drops, results.failed_attempts), (vec![], vec![("receiver_transmitting", 1)]));
}

#[test]
fn parts_are_given_back_one_by_one() {
    // The two parts of node 1's frame go to node 0, which receives it, and to node 2, which is out of range: only the
    // second is retransmitted, and given back in the end.
    let mac =
        aloha::Config { combine: true, retries: 2, timeout: Duration::from_secs(3), ..Default::default() };
    let network = line(
        &[0.0, 300.0, 600.0],
        slow_radio(mac),
        vec![one_datagram(NodeId(1), NodeId(2), Instant::NEVER)],
        200,
    );
    let mut world = World::new(&network, 1).unwrap();
    put(&mut world, 2, 50_000.0);
    inject(&mut world, NodeId(0), Class::Routing);
    inject(&mut world, NodeId(0), Class::Data);
    inject(&mut world, NodeId(2), Class::Ack);
    world.run_until(Instant::NEVER);
    let account = |class| world.context.packets.account(class);
    let (data, acks) = (account(Class::Data), account(Class::Ack));
    // The data was sent once; the other part three times, and its own copy was given back.
    let lost = |account: &Account| {
        let Losses { drops, failed_attempts } = &account.losses;
        (drops.iter().sum::<u64>(), failed_attempts.iter().sum::<u64>())
    };
    assert_eq!((data.delivered, data.duplicated, lost(&data)), (1, [0, 0, 1], (0, 0)));
    assert_eq!((acks.delivered, acks.duplicated, lost(&acks)), (0, [0, 0, 3], (1, 3)));
    let results = world.finish();
    assert_eq!(
        (results.drops, results.failed_attempts),
        (vec![("link_failure", 1)], vec![("out_of_range", 3)])
    );
}

#[test]
fn the_sender_is_notified_of_a_failed_radio_link_and_both_ends_of_its_return() {
    let flows = vec![flow(NodeId(0), NodeId(2), app::Config::named("bulk").unwrap())];
    let mut network = line(&[0.0, 200.0, 400.0], fast_radio(250.0), flows, 60);
    let config = routing::shortest_path::Config { route_notifications: true, ..Default::default() };
    network.routing = routing::Config::ShortestPath(config);
    let mut world = World::new(&network, 1).unwrap();
    world.run_until(at(2000));
    put(&mut world, 2, 5000.0);
    world.run_until(at(6000));
    let heard = |world: &World, end| world.connection(FlowId(0), end).unwrap().notices().to_vec();
    let notices = heard(&world, End::Sender);
    assert!(
        matches!(notices[..], [Notice::RouteFailed { .. }]),
        "{notices:?} {:?}",
        heard(&world, End::Receiver)
    );
    put(&mut world, 2, 400.0);
    world.run_until(Instant::NEVER);
    assert!(heard(&world, End::Sender).contains(&Notice::RouteRestored));
    assert!(heard(&world, End::Receiver).contains(&Notice::RouteRestored));
    assert!(world.finish().flows[0].bytes_received > Bytes(100_000));
}

/// Node 0 is a server on a link, 1 a gateway with a link and a radio, 2 and 3 are radio nodes.
fn gateway() -> Blueprint {
    let mut transfer = flow(NodeId(0), NodeId(3), file(100_000));
    transfer.payload = Payload::Stored;
    let mut network =
        blueprint(5, vec![link(NodeId(0), NodeId(1), &direction(10, 10, 50))], vec![transfer], 120);
    for (node, x) in [(1, 0.0), (2, 200.0), (3, 400.0), (4, 5000.0)] {
        network.nodes[node].position.x = Metres(x);
    }
    network.channels = vec![Channel::new("radio", [1, 2, 3, 4].map(NodeId).to_vec(), fast_radio(250.0))];
    network
}

#[test]
fn a_flow_over_link_gateway_and_radio_delivers_a_file() {
    let results = run(&gateway(), 1);
    let expected: Vec<u8> = crate::payload::pattern(FlowId(0), 0, 100_000).collect();
    assert!(results.flows[0].received.as_deref() == Some(&expected[..]));
    assert!(results.flows[0].completion.is_some());
    assert_eq!(results.links[2].link, "radio:n1");
}

#[test]
fn culling_changes_no_result() {
    assert_eq!(run(&gateway(), 1), run(&gateway().without_culling(), 1));
}

#[test]
fn carrier_sense_protects_a_frame_in_progress() {
    // 1 and 2 get their packets while 0 transmits, from 1 s to 3 s: they sense again until it is over.
    let flows = || {
        vec![
            one_datagram(NodeId(0), NodeId(3), at(1000)),
            one_datagram(NodeId(1), NodeId(3), at(1500)),
            one_datagram(NodeId(2), NodeId(3), at(1800)),
        ]
    };
    let mut radio = slow_radio(unacknowledged());
    radio.delay = Delay::None;
    let positions = [0.0, 100.0, 200.0, 300.0];
    let results = run(&line(&positions, radio.clone(), flows(), 10), 1);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0, 0], vec![("collision", 3)]));
    let csma = mac::csma::Config { backoff: ms(2000), ..Default::default() };
    radio.mac = mac::Config::Csma(csma);
    let arrived: u64 = (1..=20)
        .map(|seed| {
            let results = run(&line(&positions, radio.clone(), flows(), 10), seed);
            assert_eq!(delivered(&results)[0], 1, "nobody disturbs the first");
            delivered(&results).iter().sum::<u64>()
        })
        .sum();
    // The other two collide only if both find the medium idle within the time of a frame of each other.
    assert!((30..=60).contains(&arrived), "{arrived}");
}
