//! How a transmission goes from moment to moment.
//!
//! In theory each moment in which it begins or ends somewhere is an event. As long as nothing else is to happen
//! before, the transmission goes on without the queue, which comes to the same.

use farlink_kernel::Phase;

use crate::channel::air::Walk;
use crate::event::Event;
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
            self.context.set_now(moment.0);
            let mut walk = Walk::new(moment, self.events.horizon(self.until));
            let (airs, mut layers, context) = self.layers(channel);
            next = airs[channel as usize].walk(transmission, &mut walk, &mut layers, context);
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
}
