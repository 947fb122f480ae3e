//! The answers of each node, message by message.

use super::net::{Net, Sent, at};
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::routing::aodv::config::{Config, Preset};
use crate::wire::aodv::sequence::Sequence;
use crate::wire::aodv::{Message, Reply, Request, RouteError};

/// 0 - 1 - 2 - 3 with routes between the ends, and 4 beside 1.
fn settled(config: &Config) -> Net {
    let mut net = Net::chain_and(4, 1, config);
    net.link(NodeId(1), NodeId(4));
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(1500));
    assert_eq!(net.way(NodeId(1), NodeId(3)), [1, 2, 3]);
    net.sent.clear();
    net
}

fn request(sequence: Option<u32>) -> Request {
    Request {
        is_gratuitous: false,
        is_for_destination_only: false,
        hop_count: 0,
        id: 77,
        destination: NodeId(3),
        destination_sequence: sequence.map(Sequence),
        originator: NodeId(4),
        originator_sequence: Sequence(50),
    }
}

/// What node 1 says when node 4 asks.
fn said(net: &mut Net, request: Request, hop_limit: u8) -> Vec<Sent> {
    net.tell(NodeId(1), NodeId(4), hop_limit, Message::Request(request));
    net.run_until(at(1520));
    net.sent.iter().filter(|sent| sent.from == NodeId(1)).cloned().collect()
}

fn known(net: &Net) -> u32 {
    net.nodes[1].table.peek(NodeId(3)).unwrap().sequence.unwrap().0
}

fn is_forwarded(said: &[Sent]) -> bool {
    said.iter().any(|sent| matches!(sent.message, Message::Request(_)))
}

#[test]
fn a_node_on_the_way_answers_with_what_is_as_new_as_asked_for() {
    let now = known(&settled(&Config::default()));
    for (asked, answers) in [(None, true), (Some(now), true), (Some(now + 1), false)] {
        let mut net = settled(&Config::default());
        let said = said(&mut net, request(asked), 5);
        assert_eq!(is_forwarded(&said), !answers, "{asked:?}");
        if answers {
            let Message::Reply(reply) = said[0].message else { panic!("{said:?}") };
            let expected = Reply {
                wants_acknowledgement: false,
                hop_count: 2,
                destination: NodeId(3),
                destination_sequence: Sequence(now),
                originator: NodeId(4),
                lifetime_ms: reply.lifetime_ms,
            };
            assert_eq!((reply, said[0].next_hop), (expected, NextHop::Node(NodeId(4))));
            assert!(reply.lifetime_ms > 1000 && reply.lifetime_ms <= 6000, "{reply:?}");
            let precursors = &net.nodes[1].table.peek(NodeId(3)).unwrap().precursors;
            assert!(precursors.iter().any(|hop| hop.next_hop == NextHop::Node(NodeId(4))));
        }
    }
}

#[test]
fn only_the_destination_answers_when_asked_for_that() {
    let mut net = settled(&Config::default());
    let said = said(&mut net, Request { is_for_destination_only: true, ..request(None) }, 5);
    assert!(is_forwarded(&said));
    net.run_until(at(1600));
    let answered =
        |sent: &Sent| matches!(sent.message, Message::Reply(reply) if reply.originator == NodeId(4));
    let path: Vec<_> = net.sent.iter().filter(|sent| answered(sent)).map(|sent| sent.from).collect();
    assert_eq!(path, [3, 2, 1]);
    assert_eq!(net.way(NodeId(4), NodeId(3)), [4, 1, 2, 3]);
}

#[test]
fn the_destination_hears_of_the_originator_when_another_node_answers() {
    let mut net = settled(&Config::default());
    said(&mut net, Request { is_gratuitous: true, ..request(None) }, 5);
    assert_eq!(net.way(NodeId(3), NodeId(4)), [3, 2, 1, 4]);
    assert_eq!(net.nodes[3].table.peek(NodeId(4)).unwrap().sequence, Some(Sequence(50)));
    let mut net = settled(&Config::default());
    said(&mut net, request(None), 5);
    assert_eq!(net.way(NodeId(3), NodeId(4)), [3]);
}

