//! How a transmission goes from moment to moment.
//!
//! In theory each moment in which it begins or ends somewhere is an event. As long as nothing else is to happen
//! before, the transmission goes on without the queue, which comes to the same.

use farlink_kernel::Phase;

use crate::channel::air::{Told, Walk};
use crate::context::{Effect, Event, InterfaceId};
use crate::frame::{Frame, FrameKind};
use crate::node::Interface;
use crate::probe::monitor::View;
use crate::world::World;

impl World {
    /// Pushes the event of what a transmission does next, or ends it.
    pub(crate) fn follow(&mut self, channel: u32, transmission: u32) {
        match self.airs[channel as usize].next(transmission) {
            Some((at, phase)) => {
                self.events.push(at, phase, channel, Event::Signal { channel, transmission, phase });
            }
            None => self.end(channel, transmission),
        }
    }

    /// A transmission begins or ends at the listeners it reaches now, and goes on as long as nothing else
    /// happens before. One phase at a time: everybody's ends at an instant come before anybody's starts.
    #[inline(never)]
    pub(crate) fn on_signal(&mut self, channel: u32, transmission: u32, phase: Phase) {
        let mut next = Some((self.context.now, phase));
        while let Some(moment) = next {
            self.context.now = moment.0;
            let mut walk = Walk::new(moment, self.events.horizon(self.until));
            next = loop {
                let stop = self.airs[channel as usize].walk(transmission, &mut walk, &mut self.context);
                if let Some(told) = &stop.told {
                    self.tell_of_signal(channel, told);
                }
                if stop.told.is_none() || stop.next != Some(walk.moment) {
                    break stop.next;
                }
            };
            self.events.skip(walk.moments, walk.moment.0);
            self.show_misses(channel);
            // Who heard the frame reads its packets before it has passed everyone and they are gone.
            self.settle();
            if let Some((at, phase)) = next
                && !self.events.pass(at, phase, channel, self.until)
            {
                return self.events.push(at, phase, channel, Event::Signal { channel, transmission, phase });
            }
        }
        self.end(channel, transmission);
    }

    /// A transmission has passed everyone.
    fn end(&mut self, channel: u32, transmission: u32) {
        self.airs[channel as usize].pass(transmission);
        self.show_misses(channel);
        self.airs[channel as usize].end(transmission, &mut self.context);
    }

    /// A MAC is told what the signal is to it that begins or ends at its antenna now.
    fn tell_of_signal(&mut self, channel: u32, told: &Told) {
        if let Some(frame) = &told.frame {
            let node = self.interfaces[told.interface as usize].node();
            self.show_frame(channel, node, frame, View::MadeOut(told.strength));
        }
        // Only routing wants it: the MAC need not be woken.
        let tapped = told.frame.filter(|frame| self.is_for_routing_only(told.interface, frame));
        if let Some(frame) = tapped {
            let heard = Effect::Heard { interface: told.interface, frame, for_me: [false; 2] };
            self.context.push(heard);
        }
        if tapped.is_some() && !told.is_carrier_news {
            return;
        }
        self.tell_mac(told.interface, |mac, io| {
            if let (Some(frame), None) = (&told.frame, &tapped) {
                mac.on_frame(frame, io);
            }
            if told.is_carrier_news {
                mac.on_carrier(io);
            }
        });
    }

    /// A frame with packets for others, of which the MAC does not want to know.
    fn is_for_routing_only(&self, interface: InterfaceId, frame: &Frame) -> bool {
        let Interface::Station(station) = &self.interfaces[interface as usize] else { return false };
        let is_known = station.is_tapped.is_some();
        is_known && frame.kind == FrameKind::Data && !station.mac.overhears() && !frame.is_for(station.node)
    }
}
