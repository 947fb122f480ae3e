//! A long flow: how much of the path it uses, and what its numbers show.

use farlink_kernel::Instant;

use super::super::*;
use super::path::{Path, options};
use crate::congestion::{self, Config as Members};
use crate::connection::congestion_setup;

/// 10 Mbit/s, 40 ms, a pipe of buffer.
fn ordinary() -> Path {
    let mut path = Path::new(10.0);
    path.room = 33;
    path
}

#[test]
fn a_long_flow_uses_95_percent_of_the_path() {
    let mut path = ordinary();
    path.run_for(5.0);
    let rate = path.goodput(60.0);
    assert!(rate >= 9.5, "{rate} Mbit/s");
}

/// By name in [`CongestionControl::observe`], every 10 ms.
fn observed(path: &mut Path, seconds: f64, name: &str) -> Vec<f64> {
    let value = |path: &Path| {
        let numbers = path.bbr().observe();
        numbers.into_iter().find(|(of, _)| *of == name).expect("a name").1
    };
    (0..(100.0 * seconds) as u32)
        .map(|_| {
            path.run_for(0.01);
            value(path)
        })
        .collect()
}

#[test]
fn a_series_of_pacing_gains_shows_the_cycle() {
    let mut path = ordinary();
    path.run_until_state(State::Cruise);
    let mut gains = observed(&mut path, 20.0, "pacing_gain");
    gains.dedup();
    assert!(gains.iter().all(|gain| [0.9, 1.0, 1.25].contains(gain)), "{gains:?}");
    let probes: Vec<usize> = (1..gains.len() - 1).filter(|&nth| gains[nth] == 1.25).collect();
    assert!(probes.len() >= 5, "{} probes", probes.len());
    assert!(probes.iter().all(|&nth| gains[nth - 1] == 1.0 && gains[nth + 1] <= 1.0), "{gains:?}");
}

#[test]
fn a_series_of_modes_shows_probe_rtt_every_five_seconds() {
    let mut path = ordinary();
    let modes = observed(&mut path, 30.0, "mode");
    let is_dip = |mode: f64| mode == f64::from(State::ProbeRtt as u8);
    let begins = (1..modes.len()).filter(|&nth| is_dip(modes[nth]) && !is_dip(modes[nth - 1])).count();
    assert!((4..=5).contains(&begins), "{begins}");
    let share = modes.iter().filter(|&&mode| is_dip(mode)).count() as f64 / modes.len() as f64;
    // 200 ms and part of a round in each 5 s.
    assert!(share > 0.03 && share < 0.06, "{share}");
}

/// The states of a cycle follow each other in the order of the draft's diagram.
#[test]
fn states_follow_the_diagram() {
    let mut path = ordinary();
    path.run_for(30.0);
    let states = path.states_since(Instant::ZERO);
    let follows = |before: State, after: State| match before {
        State::Startup => after == State::Drain,
        // DOWN may begin and end on one ACK.
        State::Drain | State::Up => matches!(after, State::Down | State::Cruise | State::ProbeRtt),
        State::Down => matches!(after, State::Cruise | State::Refill | State::ProbeRtt),
        State::Cruise => matches!(after, State::Refill | State::ProbeRtt),
        State::Refill => matches!(after, State::Up | State::ProbeRtt),
        State::ProbeRtt => after == State::Cruise,
    };
    assert!(states.windows(2).all(|two| follows(two[0], two[1])), "{states:?}");
    assert!(states.len() > 30, "{states:?}");
}

#[test]
fn an_echo_of_a_mark_ends_a_probe() {
    let mut path = ordinary();
    path.run_until_state(State::Up);
    let echo = super::loss(LossKind::Ecn, 50.0);
    let mut window = Window::new(70.0);
    path.bbr().on_congestion(&mut window, &echo);
    let bbr = path.bbr();
    assert_eq!(bbr.state, State::Down);
    assert!(bbr.long_term.inflight.is_finite());
}

#[test]
fn it_is_registered() {
    let setup = congestion_setup(&options("sack"), 1);
    let member = Members::named("bbr3").expect("registered").build(&setup);
    assert!(member.uses_packet_state() && member.controls_recovery());
    assert!(!congestion::Config::named("bbr").expect("registered").build(&setup).uses_packet_state());
}
