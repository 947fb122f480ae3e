//! Numbers and losses as an explanation writes them.

use std::collections::BTreeMap;

use farlink_kernel::{BitRate, Duration};
use farlink_network::results::FlowResult;

use crate::run_results::RunResults;

/// "34 packets were lost, 30 of them by bit errors at ground->remote".
pub(super) fn losses(flow: &FlowResult, results: &RunResults) -> String {
    let total: u64 = flow.drops.iter().map(|(_, count)| count).sum();
    let Some((cause, most)) = dominant(flow, results) else { return "no packet was lost".into() };
    match total {
        1 => format!("1 packet was lost by {cause}"),
        total if total == most => format!("{total} packets were lost by {cause}"),
        total => format!("{total} packets were lost, {most} of them by {cause}"),
    }
}

/// The cause of most drops of a flow with the place of most of those, and their number; `None` without drops.
pub(super) fn dominant(flow: &FlowResult, results: &RunResults) -> Option<(String, u64)> {
    let (cause, count) = *flow.drops.iter().max_by_key(|(_, count)| *count)?;
    let words = cause_in_words(cause);
    // Of both classes.
    let mut places: BTreeMap<&str, u64> = BTreeMap::new();
    for drops in flow.drops_by_place.iter().filter(|drops| drops.cause == cause) {
        *places.entry(results.place(drops)).or_default() += drops.packets;
    }
    let place =
        places.into_iter().max_by_key(|(_, packets)| *packets).filter(|(_, packets)| packets * 2 > count);
    let text = match place {
        None => words,
        Some((place, packets)) => {
            let most = if packets == count { "" } else { ", most" };
            format!("{words}{most} at {place}")
        }
    };
    Some((text, count))
}

/// "queue overflow" for `queue_full`.
pub(super) fn cause_in_words(cause: &str) -> String {
    match cause {
        "queue_full" => "queue overflow".into(),
        "bit_error" => "bit errors".into(),
        "link_error" => "link errors".into(),
        other => other.replace('_', " "),
    }
}

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}

/// A rate with about three digits, in the unit that suits it.
pub(super) fn rate(bps: f64) -> String {
    match bps {
        b if b >= 999.5e6 => format!("{:.2} Gbit/s", b / 1e9),
        b if b >= 99.95e6 => format!("{:.0} Mbit/s", b / 1e6),
        b if b >= 999.5e3 => format!("{:.2} Mbit/s", b / 1e6),
        b if b >= 999.5 => format!("{:.1} kbit/s", b / 1e3),
        b => BitRate::from_bps(b as u64).to_string(),
    }
}

/// A length of time with about three digits.
pub(super) fn time(length: Duration) -> String {
    match length.as_secs_f64() {
        s if s >= 0.9995 => format!("{s:.2} s"),
        s if s >= 0.009_995 => format!("{:.0} ms", s * 1e3),
        s => format!("{:.2} ms", s * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_units_that_suit_them() {
        let rates = [2.5e9, 100e6, 16.98e6, 1e6, 512.0e3, 40.0].map(rate);
        assert_eq!(
            rates,
            ["2.50 Gbit/s", "100 Mbit/s", "16.98 Mbit/s", "1.00 Mbit/s", "512.0 kbit/s", "40 bit/s"]
        );
    }

    #[test]
    fn times_are_in_seconds_or_milliseconds() {
        let times = [1_234_000, 999_600, 120_000, 9_990, 40].map(|us| time(Duration::from_micros(us)));
        assert_eq!(times, ["1.23 s", "1.00 s", "120 ms", "9.99 ms", "0.04 ms"]);
    }
}
