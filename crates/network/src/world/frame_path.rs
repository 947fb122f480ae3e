//! A frame's path over a shared channel, from MAC to MAC.
//!
//! ```text
//!   MAC   Transmit -> transmit           on_transmitted -> MAC
//!                        |                     ^
//!   shared channel       v                     |
//!                     transmit -> on_signal .. end
//!                                     |
//!   each listener                     v
//!                     start_reception .. end_reception   (channel/shared/propagate.rs)
//!                                     |
//!                                     v
//!                     MAC on_frame -> receive -> Up, or routing on_heard
//! ```

use farlink_kernel::Phase;

use crate::channel::shared::Progress;
use crate::context::Effect;
use crate::event::Event;
use crate::frame::Frame;
use crate::hop::{Arrival, Part};
use crate::ids::ChannelId;
use crate::ids::InterfaceId;
use crate::mac::{self, Io};
use crate::observe::monitor::View;
use crate::packet::{Cause, Discard};
use crate::timer::Wake;
use crate::world::World;

impl World {
    #[inline(never)]
    pub(super) fn transmit(&mut self, interface: InterfaceId, frame: Frame) {
        let now = self.context.now;
        let station = self.interfaces[interface].station();
        let (node, channel, member) = (station.node, station.channel, station.member);
        let phy = self.channels[channel].phy();
        let (length, turnaround) = (phy.air_time(frame.size, frame.mode), phy.turnaround());
        station.on_transmit(now, length);
        self.show_frame(channel, node, &frame, View::Sent(length));
        let shared = &mut self.channels[channel];
        let transmission = shared.transmit(member, frame, length, &mut self.context);
        let first = shared.next(transmission);
        // The signal itself begins after one turnaround; after another the antenna receives again.
        let over = now + length + turnaround * 2;
        self.events.push(over, Phase::SignalEnd, interface.0, Event::AntennaFree(interface));
        match first {
            Some((at, phase)) => {
                self.events.push(at, phase, channel.0, Event::Signal { channel, transmission, phase });
            }
            None => self.end_transmission(channel, transmission),
        }
    }

    #[inline(never)]
    pub(super) fn on_transmitted(&mut self, interface: InterfaceId) {
        let station = self.interfaces[interface].station();
        if self.channels[station.channel].on_transmitted(station.member, self.context.now) {
            self.notify_mac(interface, |mac, io| mac.on_transmitted(io));
        }
    }

    /// A transmission starts or ends at listeners, one phase at a time: at one instant all ends precede all starts.
    ///
    /// In the model each moment is an event. As long as the queue has none before it, the transmission goes on directly
    /// ([`Progress`]), and the queue only counts the events that it skips.
    #[inline(never)]
    pub(super) fn on_signal(&mut self, channel: ChannelId, mut transmission: u32, phase: Phase) {
        let mut next = Some((self.context.now, phase));
        while let Some(moment) = next {
            self.context.set_now(moment.0);
            let mut progress = Progress::new(moment, self.events.horizon(self.until));
            let (channels, mut layers, context) = self.layers(channel);
            (transmission, next) =
                channels[channel].propagate(transmission, &mut progress, &mut layers, context);
            self.events.skip(progress.moments, progress.moment.0);
            self.show_missed(channel);
            // Receivers read the packets before the transmission ends and releases them.
            self.settle();
            if let Some((at, phase)) = next
                && !self.events.pass(at, phase, channel.0, self.until)
            {
                return self.events.push(
                    at,
                    phase,
                    channel.0,
                    Event::Signal { channel, transmission, phase },
                );
            }
        }
        self.end_transmission(channel, transmission);
    }

    fn end_transmission(&mut self, channel: ChannelId, transmission: u32) {
        self.channels[channel].count_out_of_reach(transmission);
        self.show_missed(channel);
        self.channels[channel].end(transmission, &mut self.context);
    }

    /// A MAC has received a frame: routing overhears it, if it taps, and the packets for the node go up.
    #[inline(never)]
    pub(super) fn receive(&mut self, interface: InterfaceId, frame: &Frame, for_me: [bool; 2]) {
        let station = self.interfaces[interface].station();
        let (node, channel, member) = (station.node, station.channel, station.member);
        if station.is_tapped && self.routers[node].protocol.on_heard(frame, &mut self.context) {
            self.listen_to_router(node);
        }
        for (place, (part, is_new)) in frame.parts.iter().zip(for_me).enumerate() {
            match *part {
                Some(Part { packet, .. }) if is_new => {
                    let size = self.context.packets[packet].size;
                    if self.channels[channel].is_lost_above_mac(member, place, size) {
                        self.context.drop(packet, Cause::Corrupted);
                        continue;
                    }
                    let arrival = Arrival { packet, interface, from: frame.sender };
                    self.context.push(Effect::Up { node, arrival });
                }
                Some(part) if part.next_hop.is(node) => {
                    self.interfaces[interface].station().discarded += 1;
                    self.context.packets.discard(part.packet, Discard::Duplicate);
                }
                _ => {}
            }
        }
    }

    #[inline(never)]
    pub(super) fn on_mac_deadline(&mut self, interface: InterfaceId, generation: u32) {
        let station = self.interfaces[interface].station();
        match station.timer.wake(generation, self.context.now) {
            Wake::Due => self.notify_mac(interface, |mac, io| mac.on_deadline(io)),
            Wake::Later(Some((at, generation))) => {
                self.events.push(at, Phase::Timer, interface.0, Event::MacDeadline { interface, generation });
            }
            Wake::Later(None) | Wake::Stale => {}
        }
    }

    #[inline(never)]
    pub(super) fn notify_mac(
        &mut self,
        interface: InterfaceId,
        input: impl FnOnce(&mut mac::Any, &mut Io<'_>),
    ) {
        let station = self.interfaces[interface].station();
        let (channel, member) = (station.channel, station.member);
        let (channels, mut layers, context) = self.layers(channel);
        let shared = &mut channels[channel];
        let interest = layers.notify_mac(interface, shared.carrier(member), context, input);
        shared.set_interest(member, interest);
    }
}
