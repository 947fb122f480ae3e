//! [`Medium`]: the capacity of a shared channel, and the events that its frames take.

use farlink_kernel::{Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::blueprint::{Channel, Radio};
use farlink_network::channel::medium::Delay;
use farlink_network::channel::propagation::{Any, Path};
use farlink_network::ids::NodeId;
use farlink_network::mac;
use farlink_network::mobility::{Setup, trajectory::Trajectory};
use farlink_network::phy::Phy;
use farlink_network::space::{Metres, Position};

/// The number of members whose neighbours are counted.
const SAMPLED: usize = 64;

/// Typical MAC and PHY headers, in bytes.
const HEADER: u32 = 30;

/// An ACK, RTS or CTS, in bytes.
const CONTROL: u32 = 20;

/// Events of a frame apart from its starts and ends at receivers: the end at its sender, timers of MACs.
const OF_A_FRAME: f64 = 4.0;

/// The mean number of transmissions of a frame under contention.
const RETRIES: f64 = 1.3;

/// Two members of a channel, of which one receives the other.
pub(crate) struct Hop {
    pub(crate) ends: [NodeId; 2],
    pub(crate) distance: Metres,
    pub(crate) delay: Duration,
}

pub(crate) struct Medium {
    positions: Vec<(NodeId, Position)>,
    range: Metres,
    /// The mean number of nodes that a frame reaches.
    pub(super) listeners: f64,
    pub(super) of_a_frame: f64,
    pub(super) reuse: f64,
    /// The propagation delay to a neighbour, in seconds.
    pub(super) delay_s: f64,
    radio: Radio,
    phy: Box<dyn Phy>,
}

impl Medium {
    pub(crate) fn new(blueprint: &Blueprint, channel: &Channel) -> Self {
        let radio = channel.radio.clone();
        let (propagation, antenna) = (radio.propagation.build(&()), &radio.antenna);
        let positions: Vec<(NodeId, Position)> =
            channel.members.iter().map(|&node| (node, position(blueprint, node))).collect();
        let range = |watts: f64| range(&propagation, positions.first().map(|first| first.1), watts);
        let [heard, disturbed] = [antenna.receive_threshold.watts, antenna.floor().watts]
            .map(|least| range(least / antenna.power.watts));
        let listeners = listeners(&positions, disturbed);
        let moments = if radio.delay == Delay::None { 1.0 } else { listeners };
        let (from, to) = (Position::default(), Position { x: heard, ..Position::default() });
        Self {
            of_a_frame: 2.0 * moments + OF_A_FRAME,
            reuse: (positions.len() as f64 / (listeners + 1.0)).max(1.0),
            delay_s: radio.propagation_speed.time_between(from, to, heard).as_secs_f64(),
            range: heard,
            phy: radio.phy.build(&()),
            listeners,
            positions,
            radio,
        }
    }

    /// The hop from a member towards another: to that one if it is in range, else to the nearest. `None` where no
    /// other member is in range.
    pub(crate) fn hop(&self, [from, to]: [NodeId; 2]) -> Option<Hop> {
        let [source, destination] = [self.place(from)?, self.place(to)?];
        let direct = (to, source.distance(destination), destination);
        let others = self.positions.iter().filter(|(node, _)| *node != from);
        let near = |&(node, position): &(NodeId, Position)| (node, source.distance(position), position);
        let nearest = others.map(near).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let in_range = [Some(direct), nearest].into_iter().flatten().find(|hop| hop.1.0 <= self.range.0);
        let (node, distance, position) = in_range?;
        Some(Hop { ends: [from, node], distance, delay: self.delay(source, position, distance) })
    }

    /// The propagation delay over the longest distance at which the mean signal is received.
    pub(crate) fn longest_delay(&self) -> Duration {
        let (from, to) = (Position::default(), Position { x: self.range, ..Position::default() });
        self.delay(from, to, self.range)
    }

    fn delay(&self, from: Position, to: Position, distance: Metres) -> Duration {
        match self.radio.delay {
            Delay::None => Duration::ZERO,
            Delay::Distance => self.radio.propagation_speed.time_between(from, to, distance),
        }
    }

    fn place(&self, node: NodeId) -> Option<Position> {
        let index = self.positions.binary_search_by_key(&node, |&(node, _)| node);
        index.ok().map(|index| self.positions[index].1)
    }

    pub(super) fn members(&self) -> usize {
        self.positions.len()
    }

    /// The number of hops between two members.
    pub(super) fn hops(&self, ends: [NodeId; 2]) -> f64 {
        let place = |node: NodeId| self.place(node).unwrap_or_default();
        let most = (self.positions.len() as f64 - 1.0).max(1.0);
        (place(ends[0]).distance(place(ends[1])).0 / self.range.0.max(1e-9)).ceil().clamp(1.0, most)
    }

    /// The frames of a packet of `size` bytes on one hop.
    fn frames(&self, size: u32) -> f64 {
        match &self.radio.mac {
            mac::Config::Dcf(dcf) if u64::from(size) >= dcf.rts_threshold.0 => 4.0,
            mac::Config::SlottedFama(_) => 4.0,
            mac::Config::Aloha(mac::aloha::Config { acknowledge: false, .. })
            | mac::Config::CsAloha(mac::cs_aloha::Config { acknowledge: false, .. })
            | mac::Config::Csma(_)
            | mac::Config::Tdma(_)
            | mac::Config::Frn(_) => 1.0,
            _ => 2.0,
        }
    }

    /// The time that those frames occupy the channel, in seconds.
    pub(super) fn exchange_s(&self, size: u32) -> f64 {
        let phy = &*self.phy;
        let duration = |size, mode| phy.air_time(size + HEADER, mode).as_secs_f64();
        let others = (self.frames(size) - 1.0) * duration(CONTROL, phy.basic_mode());
        let frames = duration(size, phy.data_mode()) + others + self.frames(size) * self.delay_s;
        (frames + self.access_s()).max(1e-9)
    }

    /// The time a MAC waits before it sends, in seconds.
    fn access_s(&self) -> f64 {
        let seconds = Duration::as_secs_f64;
        match &self.radio.mac {
            mac::Config::Dcf(_) => {
                let timing = self.phy.timing();
                4.0 * seconds(timing.sifs) + (2.0 + f64::from(timing.cw_min) / 2.0) * seconds(timing.slot)
            }
            mac::Config::CsAloha(config) => seconds(config.listen) / 2.0,
            mac::Config::UwCsma(config) => {
                seconds(config.ifs) + f64::from(config.cw_min) / 2.0 * seconds(config.slot)
            }
            mac::Config::SlottedFama(config) => 4.0 * seconds(config.max_propagation_delay + config.guard),
            mac::Config::TLohi(config) => 2.0 * seconds(config.max_propagation_delay),
            mac::Config::Tdma(config) => seconds(config.max_propagation_delay + config.guard),
            // A node sends in one of three slots, its neighbours in the others.
            mac::Config::Frn(config) => 3.0 * seconds(config.slot),
            _ => 0.0,
        }
    }

    /// The events of a packet of `size` bytes on one hop.
    pub(super) fn events(&self, size: u32) -> f64 {
        RETRIES * self.frames(size) * self.of_a_frame
    }

    /// The events per second of broadcasts of `size` bytes, offered at `rate` per second.
    pub(super) fn broadcasts(&self, rate: f64, size: u32) -> f64 {
        let duration_s = self.phy.air_time(size + HEADER, self.phy.basic_mode()).as_secs_f64().max(1e-9);
        rate.min(self.reuse / duration_s) * self.of_a_frame
    }
}

fn position(blueprint: &Blueprint, number: NodeId) -> Position {
    let node = &blueprint.nodes[number];
    let setup = Setup { seed: 0, node: number, position: node.position };
    Trajectory::new(&node.mobility, &setup).position(Instant::ZERO)
}

/// The distance at which the mean gain falls to `least`.
fn range(propagation: &Any, from: Option<Position>, least: f64) -> Metres {
    let from = from.unwrap_or_default();
    let gain = |distance: f64| {
        propagation.mean_gain(&Path::new(from, Position { x: Metres(from.x.0 + distance), ..from }))
    };
    let (mut near, mut far) = (0.0, propagation.reach(least).0.min(Metres::FARTHEST.0));
    for _ in 0..64 {
        let middle = f64::midpoint(near, far);
        if gain(middle) >= least { near = middle } else { far = middle }
    }
    Metres(far)
}

/// The mean number of nodes within a distance of a member, over a sample of members.
fn listeners(positions: &[(NodeId, Position)], within: Metres) -> f64 {
    let step = positions.len().div_ceil(SAMPLED).max(1);
    let sample = positions.iter().step_by(step);
    let near =
        |from: Position| positions.iter().filter(|(_, to)| from.distance(*to).0 <= within.0).count() - 1;
    let counts: Vec<f64> = sample.map(|&(_, from)| near(from) as f64).collect();
    counts.iter().sum::<f64>() / (counts.len() as f64).max(1.0)
}
