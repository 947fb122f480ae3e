use super::*;

const SAMPLES_MS: [u64; 6] = [500, 500, 700, 600, 600, 100];

fn rto_after_each(config: &Config) -> Vec<f64> {
    let mut rtt = Rtt::new(config);
    let after = |&ms: &u64| {
        rtt.update(Duration::from_millis(ms), 1);
        (rtt.rto().as_secs_f64() * 1e6).round() / 1e6
    };
    SAMPLES_MS.iter().map(after).collect()
}

#[test]
fn the_timeout_is_srtt_plus_four_deviations() {
    let config = Config { min_rto: Duration::from_millis(200), ..Config::default() };
    assert_eq!(rto_after_each(&config), [1.5, 1.25, 1.2875, 1.181_25, 1.093_359, 1.342_92]);
}

#[test]
fn the_largest_sample_of_the_timer_is_of_those_it_took() {
    let mut rtt = Rtt::new(&Config::default());
    assert_eq!(rtt.timer_max(), None);
    for ms in [500, 700, 600] {
        rtt.observe(Duration::from_millis(ms));
    }
    rtt.update(Duration::from_millis(600), 1);
    rtt.update(Duration::from_millis(500), 1);
    assert_eq!(rtt.timer_max(), Some(Duration::from_millis(600)));
    assert_eq!(rtt.range().map(|(_, _, most)| most), Some(Duration::from_millis(700)));
}

#[test]
fn ns2_counts_in_ticks() {
    let config = Config {
        min_rto: Duration::from_millis(200),
        clock_granularity: Duration::from_millis(10),
        rto_in_ticks: true,
        ..Config::default()
    };
    assert_eq!(rto_after_each(&config), [1.5, 1.25, 1.29, 1.19, 1.11, 1.35]);
}

/// Sample, end of a round, and the RTO that `tcp_rtt_estimator` of Linux 6.18 gives, in microseconds.
#[test]
fn linux_takes_the_largest_deviation_of_a_round_trip() {
    let config = Config {
        min_rto: Duration::from_millis(200),
        min_rto_of: MinRto::Variance,
        damp_rtt_falls: true,
        ..Config::default()
    };
    let mut rtt = Rtt::new(&config);
    let samples = [
        (50_000, false, 250_000),
        (50_000, true, 250_000),
        (60_000, false, 251_250),
        (40_000, true, 249_843),
        (300_000, false, 376_974),
        (50_000, true, 373_085),
        (50_000, true, 349_962),
        (50_000, true, 327_949),
    ];
    for (n, (sample, ends_round, expected)) in (1..).zip(samples) {
        rtt.note_progress(if ends_round { 1_000 * n } else { 0 }, 1_000 * n);
        rtt.update(Duration::from_micros(sample), 1);
        // The kernel rounds every step down to microseconds.
        assert!((rtt.rto().as_nanos() / 1000).abs_diff(expected) <= 3, "{n}: {:?} {expected}", rtt.rto());
    }
}

#[test]
fn a_falling_round_trip_may_raise_the_variance_by_an_eighth_only() {
    let ticks = Config { rto_in_ticks: true, min_rto: Duration::from_millis(1), ..Config::default() };
    let rto = |config: &Config| {
        let mut rtt = Rtt::new(config);
        for sample in [800, 100] {
            rtt.update(Duration::from_millis(sample), 1);
        }
        rtt.rto().as_millis()
    };
    // srtt 800 -> 712.5; rttvar 400 -> 475, or 400 + 300/4/8.
    let full = [Config::default(), ticks].map(|config| rto(&config));
    let damped = [false, true].map(|rto_in_ticks| {
        rto(&Config {
            damp_rtt_falls: true,
            rto_in_ticks,
            min_rto: Duration::from_millis(1),
            ..Config::default()
        })
    });
    assert_eq!((full, damped), ([2612, 2612], [2350, 2349]));
}

#[test]
fn rto_doubles_up_to_its_bound_until_a_sample_comes() {
    let mut rtt = Rtt::new(&Config::default());
    rtt.update(Duration::from_millis(500), 1);
    let mut expiries = Vec::new();
    for _ in 0..8 {
        expiries.push(rtt.rto().as_millis());
        rtt.back_off();
    }
    assert_eq!(expiries, [1500, 3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000]);
    rtt.update(Duration::from_millis(500), 1);
    assert_eq!(rtt.rto(), Duration::from_millis(1250));
}

#[test]
fn after_a_spurious_timeout_the_longer_time_counts() {
    let mut rtt = Rtt::new(&Config::default());
    let millis = Duration::from_millis;
    rtt.restart((millis(502), millis(50)), millis(2_000));
    assert_eq!((rtt.srtt, rtt.rttvar, rtt.rto()), (millis(2_000), millis(1_000), millis(6_000)));
}

#[test]
fn many_samples_per_round_trip_weigh_as_one() {
    let mut rtt = Rtt::new(&Config::default());
    rtt.update(Duration::from_millis(100), 1);
    for _ in 0..50 {
        rtt.update(Duration::from_millis(200), 50);
    }
    // 1 - (1 - 1/400)^50 = 11.8 % of the way; one full sample would be 12.5 %.
    let moved = (rtt.srtt - Duration::from_millis(100)).as_secs_f64() * 1e3;
    assert!((11.5..12.5).contains(&moved), "{moved}");
}
