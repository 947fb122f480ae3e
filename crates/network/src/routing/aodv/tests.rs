//! What the protocol does in networks of known shape.

mod net;
mod random;
mod rules;
mod waits;

use net::{Net, at, ms};

use super::config::{Config, LocalRepair, Preset};
use super::table::State;
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::packet::Cause;
use crate::wire::aodv::{Message, RouteError};
use farlink_kernel::Duration;

fn both() -> [Config; 2] {
    [Config::default(), Config::of(Preset::Ns2)]
}

/// Requests leave as soon as they are due.
fn prompt() -> Config {
    Config { jitter_own_requests: false, ..Config::default() }
}

#[test]
fn a_route_over_a_chain_is_its_shortest() {
    for config in both() {
        for hops in 1..=8 {
            let mut net = Net::chain(hops + 1, &config);
            net.send(NodeId(0), NodeId(hops));
            net.run_until(at(3000));
            assert_eq!(net.way(NodeId(0), NodeId(hops)), (0..=hops).collect::<Vec<_>>());
            assert_eq!(net.way(NodeId(hops), NodeId(0)), (0..=hops).rev().collect::<Vec<_>>());
            assert_eq!(u32::from(net.nodes[0].table.peek(NodeId(hops)).unwrap().hops), hops);
            assert_eq!((net.delivered.len(), net.dropped.len()), (1, 0));
            net.audit();
        }
    }
}

#[test]
fn rings_grow_until_the_destination_is_in_one() {
    // Waits of 2 x 40 ms x (hop limit + 2).
    let rings = [(at(0), 1), (at(240), 3), (at(640), 5), (at(1200), 7), (at(1920), 35)];
    for (hops, count) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4), (8, 5)] {
        let mut net = Net::chain(hops + 1, &prompt());
        net.send(NodeId(0), NodeId(hops));
        net.run_until(at(5000));
        assert_eq!(net.asked(NodeId(0)), rings[..count], "{hops} hops");
    }
}

#[test]
fn a_search_in_vain_ends_after_two_repeats_that_wait_twice_as_long_each() {
    let mut net = Net::new(2, &prompt(), 1);
    net.send(NodeId(0), NodeId(1));
    net.run_until(at(60_000));
    let times: Vec<_> = net.asked(NodeId(0)).iter().map(|&(time, limit)| (time - at(0), limit)).collect();
    let expected = [(0, 1), (240, 3), (640, 5), (1200, 7), (1920, 35), (4720, 35), (10_320, 35)];
    assert_eq!(times, expected.map(|(time, limit)| (ms(time), limit)));
    assert_eq!(net.dropped, [(at(10_320 + 11_200), Cause::NoRoute)]);
    // The next packet begins anew.
    net.send(NodeId(0), NodeId(1));
    assert_eq!(net.asked(NodeId(0)).last(), Some(&(at(60_000), 1)));
}

#[test]
fn ns2_asks_everywhere_at_once_looks_twice_a_second_and_then_pauses() {
    let mut net = Net::new(2, &Config::of(Preset::Ns2), 1);
    net.send(NodeId(0), NodeId(1));
    net.run_until(at(22_000));
    net.send(NodeId(0), NodeId(1));
    net.run_until(at(28_900));
    // Waits of 2 x 30 ms x hop limit x floods, up to the next half second.
    let expected = [(0, 30), (2000, 30), (6000, 30), (11_500, 30)];
    assert_eq!(net.asked(NodeId(0)), expected.map(|(time, limit)| (at(time), limit)));
    assert_eq!(net.dropped, [(at(19_000), Cause::NoRoute)]);
    net.run_until(at(29_000));
    assert_eq!(net.asked(NodeId(0)).last(), Some(&(at(29_000), 30)));
}

#[test]
fn ns2_waits_as_long_as_answers_took_before() {
    let config = Config { check_interval: None, active_route_timeout: ms(100), ..Config::of(Preset::Ns2) };
    let config = Config { my_route_timeout: Some(ms(100)), ..config };
    let mut net = Net::chain(4, &config);
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(2000));
    net.cut(NodeId(0), NodeId(1));
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(4000));
    // The route was of three hops. Each took 1 to 2 ms and, where a request was passed on, up to 10 ms more.
    let [(_, 30), (first, 5), (second, 7), ..] = net.asked(NodeId(0))[..] else {
        panic!("{:?}", net.asked(NodeId(0)))
    };
    let wait = (second - first) / 10;
    assert!(wait >= ms(2) && wait < ms(12), "{wait}");
}

