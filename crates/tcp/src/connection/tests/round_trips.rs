//! Round-trip samples of a path whose round trip is known.

use super::*;
use crate::config::RttSamples;

/// The path takes 100 ms and the clock of timestamps ticks by the millisecond. A sample that is longer counts the repair of a loss.
#[test]
fn no_sample_is_longer_than_the_round_trip_whatever_was_lost() {
    let samplings =
        [RttSamples::Scaled, RttSamples::EveryAck, RttSamples::DuplicatesToo, RttSamples::OncePerRtt];
    for recovery in recovery::Config::NAMES {
        for rtt_samples in samplings {
            for (sack, timestamps, keep_sacked_on_timeout) in [
                (true, true, false),
                (true, false, false),
                (true, false, true),
                (false, true, false),
                (false, false, false),
            ] {
                let config = Config {
                    recovery: recovery::Config::named(recovery).expect("registered"),
                    rtt_samples,
                    sack,
                    timestamps,
                    keep_sacked_on_timeout,
                    delayed_ack: DelayedAck::Off,
                    ..Config::default()
                };
                let longest = longest_samples(&config);
                let most = Duration::from_millis(101);
                // Duplicate ACKs echo what arrived before the hole: with `duplicates_too` the timer waits longer on purpose.
                let looked_at = if rtt_samples == RttSamples::DuplicatesToo { 1 } else { 2 };
                assert!(
                    longest.iter().take(looked_at).all(|sample| *sample <= most),
                    "{recovery}, {rtt_samples:?}, SACK {sack}, timestamps {timestamps}: {longest:?}"
                );
            }
        }
    }
}

/// Largest sample of all, and of the timer, over a transfer that loses single segments, and bursts of 40.
/// No ACK is lost: by RFC 7323 section 4.3 the next one echoes what the lost one would have echoed.
fn longest_samples(config: &Config) -> [Duration; 2] {
    let mut pair = Pair::new(config);
    pair.lost = (40..2000).filter(|nth| nth * 7919 % 151 < 2).chain(400..440).chain(900..905).collect();
    pair.client.write(pair.now, 1500 * 1448);
    pair.run_for(Duration::from_secs(3000));
    assert_eq!(pair.server.received(), 1500 * 1448);
    let (_, _, longest) = pair.client.rtt_range().expect("samples");
    [longest, pair.client.timer_rtt_max().expect("samples")]
}
