//! What monitors are shown is what the results count.

use crate::ids::NodeId;
use std::sync::{Arc, Mutex};

use super::dcf::{datagram, with_rts, wlan};
use super::shared_channel::{line, put};
use super::*;
use crate::frame::FrameKind;
use crate::mac;
use crate::observe::monitor::{FrameObserved, Monitor, PacketObserved, Place, Step, View};
use crate::packet::CAUSES;
use crate::packet::named;

/// Counts of what was shown.
#[derive(Debug, Default)]
struct Seen {
    sent: u64,
    received: u64,
    missed: [u64; CAUSES],
    originated: u64,
    delivered: u64,
    drops: [u64; CAUSES],
    failed_attempts: [u64; CAUSES],
    places: Vec<(NodeId, Cause)>,
}

#[derive(Clone, Debug, Default)]
struct Watcher(Arc<Mutex<Seen>>);

impl Monitor for Watcher {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        let mut seen = self.0.lock().unwrap();
        match sighting.view {
            View::Sent(length) => {
                assert!(sighting.frame.sender == sighting.node && length > Duration::ZERO);
                seen.sent += 1;
            }
            View::Received(_) => seen.received += 1,
            View::Missed(cause) => {
                assert!(sighting.frame.is_for(sighting.node));
                if sighting.frame.kind == FrameKind::Data {
                    // A reference to the packet can be read as long as the frame is shown.
                    let part = sighting.frame.parts[0].expect("a frame with a packet");
                    assert!(sighting.packets[part.packet].size > 0);
                }
                seen.missed[cause as usize] += 1;
            }
        }
    }

    fn on_packet(&mut self, passage: &PacketObserved<'_>) {
        let mut seen = self.0.lock().unwrap();
        match passage.step {
            Step::Originated => seen.originated += 1,
            Step::Delivered => seen.delivered += 1,
            Step::Dropped(cause) if passage.packets[passage.packet].is_attempt => {
                seen.failed_attempts[cause as usize] += 1;
            }
            Step::Dropped(cause) => {
                seen.drops[cause as usize] += 1;
                seen.places.push((passage.node, cause));
            }
            Step::Arrived { .. } | Step::Routed(_) | Step::GivenBack(_) => {}
        }
    }
}

fn watched(scene: &Blueprint, prepare: impl FnOnce(&mut World)) -> (Seen, Results) {
    let watcher = Watcher::default();
    let mut world = World::new(scene, 1).unwrap();
    world.add_monitor(Box::new(watcher.clone()), Place::Everywhere);
    prepare(&mut world);
    world.run_until(Instant::NEVER);
    let results = world.finish();
    (std::mem::take(&mut watcher.0.lock().unwrap()), results)
}

fn sum(results: &Results, of: impl Fn(&StationResult) -> u64) -> u64 {
    results.stations.iter().map(of).sum()
}

#[test]
fn a_monitor_sees_every_frame_every_miss_and_every_loss_and_changes_nothing() {
    let flows = (0..8).map(|i| datagram(NodeId(i % 2 * 2), NodeId(1), 1000 + u64::from(i) * 90)).collect();
    let scene = line(&[0.0, 200.0, 400.0], wlan(with_rts(), 250.0), flows, 5);
    let (seen, results) = watched(&scene, |_| {});
    assert_eq!(results, run(&scene, 1));
    assert_eq!(seen.sent, sum(&results, |station| station.frames_sent));
    let received = sum(&results, |station| station.frames_received + station.frames_overheard);
    assert_eq!(seen.received, received);
    let undelivered = |cause: usize| {
        sum(&results, |station| {
            station.undelivered.iter().find(|each| each.0 == Cause::WORDS[cause]).map_or(0, |each| each.1)
        })
    };
    assert_eq!(seen.missed.to_vec(), (0..CAUSES).map(undelivered).collect::<Vec<_>>());
    assert!(seen.missed[Cause::Collision as usize] > 0);
    assert_eq!(named(&seen.drops), results.drops);
    assert_eq!(named(&seen.failed_attempts), results.failed_attempts);
    assert_eq!((seen.originated, seen.delivered), (8, 8));
}

#[test]
fn drops_are_shown_where_they_happen() {
    let flows = vec![datagram(NodeId(0), NodeId(1), 1000)];
    let scene = line(&[0.0, 200.0], wlan(mac::dcf::Config::default(), 250.0), flows, 5);
    let (seen, results) = watched(&scene, |world| put(world, 1, 900.0));
    assert_eq!(
        (seen.places, results.drops),
        (vec![(NodeId(0), Cause::LinkFailure)], vec![("link_failure", 1)])
    );
    let hop = &results.hops[0];
    assert_eq!((hop.from.as_str(), hop.to.as_str(), hop.packets_given_up), ("n0", "n1", 1));
    assert_eq!(hop.failed_attempts, [("out_of_range", hop.attempts)]);
}
