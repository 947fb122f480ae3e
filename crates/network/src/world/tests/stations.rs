//! What stations count about their frames.

use super::dcf::{datagram, with_rts, wlan};
use super::shared_channel::{line, put};
use super::*;
use crate::ids::NodeId;
use crate::mac::dcf;
use crate::results::StationResult;

fn stations(metres: &[f64], mac: dcf::Config, flows: Vec<Flow>) -> Vec<StationResult> {
    run(&line(metres, wlan(mac, 250.0), flows, 1), 1).stations
}

fn count(causes: &[(&'static str, u64)], wanted: &str) -> u64 {
    causes.iter().find(|(cause, _)| *cause == wanted).expect("every cause is listed").1
}

fn sum(causes: &[(&'static str, u64)]) -> u64 {
    causes.iter().map(|(_, frames)| frames).sum()
}

#[test]
fn an_exchange_is_counted_where_it_is_sent_received_and_overheard() {
    let stations = stations(&[0.0, 200.0, 100.0], with_rts(), vec![datagram(NodeId(0), NodeId(1), 1000)]);
    let frames = |station: &StationResult| {
        (station.frames_sent, station.frames_received, station.frames_overheard, station.retries)
    };
    assert_eq!(stations.iter().map(frames).collect::<Vec<_>>(), [(2, 2, 0, 0), (2, 2, 0, 0), (0, 0, 4, 0)]);
    assert_eq!(stations[1].node, "n1");
}

#[test]
fn a_neighbour_out_of_reach_is_tried_and_given_up() {
    let scene = line(&[0.0, 200.0], wlan(with_rts(), 250.0), vec![datagram(NodeId(0), NodeId(1), 1000)], 1);
    let mut world = World::new(&scene, 1).unwrap();
    put(&mut world, 1, 900.0);
    world.run_until(at(1000));
    let stations = world.finish().stations;
    let sent = stations[0].frames_sent;
    assert_eq!((stations[0].retries, stations[0].packets_given_up), (sent - 1, 1));
    assert_eq!(stations[0].undelivered[0], ("out_of_range", sent));
    assert_eq!(stations[0].given_up_attempts[0], ("out_of_range", sent));
    assert_eq!(sum(&stations[0].given_up_attempts), sent);
}

#[test]
fn hidden_terminals_collide_at_their_neighbour() {
    let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(2), NodeId(1), 1100)];
    let stations = stations(&[0.0, 200.0, 400.0], dcf::Config::default(), flows);
    let collided = |node: usize| count(&stations[node].undelivered, "collision");
    assert!(collided(0) > 0 && collided(2) > 0);
    assert_eq!(count(&stations[1].missed, "collision"), collided(0) + collided(2));
    // All frames were for one neighbour: what was not received by it is undelivered.
    let sent: u64 = stations.iter().map(|station| station.frames_sent).sum();
    let received: u64 = stations.iter().map(|station| station.frames_received).sum();
    let undelivered: u64 = stations.iter().map(|station| sum(&station.undelivered)).sum();
    assert_eq!(sent, received + undelivered);
}
