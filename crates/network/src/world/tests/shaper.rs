//! Flows through a shaper, and where there is none.

use super::shared_channel::line;
use super::*;
use crate::blueprint::Radio;
use crate::queue::shaper;

#[test]
fn tcp_loses_nothing_in_a_shaper_with_room_and_is_as_fast_as_its_rate() {
    let shaper = shaper::Config { limit: Amount::Packets(1000), ..Default::default() };
    let line = link::Config { queue: queue::Config::Shaper(shaper), ..direction(100, 10, 1000) };
    let flows = vec![flow(NodeId(0), NodeId(1), file(1_000_000))];
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], flows, 60), 1);
    let flow = &results.flows[0];
    assert!(flow.drops.is_empty() && flow.packets_retransmitted == 0, "{:?}", flow.drops);
    // 690 full packets of 1500 B, of which 10 are the burst, at 5 Mbit/s.
    assert!(flow.completion.unwrap() > ms(1632), "{:?}", flow.completion);
    // Packets wait for tokens from the second round trip on; ten of 20 ms are more than handshake, first and last take.
    assert!(flow.completion.unwrap() < ms(1632 + 200), "{:?}", flow.completion);
}

#[test]
fn a_shaper_is_refused_on_a_channel() {
    let queue = queue::Config::named("shaper").unwrap();
    let radio = Radio { queue, ..Radio::default() };
    let refused = World::new(&line(&[0.0, 100.0], radio, vec![], 1), 1).unwrap_err();
    assert_eq!(&*refused.why.key, "queue");
    assert!(refused.why.remedy.contains("drop_tail"), "{}", refused.why.remedy);
}
