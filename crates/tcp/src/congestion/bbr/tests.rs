use std::collections::VecDeque;

use super::*;
use crate::congestion::RateSample;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};

/// A packet in flight.
struct Packet {
    arrives: Instant,
    sent: Instant,
    first_sent: Instant,
    delivered: f64,
    delivered_at: Instant,
}

/// A flow that always has data on a path with a bottleneck, a queue without bound and an ACK per segment.
struct Path {
    bbr: Bbr,
    window: Window,
    now: Instant,
    per_segment: Duration,
    delay: Duration,
    flying: VecDeque<Packet>,
    free_at: Instant,
    next_send: Instant,
    delivered: f64,
    delivered_at: Instant,
    first_sent: Instant,
    modes: Vec<Mode>,
    largest_flight: f64,
}

impl Path {
    /// 10 Mbit/s in segments of 1500 B and 40 ms.
    fn new() -> Self {
        let mut bbr =
            Bbr::new(&Config::default(), &Setup { initial_window: 10.0, ..setup(WindowArithmetic::RFC) });
        let mut window = Window::new(10.0);
        let delay = Duration::from_millis(40);
        bbr.on_start(&mut window, Instant::ZERO, delay);
        Self {
            bbr,
            window,
            now: Instant::ZERO,
            per_segment: Duration::from_micros(1_200),
            delay,
            flying: VecDeque::new(),
            free_at: Instant::ZERO,
            next_send: Instant::ZERO,
            delivered: 0.0,
            delivered_at: Instant::ZERO,
            first_sent: Instant::ZERO,
            modes: vec![Mode::Startup],
            largest_flight: 0.0,
        }
    }

    fn run_until(&mut self, seconds: f64) {
        let end = Instant::ZERO + Duration::from_secs_f64(seconds);
        while self.now < end {
            let may_send = (self.flying.len() as f64) < self.window.cwnd.floor();
            let ack_at = self.flying.front().map_or(Instant::NEVER, |packet| packet.arrives);
            if may_send && self.next_send.max(self.now) <= ack_at {
                self.now = self.now.max(self.next_send);
                self.send();
            } else {
                self.now = ack_at;
                self.ack();
            }
            if self.modes.last() != Some(&self.bbr.mode) {
                self.modes.push(self.bbr.mode);
            }
        }
    }

    fn send(&mut self) {
        if self.flying.is_empty() {
            self.first_sent = self.now;
            self.delivered_at = self.now;
        }
        self.free_at = self.free_at.max(self.now) + self.per_segment;
        self.flying.push_back(Packet {
            arrives: self.free_at + self.delay,
            sent: self.now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
        });
        let rate = self.window.pacing_rate.unwrap();
        self.next_send = self.now + rate.time_to_send(farlink_kernel::Bytes(1500));
        self.largest_flight = self.largest_flight.max(self.flying.len() as f64);
    }

    fn ack(&mut self) {
        let prior_flight = self.flying.len() as f64;
        let packet = self.flying.pop_front().unwrap();
        self.delivered += 1.0;
        self.delivered_at = self.now;
        self.first_sent = packet.sent;
        let interval = (packet.sent - packet.first_sent).max(self.now - packet.delivered_at);
        let rtt = self.now - packet.sent;
        let ack = Ack {
            now: self.now,
            acked: 1.0,
            delivered: 1.0,
            rtt: Some(rtt),
            srtt: rtt,
            min_rtt: self.delay,
            flight: self.flying.len() as f64,
            prior_flight,
            may_grow: true,
            in_recovery: false,
            round_start: false,
            one_way: None,
            rate: Some(RateSample {
                delivered: self.delivered - packet.delivered,
                interval,
                prior_delivered: packet.delivered,
                app_limited: false,
            }),
            lost: 0.0,
            pacing_wait: self.next_send.saturating_since(self.now),
            marked: 0.0,
            packet: None,
        };
        self.bbr.on_ack(&mut self.window, &ack);
    }

    fn observed(&self, name: &str) -> f64 {
        self.bbr.observe().into_iter().find(|(n, _)| *n == name).unwrap().1
    }
}

#[test]
fn startup_finds_the_bandwidth_and_drain_empties_the_queue() {
    let mut path = Path::new();
    path.run_until(2.0);
    assert_eq!(path.modes, [Mode::Startup, Mode::Drain, Mode::ProbeBw]);
    let bandwidth = path.observed("bandwidth_bps") / 1e6;
    assert!((bandwidth - 10.0).abs() < 0.1, "{bandwidth} Mbit/s");
    assert_eq!(path.observed("min_rtt_s"), 0.04);
}

