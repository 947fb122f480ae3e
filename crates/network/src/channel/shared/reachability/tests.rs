use super::super::tests::medium;
use super::*;
use crate::channel::propagation::Path;
use crate::mobility::{self, Setup, random_walk};
use crate::phy::modem::{self, Modem};
use crate::space::{Area, Pace};
use farlink_kernel::random::Stream;
use std::sync::Arc;

const MEMBERS: u32 = 40;

/// So many from places at random in a square, at 30 m/s, each with another direction after every `step`.
fn trajectories(members: u32, side: f64, step: Duration) -> Vec<Trajectory> {
    let (area, speed) = (Area::square(side), Pace(30.0));
    let walk = random_walk::Config {
        area,
        min_speed: speed,
        max_speed: speed,
        step,
        ..random_walk::Config::default()
    };
    let config = mobility::Config::RandomWalk(walk);
    let mut luck = Stream::new(5, "places", 0);
    let mut coordinate = || Metres(luck.uniform() * side);
    let mut position = || Position { x: coordinate(), y: coordinate(), z: Metres(0.0) };
    (0..members)
        .map(|node| Trajectory::new(&config, &Setup { seed: 1, node, position: position() }))
        .collect()
}

impl Reach {
    fn strength(&self, distance: Metres) -> Strength {
        Strength(self.medium.power.0 + libm::log(self.medium.propagation.mean_gain(&Path::over(distance))))
    }

    /// Who hears `member` when all are at these places, in ascending order: how far off, and whether it notices a
    /// signal and makes it out.
    fn hear(&self, places: &[Position], member: u32, settings: &Settings) -> Vec<(u32, Metres, [bool; 2])> {
        let from = places[member as usize];
        let others = places.iter().zip(0..).filter(|&(_, other)| other != member);
        let heard = others.map(|(&place, other)| {
            let strength = self.strength(from.distance(place));
            let does = [settings.is_noticed(strength), settings.too_weak(strength).is_none()];
            (other, from.distance(place), does)
        });
        heard.filter(|(.., does)| does.contains(&true)).collect()
    }
}

#[test]
fn while_a_look_serves_distances_drift_by_a_tick_and_thresholds_are_passed_in_time() {
    let settings = Settings::new(&medium().antenna, Arc::new(Modem::new(&modem::Config::default(), &())));
    // Few turn while a look serves, or nearly all.
    for step in [Duration::from_secs(2), Duration::from_millis(15)] {
        let mut reach = Reach::new(medium(), trajectories(MEMBERS, 800.0, step), (1, 0));
        let mut truth = trajectories(MEMBERS, 800.0, step);
        let mut luck = Stream::new(6, "frames", 0);
        let (mut now, mut same) = (Instant::ZERO, 0);
        for frame in 0..20_000 {
            now += Duration::from_secs_f64(luck.uniform() * 1e-3);
            let member = luck.below(4) as u32;
            let places: Vec<Position> = truth.iter_mut().map(|each| each.position(now)).collect();
            let expected = reach.hear(&places, member, &settings);
            let mut heard = reach.listeners(member, frame, now, &settings);
            assert!(heard.is_sorted_by_key(|listener| listener.delay));
            heard.sort_by_key(|listener| listener.member);
            assert_eq!(heard.len(), expected.len(), "frame {frame} at {now}");
            for (listener, &(other, distance, does)) in heard.iter().zip(&expected) {
                let what = [listener.is_noticed, listener.lost.is_none()];
                assert_eq!((listener.member, what), (other, does), "frame {frame} at {now}");
                let drift = reach.drift.0 * (1.0 + 1e-6);
                let [nearer, farther] = [-drift, drift].map(|by| Metres((distance.0 + by).max(0.0)));
                let strengths = reach.strength(farther).0..=reach.strength(nearer).0;
                assert!(strengths.contains(&listener.strength.0), "frame {frame} at {now}");
                let delays = Speed::LIGHT.time_for(nearer)..=Speed::LIGHT.time_for(farther);
                assert!(delays.contains(&listener.delay), "frame {frame} at {now}");
                same += u32::from(listener.strength == reach.strength(distance));
            }
            reach.recycle(heard);
        }
        let share = f64::from(same) / 20_000.0 / f64::from(MEMBERS - 1);
        assert!(share < 0.5, "most looks serve again: {share}");
    }
}

#[test]
fn it_is_no_matter_whether_members_far_off_are_looked_at() {
    let settings = Settings::new(&medium().antenna, Arc::new(Modem::new(&modem::Config::default(), &())));
    for step in [Duration::from_secs(2), Duration::from_millis(50)] {
        let mut both = [true, false].map(|skip_far| {
            let medium = Medium { skip_far, ..medium() };
            Reach::new(medium, trajectories(200, 4000.0, step), (1, 0))
        });
        let mut luck = Stream::new(6, "frames", 0);
        let mut now = Instant::ZERO;
        for frame in 0..5_000 {
            now += Duration::from_secs_f64(luck.uniform() * 2e-3);
            let member = luck.below(4) as u32;
            let [some, all] = both.each_mut().map(|reach| {
                let heard = reach.listeners(member, frame, now, &settings);
                let signals = heard.iter().map(|each| (each.member, each.delay, each.strength));
                let signals = signals.collect::<Vec<_>>();
                reach.recycle(heard);
                signals
            });
            assert_eq!(some, all, "frame {frame} at {now}");
        }
    }
}
