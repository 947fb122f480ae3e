//! Work that is measured: the bare event queue and the whole satellite run.

use farlink_kernel::random::Stream;
use farlink_kernel::{BitRate, Bytes, Duration, EventQueue, Instant, Phase};
use farlink_network::blueprint::{Blueprint, Direction, Flow, Link, Node, Payload, Record};
use farlink_network::channel::error;
use farlink_network::course::{Course, Start};
use farlink_network::space::Position;
use farlink_network::{Results, World, app, queue, routing};
use farlink_tcp::Amount;
use farlink_tcp::config::{DelayedAck, InitialWindow, Preset};

/// The satellite of the comparison with ns-2 and ns-3 (`bench/peers/satellite.toml`): 100 Mbit/s, 300 ms
/// one way, a buffer of 5000 packets, Reno with SACK, a window of 10 000 packets, an ACK per segment.
pub fn satellite(duration: Duration, bit_error_rate: f64) -> Blueprint {
    let direction = Direction {
        rate: Course::Constant(BitRate::from_bps(100_000_000)),
        delay: Course::Constant(Duration::from_millis(300)),
        queue: queue::Config::DropTail(queue::drop_tail::Config { limit: Amount::Packets(5000) }),
        ..Direction::default()
    };
    let errors = error::bit_error_rate::Config {
        rate: farlink_kernel::config::Fraction(bit_error_rate),
        ..error::bit_error_rate::Config::default()
    };
    let node = |name: &str| Node { name: name.into(), position: Position::default() };
    Blueprint {
        nodes: vec![node("ground"), node("remote")],
        links: vec![Link {
            between: [0, 1],
            forward: Direction { error: error::Config::BitErrorRate(errors), ..direction.clone() },
            reverse: direction,
        }],
        channels: Vec::new(),
        routing: routing::Config::ShortestPath(routing::shortest_path::Config::default()),
        flows: vec![Flow {
            label: "transfer".into(),
            from: 0,
            to: 1,
            start: Start::At(Instant::ZERO),
            stop: None,
            application: app::Config::Bulk(app::bulk::Config {}),
            tcp: farlink_tcp::Config {
                segment_size: Bytes(1448),
                max_window: Some(Amount::Packets(10_000)),
                initial_window: InitialWindow::Fixed(Amount::Packets(10)),
                delayed_ack: DelayedAck::Off,
                ..farlink_tcp::Config::preset(Preset::Rfc)
            },
            payload: Payload::Pattern,
        }],
        record: Record::default(),
        duration,
    }
}

/// Runs `blueprint` with seed 1 to its end.
///
/// # Panics
/// When the blueprint is refused: it is not fit to be measured.
pub fn run(blueprint: &Blueprint) -> Results {
    let mut world = World::new(blueprint, 1).expect("a well-formed blueprint");
    world.run_until(Instant::NEVER);
    world.finish()
}

/// An event queue that holds `depth` events, at random times within a second.
pub fn filled_queue(depth: u32) -> (EventQueue<u64>, Stream) {
    let (mut queue, mut stream) = (EventQueue::new(), Stream::new(1, "bench", 0));
    for _ in 0..depth {
        queue.push(Instant::from_nanos(stream.below(1_000_000_000)), Phase::Timer, 0, 0);
    }
    (queue, stream)
}

/// Takes the next event and puts it back at a random time within the next second: the depth stays.
pub fn pop_and_push(queue: &mut EventQueue<u64>, stream: &mut Stream) -> Option<u64> {
    let (now, event) = queue.pop()?;
    queue.push(now + Duration::from_nanos(stream.below(1_000_000_000)), Phase::Timer, 0, event + 1);
    Some(event)
}