#[test]
fn cruising_fills_the_pipe_and_hardly_more() {
    let mut path = Path::new();
    path.run_until(3.0);
    let before = path.delivered;
    path.largest_flight = 0.0;
    path.run_until(8.0);
    let rate = (path.delivered - before) / 5.0;
    assert!(rate > 0.97 * 833.3, "{rate} segments/s of 833");
    // A pipe of 34 segments, a quarter more while probing, and room for bursts.
    assert!(path.largest_flight < 1.6 * 34.0, "{}", path.largest_flight);
    // Twice 33.3 segments, room for three bursts of two, rounded up to even; 2 more while probing.
    assert!((path.window.cwnd - 75.0).abs() <= 3.0, "{}", path.window.cwnd);
}

#[test]
fn the_pacing_gain_cycles_over_its_three_values() {
    let mut path = Path::new();
    path.run_until(2.0);
    let mut gains = Vec::new();
    for step in 0..100 {
        path.run_until(2.0 + 0.01 * f64::from(step));
        let gain = path.observed("pacing_gain");
        if gains.last() != Some(&gain) {
            gains.push(gain);
        }
    }
    assert!([1.25, 0.75, 1.0].iter().all(|gain| gains.contains(gain)), "{gains:?}");
    let probe = gains.iter().position(|&gain| gain == 1.25).unwrap();
    assert_eq!(gains[probe + 1], 0.75);
}

/// ACKs come every microsecond, and so much is in flight that every phase takes as long as RTprop.
#[test]
fn one_cycle_of_gains_takes_eight_times_rtprop() {
    let mut path = Path::new();
    path.bbr.bandwidth.update(0, 10e6 / 12_000.0);
    path.bbr.min_rtt.begin(Duration::from_millis(40), Instant::ZERO);
    (path.bbr.mode, path.bbr.cycle) = (Mode::ProbeBw, Cycle::default());
    let mut begins = Vec::new();
    for micros in 1..=1_000_000 {
        let now = Instant::ZERO + Duration::from_micros(micros);
        let ack = Ack { now, prior_flight: 1e3, ..Bench::new("bbr", 10.0).ack() };
        let before = path.bbr.cycle.phase;
        path.bbr.check_cycle_phase(&ack);
        if path.bbr.cycle.phase == 0 && before == 7 {
            begins.push(now);
        }
    }
    let cycle = (begins[1] - begins[0]).as_secs_f64();
    // A phase ends with the first ACK that comes later than RTprop.
    assert!((cycle - 0.320).abs() <= 8.0 * 1e-6 + 1e-9, "{cycle}");
}

#[test]
fn every_ten_seconds_the_window_dips_to_four() {
    let mut path = Path::new();
    path.run_until(10.0);
    assert!(!path.modes.contains(&Mode::ProbeRtt));
    // The path never shows its bare delay while the pipe is kept full.
    let mut smallest = f64::INFINITY;
    for step in 0..2_000 {
        path.run_until(10.0 + 0.002 * f64::from(step));
        smallest = smallest.min(path.window.cwnd);
    }
    assert_eq!(path.modes.iter().filter(|&&mode| mode == Mode::ProbeRtt).count(), 1, "{:?}", path.modes);
    assert_eq!(smallest, 4.0);
    assert_eq!(path.modes.last(), Some(&Mode::ProbeBw));
    assert!(path.window.cwnd > 60.0, "the window comes back: {}", path.window.cwnd);
}

/// Without jitter every packet that meets an empty queue takes as long as the one that RTprop was measured with.
#[test]
fn samples_equal_to_rtprop_do_not_postpone_probe_rtt() {
    let mut path = Path::new();
    let bare = path.delay + path.per_segment;
    path.bbr.min_rtt.begin(bare, Instant::ZERO);
    path.run_until(12.0);
    assert_eq!(path.observed("min_rtt_s"), bare.as_secs_f64());
    assert_eq!(path.modes.iter().filter(|&&mode| mode == Mode::ProbeRtt).count(), 1, "{:?}", path.modes);
}

/// The probe ends when the burst that leaves next fills the pipe, not when one did and was acknowledged.
#[test]
fn what_pacing_holds_back_counts_as_linux_counts_it() {
    let mut path = Path::new();
    path.run_until(3.0);
    let rate = path.bbr.rate();
    let ack = Ack { pacing_wait: Duration::from_secs_f64(3.5 / rate), ..Bench::new("bbr", 10.0).ack() };
    path.bbr.pacing_gain = 1.25;
    assert_eq!(path.bbr.in_network(&ack, 10.0), 10.0 + path.bbr.burst - 3.0);
    path.bbr.pacing_gain = 0.75;
    assert_eq!(path.bbr.in_network(&ack, 10.0), 7.0);
    assert_eq!(path.bbr.in_network(&ack, 2.0), 0.0);
}