/// 0 - 1 - 2 - 3 - 4 and a detour 0 - 5 - 6 - 7 - 8 - 4.
fn ring(config: &Config) -> Net {
    let mut net = Net::chain_and(5, 4, config);
    for (a, b) in [(0, 5), (5, 6), (6, 7), (7, 8), (8, 4)] {
        net.link(NodeId(a), NodeId(b));
    }
    net
}

#[test]
fn an_error_reaches_the_source_and_a_new_search_finds_the_detour() {
    for config in both() {
        let mut net = ring(&Config { local_repair: LocalRepair::Never, ..config });
        net.send(NodeId(0), NodeId(4));
        net.run_until(at(3000));
        assert_eq!(net.way(NodeId(0), NodeId(4)), [0, 1, 2, 3, 4]);
        net.cut(NodeId(3), NodeId(4));
        net.send(NodeId(0), NodeId(4));
        net.run_until(at(3100));
        let path: Vec<_> = net.errors().iter().map(|sent| sent.from).collect();
        assert_eq!(path[..3], [3, 2, 1]);
        assert_eq!((net.next(NodeId(0), NodeId(4)), net.dropped.len()), (None, 1));
        net.send(NodeId(0), NodeId(4));
        net.run_until(at(9000));
        assert_eq!(net.way(NodeId(0), NodeId(4)), [0, 5, 6, 7, 8, 4]);
        assert_eq!(net.delivered.len(), 2);
        net.audit();
    }
}

#[test]
fn errors_go_to_who_was_promised_the_route() {
    let mut net = ring(&Config { local_repair: LocalRepair::Never, ..Config::default() });
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3000));
    net.cut(NodeId(3), NodeId(4));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3100));
    let hops: Vec<_> = net.errors().iter().map(|sent| (sent.from, sent.next_hop)).collect();
    assert_eq!(
        hops,
        [
            (NodeId(3), NextHop::Node(NodeId(2))),
            (NodeId(2), NextHop::Node(NodeId(1))),
            (NodeId(1), NextHop::Node(NodeId(0)))
        ]
    );
}

#[test]
fn the_destination_hears_when_the_way_back_breaks() {
    let mut net = Net::chain(4, &Config { local_repair: LocalRepair::Never, ..Config::default() });
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(1000));
    net.cut(NodeId(0), NodeId(1));
    net.send(NodeId(3), NodeId(0));
    net.run_until(at(1100));
    let hops: Vec<_> = net.errors().iter().map(|sent| (sent.from, sent.next_hop)).collect();
    assert_eq!(hops, [(NodeId(1), NextHop::Node(NodeId(2))), (NodeId(2), NextHop::Node(NodeId(3)))]);
    assert_eq!(net.next(NodeId(3), NodeId(0)), None);
}

#[test]
fn a_route_is_repaired_where_it_broke() {
    for (config, says_so) in [(Config::default(), true), (Config::of(Preset::Ns2), false)] {
        let mut net = Net::chain_and(5, 1, &config);
        net.link(NodeId(3), NodeId(5));
        net.link(NodeId(5), NodeId(4));
        net.send(NodeId(0), NodeId(4));
        net.run_until(at(3000));
        net.cut(NodeId(3), NodeId(4));
        net.send(NodeId(0), NodeId(4));
        net.run_until(at(3005));
        assert!(net.next(NodeId(3), NodeId(4)).is_none_or(|next| next == NodeId(4)));
        net.run_until(at(4000));
        assert_eq!(net.way(NodeId(0), NodeId(4)), [0, 1, 2, 3, 5, 4]);
        assert_eq!((net.delivered.len(), net.dropped.len()), (2, 0));
        assert_eq!(net.asked(NodeId(3)).len(), 1);
        // The route is longer than it was: its users are notified, and keep it.
        let repaired = |sent: &&net::Sent| matches!(&sent.message, Message::Error(RouteError { is_repaired: true, unreachable, .. }) if unreachable[0].0 == 4);
        let notified: Vec<_> = net.errors().into_iter().filter(repaired).map(|sent| sent.from).collect();
        assert_eq!(notified, if says_so { vec![3, 2, 1] } else { vec![] });
        net.audit();
    }
}

