//! Samples against the closed forms of their distributions.

use super::*;

const PACKETS: u64 = 10_000;

fn named(name: &str) -> Config {
    Config::named(name).unwrap()
}

/// P(delay <= x) with the default parameters of each member.
fn distribution(name: &str, seconds: f64) -> f64 {
    match name {
        "uniform" => (seconds / 0.010).clamp(0.0, 1.0),
        "normal" => 0.5 * libm::erfc((0.010 - seconds) / 0.003 / core::f64::consts::SQRT_2),
        "exponential" => 1.0 - libm::exp(-seconds / 0.005),
        "pareto" => 1.0 - libm::pow((0.003 / seconds).min(1.0), 2.5),
        _ => unreachable!("a member without a closed form here: {name}"),
    }
}

/// The largest distance of the sample's distribution from that of the member (Kolmogorov-Smirnov).
pub(crate) fn distance(name: &str, delays: &[Duration]) -> f64 {
    let mut seconds: Vec<f64> = delays.iter().map(|delay| delay.as_secs_f64()).collect();
    seconds.sort_by(f64::total_cmp);
    let share = |count: usize| count as f64 / seconds.len() as f64;
    let at = |&x: &f64| {
        let (below, up_to) = (seconds.partition_point(|&y| y < x), seconds.partition_point(|&y| y <= x));
        // Negative delays are cut to zero: below it there is none.
        let left = if x > 0.0 { distribution(name, x) } else { 0.0 };
        (share(below) - left).abs().max((share(up_to) - distribution(name, x)).abs())
    };
    seconds.iter().map(at).fold(0.0, f64::max)
}

/// The distance that 99.9 % of samples of so many packets do not exceed (A. N. Kolmogorov's limit, 1.95 / sqrt(n)).
pub(crate) fn critical(packets: u64) -> f64 {
    1.95 / (packets as f64).sqrt()
}

#[test]
fn ten_thousand_packets_have_the_distribution_of_each_member() {
    for name in Config::NAMES {
        let delays = Delays::new(&named(name), 1, 0);
        let drawn: Vec<Duration> = (1..=PACKETS).map(|number| delays.of(number)).collect();
        let distance = distance(name, &drawn);
        assert!(distance < critical(PACKETS), "{name}: {distance}");
    }
}

#[test]
fn the_mean_is_that_of_the_parameters() {
    let wide = normal::Config {
        mean: Duration::from_millis(1),
        deviation: Duration::from_millis(10),
        ..Default::default()
    };
    let members = Config::NAMES.iter().map(|name| named(name)).chain([Config::Normal(wide)]);
    for config in members {
        let delays = Delays::new(&config, 1, 0);
        let drawn: Vec<f64> = (1..=PACKETS).map(|number| delays.of(number).as_secs_f64()).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / drawn.len() as f64;
        let expected = config.parameters().mean().as_secs_f64();
        // Four standard errors.
        let tolerance = 4.0 * (variance / drawn.len() as f64).sqrt();
        assert!((mean - expected).abs() < tolerance, "{}: {mean} {expected}", config.name());
    }
}

#[test]
fn a_draw_depends_on_seed_link_and_number_alone() {
    let delay = |seed, link, number| Delays::new(&named("uniform"), seed, link).of(number);
    assert_eq!(delay(1, 2, 3), delay(1, 2, 3));
    let others = [delay(2, 2, 3), delay(1, 3, 3), delay(1, 2, 4)];
    assert!(others.iter().all(|&other| other != delay(1, 2, 3)));
}
