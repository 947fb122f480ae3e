//! Preset `linux`: what the kernel counts and does otherwise than the RFCs.

use super::*;
use crate::connection::cwr::Cwr;
use crate::recovery::prr::Delivered;

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

/// `tcp_enter_cwr`: of a window of 40 that becomes 20 every second packet delivered lets one go, until its end is passed.
#[test]
fn an_ecn_echo_reduces_the_window_over_a_round_trip() {
    let mut pair = Pair::new(&Config { ecn: EcnMode::Classic, segmentation_offload: false, ..linux("reno") });
    pair.service = Duration::from_micros(500);
    pair.client.write(Instant::ZERO, 10_000_000);
    while pair.client.sample().window.cwnd < 40.0 {
        pair.run_for(Duration::from_micros(100));
    }
    let before = pair.client.sample().window.cwnd;
    pair.marks_next = true;
    while !pair.client.sample().window.ssthresh.is_finite() {
        pair.run_for(Duration::from_micros(100));
    }
    let sample = pair.client.sample();
    assert!(
        sample.window.ssthresh <= before && sample.window.cwnd > 1.5 * sample.window.ssthresh,
        "{sample:?}"
    );
    let (mut windows, end) = (vec![sample.window.cwnd], sample.snd_nxt);
    while pair.client.sample().snd_una <= end {
        pair.run_for(Duration::from_micros(100));
        windows.push(pair.client.sample().window.cwnd);
    }
    assert!(
        windows.is_sorted_by(|a, b| a >= b) || windows.last() > Some(&sample.window.ssthresh),
        "{windows:?}"
    );
    let after = pair.client.sample().window.cwnd;
    assert!((sample.window.ssthresh..sample.window.ssthresh + 2.0).contains(&after), "{after}");
    assert!(!pair.client.ecn.is_in_cwr());
}

#[test]
fn the_window_of_rfc_3168_is_reduced_at_once() {
    let mut pair = Pair::new(&Config { ecn: EcnMode::Classic, ..config("rack") });
    pair.client.write(Instant::ZERO, 10_000_000);
    pair.run_for(Duration::from_millis(350));
    pair.marks_next = true;
    while !pair.client.sample().window.ssthresh.is_finite() {
        pair.run_for(Duration::from_millis(1));
    }
    let window = pair.client.sample().window;
    assert!(window.cwnd < 1.2 * window.ssthresh, "{window:?}");
}

/// Without segments in flight above the new window, proportional reduction lets as much go as is delivered.
#[test]
fn cwr_conserves_packets_below_the_new_window() {
    let mut cwr = Cwr::new(20, 14, 0);
    let room = |window: u64, pipe: u64| window - pipe;
    let mut out = 0;
    let mut sent = Vec::new();
    for (pipe, is_safe) in [(16, false), (16, false), (15, false), (15, false), (14, false), (12, true)] {
        let may = room(cwr.window(Delivered { amount: 1, is_safe }, pipe, out), pipe);
        sent.push(may);
        out += may;
    }
    // The vector of Linux's `tcp_cwnd_reduction`.
    assert_eq!(sent, [1, 1, 1, 0, 0, 2]);
}

/// `tcp_enter_loss`: an ECN echo has reduced the threshold already when the timer expires in CWR.
#[test]
fn a_timeout_in_cwr_keeps_the_threshold() {
    let mut pair = Pair::new(&Config { ecn: EcnMode::Classic, segmentation_offload: false, ..linux("reno") });
    pair.service = Duration::from_micros(500);
    pair.client.write(Instant::ZERO, 10_000_000);
    while pair.client.sample().window.cwnd < 40.0 {
        pair.run_for(Duration::from_micros(100));
    }
    pair.marks_next = true;
    while !pair.client.sample().window.ssthresh.is_finite() {
        pair.run_for(Duration::from_micros(100));
    }
    let ssthresh = pair.client.sample().window.ssthresh;
    while pair.client.counters().timeouts == 0 {
        pair.wire.clear();
        pair.run_for(Duration::from_micros(100));
    }
    assert_eq!(pair.client.sample().window.ssthresh, ssthresh);
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
