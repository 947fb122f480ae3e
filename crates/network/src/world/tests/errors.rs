//! Errors of frames at an antenna, and of packets above the MAC.

use super::dcf::{datagram, wlan};
use super::shared_channel::line;
use super::*;
use crate::blueprint::Radio;
use crate::ids::{ChannelId, NodeId};
use crate::mac::dcf;
use crate::phy::antenna::{self, ErrorPlace};
use farlink_kernel::config::Fraction;
use farlink_tcp::config::Preset;

/// Five stations in range of each other, of which the first sends 50 datagrams to the second.
fn scene(antenna: antenna::Config) -> Blueprint {
    let flows = (0..50).map(|number| datagram(NodeId(0), NodeId(1), 20_000 * number)).collect();
    let radio = Radio { antenna, ..wlan(dcf::Config::default(), 300.0) };
    line(&[0.0, 100.0, 150.0, 200.0, 250.0], radio, flows, 5)
}

/// Frames that the last three stations, which are silent, lost to errors.
fn errors_of_the_silent(error_place: ErrorPlace) -> [u64; 3] {
    let antenna =
        antenna::Config { frame_error_rate: Fraction(0.3), error_place, ..antenna::Config::default() };
    let mut world = World::new(&scene(antenna), 1).unwrap();
    world.run_until(Instant::NEVER);
    [2, 3, 4].map(|member| {
        let missed = world.channels[ChannelId(0)].receive_counters(member).missed();
        missed.iter().filter(|(cause, _)| *cause == "bit_error").map(|(_, count)| count).sum()
    })
}

#[test]
fn errors_of_the_sender_are_the_same_at_all_receivers() {
    let [first, others @ ..] = errors_of_the_silent(ErrorPlace::Sender);
    assert!(first > 20 && others == [first; 2], "{first} {others:?}");
    let [first, others @ ..] = errors_of_the_silent(ErrorPlace::Receiver);
    assert!(first > 20 && others != [first; 2], "{first} {others:?}");
}

#[test]
fn packets_lost_above_the_mac_are_not_retransmitted() {
    let antenna = antenna::Config {
        frame_error_rate: Fraction(0.3),
        error_place: ErrorPlace::AboveMac,
        ..antenna::Config::default()
    };
    let results = run(&scene(antenna), 1);
    let delivered: u64 = results.flows.iter().map(|flow| flow.packets_delivered).sum();
    let &[(cause, lost)] = results.drops.as_slice() else { panic!("{:?}", results.drops) };
    assert_eq!((cause, delivered + lost), ("corrupted", 50));
    assert!((8..=22).contains(&lost), "{lost}");
}

/// The receiver reports a duplicate that the network made as one that the sender made. Linux counts both.
#[test]
fn duplicates_of_the_network_undo_no_reduction_in_linux() {
    let impair = error::impair::Config { duplicate: Fraction(0.3), ..Default::default() };
    let line = link::Config { error: error::Config::Impair(impair), ..direction(10, 20, 50) };
    for control in ["reno", "scalable"] {
        let mut made = flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap());
        made.tcp = farlink_tcp::Config {
            congestion_control: farlink_tcp::preset::congestion_control(Preset::Linux, control).unwrap(),
            ..farlink_tcp::Config::preset(Preset::Linux)
        };
        let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![made], 10), 1);
        assert_eq!(results.flows[0].timeouts, 0, "{control}");
        assert!(results.flows[0].goodput_bps > 9e6, "{control}: {:?}", results.flows[0]);
    }
}
