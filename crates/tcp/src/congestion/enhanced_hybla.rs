//! R. D. Vanzara, H. S. Bhatt, "Enhanced TCP Hybla and performance comparison for satellite link", IJARET
//! 5(4), 2014 (study 003).
//!
//! Hybla's growth with another answer to losses: on a long path with bit errors a loss seldom means
//! congestion, so the sender compares the bandwidth it uses with the capacity of the path. Below half of the
//! capacity the window becomes what is still free in the pipe; above, what the used bandwidth fills; never less
//! than three quarters of what is in flight.
//!
//! Equations: after duplicate ACKs v = (CC - BWE) RTTmin/seg if BWE < CC/2, else BWE RTTmin/seg; v = max(v, 0.75
//! packets_in_flight); cwnd = ssthresh = v; a timeout sets ssthresh likewise and cwnd = rho. The paper leaves open how
//! CC is known, how BWE is filtered and in which unit it is; each is a parameter. A known weakness: a path shared with
//! other flows looks half empty, and the sender then grows on a loss. Left out: nothing.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{BitRate, Bytes, Duration, Instant, config};

use super::hybla::{self, AfterTimeout, Hybla, RhoRtt, Start};
use super::reno::LARGEST_WINDOW;
use super::westwood::Estimator;
use super::westwood::estimator::Bandwidth;
use super::{Ack, Any, CongestionControl, Loss, LossKind, Setup, westwood};
use crate::window::Window;

pub(super) const SOURCE: &str = "Vanzara, Bhatt, IJARET 5(4), 2014";

config! {
    /// Parameters of Enhanced Hybla.
    pub struct Config {
        /// RTT0, round-trip time of the reference connection (25 ms).
        pub rtt0: Duration = Duration::from_millis(25); in above(Duration::ZERO),
        /// Which round-trip time rho follows.
        pub rho_rtt: RhoRtt = RhoRtt::MinSrtt,
        /// The window a connection begins with.
        pub start: Start = Start::Scaled,
        /// The window after a timeout.
        pub after_timeout: AfterTimeout = AfterTimeout::Rho,
        /// CC, capacity of the bottleneck (study 003: 100 Mbit/s); "none": the largest delivery rate measured.
        pub capacity: Option<BitRate> = Some(BitRate::from_bps(100_000_000)); in above(BitRate::from_bps(0)),
        /// How BWE, the used bandwidth, is estimated (open in the paper).
        pub estimator: Estimator = Estimator::WestwoodPlus,
        /// Factor on BWE (1/8 if the paper compared bytes with bits, which is a guess).
        pub bwe_scale: f64 = 1.0; in above(0.0),
        /// Headers counted with each segment, so that BWE and CC are in the same unit (IPv4, TCP, timestamps).
        pub headers: Bytes = Bytes(52),
        /// Least share of what is in flight that is kept (the paper: 0.75).
        pub flight_share: Fraction = Fraction(0.75),
    }
}

impl Config {
    pub fn hybla(&self) -> hybla::Config {
        let Self { rtt0, rho_rtt, start, after_timeout, .. } = *self;
        hybla::Config { rtt0, rho_rtt, start, after_timeout, ..hybla::Config::default() }
    }
}

#[derive(Debug)]
pub(crate) struct EnhancedHybla {
    config: Config,
    hybla: Any,
    bandwidth: Bandwidth,
    /// Bits of a full segment with headers.
    segment_bits: f64,
    /// Largest delivery rate in segments per second.
    fastest: f64,
    setup: Setup,
}

impl EnhancedHybla {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self::extending(Box::new(Hybla::new(&config.hybla(), setup)), config, setup)
    }

    pub fn extending(hybla: Any, config: &Config, setup: &Setup) -> Self {
        let westwood = westwood::Config { estimator: config.estimator, ..westwood::Config::default() };
        Self {
            config: config.clone(),
            hybla,
            bandwidth: Bandwidth::new(&westwood, setup),
            segment_bits: (setup.segment_size + config.headers).bits().max(1) as f64,
            fastest: 0.0,
            setup: *setup,
        }
    }

    /// BWE in bit/s, headers included.
    fn used_bps(&self) -> f64 {
        self.bandwidth.segments_per_second() * self.segment_bits * self.config.bwe_scale
    }

    /// CC in bit/s.
    fn capacity_bps(&self) -> f64 {
        self.config.capacity.map_or(self.fastest * self.segment_bits, |capacity| capacity.as_bps() as f64)
    }

    /// v: the residual or the minimum pipe, at least three quarters of the flight.
    fn threshold(&self, used_bps: f64, min_rtt: Duration, flight: f64) -> f64 {
        let capacity = self.capacity_bps();
        let bps = if used_bps < capacity / 2.0 { capacity - used_bps } else { used_bps };
        let seconds = if min_rtt == Duration::MAX { 0.0 } else { min_rtt.as_secs_f64() };
        let pipe = (bps * seconds / self.segment_bits).max(self.config.flight_share.0 * flight);
        self.setup.arithmetic.round(pipe).clamp(2.0, LARGEST_WINDOW)
    }
}

