//! What the tests of the algorithms share: a member, its window, and a path of a given round-trip time.

use farlink_kernel::{Bytes, Duration, Instant};

use super::{Ack, Any, Config, Loss, LossKind, Setup, arithmetic::WindowArithmetic, emulation::build};
use crate::window::Window;

/// A member at work on a path.
pub(super) struct Bench {
    pub(super) member: Any,
    pub(super) window: Window,
    pub(super) now: Instant,
    pub(super) rtt: Duration,
    pub(super) min_rtt: Duration,
}

/// The setup of a connection without a bound on its window.
pub(super) fn setup(arithmetic: WindowArithmetic) -> Setup {
    Setup {
        segment_size: Bytes(1500),
        max_window: f64::INFINITY,
        initial_window: 2.0,
        seed: 1,
        is_paced: false,
        arithmetic,
    }
}

pub(super) fn loss(kind: LossKind, flight: f64) -> Loss {
    let rtt = Duration::from_millis(100);
    Loss { now: Instant::ZERO, kind, flight, srtt: rtt, min_rtt: rtt, latest_rtt: rtt, repeated: false }
}

impl Bench {
    /// The member called `name` with its defaults, the arithmetic of RFC 5681 and a path of 100 ms.
    pub(super) fn new(name: &str, cwnd: f64) -> Self {
        Self::counting(name, cwnd, WindowArithmetic::RFC)
    }

    /// The member called `name` in an arithmetic.
    pub(super) fn counting(name: &str, cwnd: f64, arithmetic: WindowArithmetic) -> Self {
        Self::with(&Config::named(name).unwrap(), cwnd, arithmetic)
    }

    pub(super) fn with(config: &Config, cwnd: f64, arithmetic: WindowArithmetic) -> Self {
        let rtt = Duration::from_millis(100);
        Self {
            member: build(config, &setup(arithmetic)),
            window: Window::new(cwnd),
            now: Instant::ZERO,
            rtt,
            min_rtt: rtt,
        }
    }

    /// An ACK of one segment, now.
    pub(super) fn ack(&self) -> Ack {
        Ack {
            now: self.now,
            acked: 1.0,
            delivered: 1.0,
            rtt: Some(self.rtt),
            srtt: self.rtt,
            min_rtt: self.min_rtt,
            flight: self.window.cwnd,
            prior_flight: self.window.cwnd,
            may_grow: true,
            in_recovery: false,
            round_start: false,
            one_way: None,
            rate: None,
            lost: 0.0,
            pacing_wait: Duration::ZERO,
            marked: 0.0,
            packet: None,
        }
    }

    /// That many ACKs of one segment each, all at once.
    pub(super) fn acks(&mut self, count: u32) {
        for _ in 0..count {
            let ack = self.ack();
            self.member.on_ack(&mut self.window, &ack);
        }
    }

    /// A round trip: time passes, then a window of ACKs arrives, the first of which starts the round.
    pub(super) fn round(&mut self) {
        self.now += self.rtt;
        for index in 0..self.window.cwnd as u32 {
            let ack = Ack { round_start: index == 0, ..self.ack() };
            self.member.on_ack(&mut self.window, &ack);
        }
    }

    pub(super) fn lose(&mut self, loss: &Loss) {
        self.member.on_congestion(&mut self.window, &Loss { now: self.now, ..*loss });
    }

    pub(super) fn recover(&mut self) {
        self.member.on_recovery_end(&mut self.window, self.now);
    }
}
