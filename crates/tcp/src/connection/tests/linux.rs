//! Preset `linux`: what the kernel counts and does otherwise than the RFCs.

use super::*;

fn linux(congestion: &str) -> Config {
    let congestion_control =
        crate::preset::congestion_control(Preset::Linux, congestion).expect("registered");
    Config { congestion_control, ..Config::preset(Preset::Linux) }
}

/// How long a file of so many bytes takes over a path with these losses, by data segment.
fn completion(bytes: u64, lost: &[u64]) -> Instant {
    let mut pair = Pair::new(&linux("reno"));
    pair.service = Duration::from_micros(100);
    pair.lost = lost.to_vec();
    pair.client.write(Instant::ZERO, bytes);
    while pair.received < bytes {
        pair.run_for(Duration::from_micros(100));
    }
    pair.now
}

/// Proportional rate reduction counts packets: that the last one is short delays no retransmission by a round trip.
#[test]
fn a_short_last_segment_does_not_hold_back_a_retransmission() {
    for first in 1..=4 {
        for second in first + 1..=5 {
            let lost = [first, second];
            let (whole, short) = (completion(7 * 1448, &lost), completion(10_000, &lost));
            assert!(short <= whole, "losses {lost:?}: {short} instead of {whole}");
        }
    }
}

/// The send buffer limits samples only where the application could write no more in time: Linux 6.18 leaves STARTUP after 2.6 s
/// here. A sender that counts the samples of recovery as limited does not.
#[test]
fn bbr_leaves_startup_though_the_send_buffer_limits_it() {
    let mut pair = Pair::new(&linux("bbr"));
    pair.service = Duration::from_micros(120);
    pair.queue = Some(pair.service * 400);
    pair.client.write(Instant::ZERO, u64::MAX / 4);
    pair.run_for(Duration::from_secs(6));
    let observed = pair.client.congestion().observe();
    let gain = observed.iter().find(|(name, _)| *name == "pacing_gain").expect("observed").1;
    assert!(gain < 2.0, "still in STARTUP: {observed:?}");
}
