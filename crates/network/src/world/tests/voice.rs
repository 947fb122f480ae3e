//! Calls over a link.

use super::*;
use crate::app::voice::{self, Impairment};
use crate::channel::jitter;
use crate::metrics::e_model::{self, Conditions};
use crate::schedule::Steps;

/// A call of 20 s over a link of 1 Mbit/s and 30 ms, with `more` ms after 10 s.
fn call(more: u64) -> FlowResult {
    let points = vec![(Instant::ZERO, ms(30)), (at(10_000), ms(30 + more))];
    let delay = Schedule::Steps(Steps { points, period: None });
    let line = link::Config { delay, ..direction(1, 30, 50) };
    let mut source = flow(NodeId(0), NodeId(1), app::Config::Voice(voice::Config::default()));
    source.stop = Some(at(20_000));
    run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![source], 30), 1).flows[0].clone()
}

#[test]
fn packets_behind_the_buffer_of_60_ms_are_late() {
    for (more, is_late) in [(0, false), (60, false), (61, true)] {
        let flow = call(more);
        let heard = flow.call.unwrap();
        assert_eq!(flow.packets_delivered, flow.packets_sent);
        // 500 packets in 10 s.
        assert_eq!(heard.late, if is_late { flow.packets_sent - 500 } else { 0 });
        // A frame of 20 ms, 200 B in 1.6 ms, 30 ms of propagation, and the buffer.
        assert_eq!(heard.mouth_to_ear, Some(Duration::from_micros(111_600)));
        assert!(heard.mos.is_some_and(|mos| (mos < 2.0) == is_late), "{:?}", heard.mos);
    }
}

/// R of a call of 100 s over a link of 10 Mbit/s.
fn rating(line: &link::Config) -> f64 {
    let mut source = flow(NodeId(0), NodeId(1), app::Config::Voice(voice::Config::default()));
    source.stop = Some(at(100_000));
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), line)], vec![source], 110), 1);
    results.flows[0].call.as_ref().unwrap().rating.unwrap()
}

fn assert_falls(ratings: &[f64]) {
    assert!(ratings.is_sorted_by(|better, worse| better > worse), "{ratings:?}");
}

#[test]
fn r_falls_with_delay_as_the_model_says() {
    let ratings = [10, 100, 200, 300, 400].map(|delay| {
        let rating = rating(&direction(10, delay, 50));
        // A frame of 20 ms, 200 B in 0.16 ms, the propagation, and the buffer of 60 ms.
        let delay = Duration::from_micros(80_160 + 1000 * delay);
        let impairment = Impairment { ie: 0.0, bpl: 25.1 };
        let conditions = Conditions { delay, impairment, lost: 0.0, burst_ratio: 1.0 };
        assert_eq!(rating, e_model::rating(&conditions));
        rating
    });
    assert_falls(&ratings);
}

#[test]
fn r_falls_with_loss() {
    let ratings = [0.0, 0.01, 0.05, 0.1, 0.2]
        .map(|rate| rating(&link::Config { error: loss(rate), ..direction(10, 10, 50) }));
    assert_falls(&ratings);
}

#[test]
fn r_falls_with_jitter_beyond_the_buffer() {
    let ratings = [50, 150, 300, 600].map(|max| {
        let uniform = jitter::uniform::Config { max: ms(max), in_order: false };
        rating(&link::Config { jitter: Some(jitter::Config::Uniform(uniform)), ..direction(10, 10, 50) })
    });
    assert_falls(&ratings);
}

#[test]
fn only_calls_have_a_listener() {
    let source = flow(NodeId(0), NodeId(1), app::Config::named("constant_bit_rate").unwrap());
    let results =
        run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &direction(10, 20, 50))], vec![source], 1), 1);
    assert_eq!(results.flows[0].call, None);
}
