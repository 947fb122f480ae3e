//! What a sign of congestion makes of the threshold.

use super::*;
use crate::config::ReduceFrom;
use crate::recovery::Phase;

/// A transfer whose first retransmission is lost, too, up to the end of fast recovery; ssthresh at its begin and end.
fn lose_a_retransmission(config: &Config) -> (f64, f64) {
    let mut pair = Pair::new(config);
    pair.client.write(Instant::ZERO, 4_000_000);
    pair.run_for(Duration::from_millis(540));
    let first = pair.wire.iter().find(|(_, (to_server, _))| *to_server).map(|(key, _)| *key).expect("data");
    pair.wire.remove(&first);
    while pair.client.counters().fast_retransmits == 0 {
        pair.run_for(Duration::from_millis(1));
    }
    pair.wire.retain(|_, (_, transmit)| !transmit.is_retransmission);
    let once = pair.client.sample().window.ssthresh;
    for _ in 0..3_000 {
        pair.run_for(Duration::from_millis(1));
        if pair.client.counters().timeouts > 0 || pair.client.phase() != Phase::Fast {
            break;
        }
    }
    (once, pair.client.sample().window.ssthresh)
}

#[test]
fn the_loss_of_a_retransmission_does_not_raise_ssthresh() {
    for recovery in RECOVERIES {
        for control in ["reno", "cubic", "bic", "compound", "vegas", "veno"] {
            for reduce_from in [ReduceFrom::FlightSize, ReduceFrom::Cwnd] {
                let congestion_control = congestion::Config::named(control).expect("registered");
                let config = Config { congestion_control, reduce_from, ..config(recovery) };
                let (once, twice) = lose_a_retransmission(&config);
                assert!(twice <= once, "{control}, {recovery}, {reduce_from:?}: {once} to {twice}");
            }
        }
    }
}

#[test]
fn a_timeout_in_fast_recovery_halves_ssthresh_once_more() {
    for recovery in ["reno", "newreno", "sack", "sack1", "prr"] {
        let (once, twice) = lose_a_retransmission(&config(recovery));
        assert!((twice - once / 2.0).abs() < 1e-9, "{recovery}: {once} to {twice}");
    }
}

/// `tcp_enter_loss` reduces the threshold unless it "has been made inside this window": with SACK as without.
#[test]
fn a_timeout_in_fast_recovery_keeps_the_threshold_of_linux() {
    for recovery in ["reno", "newreno", "sack", "sack1", "prr"] {
        let recovery = recovery::Config::named(recovery).expect("registered");
        for control in ["reno", "cubic"] {
            let congestion_control =
                crate::preset::congestion_control(Preset::Linux, control).expect("registered");
            let recovery = recovery.clone();
            let config = Config { congestion_control, recovery, ..Config::preset(Preset::Linux) };
            let (once, twice) = lose_a_retransmission(&config);
            assert_eq!(twice, once, "{control}, {config:?}");
        }
    }
}

/// RFC 4015 section 3.2 restores max(FlightSize, ssthresh) of before: what the reduction began with, not what arrived
/// above the hole, too.
#[test]
fn a_spurious_timeout_in_fast_recovery_restores_no_more_than_the_window() {
    let mut pair = Pair::new(&Config { dsack_undo: true, timestamps: false, ..config("sack") });
    pair.client.write(Instant::ZERO, 4_000_000);
    pair.run_for(Duration::from_millis(540));
    let window = pair.client.sample().window.cwnd;
    pair.delay_first(700, |transmit| transmit.segment.len > 0);
    while pair.client.counters().fast_retransmits == 0 {
        pair.run_for(Duration::from_millis(1));
    }
    pair.delay_first(800, |transmit| transmit.is_retransmission);
    pair.run_for(Duration::from_secs(2));
    assert_eq!((pair.client.counters().timeouts, pair.client.counters().spurious), (1, 1));
    assert!(
        pair.client.sample().window.ssthresh <= window,
        "{:?} from {window}",
        pair.client.sample().window
    );
}

impl Pair {
    /// The first segment on the wire that is `chosen` arrives so much later.
    fn delay_first(&mut self, millis: u64, chosen: impl Fn(&Transmit) -> bool) {
        let key =
            self.wire.iter().find(|(_, (_, transmit))| chosen(transmit)).map(|(key, _)| *key).expect("one");
        let late = self.wire.remove(&key).expect("one");
        self.wire.insert((key.0 + Duration::from_millis(millis), key.1), late);
    }
}
