//! Results at the end of a run: counters count, the world sums up.

use farlink_kernel::Instant;

use crate::ids::NodeId;
use crate::interface::Interface;
use crate::interface::station::Station;
use crate::packet::named;
use crate::probe::tries;
use crate::results::{Engine, HopResult, LinkResult, Results, StationResult};
use crate::world::World;

impl World {
    /// Ends the run: checks that every packet has one end, and sums up.
    pub fn finish(mut self) -> Results {
        let now = self.context.now;
        let (ledger, ledger_rows) = self.close_ledger();
        let flows = self.flow_results();
        let links = self.link_results();
        let losses = self.context.packets.all_losses();
        Results {
            flows,
            links,
            stations: self.station_results(),
            hops: self.hop_results(),
            drops: named(&losses.drops),
            failed_tries: named(&losses.failed_tries),
            ledger,
            ledger_rows,
            flow_series: self.flow_series,
            link_series: self.link_series,
            engine: Engine {
                events: self.events.popped(),
                deliveries: self.context.packets.delivered(),
                simulated: now - Instant::ZERO,
            },
        }
    }

    fn link_results(&mut self) -> Vec<LinkResult> {
        let names = &self.blueprint.nodes;
        let name = |node: NodeId| &names[node as usize].name;
        let result = |interface: &mut Interface| match interface {
            Interface::Wire(wire) => {
                wire.usage.on_end();
                LinkResult {
                    link: format!("{}->{}", name(wire.node), name(wire.peer)),
                    utilisation: wire.usage.utilisation(),
                    queue_mean_packets: wire.usage.mean_length(),
                    queue_max_packets: wire.usage.longest(),
                    packets: wire.pipe.offered(),
                }
            }
            Interface::Station(station) => {
                station.usage.on_end();
                let channel = &self.blueprint.channels[station.channel as usize];
                LinkResult {
                    link: format!("{}:{}", channel.name, name(station.node)),
                    utilisation: station.usage.utilisation(),
                    queue_mean_packets: station.usage.mean_length(),
                    queue_max_packets: station.usage.longest(),
                    packets: station.frames,
                }
            }
        };
        self.interfaces.iter_mut().map(result).collect()
    }

    fn stations(&self) -> impl Iterator<Item = &Station> {
        self.interfaces.iter().filter_map(|interface| match interface {
            Interface::Wire(_) => None,
            Interface::Station(station) => Some(&**station),
        })
    }

    fn hop_results(&self) -> Vec<HopResult> {
        let name = |node: NodeId| self.blueprint.nodes[node as usize].name.clone();
        let of_station = |station: &Station| {
            let channel = &self.blueprint.channels[station.channel as usize].name;
            let tally = self.airs[station.channel as usize].tally(station.member);
            let result = |(to, hop): (NodeId, &tries::Hop)| HopResult {
                channel: channel.clone(),
                from: name(station.node),
                to: name(to),
                tries: hop.tries,
                failed_tries: named(&hop.failed),
                packets_given_up: hop.given_up,
            };
            tally.tries.hops().map(result).collect::<Vec<_>>()
        };
        self.stations().flat_map(of_station).collect()
    }

    fn station_results(&self) -> Vec<StationResult> {
        let result = |station: &Station| {
            let channel = &self.blueprint.channels[station.channel as usize];
            let (air, now) = (&self.airs[station.channel as usize], self.context.now);
            let (tally, ears) = (air.tally(station.member), air.ears(station.member));
            let sent = station.usage.busy();
            let heard = air.heard(station.member, now);
            StationResult {
                channel: channel.name.clone(),
                node: self.blueprint.nodes[station.node as usize].name.clone(),
                frames_sent: tally.sent,
                retries: tally.retries,
                frames_combined: tally.combined,
                frames_received: ears.received,
                frames_overheard: ears.overheard,
                packets_received_again: station.discarded + station.mac.received_again(),
                packets_given_up: station.given_up,
                given_up_tries: tally.given_up_tries(),
                undelivered: tally.undelivered(),
                missed: ears.missed(),
                energy_joules: channel.radio.antenna.energy(sent, heard, now - Instant::ZERO),
            }
        };
        self.stations().map(result).collect()
    }
}