#[test]
fn a_repair_in_vain_ends_in_an_error() {
    let mut net = Net::chain(5, &Config::default());
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3000));
    net.cut(NodeId(3), NodeId(4));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3003));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3100));
    assert_eq!(net.nodes[3].table.peek(NodeId(4)).unwrap().state, State::Repairing);
    assert!(net.errors().is_empty() && net.dropped.is_empty());
    // max(1 hop to go, half of 3 hops done) + 2 hops; 2 x 40 ms x (3 + 2).
    assert_eq!(net.asked(NodeId(3))[0].1, 3);
    net.run_until(at(3600));
    assert_eq!(net.dropped.iter().map(|&(_, cause)| cause).collect::<Vec<_>>(), [Cause::NoRoute; 2]);
    assert_eq!(net.next(NodeId(0), NodeId(4)), None);
    net.audit();
}

#[test]
fn ns2_repairs_only_what_is_past_half_way() {
    let mut net = Net::chain(5, &Config::of(Preset::Ns2));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3000));
    net.cut(NodeId(1), NodeId(2));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3100));
    assert!(net.asked(NodeId(1)).is_empty());
    assert_eq!(net.dropped.len(), 1);
}

#[test]
fn a_stale_repair_waits_for_what_is_better_than_the_route_that_broke() {
    for (repair_keeps_sequence_number, delivered) in [(true, 1), (false, 2)] {
        let mut net = Net::chain(6, &Config { repair_keeps_sequence_number, ..Config::of(Preset::Ns2) });
        net.send(NodeId(0), NodeId(5));
        net.run_until(at(3000));
        net.cut(NodeId(3), NodeId(4));
        net.send(NodeId(0), NodeId(5));
        net.run_until(at(3100));
        net.link(NodeId(3), NodeId(4));
        // Node 4 knows the way, as it was; the destination itself would make a newer one.
        net.run_until(at(7000));
        assert_eq!((net.delivered.len(), net.dropped.len()), (delivered, 0));
        assert_eq!(
            net.nodes[3].table.peek(NodeId(5)).unwrap().state == State::Stale,
            repair_keeps_sequence_number
        );
        // The answer was due after 2 x 30 hops x 30 ms, at 4.8 s: 4.8 s after its begin the repair is given up, and the
        // next request, at 9 s, asks for something newer.
        net.run_until(at(9500));
        assert_eq!(
            (net.delivered.len(), net.way(NodeId(0), NodeId(5))),
            (2, [0, 1, 2, 3, 4, 5].map(NodeId).to_vec())
        );
        net.audit();
    }
}

#[test]
fn packets_keep_the_way_back_in_use_but_not_in_ns2() {
    for (config, is_kept) in [(Config::default(), true), (Config::of(Preset::Ns2), false)] {
        let mut net = Net::chain(4, &config);
        for second in 0..20 {
            net.run_until(at(1000 * second));
            net.send(NodeId(0), NodeId(3));
        }
        net.run_until(at(20_000));
        assert_eq!(
            (net.way(NodeId(0), NodeId(3)), net.next(NodeId(2), NodeId(0)).is_some()),
            ([0, 1, 2, 3].map(NodeId).to_vec(), is_kept)
        );
    }
}

#[test]
fn own_packets_wait_for_another_route_when_the_first_link_breaks() {
    let mut net = ring(&Config::default());
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(3000));
    net.cut(NodeId(0), NodeId(1));
    net.send(NodeId(0), NodeId(4));
    net.run_until(at(9000));
    assert_eq!((net.delivered.len(), net.dropped.len()), (2, 0));
    assert_eq!(net.way(NodeId(0), NodeId(4)), [0, 5, 6, 7, 8, 4]);
}

#[test]
fn who_forwards_without_a_route_says_so() {
    let mut net = Net::chain(4, &Config::default());
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(3000));
    // Node 1 forgets everything.
    let empty = Net::chain(4, &Config::default());
    net.nodes[1] = empty.nodes[1].clone();
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(3100));
    assert_eq!(net.dropped, [(net.dropped[0].0, Cause::NoRoute)]);
    let [error] = net.errors()[..] else { panic!("{:?}", net.errors()) };
    assert_eq!((error.from, error.next_hop, error.hop_limit), (NodeId(1), NextHop::Everyone, 1));
    assert_eq!(net.next(NodeId(0), NodeId(3)), None);
}

