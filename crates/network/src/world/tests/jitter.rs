//! Links with jitter.

use super::*;
use crate::channel::jitter;

/// Datagrams every 8 ms for 20 s over a link with exponential jitter of 50 ms.
fn datagrams(in_order: bool) -> FlowResult {
    let exponential = jitter::exponential::Config { mean: ms(50), in_order };
    let line =
        link::Config { jitter: Some(jitter::Config::Exponential(exponential)), ..direction(10, 20, 50) };
    let mut source = flow(NodeId(0), NodeId(1), app::Config::named("constant_bit_rate").unwrap());
    source.stop = Some(at(20_000));
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![source], 60), 1);
    results.flows[0].clone()
}

#[test]
fn jitter_in_order_reorders_nothing_and_leaves_the_mean_delay() {
    let [ordered, free] = [true, false].map(datagrams);
    assert_eq!([ordered.packets_delivered, free.packets_delivered], [ordered.packets_sent; 2]);
    assert_eq!(ordered.packets_reordered, 0);
    // One in two is overtaken if the interval is short.
    assert!(free.packets_reordered > 1000, "{}", free.packets_reordered);
    assert_eq!(ordered.delay_mean, free.delay_mean);
    // 1028 bytes take 0.8 ms, propagation 20 ms; four standard errors of the mean of 2500 draws are 4 ms.
    let mean = ordered.delay_mean.unwrap().as_secs_f64();
    assert!((mean - 0.0708).abs() < 0.004, "{mean}");
}

#[test]
fn tcp_takes_jitter_in_order_for_delay_alone() {
    let uniform = jitter::uniform::Config { max: ms(30), in_order: true };
    let line = link::Config { jitter: Some(jitter::Config::Uniform(uniform)), ..direction(10, 20, 1000) };
    let flows = vec![flow(NodeId(0), NodeId(1), file(1_000_000))];
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], flows, 60), 1);
    let flow = &results.flows[0];
    assert!(flow.completion.is_some());
    assert_eq!((flow.packets_retransmitted, flow.packets_reordered), (0, 0));
}
