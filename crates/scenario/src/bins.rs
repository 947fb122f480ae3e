//! Measures over time in bins: for figures, for animations and for the laboratory, so that a label that names a bin is
//! true of its values.
//!
//! `edges` are the ends of the bins, ascending; bin `i` is from edge `i` to edge `i + 1`. Samples are in order of time.

/// The edges of bins of equal width: at most `most` edges, and no bin narrower than `samples` samples over that time.
pub fn edges(from_s: f64, to_s: f64, samples: usize, most: usize) -> Vec<f64> {
    let count = samples.min(most).max(2);
    let width = (to_s - from_s) / (count - 1) as f64;
    (0..count).map(|place| if place + 1 == count { to_s } else { from_s + place as f64 * width }).collect()
}

/// The growth of a total per second in each bin. Between two samples the total grows linearly.
///
/// A total that grows by at most `r` times `t` in any time `t`, as `delivered_bytes` over a link of rate `r` without
/// jitter, gives at most `r`. One that grows by whole packets of size `p`, as `received_bytes`, gives at most `r` plus `p` over the width of the
/// bin, if no bin is narrower than the time between samples.
pub fn rate(edges: &[f64], time_s: &[f64], total: &[f64]) -> Vec<f64> {
    let grown = growth(edges, time_s, total);
    grown.iter().zip(edges.windows(2)).map(|(grown, bin)| grown / (bin[1] - bin[0])).collect()
}

/// The growth of a part over that of the whole in each bin; NaN where the whole does not grow.
pub fn share(edges: &[f64], time_s: &[f64], part: &[f64], whole: &[f64]) -> Vec<f64> {
    let (part, whole) = (growth(edges, time_s, part), growth(edges, time_s, whole));
    part.iter().zip(&whole).map(|(part, whole)| if *whole > 0.0 { part / whole } else { f64::NAN }).collect()
}

/// The mean of the defined samples in each bin. Where a bin has none, the value between those around it; NaN before the
/// first and after the last.
pub fn mean(edges: &[f64], time_s: &[f64], values: &[f64]) -> Vec<f64> {
    let known = time_s.iter().zip(values).filter(|(_, value)| value.is_finite());
    let (time_s, values): (Vec<f64>, Vec<f64>) = known.map(|(time, value)| (*time, *value)).unzip();
    let ends = |place: usize| match edges.get(place) {
        // The last bin holds its end.
        Some(end) if place + 1 == edges.len() => time_s.partition_point(|time| time <= end),
        Some(end) => time_s.partition_point(|time| time < end),
        None => 0,
    };
    let of_bin = |(place, bin): (usize, &[f64])| {
        let inside = &values[ends(place).min(ends(place + 1))..ends(place + 1)];
        let middle = f64::midpoint(bin[0], bin[1]);
        let is_between = time_s.first().is_some_and(|first| *first <= middle)
            && time_s.last().is_some_and(|last| middle <= *last);
        if !inside.is_empty() {
            inside.iter().sum::<f64>() / inside.len() as f64
        } else if is_between {
            at(middle, &time_s, &values)
        } else {
            f64::NAN
        }
    };
    edges.windows(2).enumerate().map(of_bin).collect()
}

fn growth(edges: &[f64], time_s: &[f64], total: &[f64]) -> Vec<f64> {
    let at_edges: Vec<f64> = edges.iter().map(|edge| at(*edge, time_s, total)).collect();
    at_edges.windows(2).map(|ends| ends[1] - ends[0]).collect()
}

/// The value at an instant, linear between samples; before the first and after the last it stays.
fn at(instant: f64, time_s: &[f64], values: &[f64]) -> f64 {
    let after = time_s.partition_point(|time| *time <= instant);
    if after == 0 {
        return values.first().copied().unwrap_or(f64::NAN);
    }
    let before = after - 1;
    if after == time_s.len() {
        return values[before];
    }
    let share = (instant - time_s[before]) / (time_s[after] - time_s[before]);
    values[before] + share * (values[after] - values[before])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_of_equal_width_and_no_narrower_than_samples() {
        assert_eq!(edges(0.0, 1.0, 5, 100), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(edges(2.0, 4.0, 1000, 3), [2.0, 3.0, 4.0]);
        assert_eq!(edges(0.0, 1.0, 0, 100), [0.0, 1.0]);
    }

    #[test]
    fn a_rate_is_the_growth_of_a_bin_over_its_width() {
        let (time_s, total) = ([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 10.0, 10.0]);
        assert_eq!(rate(&[0.0, 1.5, 3.0], &time_s, &total), [5.0 / 1.5, 5.0 / 1.5]);
        assert_eq!(rate(&[0.0, 1.0, 2.0, 3.0, 5.0], &time_s, &total), [0.0, 10.0, 0.0, 0.0]);
    }

    #[test]
    fn packets_of_a_link_give_at_most_its_rate_and_a_packet() {
        // A packet of 10 per 0.1 s, sampled at instants of any phase, in bins of any phase.
        for (phase, first) in [(0.0, 0.0), (0.03, 0.01), (0.099, 0.05), (0.05, 0.077)] {
            let time_s: Vec<f64> = (0..400).map(|sample| phase + 0.04 * f64::from(sample)).collect();
            let total: Vec<f64> = time_s.iter().map(|time| 10.0 * (time / 0.1 + 1e-9).floor()).collect();
            for width in [0.04, 0.07, 0.25, 1.0] {
                let edges: Vec<f64> = (0..12).map(|edge| first + width * f64::from(edge)).collect();
                let most = rate(&edges, &time_s, &total).into_iter().fold(0.0, f64::max);
                assert!(most * width <= 100.0 * width + 10.0 + 1e-9, "{most} in bins of {width}");
            }
        }
    }

    #[test]
    fn a_share_without_a_whole_is_undefined() {
        let found = share(&[0.0, 1.0, 2.0], &[0.0, 1.0, 2.0], &[0.0, 1.0, 1.0], &[0.0, 4.0, 4.0]);
        assert!(found[0] == 0.25 && found[1].is_nan(), "{found:?}");
    }

    #[test]
    fn a_mean_is_of_the_samples_in_the_bin_or_between_those_around_it() {
        let (time_s, values) = ([0.0, 0.5, 1.0, 3.5, 4.0], [f64::NAN, 2.0, 4.0, 9.0, 11.0]);
        let found = mean(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &time_s, &values);
        assert_eq!(found[..4], [2.0, 4.0, 4.0 + 1.5 / 2.5 * 5.0, 9.0]);
        assert_eq!(found[4], 11.0);
        assert!(mean(&[0.0, 1.0], &[0.0], &[f64::NAN])[0].is_nan());
        assert_eq!(mean(&[0.0, 1.0], &[0.0, 1.0], &[1.0, 3.0]), [2.0]);
    }
}
