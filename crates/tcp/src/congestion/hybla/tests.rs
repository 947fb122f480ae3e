use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};
use crate::congestion::{self, LossKind};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{value}, expected {expected}");
}

fn started(config: &Config, arithmetic: WindowArithmetic, srtt: Duration) -> (Hybla, Window) {
    let mut hybla = Hybla::new(config, &setup(arithmetic));
    let mut window = Window::new(1.0);
    hybla.on_start(&mut window, Instant::ZERO, srtt);
    (hybla, window)
}

#[test]
fn rho_and_the_gains_follow_from_the_round_trip_time() {
    let cases = [
        (20, 1.0, 1.0, 1.0),
        (25, 1.0, 1.0, 1.0),
        (50, 2.0, 3.0, 4.0),
        (100, 4.0, 15.0, 16.0),
        (110, 4.4, 20.112, 19.36),
        (300, 12.0, 4095.0, 144.0),
        (550, 22.0, 4_194_303.0, 484.0),
        (600, 24.0, 16_777_215.0, 576.0),
        (700, 28.0, 268_435_455.0, 784.0),
    ];
    for (rtt, rho, slow_start, squared) in cases {
        let (mut hybla, mut window) = started(&Config::default(), WindowArithmetic::RFC, MS(rtt));
        near(hybla.rho, rho);
        window.cwnd = 1.0;
        hybla.grow(&mut window, 1.0);
        near(window.cwnd - 1.0, slow_start);
        near(hybla.rho * hybla.rho, squared);
    }
}

#[test]
fn windows_grow_ack_by_ack_as_in_the_paper_and_in_linux() {
    let real = [19.0, 34.0, 49.0, 60.0, 60.26667, 60.53215, 60.79648, 61.05965, 61.32169];
    let whole = [19.0, 34.0, 49.0, 60.0, 60.0, 60.0, 60.0, 61.0, 61.0];
    for (arithmetic, expected) in [(WindowArithmetic::RFC, real), (WindowArithmetic::LINUX, whole)] {
        let config = Config { start: Start::Rho, ..Config::default() };
        let mut bench = Bench::with(&congestion::Config::Hybla(config), 10.0, arithmetic);
        bench.member.on_start(&mut bench.window, Instant::ZERO, MS(100));
        assert_eq!(bench.window.cwnd, 4.0);
        bench.window.ssthresh = 60.0;
        for value in expected {
            bench.acks(1);
            near(bench.window.cwnd, value);
        }
    }
}

/// From 1 s on, 2^rho of the usual reference is more than the bound of 2^30 segments: 2^40 at 1 s, 2^56 at 1.4 s, 2^400 at 10 s.
#[test]
fn underwater_paths_need_another_reference() {
    let most = LARGEST_WINDOW - 1.0;
    let cases = [
        (710, 1.0143, 1.0199, 1.0288, 354_202_706.724),
        (1_000, 1.4286, 1.6918, 2.0408, most),
        (1_400, 2.0, 3.0, 4.0, most),
        (2_100, 3.0, 7.0, 9.0, most),
        (2_800, 4.0, 15.0, 16.0, most),
        (3_500, 5.0, 31.0, 25.0, most),
        (4_200, 6.0, 63.0, 36.0, most),
        (10_000, 14.2857, 19_971.319_7, 204.0816, most),
    ];
    for (rtt, rho, gain, squared, unadapted) in cases {
        for (rtt0, gain) in [(700, gain), (25, unadapted)] {
            let config = Config { rtt0: MS(rtt0), ..Config::default() };
            let (mut hybla, mut window) = started(&config, WindowArithmetic::RFC, MS(rtt));
            window.cwnd = 1.0;
            hybla.grow(&mut window, 1.0);
            assert!(
                (window.cwnd - 1.0 - gain).abs() < 1e-3,
                "{rtt} ms of {rtt0} ms: {} {gain}",
                window.cwnd - 1.0
            );
            if rtt0 == 700 {
                near(hybla.rho, rho);
                near(hybla.rho * hybla.rho, squared);
                near(window.cwnd - 1.0, gain);
            }
        }
    }
}

#[test]
fn the_start_is_scaled_by_rho() {
    let mut hybla = Hybla::new(&Config::default(), &setup(WindowArithmetic::RFC));
    let mut window = Window { ssthresh: 8.0, ..Window::new(2.0) };
    hybla.on_start(&mut window, Instant::ZERO, MS(600));
    assert_eq!((window.cwnd, window.ssthresh), (48.0, 192.0));
}

#[test]
fn a_threshold_that_a_timeout_set_before_the_first_sample_is_not_scaled() {
    for name in ["hybla", "enhanced_hybla"] {
        let mut bench = Bench::new(name, 2.0);
        bench.member.on_start(&mut bench.window, Instant::ZERO, Duration::ZERO);
        bench.member.on_congestion(&mut bench.window, &loss(LossKind::Timeout, 2.0));
        let before = bench.window.ssthresh;
        bench.member.on_start(&mut bench.window, Instant::ZERO, MS(600));
        assert_eq!(bench.window.ssthresh, before, "{name}");
    }
}

#[test]
fn without_a_sample_from_the_handshake_the_first_ack_sets_the_start() {
    let mut bench = Bench::new("hybla", 2.0);
    bench.member.on_start(&mut bench.window, Instant::ZERO, Duration::ZERO);
    assert_eq!(bench.window.cwnd, 2.0);
    bench.window.ssthresh = 2.0;
    bench.acks(1);
    near(bench.window.cwnd, 8.0 + 16.0 / 8.0);
}

#[test]
fn rho_follows_the_smallest_or_the_present_round_trip_time() {
    for (rho_rtt, expected) in [(RhoRtt::MinSrtt, 4.0), (RhoRtt::Srtt, 8.0)] {
        let config = Config { rho_rtt, ..Config::default() };
        let (mut hybla, mut window) = started(&config, WindowArithmetic::RFC, MS(100));
        hybla.follow(&mut window, MS(200));
        assert_eq!(hybla.rho, expected);
    }
}

#[test]
fn a_timeout_starts_from_rho_in_the_paper_and_from_one_in_linux() {
    for (after_timeout, expected) in [(AfterTimeout::Rho, 4.0), (AfterTimeout::One, 1.0)] {
        let config = Config { after_timeout, ..Config::default() };
        let (mut hybla, mut window) = started(&config, WindowArithmetic::RFC, MS(100));
        hybla.on_congestion(&mut window, &loss(LossKind::Timeout, 80.0));
        assert_eq!((window.cwnd, window.ssthresh), (expected, 40.0));
    }
}

#[test]
fn absurd_round_trips_leave_the_window_finite() {
    for rtt in [Duration::from_nanos(1), Duration::from_secs(10), Duration::MAX] {
        for arithmetic in [WindowArithmetic::RFC, WindowArithmetic::LINUX, WindowArithmetic::NS2_LINUX] {
            let mut bench = Bench::counting("hybla", 2.0, arithmetic);
            bench.rtt = rtt;
            bench.acks(1000);
            assert!((1.0..=LARGEST_WINDOW).contains(&bench.window.cwnd), "{rtt} {}", bench.window.cwnd);
        }
    }
}