#[test]
fn a_neighbour_that_says_no_more_hellos_is_gone() {
    let config = Config { hello: true, link_layer_detection: false, ..Config::default() };
    let config = Config { active_route_timeout: Duration::from_secs(60), ..config };
    let mut net = Net::chain(4, &config);
    net.is_silent = true;
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(10_000));
    assert_eq!(net.way(NodeId(0), NodeId(3)), [0, 1, 2, 3]);
    let hellos = |net: &Net, node: NodeId| {
        let is_hello = |sent: &&net::Sent| {
            sent.from == node
                && sent.hop_limit == 1
                && matches!(sent.message, Message::Reply(reply) if reply.destination == node)
        };
        net.sent.iter().filter(is_hello).count()
    };
    for node in 0..4 {
        assert!((8..=10).contains(&hellos(&net, NodeId(node))), "{}", hellos(&net, NodeId(node)));
    }
    net.cut(NodeId(2), NodeId(3));
    net.run_until(at(10_900));
    assert_eq!(net.way(NodeId(0), NodeId(3)), [0, 1, 2, 3]);
    net.run_until(at(12_100));
    assert_eq!(
        (net.next(NodeId(2), NodeId(3)), net.next(NodeId(1), NodeId(3)), net.next(NodeId(0), NodeId(3))),
        (None, None, None)
    );
}

#[test]
fn packets_wait_no_longer_than_they_may_and_no_more_than_there_is_room_for() {
    let config = Config { send_buffer: 3, send_buffer_timeout: ms(1000), ..Config::default() };
    let mut net = Net::new(2, &config, 1);
    for time in [0, 100, 200, 300, 400] {
        net.run_until(at(time));
        net.send(NodeId(0), NodeId(1));
    }
    net.run_until(at(5000));
    let (full, late) = (Cause::SendBufferFull, Cause::SendBufferTimeout);
    assert_eq!(
        net.dropped,
        [(at(300), full), (at(400), full), (at(1200), late), (at(1300), late), (at(1400), late)]
    );
    // Nobody waits any more, so nobody is asked any more.
    assert_eq!(net.asked(NodeId(0)).len(), 4);
    net.audit();
}

#[test]
fn a_node_begins_ten_requests_a_second_at_most() {
    let mut net = Net::new(40, &prompt(), 1);
    (1..40).for_each(|destination| net.send(NodeId(0), NodeId(destination)));
    net.run_until(at(20_000));
    let asked = net.asked(NodeId(0));
    assert_eq!(asked.iter().filter(|&&(time, _)| time == at(0)).count(), 10);
    for window in asked.windows(11) {
        assert!(window[10].0 - window[0].0 >= ms(1000), "{window:?}");
    }
    let mut unlimited = Net::new(40, &Config { rreq_ratelimit: None, ..prompt() }, 1);
    (1..40).for_each(|destination| unlimited.send(NodeId(0), NodeId(destination)));
    assert_eq!(unlimited.asked(NodeId(0)).len(), 39);
}

/// 0 is heard by 1 but does not hear it; 0 - 2 - 3 - 1 goes both ways.
fn one_way(config: &Config) -> Net {
    let mut net = Net::new(4, config, 1);
    net.link_one_way(NodeId(0), NodeId(1));
    for (a, b) in [(0, 2), (2, 3), (3, 1)] {
        net.link(NodeId(a), NodeId(b));
    }
    net
}

#[test]
fn who_does_not_get_an_answer_is_asked_another_way() {
    let silent = Config { rrep_ack: true, link_layer_detection: false, ..Config::default() };
    for (config, is_silent) in [(Config::default(), false), (silent, true)] {
        let mut net = one_way(&config);
        net.is_silent = is_silent;
        net.send(NodeId(0), NodeId(1));
        net.run_until(at(4000));
        assert_eq!(
            (net.way(NodeId(0), NodeId(1)), net.delivered.len()),
            ([0, 2, 3, 1].map(NodeId).to_vec(), 1)
        );
        net.audit();
    }
}

#[test]
fn packets_leave_one_by_one_when_the_route_is_found_in_ns2() {
    let mut net = Net::chain(2, &Config::of(Preset::Ns2));
    (0..5).for_each(|_| net.send(NodeId(0), NodeId(1)));
    net.run_until(at(1000));
    let times: Vec<_> = net.delivered.iter().map(|&(time, _)| time).collect();
    assert_eq!(times.len(), 5);
    for pair in times.windows(2) {
        assert!((pair[1] - pair[0]).abs_diff(ms(10)) < ms(1), "{times:?}");
    }
}
