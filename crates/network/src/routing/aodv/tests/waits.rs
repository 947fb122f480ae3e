//! Own requests wait for a random time, so that those of neighbours that begin at the same instant do not meet.

use super::net::{Net, at, ms};
use crate::ids::NodeId;
use crate::routing::aodv::config::{Config, Preset};

#[test]
fn own_requests_leave_within_the_jitter_and_answers_are_waited_for_from_then_on() {
    // A ring's 2 x 40 ms x (hop limit + 2); in ns-2 looks every 500 ms from the begin on, so that a later request waits as well.
    let ns2 = Config { jitter_own_requests: true, ..Config::of(Preset::Ns2) };
    for (config, pauses) in [(Config::default(), [240, 400, 560]), (ns2, [2000, 4000, 5500])] {
        let looks = config.check_interval.is_some();
        for seed in 0..50 {
            let mut net = Net::new(3, &config, seed);
            net.send(NodeId(0), NodeId(1));
            net.send(NodeId(1), NodeId(0));
            net.run_until(at(15_000));
            let [one, other] = [0, 1].map(|node| net.asked(NodeId(node)));
            assert!(one[0].0 < at(10), "{one:?}");
            for (pair, pause) in one.windows(2).zip(pauses) {
                let (least, passed) = (if looks { pause - 10 } else { pause }, pair[1].0 - pair[0].0);
                assert!(passed >= ms(least) && passed < ms(pause + 10), "{one:?}");
            }
            assert!(one.iter().zip(&other).all(|(one, other)| one.0 != other.0), "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_request_that_waits_is_not_sent_when_the_route_is_known_by_then() {
    let mut alone = 0;
    for seed in 0..50 {
        let mut net = Net::new(2, &Config::default(), seed);
        net.link(NodeId(0), NodeId(1));
        net.send(NodeId(0), NodeId(1));
        net.send(NodeId(1), NodeId(0));
        net.run_until(at(1000));
        net.audit();
        assert_eq!((net.delivered.len(), net.dropped.len()), (2, 0));
        let mut times: Vec<_> =
            [0, 1].iter().flat_map(|&node| net.asked(NodeId(node))).map(|(time, _)| time).collect();
        times.sort();
        // A hop takes 2 ms at most.
        assert!(times.len() == 1 || times.len() == 2 && times[1] - times[0] < ms(2), "{times:?}");
        alone += usize::from(times.len() == 1);
    }
    assert!(alone > 25, "{alone}");
}
