//! The example test cases of the draft's appendix, in its order. What of a case cannot be had as it says, its test explains.

use farlink_kernel::{Duration, Instant};

use super::super::*;
use super::path::{Application, Path, Policer, SEGMENT, options};
use crate::congestion::bbr3::probe_bw::AckPhase;

mod spurious;

/// Two percent, the tolerance of the draft.
#[track_caller]
fn is_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 0.02 * expected, "{found} is not within 2 % of {expected}");
}

#[test]
fn startup_ends_on_a_plateau() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Drain);
    is_near(path.max_bw(), 10.0);
    let full = path.bbr().full_pipe;
    assert!((full.rounds, full.now, full.reached) == (3, true, true), "{full:?}");
    assert_eq!(path.states_since(Instant::ZERO), [State::Startup, State::Drain]);
}

#[test]
fn startup_ends_on_loss_when_the_application_limits_it() {
    let mut path = Path::new(100.0);
    path.application = Application::Rate(40e6);
    path.run_for(1.0);
    assert_eq!(path.state(), State::Startup);
    assert!(!path.bbr().full_pipe.reached);
    path.one_lost_in = 10;
    path.run_until("the end of Startup", |path| path.state() != State::Startup);
    let bbr = path.bbr();
    // Less than the pipe is in flight, so that the same ACK ends Drain.
    assert!(bbr.full_pipe.now && bbr.full_pipe.reached && bbr.full_pipe.rounds < 3);
    assert!(bbr.is_in_probe_bw() && bbr.full_pipe.drains_since == bbr.round.count);
    // 40 Mbit/s over 40 ms are 133 segments, of which as many are delivered in a round.
    assert!(bbr.long_term.inflight >= bbr.bdp_multiple(bbr.bw, 1.0), "{}", bbr.long_term.inflight);
}

#[test]
fn drain_ends_when_no_more_than_the_pipe_is_in_flight() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Drain);
    assert_eq!(path.bbr().gains().0, 0.5);
    let pipe = Path::pipe;
    assert!(path.flight() > pipe(&path));
    let mut before = 0.0;
    path.run_until("the end of Drain", |path| {
        let is_over = path.state() != State::Drain;
        if !is_over {
            before = path.flight();
            assert!(before > pipe(path) - 2.0, "{before} in flight");
        }
        is_over
    });
    assert!(path.flight() <= pipe(&path) + 1.0, "{} in flight", path.flight());
    assert!(matches!(path.state(), State::Down | State::Cruise));
}

/// The draft lowers the bandwidth by 10 %. At half of the rate that drains in less than three rounds; at 40 % of the bandwidth
/// nothing drains.
#[test]
fn drain_ends_after_three_rounds() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Drain);
    let began = path.bbr().round.count;
    path.mbps = 4.0;
    path.run_until("the end of Drain", |path| path.state() != State::Drain);
    assert_eq!(path.bbr().round.count - began, 4);
    let pipe = path.pipe();
    assert!(path.flight() > pipe, "{} in flight of {pipe}", path.flight());
    assert_eq!(path.state(), State::Down);
}

#[test]
fn up_ends_on_a_plateau() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Up);
    let (began, dropped) = (path.bbr().round.count, path.dropped);
    path.run_until("the end of UP", |path| path.state() != State::Up);
    let full = path.bbr().full_pipe;
    assert_eq!((full.rounds, full.now, path.dropped), (3, true, dropped));
    assert!(path.bbr().round.count >= began + 3);
    assert_eq!(path.state(), State::Down);
}

/// The application begins to limit the flow in UP, which then lasts; losses end it. What is app-limited sets no bound
/// (`HandleInflightTooHigh`).
#[test]
fn up_ends_on_loss_when_the_application_limits_it() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Up);
    path.application = Application::Rate(5e6);
    path.run_for(1.0);
    assert_eq!(path.state(), State::Up);
    path.one_lost_in = 8;
    path.run_until("the end of UP", |path| path.state() != State::Up);
    // Less than the pipe is in flight, so that the ACK which shows the loss ends DOWN as well.
    assert!(path.states_since(path.now).iter().all(|state| matches!(state, State::Down | State::Cruise)));
    assert!(path.bbr().cycle.was_too_high && path.bbr().cycle.since == path.now);
    assert_eq!(path.longterm(), f64::INFINITY);
}

