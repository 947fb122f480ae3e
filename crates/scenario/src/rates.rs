//! The mean rate of each interface of a network.

use farlink_kernel::{BitRate, Duration};
use farlink_network::Blueprint;
use farlink_network::schedule::{Schedule, Steps};

/// The mean rate of every interface in bit/s, in the order of the results' links: two per link, then one
/// per node on each channel.
pub(crate) fn mean_rates(blueprint: &Blueprint) -> Vec<f64> {
    let links = blueprint.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
    let links = links.map(|direction| mean_rate(&direction.rate, blueprint.duration));
    let antennas = blueprint.channels.iter().flat_map(|channel| {
        let phy = channel.radio.phy.build(&());
        let rate = phy.rate(phy.data_mode()).as_bps() as f64;
        channel.members.iter().map(move |_| rate)
    });
    links.chain(antennas).collect()
}

fn mean_rate(rate: &Schedule<BitRate>, duration: Duration) -> f64 {
    match rate {
        Schedule::Constant(rate) => rate.as_bps() as f64,
        Schedule::Steps(steps) => mean(steps, steps.period.unwrap_or(duration)),
        Schedule::File(trace) => panic!("trace {} was not read", trace.path),
    }
}

fn mean(steps: &Steps<BitRate>, length: Duration) -> f64 {
    let end = length.as_secs_f64();
    let mut bits = 0.0;
    for (i, (_, rate)) in steps.points.iter().enumerate() {
        // The first value also holds before its instant.
        let from = if i == 0 { 0.0 } else { steps.points[i].0.as_secs_f64() };
        let until = steps.points.get(i + 1).map_or(end, |(next, _)| next.as_secs_f64());
        bits += rate.as_bps() as f64 * (until.min(end) - from).max(0.0);
    }
    bits / end
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Instant;

    use super::*;

    #[test]
    fn the_mean_rate_counts_each_step_by_its_length() {
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        let rate = BitRate::from_bps;
        let steps = Steps { points: vec![(at(1), rate(100)), (at(3), rate(500))], period: None };
        // 3 s of 100 and 1 s of 500.
        assert_eq!(mean(&steps, Duration::from_secs(4)), 200.0);
        assert_eq!(mean(&steps, Duration::from_secs(2)), 100.0);
    }
}
