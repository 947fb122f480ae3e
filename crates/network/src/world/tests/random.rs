//! Random networks of both worlds: every packet is accounted for at any time, and neither slices nor skipped
//! listeners change a result.

use crate::ids::NodeId;
use std::collections::BTreeSet;

use farlink_kernel::config::Fraction;
use farlink_kernel::random::Stream;
use farlink_tcp::congestion;

use super::*;
use crate::blueprint::Radio;
use crate::channel::jitter;
use crate::channel::medium::Delay;
use crate::channel::propagation::{self, disc};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::interface::arp::Arp;
use crate::mac::{self, aloha, dcf};
use crate::mobility::{self, random_waypoint};
use crate::phy::{self, antenna};
use crate::routing::reconverge::Reconverge;
use crate::space::{Area, Metres, Pace, Speed};

const SCENES: u64 = 150;

/// Makes networks from a seed.
struct Maker(Stream);

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// A server side on links and a field of radio nodes behind the last wired one; one of the two may be
    /// missing.
    fn scene(&mut self) -> Blueprint {
        let (wired, on_radio) = match self.below(3) {
            0 => (2 + self.below(4), 0),
            1 => (1, 1 + self.below(5)),
            _ => (2 + self.below(3), 1 + self.below(4)),
        };
        let nodes = wired + on_radio;
        let mut links: Vec<_> = (1..wired).map(|node| self.link(node)).collect();
        if wired > 2 && self.coin() {
            links.push(link(NodeId(0), NodeId(wired as u32 - 1), &self.direction()));
        }
        let flows = (0..=self.below(4)).map(|_| self.flow(nodes)).collect();
        let mut scene = blueprint(nodes, links, flows, 3);
        let config =
            routing::shortest_path::Config { route_notifications: self.coin(), ..Default::default() };
        scene.routing = routing::Config::ShortestPath(config);
        if on_radio > 0 {
            for (node, place) in scene.nodes[wired - 1..].iter_mut().zip(0..) {
                node.position.x = Metres(f64::from(place) * 200.0 + self.0.uniform() * 45.0);
            }
            let members = (wired as u32 - 1..nodes as u32).map(NodeId).collect();
            scene.channels = vec![Channel::new("air", members, self.radio())];
            if self.coin() {
                self.move_about(&mut scene.nodes[wired - 1..]);
            }
        }
        scene
    }

    /// Half of the nodes move, some of them fast.
    fn move_about(&mut self, nodes: &mut [Node]) {
        let speed = if self.coin() { Pace(5.0) } else { Pace(300.0) };
        for node in nodes {
            let motion = random_waypoint::Config {
                area: Area { width: Metres(800.0), height: Metres(50.0) },
                min_speed: speed,
                max_speed: speed,
                start: random_waypoint::Start::Position,
                ..random_waypoint::Config::default()
            };
            if self.coin() {
                node.mobility = mobility::Config::RandomWaypoint(motion);
            }
        }
    }

    fn link(&mut self, node: usize) -> Link {
        let between = [self.below(node) as u32, node as u32].map(NodeId);
        Link { between, forward: self.direction(), reverse: self.direction() }
    }

    fn direction(&mut self) -> link::Config {
        let mut line = direction(1 + self.below(20) as u64, self.below(30) as u64, 1 + self.below(30) as u64);
        if self.coin() {
            let names: Vec<_> = queue::Config::NAMES.iter().filter(|name| **name != "shaper").collect();
            line.queue = queue::Config::named(names[self.below(names.len())]).expect("registered");
        }
        let part = Fraction(0.02);
        let impair = error::impair::Config {
            lose: part,
            corrupt: part,
            duplicate: part,
            reorder: part,
            ..Default::default()
        };
        if self.coin() {
            line.error = error::Config::Impair(impair);
        }
        if self.below(4) == 0 {
            let start = self.below(2000) as u64;
            line.down = vec![Outage::once(at(start), at(start + 500))];
        }
        line
    }

    /// On one of four directions, in order or not.
    fn jitter(&mut self) -> Option<jitter::Config> {
        let names = jitter::Config::NAMES;
        let mut model = jitter::Config::named(names[self.below(names.len())]).expect("registered");
        *model.in_order_mut() = self.coin();
        (self.below(4) == 0).then_some(model)
    }

    fn radio(&mut self) -> Radio {
        let delay = if self.coin() { Delay::None } else { Delay::Distance };
        let speed =
            if self.coin() { PropagationSpeed::LIGHT } else { PropagationSpeed::Constant(Speed(1500.0)) };
        let mac = aloha::Config {
            acknowledge: self.coin(),
            combine: self.coin(),
            retries: self.below(4) as u32,
            timeout: ms(5 + 500 * u64::from(speed != PropagationSpeed::LIGHT && delay == Delay::Distance)),
            ..aloha::Config::default()
        };
        let radio = Radio {
            arp: if self.coin() { Arp::OneSlot } else { Arp::Ideal },
            propagation: propagation::Config::Disc(disc::Config {
                range: Metres(250.0),
                ..Default::default()
            }),
            delay,
            propagation_speed: speed,
            mac: mac::Config::Aloha(mac),
            ..Radio::default()
        };
        let slow = ["csma", "uw_csma", "cs_aloha", "slotted_fama", "t_lohi", "tdma"];
        match self.below(4) {
            0 => {
                Radio { mac: mac::Config::named(slow[self.below(slow.len())]).expect("registered"), ..radio }
            }
            1 => radio,
            _ => self.wlan(radio),
        }
    }

    /// 802.11 over whatever the path does to it.
    fn wlan(&mut self, mut radio: Radio) -> Radio {
        let names = on_land(propagation::Config::NAMES);
        radio.propagation = propagation::Config::named(names[self.below(names.len())]).expect("registered");
        radio.propagation_speed = PropagationSpeed::LIGHT;
        radio.mac = mac::Config::Dcf(dcf::Config {
            rules: if self.coin() { dcf::Rules::Standard } else { dcf::Rules::Ns2 },
            rts_threshold: Bytes(if self.coin() { 0 } else { 500 }),
            ..dcf::Config::default()
        });
        let formats = on_land(phy::Config::NAMES);
        radio.phy = phy::Config::named(formats[self.below(formats.len())]).expect("registered");
        if self.coin() {
            radio.antenna.reception = antenna::Reception::Interference;
        }
        if self.coin() {
            radio.antenna.frame_error_rate = Fraction(0.2);
        }
        radio
    }

    fn flow(&mut self, nodes: usize) -> Flow {
        let from = self.below(nodes);
        let to = (from + 1 + self.below(nodes - 1)) % nodes;
        let application = match self.below(5) {
            0 | 1 => app::Config::named("bulk").expect("registered"),
            2 => file(self.0.below(200_000)),
            3 => app::Config::named("on_off").expect("registered"),
            _ => app::Config::named("constant_bit_rate").expect("registered"),
        };
        let mut made = flow(NodeId(from as u32), NodeId(to as u32), application);
        made.start = Start::At(at(self.0.below(1000)));
        let controls = congestion::Config::NAMES;
        made.tcp.congestion_control =
            congestion::Config::named(controls[self.below(controls.len())]).expect("registered");
        let modes = [EcnMode::Off, EcnMode::Classic, EcnMode::Accurate, EcnMode::Auto];
        made.tcp.ecn = modes[self.below(modes.len())];
        if self.coin() {
            made.stop = Some(at(1000 + self.0.below(2000)));
        }
        made
    }
}