#[test]
fn a_request_is_passed_on_with_a_hop_more_and_the_newest_number() {
    // Node 1 asks for itself before node 4 does.
    let mut net = settled(&Config { jitter_own_requests: false, ..Config::default() });
    let now = known(&net);
    net.cut(NodeId(1), NodeId(2));
    net.send(NodeId(0), NodeId(3));
    net.run_until(at(1505));
    net.sent.clear();
    let said = said(&mut net, request(Some(now)), 5);
    let Some(Message::Request(passed)) = said.last().map(|sent| sent.message.clone()) else {
        panic!("{said:?}")
    };
    assert_eq!((passed.hop_count, passed.destination_sequence), (1, Some(Sequence(now + 1))));
    assert_eq!(said.last().map(|sent| sent.hop_limit), Some(4));
}

#[test]
fn a_request_goes_no_further_than_it_may_and_is_read_once() {
    let mut net = settled(&Config::default());
    assert!(!is_forwarded(&said(&mut net, request(Some(99)), 1)));
    assert!(!is_forwarded(&said(&mut net, request(Some(99)), 9)), "it came before");
}

#[test]
fn a_destination_answers_with_what_is_at_least_as_new_as_asked_for() {
    for (config, asked, answered) in
        [(Config::default(), 41, 41), (Config::of(Preset::Ns2), 41, 42), (Config::of(Preset::Ns2), 42, 44)]
    {
        let mut net = settled(&config);
        net.tell(NodeId(3), NodeId(2), 5, Message::Request(request(Some(asked))));
        let Message::Reply(reply) = net.sent[0].message else { panic!("{:?}", net.sent) };
        assert_eq!(reply.destination_sequence, Sequence(answered));
    }
}

#[test]
fn an_error_of_somebody_else_than_the_next_hop_changes_nothing() {
    let mut net = settled(&Config::default());
    let error = |is_repaired| {
        Message::Error(RouteError {
            is_repaired,
            unreachable: vec![(NodeId(3), Sequence(90)), (NodeId(99), Sequence(1))],
            named: None,
        })
    };
    net.tell(NodeId(1), NodeId(4), 1, error(false));
    assert_eq!(net.way(NodeId(1), NodeId(3)), [1, 2, 3]);
    net.tell(NodeId(1), NodeId(2), 1, error(true));
    assert_eq!(net.way(NodeId(1), NodeId(3)), [1, 2, 3]);
    net.tell(NodeId(1), NodeId(2), 1, error(false));
    assert_eq!((net.way(NodeId(1), NodeId(3)), known(&net)), (vec![NodeId(1)], 90));
    let to_the_source: Vec<_> = net
        .sent
        .iter()
        .filter(|sent| sent.from == NodeId(1))
        .map(|sent| (sent.next_hop, sent.message.clone()))
        .collect();
    let passed = |is_repaired| {
        let unreachable = vec![(NodeId(3), Sequence(90))];
        (NextHop::Node(NodeId(0)), Message::Error(RouteError { is_repaired, unreachable, named: None }))
    };
    assert_eq!(to_the_source, [passed(true), passed(false)]);
}

#[test]
fn ns2_makes_no_routes_to_neighbours_whose_messages_it_receives() {
    for (config, is_route) in [(Config::default(), true), (Config::of(Preset::Ns2), false)] {
        let mut net = Net::chain(4, &config);
        net.send(NodeId(0), NodeId(3));
        net.run_until(at(3000));
        assert_eq!(net.way(NodeId(3), NodeId(0)), [3, 2, 1, 0]);
        // From a RREQ, and from a RREP.
        for (node, neighbour) in [(3, 2), (0, 1)] {
            let route = net.nodes[node].table.peek(NodeId(neighbour));
            assert_eq!(route.is_some(), is_route, "{node}");
        }
    }
}
