//! What each policy makes of a broken route: notices reach the two ends by hand.

use super::*;
use crate::{config::InitialSsthresh, notice::Notice};

const ALL: [&str; 5] = ["none", "tcp_f", "tcp_elfn", "sim_elfn", "tcp_fsr"];
const STILL: [&str; 4] = ["tcp_f", "tcp_elfn", "sim_elfn", "tcp_fsr"];

fn config(policy: &str) -> Config {
    Config {
        route_failure: route_failure::Config::named(policy).expect("registered"),
        recovery: recovery::Config::named("reno").expect("registered"),
        max_window: Some(Amount::Packets(10)),
        delayed_ack: DelayedAck::Off,
        ..Config::default()
    }
}

/// An endless transfer with a full window of ten segments, 5 s old, and 5 ms between segments.
fn transfer(policy: &str) -> Pair {
    transfer_of(&config(policy))
}

fn transfer_of(config: &Config) -> Pair {
    let mut pair = Pair::new(config);
    pair.service = Duration::from_millis(5);
    pair.client.write(pair.now, 1 << 40);
    pair.run_for(Duration::from_secs(5));
    assert_eq!(pair.client.counters().retransmissions, 0);
    pair
}

impl Pair {
    /// The route breaks: data in flight are lost, and when all acknowledgements have arrived the sender is notified
    /// of the segment `behind` the first that is missing.
    fn break_route(&mut self, behind: u64) {
        self.is_broken = true;
        self.wire.retain(|_, (to_server, _)| !*to_server);
        self.run_for(self.delay);
        let seq = self.client.snd.number_of(self.server.rcv.nxt() + behind * 1448);
        self.client.on_notice(self.now, Notice::RouteFailed { seq: Some(seq) });
    }

    /// The route is restored, and the receiver is notified.
    fn restore_route(&mut self) {
        self.is_broken = false;
        self.server.on_notice(self.now, Notice::RouteRestored);
        if self.server.take_announcement() {
            self.run_for(self.delay);
            self.client.on_notice(self.now, Notice::RouteRestored);
        }
    }

    fn sent_since(&self, since: Instant) -> usize {
        self.trace.iter().filter(|(at, _)| *at > since).count()
    }

    fn fast_retransmits(&self) -> u64 {
        self.client.counters().fast_retransmits
    }
}

#[test]
fn without_notices_all_policies_are_one() {
    let trace = |policy: &str| {
        let mut pair = Pair::new(&config(policy));
        pair.lost = vec![20, 31, 32, 33, 60, 61, 62, 63, 64, 65, 66, 67];
        pair.client.write(pair.now, 1 << 40);
        pair.run_for(Duration::from_secs(20));
        assert!(pair.client.counters().timeouts > 0 && pair.fast_retransmits() > 0);
        pair.trace
    };
    let reno = trace("none");
    // Nor is anything out of order here.
    for policy in STILL.into_iter().chain(["tcp_door"]) {
        assert_eq!(trace(policy), reno, "{policy}");
    }
}

#[test]
fn a_broken_route_is_not_congestion_for_policies_that_freeze() {
    for policy in ALL {
        let mut pair = transfer(policy);
        pair.break_route(0);
        let (before, window) = (pair.now, pair.client.sample().window.cwnd);
        pair.run_for(Duration::from_secs(9));
        let counters = pair.client.counters();
        let probes = if policy == "tcp_elfn" { 4 } else { 0 };
        if policy == "none" {
            assert!(counters.timeouts > 0 && pair.client.sample().window.cwnd < window);
            continue;
        }
        assert_eq!((counters.timeouts, counters.freezes), (0, 1), "{policy}");
        assert_eq!(pair.client.sample().window.cwnd, window, "{policy}");
        assert_eq!((counters.route_probes, pair.sent_since(before)), (probes, probes as usize), "{policy}");
        let frozen = pair.client.limited_by(pair.now).of(Cause::Frozen);
        assert_eq!(frozen, Duration::from_secs(9), "{policy}");
    }
}

#[test]
fn a_route_that_is_back_is_used_at_once_with_the_window_as_it_was() {
    for policy in ["tcp_f", "tcp_fsr"] {
        let mut pair = transfer(policy);
        pair.break_route(0);
        let window = pair.client.sample().window.cwnd;
        pair.run_for(Duration::from_secs(9));
        let (restored, received) = (pair.now, pair.server.received());
        pair.restore_route();
        pair.run_until(restored + Duration::from_millis(400));
        assert!(pair.server.received() - received >= 20 * 1448, "{policy}: two windows in 400 ms");
        let counters = pair.client.counters();
        assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 0), "{policy}");
        assert!(pair.client.sample().window.cwnd >= window, "{policy}");
        // What was outstanding for nine seconds is no round trip.
        assert!(pair.client.sample().srtt < Duration::from_millis(200), "{policy}");
    }
}