/// The names that are not those of underwater acoustics.
fn on_land(names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().filter(|name| *name != "acoustic").collect()
}

pub(super) fn scene(number: u64) -> Blueprint {
    let mut scene = Maker(Stream::new(number, "scene", 0)).scene();
    let mut maker = Maker(Stream::new(number, "jitter", 0));
    for line in scene.links.iter_mut().flat_map(|link| [&mut link.forward, &mut link.reverse]) {
        line.jitter = maker.jitter();
        if maker.below(8) == 0 {
            line.queue = queue::Config::named("shaper").expect("registered");
        }
    }
    if let (routing::Config::ShortestPath(config), true) = (&mut scene.routing, maker.coin()) {
        config.reconverge = Reconverge::After(ms(200));
    }
    scene
}

/// Runs in 60 slices of 50 ms and opens the books after each.
fn audited(scene: &Blueprint) -> Results {
    let mut world = World::new(scene, 1).unwrap();
    for slice in 1..=60 {
        world.run_until(at(slice * 50));
        world.audit();
    }
    world.finish()
}

#[test]
fn every_packet_of_a_random_network_is_accounted_for_at_any_time() {
    let (mut deliveries, mut causes) = (0, BTreeSet::new());
    for number in 0..SCENES {
        let results = audited(&scene(number));
        deliveries += results.engine.deliveries;
        causes.extend(results.drops.iter().chain(&results.failed_attempts).map(|&(cause, _)| cause));
        for flow in &results.flows {
            assert!(flow.packets_delivered <= flow.packets_sent, "scene {number}: {flow:?}");
        }
    }
    assert!(deliveries > 50_000, "{deliveries}");
    let met = [
        "queue_full",
        "early_drop",
        "policed",
        "link_error",
        "corrupted",
        "link_down",
        "link_failure",
        "collision",
        "receiver_transmitting",
        "out_of_range",
        "capture_lost",
        "below_threshold",
        "receiver_busy",
        "bit_error",
        "arp",
    ];
    assert!(met.iter().all(|cause| causes.contains(cause)), "{causes:?}");
}