/// For three seconds, as ProbeRTT comes after five.
#[test]
fn an_application_that_limits_the_flow_keeps_it_in_startup_or_up() {
    let mut path = Path::new(10.0);
    path.application = Application::Rate(5e6);
    path.run_for(4.5);
    assert_eq!(path.states_since(Instant::ZERO), [State::Startup]);
    let mut path = Path::new(10.0);
    path.run_until_state(State::ProbeRtt);
    path.run_until_state(State::Up);
    path.application = Application::Rate(5e6);
    let from = path.now + Duration::from_nanos(1);
    path.run_for(3.0);
    assert_eq!(path.states_since(from), []);
}

#[test]
fn down_ends_when_no_more_than_the_pipe_less_headroom_is_in_flight() {
    // Without a bound, and with one that a short queue gave.
    for room in [usize::MAX, 16] {
        let mut path = Path::new(10.0);
        path.room = room;
        path.run_until_state(State::Up);
        path.run_until_state(State::Down);
        assert_eq!(path.bbr().gains().0, 0.9);
        assert_eq!(path.longterm().is_finite(), room == 16);
        path.run_until("the end of DOWN", |path| path.state() != State::Down);
        assert_eq!(path.state(), State::Cruise);
        let bbr = path.bbr();
        let least = bbr.inflight_with_headroom().min(bbr.inflight(bbr.max_bw(), 1.0));
        // One segment may have left since the ACK.
        assert!(path.flight() <= least + 1.0, "{} in flight, target {least}", path.flight());
    }
}

/// A path on which DOWN lasts until it is time to probe: how long it does, the wait, the rounds since UP and those that Reno would
/// take. Without `ProbeRTT`.
fn down_lasts(mbps: f64, one_way: Duration) -> (Duration, Duration, [u32; 2]) {
    let config = Config { probe_rtt_interval: Duration::from_secs(60), ..Config::default() };
    let mut path = Path::with(mbps, &options("sack"), &config);
    path.one_way = one_way;
    path.run_until_state(State::Up);
    path.run_until_state(State::Down);
    path.mbps = 0.9 * mbps;
    let (began, wait) = (path.now, path.bbr().cycle.wait);
    path.run_until("the end of DOWN", |path| path.state() != State::Down);
    assert_eq!(path.state(), State::Refill);
    let bbr = path.bbr();
    let reno = bbr.bdp_multiple(bbr.bw, 1.0).floor() as u32;
    (path.now - began, wait, [bbr.cycle.rounds, reno])
}

/// 63 rounds of more than 100 ms take longer than the wait of 2 to 3 s.
#[test]
fn down_ends_with_a_probe_when_the_wait_is_over() {
    let (lasted, wait, [rounds, reno]) = down_lasts(30.0, Duration::from_millis(50));
    assert!(rounds < 62 && reno > 63, "{rounds} {reno}");
    assert!(wait >= Duration::from_secs(2) && wait <= Duration::from_secs(3), "{wait:?}");
    assert!(lasted > wait && lasted < wait + Duration::from_millis(10), "{lasted:?} of {wait:?}");
}

/// 20 Mbit/s over 20 ms are 33 segments: as many rounds, and less than 2 s.
#[test]
fn down_ends_with_a_probe_after_as_many_rounds_as_reno_takes() {
    let (lasted, wait, [rounds, reno]) = down_lasts(20.0, Duration::from_millis(10));
    assert_eq!((rounds, reno), (33, 33));
    assert!(lasted < wait, "{lasted:?} of {wait:?}");
}

#[test]
fn probe_rtt_comes_after_five_seconds_and_lasts_a_fifth() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::ProbeRtt);
    let began = path.now;
    assert!(began.saturating_since(Instant::ZERO) > Duration::from_secs(5));
    assert!(began.saturating_since(Instant::ZERO) < Duration::from_secs(6));
    assert_eq!(path.bbr().gains(), (1.0, 0.5));
    let mut least = f64::INFINITY;
    path.run_until("the end of ProbeRTT", |path| {
        least = least.min(path.cwnd());
        path.state() != State::ProbeRtt
    });
    assert!((least - path.bdp() / 2.0).abs() < 1.0, "{least}");
    assert!(path.now - began >= Duration::from_millis(200));
    assert!(path.now - began < Duration::from_millis(400), "{:?}", path.now - began);
    assert_eq!(path.state(), State::Cruise);
    assert!(path.goodput(1.0) > 9.5);
}