#[test]
fn after_one_break_tcp_f_and_tcp_fsr_send_the_same() {
    let sent = |policy: &str| {
        let mut pair = transfer(policy);
        pair.break_route(0);
        let before = pair.now;
        pair.run_for(Duration::from_secs(9));
        pair.restore_route();
        pair.run_for(Duration::from_secs(5));
        let sent = pair.trace.iter().filter(|(at, _)| *at > before);
        sent.take(100).map(|(at, transmit)| (*at, transmit.segment.seq)).collect::<Vec<_>>()
    };
    assert_eq!(sent("tcp_f"), sent("tcp_fsr"));
}

#[test]
fn after_a_double_break_tcp_f_retransmits_fast_and_tcp_fsr_does_not() {
    for (policy, expected) in [("tcp_f", 1), ("tcp_fsr", 0)] {
        let mut pair = transfer(policy);
        pair.break_route(4);
        pair.run_for(Duration::from_secs(9));
        pair.restore_route();
        pair.run_for(Duration::from_secs(3));
        assert_eq!(pair.fast_retransmits(), expected, "{policy}");
    }
}

#[test]
fn without_losses_tcp_fsr_retransmits_what_it_goes_back_over() {
    for go_back_n in [true, false] {
        let fsr = route_failure::tcp_fsr::Config { go_back_n, ..route_failure::tcp_fsr::Config::default() };
        let mut pair =
            transfer_of(&Config { route_failure: route_failure::Config::TcpFsr(fsr), ..config("tcp_fsr") });
        // All that is on its way arrives in spite of the break.
        let seq = pair.client.snd.number_of(pair.client.snd.una());
        pair.client.on_notice(pair.now, Notice::RouteFailed { seq: Some(seq) });
        let before = pair.server.received();
        pair.run_for(Duration::from_secs(2));
        let counters = pair.client.counters();
        assert_eq!((counters.freezes, counters.timeouts), (1, 0));
        assert_eq!(counters.retransmissions, if go_back_n { 10 } else { 0 }, "a window");
        assert!(pair.server.received() > before + 100 * 1448);
    }
}

#[test]
fn an_outage_beyond_what_routing_keeps_makes_all_but_elfn_fall_back_on_the_timer() {
    for policy in STILL {
        let mut pair = transfer(policy);
        pair.break_route(0);
        pair.run_for(Duration::from_secs(45));
        let gives_up = policy != "tcp_elfn";
        assert_eq!(pair.client.counters().timeouts > 0, gives_up, "{policy}");
        let window = pair.client.sample().window.cwnd;
        assert_eq!(window < 2.0, gives_up, "{policy}");
        let frozen = pair.client.limited_by(pair.now).of(Cause::Frozen).as_secs_f64();
        let expected = if gives_up { 30.0 } else { 45.0 };
        assert!((frozen - expected).abs() < 0.2, "{policy}: {frozen} s");
    }
}

#[test]
fn probes_that_waited_for_the_route_show_as_duplicate_acknowledgements() {
    let mut pair = transfer("tcp_elfn");
    pair.break_route(0);
    // Routing keeps what is sent from now on.
    pair.is_broken = false;
    pair.stalled_until = pair.now + Duration::from_secs(9);
    pair.run_for(Duration::from_secs(10));
    assert_eq!(pair.client.counters().route_probes, 4);
    assert_eq!(pair.server.counters().duplicates_received, 3);
}

#[test]
fn sim_elfn_resumes_when_what_routing_kept_is_acknowledged() {
    let mut pair = transfer("sim_elfn");
    pair.stalled_until = pair.now + Duration::from_secs(9);
    for (_, (to_server, transmit)) in std::mem::take(&mut pair.wire) {
        pair.carry(to_server, transmit);
    }
    let seq = pair.client.snd.number_of(pair.server.rcv.nxt());
    pair.client.on_notice(pair.now, Notice::RouteFailed { seq: Some(seq) });
    pair.run_for(Duration::from_secs(8));
    assert_eq!(pair.client.limited_by(pair.now).of(Cause::Frozen), Duration::from_secs(8));
    pair.run_for(Duration::from_secs(3));
    let counters = pair.client.counters();
    assert_eq!((counters.timeouts, counters.retransmissions, counters.route_probes), (0, 0, 0));
}

#[test]
fn notices_without_outstanding_data_do_not_freeze() {
    let mut pair = transfer("tcp_f");
    let seq = pair.client.snd.number_of(pair.client.snd.nxt() + 1448);
    pair.client.on_notice(pair.now, Notice::RouteFailed { seq: Some(seq) });
    pair.server.on_notice(pair.now, Notice::RouteFailed { seq: Some(seq) });
    assert_eq!((pair.client.counters().freezes, pair.server.counters().freezes), (0, 0));
}

/// A sender whose window was just halved by three duplicates, and an old acknowledgement.
fn halved_and_overtaken(policy: &str, timestamps: bool) -> (Pair, Transmit, f64) {
    let mut pair = Pair::new(&Config { timestamps, ..config(policy) });
    pair.service = Duration::from_millis(5);
    pair.client.write(pair.now, 1 << 40);
    pair.run_for(Duration::from_secs(5));
    let (before, data_sent) = (pair.client.sample().window.cwnd, pair.data_sent);
    let (_, (_, old)) = pair.wire.iter().find(|(_, (to_server, _))| !to_server).expect("one is on its way");
    let old = *old;
    pair.lost = vec![data_sent + 1];
    while pair.fast_retransmits() == 0 {
        pair.run_for(Duration::from_millis(5));
    }
    (pair, old, before)
}