#[test]
fn random_networks_give_the_same_results_again_and_in_slices() {
    for number in 0..SCENES / 3 {
        let scene = scene(number);
        assert_eq!(audited(&scene), run(&scene, 1), "scene {number}");
    }
}

#[test]
fn culling_changes_no_result_of_random_networks() {
    for number in (0..SCENES).filter(|&number| !scene(number).channels.is_empty()) {
        assert_eq!(run(&scene(number), 1), run(&scene(number).without_culling(), 1), "scene {number}");
    }
}

/// The same networks with protocols that look for their routes.
fn searching(number: u64) -> Blueprint {
    use routing::aodv::config::{Config, Preset};
    use routing::dsr;
    let config = match number % 7 {
        0 => routing::Config::Aodv(Config::default()),
        1 => routing::Config::Aodv(Config {
            route_notifications: routing::notice::Notices::InBand,
            ..Config::of(Preset::Ns2)
        }),
        2 => routing::Config::named("dsdv").expect("registered"),
        3 => routing::Config::named("dsr").expect("registered"),
        4 => routing::Config::Dsr(dsr::Config {
            route_notifications: routing::notice::Notices::InBand,
            ..dsr::Config::of(dsr::config::Preset::Ns2)
        }),
        5 => routing::Config::Aodv(Config { hello: true, rrep_ack: true, ..Config::default() }),
        _ => routing::Config::named("olsr").expect("registered"),
    };
    Blueprint { routing: config, ..scene(number) }
}

#[test]
fn networks_that_look_for_their_routes_are_as_exact() {
    let mut deliveries = 0;
    for number in 0..SCENES / 2 {
        let scene = searching(number);
        let results = audited(&scene);
        deliveries += results.flows.iter().map(|flow| flow.packets_delivered).sum::<u64>();
        assert_eq!(results, run(&scene, 1), "scene {number}");
        if !scene.channels.is_empty() {
            assert_eq!(results, run(&scene.without_culling(), 1), "scene {number}");
        }
    }
    assert!(deliveries > 5000, "{deliveries}");
}
