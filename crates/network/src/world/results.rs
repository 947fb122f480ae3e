//! Results at the end of a run: counters count, the world sums up.

use farlink_kernel::Instant;

use crate::ids::NodeId;
use crate::interface::Interface;
use crate::interface::station::Station;
use crate::metrics::attempts;
use crate::packet::{Dropped, named};
use crate::results::{DropsAt, Engine, HopResult, LinkResult, Results, StationResult};
use crate::world::World;

impl World {
    /// Ends the run: checks that every packet has one end, and sums up.
    pub fn finish(mut self) -> Results {
        let now = self.context.now;
        let (ledger, ledger_rows) = self.close_ledger();
        let open = self.open_datagrams();
        let flows = self.flow_results(&open);
        let workloads = self.workload_results();
        self.add_arrivals_to_samples();
        self.add_lost_datagrams(&open);
        let links = self.link_results();
        let losses = self.context.packets.all_losses();
        Results {
            flows,
            workloads,
            links,
            stations: self.station_results(),
            hops: self.hop_results(),
            drops: named(&losses.drops),
            message_drops: self.drops_by_place(self.blueprint.flows.len() + self.blueprint.workloads.len()),
            failed_attempts: named(&losses.failed_attempts),
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

    /// The names of the links, in the order of [`Results::links`].
    pub fn link_names(&self) -> Vec<String> {
        let name = |node: NodeId| &self.blueprint.nodes[node].name;
        let of = |interface: &Interface| match interface {
            Interface::Link(link) => format!("{}->{}", name(link.node), name(link.peer)),
            Interface::Station(station) => {
                format!("{}:{}", self.blueprint.channels[station.channel].name, name(station.node))
            }
        };
        self.interfaces.iter().map(of).collect()
    }

    /// Of a flow, or after all flows of a workload; of messages with the number after the last workload's.
    pub(super) fn drops_by_place(&self, flow: usize) -> Vec<DropsAt> {
        let row = |((place, class, cause), packets): (Dropped, u64)| DropsAt {
            node: place.get().map_or_else(|node| node, |interface| self.interfaces[interface].node()),
            link: place.get().ok().map(|interface| interface.0),
            class: class.word(),
            cause: cause.word(),
            packets,
        };
        self.context.packets.drops_by_place(flow).map(row).collect()
    }

    fn link_results(&mut self) -> Vec<LinkResult> {
        let result = |(interface, link): (&mut Interface, String)| {
            let (usage, packets) = match interface {
                Interface::Link(link) => (&mut link.usage, link.pipe.offered()),
                Interface::Station(station) => (&mut station.usage, station.frames),
            };
            usage.on_end();
            LinkResult {
                link,
                utilisation: usage.utilisation(),
                queue_mean_packets: usage.mean_length(),
                queue_max_packets: usage.longest(),
                packets,
            }
        };
        let names = self.link_names();
        self.interfaces.iter_mut().zip(names).map(result).collect()
    }

    fn stations(&self) -> impl Iterator<Item = &Station> {
        self.interfaces.iter().filter_map(|interface| match interface {
            Interface::Link(_) => None,
            Interface::Station(station) => Some(&**station),
        })
    }

    fn hop_results(&self) -> Vec<HopResult> {
        let name = |node: NodeId| self.blueprint.nodes[node].name.clone();
        let of_station = |station: &Station| {
            let channel = &self.blueprint.channels[station.channel].name;
            let sent = self.channels[station.channel].send_counters(station.member);
            let result = |(to, hop): (NodeId, &attempts::Hop)| HopResult {
                channel: channel.clone(),
                from: name(station.node),
                to: name(to),
                attempts: hop.attempts,
                failed_attempts: named(&hop.failed),
                packets_given_up: hop.given_up,
            };
            sent.attempts.hops().map(result).collect::<Vec<_>>()
        };
        self.stations().flat_map(of_station).collect()
    }

    fn station_results(&self) -> Vec<StationResult> {
        let result = |station: &Station| {
            let channel = &self.blueprint.channels[station.channel];
            let (shared, now) = (&self.channels[station.channel], self.context.now);
            let sent = shared.send_counters(station.member);
            let received = shared.receive_counters(station.member);
            let (busy, sensed) = (station.usage.busy(), shared.sensed_time(station.member, now));
            let transmitting = station.usage.busy_by(now);
            StationResult {
                channel: channel.name.clone(),
                node: self.blueprint.nodes[station.node].name.clone(),
                frames_sent: sent.sent,
                retries: sent.retries,
                frames_combined: sent.combined,
                frames_received: received.received,
                frames_overheard: received.overheard,
                duplicates_received: station.discarded + station.mac.duplicates_passed_up(),
                answers_missed: station.mac.answers().missed,
                answers_late: station.mac.answers().late,
                packets_given_up: station.given_up,
                given_up_attempts: sent.given_up_attempts(),
                undelivered: sent.undelivered(),
                missed: received.missed(),
                transmitting,
                busy: transmitting + sensed,
                energy_joules: channel.radio.antenna.energy(busy, sensed, now - Instant::ZERO),
            }
        };
        self.stations().map(result).collect()
    }
}