impl CongestionControl for EnhancedHybla {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        self.hybla.on_start(window, now, srtt);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.bandwidth.on_ack(ack);
        if let Some(rate) = ack.rate.filter(|rate| !rate.interval.is_zero()) {
            self.fastest = self.fastest.max(rate.delivered / rate.interval.as_secs_f64());
        }
        self.hybla.on_ack(window, ack);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let threshold = self.threshold(self.used_bps(), loss.min_rtt, loss.flight);
        self.hybla.on_congestion(window, loss);
        if !loss.repeated {
            window.ssthresh = threshold;
        }
        if loss.kind != LossKind::Timeout {
            window.cwnd = window.ssthresh;
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.hybla.on_recovery_end(window, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let mut observed = self.hybla.observe();
        observed.extend([("bwe_bps", self.used_bps()), ("capacity_bps", self.capacity_bps())]);
        observed
    }

    fn uses_delivery_rate(&self) -> bool {
        self.config.capacity.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, loss, setup};

    const SATELLITE: Duration = Duration::from_millis(600);

    #[test]
    fn the_window_after_a_loss_is_the_residual_or_the_minimum_pipe() {
        let config = Config { headers: Bytes(0), ..Config::default() };
        let enhanced = EnhancedHybla::new(&config, &setup(WindowArithmetic::RFC));
        let cases = [
            (10.0, 500.0, 4500.0),
            (40.0, 2000.0, 3000.0),
            (49.99, 2500.0, 2500.5),
            (50.0, 2500.0, 2500.0),
            (50.0, 4600.0, 3450.0),
            (95.0, 4800.0, 4750.0),
            (95.0, 6600.0, 4950.0),
            (1.0, 6600.0, 4950.0),
        ];
        for (used_mbps, flight, expected) in cases {
            let found = enhanced.threshold(used_mbps * 1e6, SATELLITE, flight);
            assert!((found - expected).abs() < 1e-4, "{used_mbps} Mbit/s, {flight}: {found}");
        }
    }

    #[test]
    fn a_timeout_starts_from_rho_with_the_same_threshold() {
        let config = Config { headers: Bytes(0), ..Config::default() };
        let mut bench = Bench::with(&congestion::Config::EnhancedHybla(config), 500.0, WindowArithmetic::RFC);
        bench.member.on_start(&mut bench.window, Instant::ZERO, SATELLITE);
        bench.lose(&Loss { min_rtt: SATELLITE, ..loss(LossKind::Timeout, 500.0) });
        // Nothing was measured yet, so the whole pipe is free.
        assert_eq!(bench.window.cwnd, 24.0);
        assert!((bench.window.ssthresh - 5000.0).abs() < 1e-6);
    }

    #[test]
    fn a_timeout_takes_the_threshold_from_the_bandwidth_that_was_used() {
        // 1000 and 9500 segments of 12 000 bits in 1.2 s are 10 and 95 Mbit/s.
        for (segments, flight, threshold) in [(1000.0, 500.0, 4500.0), (9500.0, 4800.0, 4750.0)] {
            let config = Config { headers: Bytes(0), ..Config::default() };
            let config = congestion::Config::EnhancedHybla(config);
            let mut bench = Bench::with(&config, flight, WindowArithmetic::RFC);
            bench.rtt = SATELLITE;
            bench.member.on_start(&mut bench.window, Instant::ZERO, SATELLITE);
            for (at_ms, acked) in [(0, 0.5), (100, segments), (1_200, 0.5)] {
                bench.now = Instant::ZERO + Duration::from_millis(at_ms);
                let ack = Ack { acked, may_grow: false, ..bench.ack() };
                bench.member.on_ack(&mut bench.window, &ack);
            }
            bench.lose(&Loss { min_rtt: SATELLITE, ..loss(LossKind::Timeout, flight) });
            assert_eq!(bench.window.cwnd, 24.0);
            assert!((bench.window.ssthresh - threshold).abs() < 1e-4, "{}", bench.window.ssthresh);
        }
    }

    #[test]
    fn without_a_capacity_the_largest_delivery_rate_stands_for_it() {
        let config = Config { capacity: None, ..Config::default() };
        let mut enhanced = EnhancedHybla::new(&config, &setup(WindowArithmetic::RFC));
        let bench = Bench::new("reno", 10.0);
        let rate = congestion::RateSample {
            delivered: 100.0,
            interval: Duration::from_millis(100),
            prior_delivered: 0.0,
            app_limited: false,
        };
        enhanced.on_ack(&mut Window::new(10.0), &Ack { rate: Some(rate), ..bench.ack() });
        assert_eq!(enhanced.capacity_bps(), 1000.0 * 1552.0 * 8.0);
    }
}
