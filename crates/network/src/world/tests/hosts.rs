//! Hosts that take time for what they send and receive.

use super::*;
use crate::ids::End;

/// A download over 10 Mbit/s and 20 ms with hosts that take so long for each packet, each way.
fn world(packet: &[Duration], seconds: u64) -> World {
    let flows = vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())];
    let mut network = blueprint(2, vec![link(NodeId(0), NodeId(1), &direction(10, 20, 100))], flows, seconds);
    if !packet.is_empty() {
        let packet = packet.to_vec();
        network.host_delay = host::Config::Samples(host::samples::Config { packet, burst: Vec::new() });
    }
    World::new(&network, 1).unwrap()
}

#[test]
fn the_round_trip_takes_longer_by_what_each_host_takes_each_way() {
    let smallest = |packet: &[Duration]| {
        let mut world = world(packet, 1);
        world.run_until(Instant::NEVER);
        world.connection(FlowId(0), End::Sender).unwrap().rtt_range().unwrap().0
    };
    let hosts = Duration::from_micros(70);
    // The sender's host and the receiver's, down and up.
    assert_eq!(smallest(&[hosts]), smallest(&[]) + hosts * 4);
}

#[test]
fn what_hosts_hold_is_in_flight() {
    let mut world = world(&[ms(30)], 1);
    for step in 1..=20 {
        world.run_until(Instant::ZERO + ms(50 * step));
        world.audit();
    }
    let results = world.finish();
    let held = results.ledger.iter().flat_map(|entry| &entry.in_flight);
    assert!(held.clone().any(|(place, copies)| *place == "host" && *copies > 0), "{held:?}");
}