#[test]
fn idle_time_replaces_probe_rtt() {
    let mut path = Path::new(10.0);
    path.run_for(3.0);
    path.application = Application::Silent;
    path.run_for(6.0);
    assert_eq!((path.flight(), path.bbr().restarts), (0.0, false));
    let from = path.now;
    path.application = Application::Bulk;
    path.run_until("data leave", |path| path.flight() > 0.0);
    assert!(path.bbr().restarts);
    path.run_for(3.0);
    assert!(!path.bbr().restarts);
    assert!(!path.states_since(Instant::ZERO).contains(&State::ProbeRtt), "{:?}", path.states);
    assert!(path.now > from);
}

#[test]
fn startup_finds_the_bandwidth_through_aggregated_acks() {
    let mut path = Path::new(10.0);
    path.ack_interval = Duration::from_millis(20);
    let mut largest: f64 = 0.0;
    path.run_until("the end of Startup", |path| {
        largest = largest.max(path.cwnd());
        path.state() != State::Startup
    });
    is_near(path.max_bw(), 10.0);
    assert!(path.bbr().aggregation.most() > 0.0);
    assert!(largest > 2.0 * path.bdp(), "{largest}");
}

#[test]
fn cruising_is_not_stalled_by_aggregated_acks() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Cruise);
    path.ack_interval = Duration::from_millis(50);
    path.run_for(0.5);
    let bbr_extra = path.bbr().aggregation.most();
    // In 50 ms 41.7 segments are delivered, which one ACK acknowledges.
    assert!(bbr_extra > 30.0, "{bbr_extra}");
    let bbr = path.bbr();
    assert_eq!(bbr.max_inflight(), bbr.bdp_multiple(bbr.bw, 2.0) + bbr_extra);
    drop(bbr);
    assert!(path.goodput(1.0) > 9.7);
}

#[test]
fn a_pipe_below_a_segment_is_kept_full_by_four() {
    // 500 B.
    let mut path = Path::new(0.1);
    path.run_until_state(State::Cruise);
    path.least_cwnd = f64::INFINITY;
    let rate = path.goodput(20.0);
    assert!(path.least_cwnd >= 4.0, "{}", path.least_cwnd);
    assert!(rate > 0.095, "{rate} Mbit/s");
    is_near(path.max_bw(), 0.1);
    path.run_until_state(State::Cruise);
    is_near(path.client.sample().window.pacing_rate.unwrap().as_bps() as f64 / 1e6, 0.99 * 0.1);
}

/// A short queue sets the long-term bound first. Then it grows by twice as much in each round of UP.
#[test]
fn ten_times_the_bandwidth_is_found() {
    let mut path = Path::new(10.0);
    path.room = 33;
    path.run_until("a bound", |path| path.longterm().is_finite());
    path.run_until_state(State::Cruise);
    (path.mbps, path.room) = (100.0, 333);
    let (began, mut round) = (path.bbr().round.count, 0);
    let mut bounds = Vec::new();
    path.run_until("the bandwidth", |path| {
        let bbr = path.bbr();
        if bbr.state == State::Up && bbr.round.count != round {
            round = bbr.round.count;
            bounds.push(bbr.long_term.inflight);
        }
        drop(bbr);
        path.max_bw() > 98.0
    });
    let steps: Vec<f64> = bounds.windows(2).map(|two| two[1] - two[0]).collect();
    // While nothing but the bound limits the flow; half a step is a round that ended between two increments.
    let doubles = steps.windows(2).filter(|two| two[0] >= 2.0 && two[1] >= 1.5 * two[0]).count();
    assert!(doubles >= 3, "{bounds:?}");
    // 34 rounds until the probe, some more for the careful one, and as many as the logarithm of the pipe.
    let rounds = path.bbr().round.count - began;
    assert!(rounds <= 34 + 63, "{rounds} rounds");
}

