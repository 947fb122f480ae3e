//! Every registered congestion control with every registered recovery, over a link that loses, reorders,
//! duplicates and corrupts at random, both ways: the file arrives whole, once and in order.

use std::sync::{Arc, Mutex};

use farlink_kernel::config::Fraction;
use farlink_kernel::random::{draw, name_key};
use farlink_kernel::{BitRate, Bytes, Duration, Instant};
use farlink_network::blueprint::{Blueprint, Flow, Link, Node, Record};
use farlink_network::channel::error::{self, impair};
use farlink_network::ids::FlowId;
use farlink_network::ids::NodeId;
use farlink_network::interface::link;
use farlink_network::observe::capture::{Capture, Captured, Content};
use farlink_network::payload::{Payload, pattern};
use farlink_network::routing::{self, shortest_path};
use farlink_network::schedule::{Schedule, Start};
use farlink_network::space::Position;
use farlink_network::{Results, World, app, host};
use farlink_tcp::config::Preset;
use farlink_tcp::{Config, congestion, recovery};
use sha2::{Digest, Sha256};

const SIZE: u64 = 300_000;
/// The wrap comes so many bytes after the first at most.
const BEFORE_THE_WRAP: u32 = 200_000;

fn line() -> link::Config {
    let part = Fraction(0.03);
    let impair =
        impair::Config { lose: part, corrupt: part, duplicate: part, reorder: part, ..Default::default() };
    link::Config {
        rate: Schedule::Constant(BitRate::from_bps(10_000_000)),
        delay: Schedule::Constant(Duration::from_millis(10)),
        error: error::Config::Impair(impair),
        ..link::Config::default()
    }
}

fn transfer(tcp: Config, size: u64) -> Blueprint {
    let node = |name: &str| Node::at(name, Position::default());
    Blueprint {
        nodes: vec![node("sender"), node("receiver")],
        links: vec![Link { between: [0, 1].map(NodeId), forward: line(), reverse: line() }],
        channels: Vec::new(),
        routing: routing::Config::ShortestPath(shortest_path::Config::default()),
        host_delay: host::Config::named("none").expect("registered"),
        flows: vec![Flow {
            label: "file".into(),
            from: NodeId(0),
            to: NodeId(1),
            start: Start::At(Instant::ZERO),
            stop: None,
            application: app::Config::File(app::file::Config { size: Bytes(size) }),
            tcp,
            payload: Payload::Stored,
        }],
        workloads: Vec::new(),
        record: Record::default(),
        duration: Duration::from_secs(3600),
    }
}

/// The lowest and highest sequence number of data seen.
#[derive(Clone, Debug)]
struct Numbers(Arc<Mutex<(u32, u32)>>);

impl Capture for Numbers {
    fn on_packet(&mut self, captured: &Captured<'_>) {
        let Content::Segment(segment) = captured.content else { return };
        if captured.from_opener && segment.len > 0 {
            let mut seen = self.0.lock().expect("nobody panicked with it");
            *seen = (seen.0.min(segment.seq.0), seen.1.max(segment.seq.0));
        }
    }
}

/// What arrived, and the lowest and highest sequence number used for it.
fn run(tcp: Config, size: u64, seed: u64) -> (Results, (u32, u32)) {
    let mut world = World::new(&transfer(tcp, size), seed).expect("a network of two nodes");
    let numbers = Numbers(Arc::new(Mutex::new((u32::MAX, 0))));
    world.set_capture(Box::new(numbers.clone()));
    world.run_until(Instant::NEVER);
    let results = world.finish();
    let seen = *numbers.0.lock().expect("nobody panicked with it");
    (results, seen)
}

/// Seeds with which the first flow's sequence numbers wrap while its file is sent.
fn seeds_that_wrap() -> impl Iterator<Item = u64> {
    let initial = |seed| draw(seed, name_key("initial_seq"), 0, 0) as u32;
    (0..).filter(move |&seed| u32::MAX - initial(seed) < BEFORE_THE_WRAP)
}

/// Every congestion control with every recovery, in the arithmetic of `preset`.
fn every_pair(preset: Preset) -> Vec<Config> {
    let controls = congestion::Config::NAMES.iter();
    let pairs =
        controls.flat_map(|control| recovery::Config::NAMES.iter().map(move |recovery| (control, recovery)));
    pairs
        .map(|(control, recovery)| Config {
            congestion_control: congestion::Config::named(control).expect("registered"),
            recovery: recovery::Config::named(recovery).expect("registered"),
            ..Config::preset(preset)
        })
        .collect()
}

fn assert_arrives(tcp: Config, seed: u64, wraps: bool) {
    let name = format!("{} with {}, seed {seed}", tcp.congestion_control.name(), tcp.recovery.name());
    let (results, (lowest, highest)) = run(tcp, SIZE, seed);
    let flow = &results.flows[0];
    let sent: Vec<u8> = pattern(FlowId(0), 0, SIZE as u32).collect();
    let received = flow.received.as_deref().expect("the payload is stored");
    assert_eq!(Sha256::digest(received), Sha256::digest(sent), "{name}: {} bytes", received.len());
    assert!(flow.completion.is_some(), "{name} does not end");
    let spread = u64::from(highest - lowest);
    assert_eq!(spread >= SIZE, wraps, "{name}: sequence numbers from {lowest} to {highest}");
    for cause in ["link_error", "corrupted"] {
        assert!(results.drops.iter().any(|(met, _)| *met == cause), "{name}: {:?}", results.drops);
    }
}

#[test]
fn every_pair_delivers_every_byte_once_and_in_order() {
    for tcp in every_pair(Preset::Rfc) {
        for seed in 1..=2 {
            assert_arrives(tcp.clone(), seed, false);
        }
    }
}

#[test]
fn every_pair_delivers_every_byte_when_sequence_numbers_wrap() {
    let seeds: Vec<u64> = seeds_that_wrap().take(2).collect();
    for tcp in every_pair(Preset::Rfc) {
        for &seed in &seeds {
            assert_arrives(tcp.clone(), seed, true);
        }
    }
}

#[test]
fn every_preset_delivers_every_byte_when_sequence_numbers_wrap() {
    let seeds: Vec<u64> = seeds_that_wrap().take(1).collect();
    for preset in [Preset::Linux, Preset::Ns2, Preset::Ns2Linux] {
        for tcp in every_pair(preset) {
            assert_arrives(tcp.clone(), seeds[0], true);
        }
    }
}

/// All of such a file may be there before its SYN, where none is waited for.
#[test]
fn short_files_arrive_whole_whichever_packets_of_theirs_are_lost() {
    for preset in [Preset::Rfc, Preset::Linux, Preset::Ns2, Preset::Ns2Linux] {
        for size in [1, 1_000, 4_000, 14_000] {
            let sent: Vec<u8> = pattern(FlowId(0), 0, size as u32).collect();
            for seed in 1..=100 {
                let (results, _) = run(Config::preset(preset), size, seed);
                let flow = &results.flows[0];
                assert_eq!(flow.received.as_deref(), Some(&sent[..]), "{preset:?}, {size} B, seed {seed}");
                assert!(flow.completion.is_some(), "{preset:?}, {size} B, seed {seed} does not end");
            }
        }
    }
}
