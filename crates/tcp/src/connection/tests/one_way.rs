//! Data without a handshake.

use super::*;
use crate::config::Handshake;

fn config() -> Config {
    Config {
        handshake: Handshake::OneWay,
        initial_window: InitialWindow::Fixed(Amount::Packets(2)),
        delayed_ack: DelayedAck::Off,
        ..config_of("sack")
    }
}

fn config_of(recovery: &str) -> Config {
    Config { recovery: recovery::Config::named(recovery).expect("registered"), ..Config::default() }
}

#[test]
fn the_syn_is_the_first_packet_of_the_window_and_data_follow_at_once() {
    let mut pair = Pair::new(&config());
    pair.client.write(pair.now, 1 << 30);
    pair.run_for(Duration::from_millis(99));
    let sent: Vec<_> = pair.trace.iter().map(|(at, sent)| (at.as_nanos(), sent.segment.len)).collect();
    assert_eq!(sent, [(0, 0), (0, 1448)]);
    assert_eq!(pair.trace[0].1.segment.flags, Flags::SYN);
    assert_eq!(pair.trace[0].1.segment.header_len(), 20, "nothing is to be agreed on");
    assert_eq!((pair.server.state(), pair.client.state()), (State::Established, State::SynSent));
    pair.run_for(Duration::from_millis(2));
    // The SYN's ACK counts as much as that of data.
    assert_eq!((pair.client.sample().window.cwnd, pair.client.state()), (4.0, State::Established));
    assert_eq!(pair.client.rtt_range(), Some((pair.delay * 2, pair.delay * 2, pair.delay * 2)));
}

#[test]
fn a_syn_that_is_lost_leaves_a_hole_before_the_data() {
    let mut pair = Pair::new(&config());
    pair.client.write(pair.now, 20_000);
    pair.client.close(pair.now);
    pair.flush();
    pair.wire.pop_first();
    pair.run_for(Duration::from_millis(100));
    assert_eq!((pair.server.received(), pair.client.counters().retransmissions), (0, 0));
    pair.run_for(Duration::from_secs(10));
    let Counters { timeouts, retransmissions, .. } = pair.client.counters();
    assert_eq!((pair.server.received(), timeouts, retransmissions), (20_000, 0, 1));
    let syns = pair.trace.iter().filter(|(_, sent)| sent.segment.flags.has(Flags::SYN)).count();
    assert_eq!(syns, 2);
}

#[test]
fn fin_goes_with_the_last_data_though_they_fill_a_segment() {
    for last in [1, 700, 1448] {
        let mut pair = Pair::new(&config_of("sack"));
        pair.client.write(pair.now, 5 * 1448 + last);
        pair.client.close(pair.now);
        pair.run_for(Duration::from_secs(2));
        let fins: Vec<u32> = pair
            .trace
            .iter()
            .filter(|(_, sent)| sent.segment.flags.has(Flags::FIN))
            .map(|(_, sent)| sent.segment.len)
            .collect();
        assert_eq!(fins, [last as u32]);
        assert_eq!(pair.server.received(), 5 * 1448 + last);
    }
}

#[test]
fn the_syn_may_arrive_last_of_a_whole_file() {
    let mut pair = Pair::new(&config());
    pair.client.write(pair.now, 1000);
    pair.client.close(pair.now);
    pair.flush();
    pair.wire.pop_first();
    pair.run_for(Duration::from_secs(10));
    assert_eq!((pair.server.received(), pair.server.state()), (1000, State::CloseWait));
}