#[test]
fn a_tenth_of_the_bandwidth_is_adapted_to() {
    let mut path = Path::new(100.0);
    path.room = 33;
    path.run_until_state(State::Cruise);
    path.mbps = 10.0;
    path.run_until("a short-term bound", |path| path.bbr().short_term.bw.is_finite());
    let from = path.bbr().round.count;
    // 0.7 of the bound per round: 0.49 after two. Then few enough are in flight that only a timeout repairs what was lost.
    path.run_until("half of the bandwidth", |path| path.bbr().short_term.bw * 8.0 * (SEGMENT as f64) < 50e6);
    assert!(path.bbr().round.count - from <= 4, "{} rounds", path.bbr().round.count - from);
    let from = path.now;
    let cycles = |path: &Path| path.states_since(from).iter().filter(|&&state| state == State::Up).count();
    path.run_until("two cycles", |path| cycles(path) == 3);
    is_near(path.max_bw(), 10.0);
}

#[test]
fn a_policer_s_rate_is_conformed_to() {
    let mut path = Path::new(100.0);
    path.policer =
        Some(Policer { bits_per_second: 10e6, burst: 50_000.0, tokens: 50_000.0, filled: Instant::ZERO });
    path.run_until("ProbeBW", |path| path.bbr().is_in_probe_bw());
    path.run_until("the lower bounds", |path| {
        let bounds = path.bbr().short_term;
        bounds.bw.is_finite() && bounds.inflight.is_finite()
    });
    path.run_for(5.0);
    let (dropped, sent) = (path.dropped, path.client.counters().data_segments_sent);
    let rate = path.goodput(20.0);
    let sent = path.client.counters().data_segments_sent - sent;
    let lost = (path.dropped - dropped) as f64 / sent as f64;
    assert!(lost < 0.05, "{lost} of {sent} lost at {rate} Mbit/s");
    assert!(rate > 8.0 && rate < 10.1, "{rate} Mbit/s, {lost} lost");
}

#[test]
fn probe_rtt_in_startup_returns_to_startup() {
    let mut path = Path::new(10.0);
    path.application = Application::Rate(5e6);
    path.run_until_state(State::ProbeRtt);
    path.run_until("the end of ProbeRTT", |path| path.state() != State::ProbeRtt);
    assert_eq!(path.states_since(Instant::ZERO), [State::Startup, State::ProbeRtt, State::Startup]);
    path.application = Application::Bulk;
    path.run_until_state(State::Drain);
    is_near(path.max_bw(), 10.0);
}

#[test]
fn losses_of_a_probe_lower_the_long_term_bound() {
    let mut path = Path::new(10.0);
    path.room = 33;
    path.run_until("a bound", |path| path.longterm().is_finite());
    path.run_until_state(State::Cruise);
    path.run_until("UP without a bad probe before", |path| {
        path.state() == State::Up && !path.bbr().cycle.was_too_high
    });
    let before = path.longterm();
    path.one_lost_in = 4;
    path.run_until("the end of UP", |path| path.state() != State::Up);
    assert_eq!(path.state(), State::Down);
    let bbr = path.bbr();
    assert!(bbr.cycle.was_too_high && bbr.cycle.ack_phase == AckPhase::Stopping);
    assert!(bbr.long_term.inflight < before, "{} of {before}", bbr.long_term.inflight);
    assert!(bbr.long_term.inflight >= 0.7 * bbr.bdp_multiple(bbr.bw, 1.0) - 1e-9);
}

/// The application writes a tenth of the rate, so that the round ends.
#[test]
fn a_refill_that_the_application_limits_leaves_the_bandwidth() {
    let mut path = Path::new(10.0);
    path.run_until_state(State::Refill);
    path.application = Application::Rate(1e6);
    let max_bw = path.max_bw();
    path.run_until("the end of REFILL", |path| path.state() != State::Refill);
    assert_eq!((path.state(), path.max_bw()), (State::Up, max_bw));
    path.run_for(1.0);
    assert_eq!((path.state(), path.max_bw()), (State::Up, max_bw));
    path.application = Application::Bulk;
    path.run_until_state(State::Down);
    is_near(path.max_bw(), 10.0);
}

impl Path {
    fn longterm(&self) -> f64 {
        self.bbr().long_term.inflight
    }

    /// `Inflight(1.0)`.
    fn pipe(&self) -> f64 {
        let bbr = self.bbr();
        bbr.inflight(bbr.bw, 1.0)
    }
}