/// `bbr_update_min_rtt` marks what is sent from the begin of PROBE_RTT on.
#[test]
fn samples_of_what_was_sent_before_probe_rtt_are_the_paths() {
    let mut path = Path::new();
    let begins = |path: &Path| path.bbr.mode == Mode::ProbeRtt;
    while !begins(&path) {
        path.run_until(path.now.saturating_since(Instant::ZERO).as_secs_f64() + 1e-3);
    }
    path.run_until(path.now.saturating_since(Instant::ZERO).as_secs_f64() + 0.1);
    let sample = |prior_delivered| RateSample {
        delivered: 1.0,
        interval: path.delay,
        prior_delivered,
        app_limited: false,
    };
    let limited = path.bbr.round.limited.clone().expect("it began");
    assert!(limited.start() > &0.0 && limited.start() < &path.bbr.round.delivered);
    assert!(!path.bbr.round.is_limited(&sample(limited.start() - 1.0)));
    assert!(path.bbr.round.is_limited(&sample(*limited.start())));
    assert!(path.bbr.round.is_limited(&sample(*limited.end())));
    assert!(!path.bbr.round.is_limited(&sample(limited.end() + 1.0)));
}

#[test]
fn a_loss_cuts_the_window_for_a_round_and_leaves_the_model_alone() {
    let mut path = Path::new();
    path.run_until(3.0);
    let (cwnd, bandwidth) = (path.window.cwnd, path.observed("bandwidth_bps"));
    path.bbr.on_congestion(&mut path.window, &loss(LossKind::DuplicateAcks, 30.0));
    assert!(path.window.cwnd < cwnd);
    assert_eq!(path.observed("bandwidth_bps"), bandwidth);
    path.bbr.on_recovery_end(&mut path.window, path.now);
    assert_eq!(path.window.cwnd, cwnd);
    path.bbr.on_congestion(&mut path.window, &loss(LossKind::Timeout, 30.0));
    assert_eq!((path.window.cwnd, path.observed("bandwidth_bps")), (1.0, bandwidth));
}

#[test]
fn losses_without_end_cut_the_window_once() {
    let mut path = Path::new();
    path.run_until(3.0);
    let dupacks = loss(LossKind::DuplicateAcks, 30.0);
    path.bbr.on_congestion(&mut path.window, &dupacks);
    let cut = path.window.cwnd;
    path.run_until(3.2);
    path.bbr.on_recovery_end(&mut path.window, path.now);
    let restored = path.window.cwnd;
    path.ack();
    path.bbr.on_congestion(&mut path.window, &dupacks);
    assert!(cut < restored && path.window.cwnd >= restored, "{cut} {restored} {}", path.window.cwnd);
}

#[test]
fn the_maximum_is_that_of_the_last_ten_rounds() {
    let mut filter = MaxBandwidth::new(10);
    filter.update(0, 100.0);
    for round in 1..=10 {
        filter.update(round, 50.0 - f64::from(round));
        assert_eq!(filter.max(), 100.0);
    }
    filter.update(11, 20.0);
    assert!(filter.max() < 50.0 && filter.max() >= 40.0, "{}", filter.max());
}

#[test]
fn the_published_gains_give_the_published_rates() {
    let mut path = Path::new();
    path.bbr.bandwidth.update(0, 10e6 / 12_000.0);
    path.bbr.min_rtt.begin(Duration::from_millis(40), Instant::ZERO);
    path.bbr.full_pipe.reached = true;
    for (gain, mbps) in [(2.885, 28.850), (1.0 / 2.885, 3.466), (1.25, 12.5), (0.75, 7.5), (1.0, 10.0)] {
        path.bbr.pace_at(&mut path.window, gain);
        let paced = path.window.pacing_rate.unwrap().as_bps() as f64 / 1e6;
        assert!((paced - 0.99 * mbps).abs() < 1e-3, "{gain}: {paced}");
    }
    // 97 and 67 segments before room for bursts.
    let burst_room = |segments: f64| (segments + 6.0 + 1.0).floor() / 2.0;
    assert_eq!(path.bbr.inflight(10e6 / 12_000.0, 2.885), burst_room(97.0).floor() * 2.0);
    assert_eq!(path.bbr.inflight(10e6 / 12_000.0, 2.0), burst_room(67.0).floor() * 2.0);
}