#[test]
fn a_reduction_is_taken_back_when_an_acknowledgement_was_overtaken_shortly_after_it() {
    for timestamps in [false, true] {
        for (policy, is_taken_back) in [("none", false), ("tcp_fsr", false), ("tcp_door", true)] {
            let (mut pair, old, before) = halved_and_overtaken(policy, timestamps);
            let halved = pair.client.sample().window.ssthresh;
            assert!(halved < 0.6 * before, "{policy}: {halved} after {before}");
            pair.client.on_segment(pair.now, &old.segment, old.ecn);
            let window = pair.client.sample().window;
            assert_eq!(window.ssthresh > halved, is_taken_back, "{policy}, timestamps: {timestamps}");
            assert_eq!(window.cwnd >= before, is_taken_back, "{policy}, timestamps: {timestamps}");
            pair.run_for(Duration::from_secs(2));
            assert_eq!(pair.client.counters().timeouts, 0, "{policy}");
        }
    }
}

#[test]
fn a_timeout_just_after_something_was_overtaken_leaves_window_and_timeout_as_they_were() {
    for (policy, is_left) in [("none", false), ("tcp_door", true)] {
        let mut pair = transfer(policy);
        let (_, (_, old)) =
            pair.wire.iter().find(|(_, (to_server, _))| !to_server).expect("one is on its way");
        let old = *old;
        pair.run_for(Duration::from_millis(150));
        let before = pair.client.sample();
        pair.is_broken = true;
        pair.wire.clear();
        // The timer expires; just before, something late comes.
        pair.now = pair.client.deadline() - Duration::from_millis(1);
        pair.client.on_segment(pair.now, &old.segment, old.ecn);
        pair.run_for(Duration::from_millis(5));
        assert_eq!(pair.client.counters().timeouts, 1, "{policy}");
        let after = pair.client.sample();
        assert_eq!((after.window == before.window, after.rto == before.rto), (is_left, is_left), "{policy}");
    }
}

#[test]
fn the_window_follows_the_round_trip_of_the_new_route_where_that_is_asked_for() {
    for (rescale_window, least, most) in [(false, 0.95, 1.5), (true, 1.6, 3.0)] {
        let mut pair = Pair::new(&Config {
            rescale_window,
            max_window: Some(Amount::Packets(100)),
            initial_ssthresh: InitialSsthresh::Fixed(Amount::Packets(20)),
            ..config("tcp_fsr")
        });
        pair.client.write(pair.now, 1 << 40);
        pair.run_for(Duration::from_secs(2));
        pair.break_route(0);
        let before = pair.client.sample().window.cwnd;
        pair.run_for(Duration::from_secs(3));
        // Twice as long.
        pair.delay = pair.delay * 2;
        pair.restore_route();
        pair.run_for(Duration::from_millis(900));
        let factor = pair.client.sample().window.cwnd / before;
        assert!((least..most).contains(&factor), "{rescale_window}: {factor} times {before}");
        assert_eq!(pair.client.counters().timeouts, 0);
    }
}

#[test]
fn atcp_probes_with_exponential_backoff_without_a_route_and_restarts_with_one_segment() {
    let mut pair = transfer("atcp");
    pair.break_route(0);
    pair.run_for(Duration::from_secs(9));
    // After 1, 3 and 7 s; the one after 15 s finds the route.
    assert_eq!((pair.client.counters().route_probes, pair.client.counters().timeouts), (3, 0));
    pair.restore_route();
    pair.run_for(Duration::from_millis(6120));
    assert_eq!(pair.client.counters().route_probes, 4);
    let window = pair.client.sample().window;
    assert!((1.0..=2.0).contains(&window.cwnd), "{window:?}");
    pair.run_for(Duration::from_secs(3));
    assert_eq!((pair.client.counters().timeouts, pair.client.sample().window.cwnd >= 10.0), (0, true));
}

#[test]
fn atcp_retransmits_what_is_lost_without_a_mark_and_keeps_its_window() {
    for (policy, keeps) in [("none", false), ("atcp", true)] {
        let mut pair = transfer(policy);
        let before = pair.client.sample();
        pair.lost = vec![pair.data_sent + 1];
        pair.run_for(Duration::from_secs(1));
        assert_eq!((pair.fast_retransmits(), pair.client.counters().timeouts), (1, 0), "{policy}");
        assert_eq!(pair.client.sample().window.ssthresh == before.window.ssthresh, keeps, "{policy}");
        pair.is_broken = true;
        pair.run_for(Duration::from_secs(5));
        let after = pair.client.sample();
        assert!(pair.client.counters().timeouts > 1, "{policy}");
        assert_eq!(after.window.cwnd > 5.0, keeps, "{policy}: {:?}", after.window);
        assert!(after.rto > before.rto, "{policy}: the timer doubles");
    }
}
