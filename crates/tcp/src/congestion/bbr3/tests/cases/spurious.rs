//! The draft's cases of recoveries that were a mistake.

use super::*;

/// A path on which late segments are found to have been late.
fn forgiving() -> Path {
    let mut options = options("sack");
    options.dsack_undo = true;
    options.eifel = true;
    options.f_rto = true;
    options.timestamps = true;
    options.min_rto = Duration::from_millis(200);
    Path::with(10.0, &options, &Config::default())
}

#[test]
fn a_spurious_fast_recovery_is_undone() {
    let mut path = forgiving();
    path.run_until_state(State::Up);
    let bounds = path.bbr().short_term;
    let longterm = path.longterm();
    path.late = (4, Duration::from_millis(15));
    path.run_until("the probe ends", |path| path.state() != State::Up);
    assert_eq!(path.state(), State::Down);
    let undo = path.bbr().episode.undo;
    assert_eq!(undo.state, Some(State::Up));
    let saved = (undo.bw_shortterm, undo.inflight_shortterm, undo.inflight_longterm);
    assert_eq!(saved, (bounds.bw, bounds.inflight, longterm));
    assert!(path.longterm().is_finite());
    path.run_until("the undo", |path| path.client.counters().spurious == 1);
    let bbr = path.bbr();
    assert_eq!((bbr.state, bbr.long_term.inflight), (State::Refill, longterm));
    assert_eq!((bbr.short_term.bw, bbr.short_term.inflight), (bounds.bw, bounds.inflight));
    drop(bbr);
    path.run_until_state(State::Up);
    assert_eq!(path.client.counters().timeouts, 0);
}

/// A timeout in UP whose losses were none: the state when it is undone.
fn undone_timeout(mut delay: impl FnMut(&mut Path)) -> State {
    let mut path = forgiving();
    path.run_until_state(State::Up);
    let bounds = path.bbr().short_term;
    let (longterm, cwnd) = (path.longterm(), path.cwnd());
    delay(&mut path);
    path.run_until("the timeout", |path| path.client.counters().timeouts == 1);
    path.late = (0, Duration::ZERO);
    assert_eq!((path.state(), path.cwnd()), (State::Down, 1.0));
    let undo = path.bbr().episode.undo;
    assert_eq!(undo.state, Some(State::Up));
    let saved = (undo.bw_shortterm, undo.inflight_shortterm, undo.inflight_longterm);
    assert_eq!(saved, (bounds.bw, bounds.inflight, longterm));
    assert!(path.longterm().is_finite());
    path.run_until("the undo", |path| path.client.counters().spurious == 1);
    let restored = path.bbr().short_term;
    assert_eq!((restored.bw, restored.inflight, path.longterm()), (bounds.bw, bounds.inflight, longterm));
    assert!(path.cwnd() >= 0.9 * cwnd, "{} of {cwnd}", path.cwnd());
    let state = path.state();
    path.run_until_state(State::Up);
    state
}

/// Reordering: the retransmission overtakes the flight. A window of a segment makes it time to probe after a round, so that UP comes
/// before the undo.
#[test]
fn a_spurious_timeout_is_undone() {
    let late = Duration::from_millis(500);
    assert_eq!(undone_timeout(|path| path.late = (u64::MAX, late)), State::Up);
    assert_eq!(undone_timeout(|path| path.stalled_until = path.now + late), State::Refill);
}
