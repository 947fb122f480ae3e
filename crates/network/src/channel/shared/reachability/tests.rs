use super::super::tests::medium;
use super::*;
use crate::channel::propagation::Path;
use crate::ids::NodeId;
use crate::mobility::{self, Setup, random_walk};
use crate::phy::modem::{self, Modem};
use crate::space::{Area, Pace};
use farlink_kernel::random::Stream;
use std::sync::Arc;

const MEMBERS: u32 = 40;

/// Random walks in a square at 30 m/s, with a new direction after every `step`.
fn trajectories(members: u32, side: f64, step: Duration) -> Vec<Trajectory> {
    let (area, speed) = (Area::square(side), Pace(30.0));
    let motion = random_walk::Config {
        area,
        min_speed: speed,
        max_speed: speed,
        step,
        ..random_walk::Config::default()
    };
    let config = mobility::Config::RandomWalk(motion);
    let mut positions = Stream::new(5, "places", 0);
    let mut coordinate = || Metres(positions.uniform() * side);
    let mut position = || Position { x: coordinate(), y: coordinate(), z: Metres(0.0) };
    (0..members)
        .map(|node| Trajectory::new(&config, &Setup { seed: 1, node: NodeId(node), position: position() }))
        .collect()
}

impl Reachability {
    fn strength(&self, distance: Metres) -> Strength {
        Strength(self.medium.power.0 + libm::log(self.medium.propagation.mean_gain(&Path::over(distance))))
    }

    /// The listeners of `member` with all members at these positions, in ascending order: distance, and whether the signal is
    /// sensed and received.
    fn expected(
        &self,
        positions: &[Position],
        member: u32,
        settings: &Settings,
    ) -> Vec<(u32, Metres, [bool; 2])> {
        let from = positions[member as usize];
        let others = positions.iter().zip(0..).filter(|&(_, other)| other != member);
        let listeners = others.map(|(&position, other)| {
            let strength = self.strength(from.distance(position));
            let does = [settings.is_sensed(strength), settings.below_threshold(strength).is_none()];
            (other, from.distance(position), does)
        });
        listeners.filter(|(.., does)| does.contains(&true)).collect()
    }
}

#[test]
fn cached_distances_are_exact_to_a_tick_and_thresholds_are_crossed_in_time() {
    let settings = Settings::new(&medium().antenna, Arc::new(Modem::new(&modem::Config::default(), &())));
    // Few members turn within a lifetime, or nearly all.
    for step in [Duration::from_secs(2), Duration::from_millis(15)] {
        let mut reachability = Reachability::new(medium(), trajectories(MEMBERS, 800.0, step), (1, 0));
        let mut truth = trajectories(MEMBERS, 800.0, step);
        let mut frames = Stream::new(6, "frames", 0);
        let (mut now, mut same) = (Instant::ZERO, 0);
        for frame in 0..20_000 {
            now += Duration::from_secs_f64(frames.uniform() * 1e-3);
            let member = frames.below(4) as u32;
            let positions: Vec<Position> = truth.iter_mut().map(|each| each.position(now)).collect();
            let expected = reachability.expected(&positions, member, &settings);
            let (mut listeners, _) = reachability.listeners(member, frame, now, &settings);
            assert!(listeners.is_sorted_by_key(|listener| listener.delay));
            listeners.sort_by_key(|listener| listener.member);
            assert_eq!(listeners.len(), expected.len(), "frame {frame} at {now}");
            for (listener, &(other, distance, does)) in listeners.iter().zip(&expected) {
                let what = [listener.is_sensed, listener.lost.is_none()];
                assert_eq!((listener.member, what), (other, does), "frame {frame} at {now}");
                let tolerance = reachability.tolerance.0 * (1.0 + 1e-6);
                let [nearer, farther] = [-tolerance, tolerance].map(|by| Metres((distance.0 + by).max(0.0)));
                let strengths = reachability.strength(farther).0..=reachability.strength(nearer).0;
                assert!(strengths.contains(&listener.strength.0), "frame {frame} at {now}");
                let delays = Speed::LIGHT.time_for(nearer)..=Speed::LIGHT.time_for(farther);
                assert!(delays.contains(&listener.delay), "frame {frame} at {now}");
                same += u32::from(listener.strength == reachability.strength(distance));
            }
            reachability.recycle(listeners);
        }
        let share = f64::from(same) / 20_000.0 / f64::from(MEMBERS - 1);
        assert!(share < 0.5, "most results are cached: {share}");
    }
}

#[test]
fn culling_changes_no_listener() {
    let settings = Settings::new(&medium().antenna, Arc::new(Modem::new(&modem::Config::default(), &())));
    for step in [Duration::from_secs(2), Duration::from_millis(50)] {
        let mut both = [true, false].map(|culling| {
            let medium = Medium { culling, ..medium() };
            Reachability::new(medium, trajectories(200, 4000.0, step), (1, 0))
        });
        let mut frames = Stream::new(6, "frames", 0);
        let mut now = Instant::ZERO;
        for frame in 0..5_000 {
            now += Duration::from_secs_f64(frames.uniform() * 2e-3);
            let member = frames.below(4) as u32;
            let [culled, all] = both.each_mut().map(|reachability| {
                let (listeners, _) = reachability.listeners(member, frame, now, &settings);
                let signals = listeners.iter().map(|each| (each.member, each.delay, each.strength));
                let signals = signals.collect::<Vec<_>>();
                reachability.recycle(listeners);
                signals
            });
            assert_eq!(culled, all, "frame {frame} at {now}");
        }
    }
}
