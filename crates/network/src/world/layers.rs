//! [`Layers`]: what is above the antennas of a channel, apart from the channel itself.

use farlink_kernel::{EventQueue, Instant, Phase};

use crate::channel::air::Air;
use crate::channel::air::above::{Above, Attention, Told};
use crate::context::{Context, Effect};
use crate::event::Event;
use crate::frame::{Frame, FrameKind};
use crate::ids::{InterfaceId, NodeId};
use crate::interface::Interface;
use crate::mac::{self, Io};
use crate::observe::monitor::{FrameObserved, Monitors, View};
use crate::phy::antenna::Carrier;
use crate::routing::router::Router;
use crate::world::World;

/// Stations, their nodes' routing, and who watches.
pub(crate) struct Layers<'a> {
    channel: u32,
    interfaces: &'a mut [Interface],
    routers: &'a mut [Router],
    monitors: Option<&'a mut Monitors>,
    events: &'a mut EventQueue<Event>,
    /// Nothing later than this is to happen yet.
    until: Instant,
}

impl World {
    /// The channels, what is above one of them, and what all layers may use.
    #[inline(always)]
    pub(crate) fn layers(&mut self, channel: u32) -> (&mut [Air], Layers<'_>, &mut Context) {
        let Self { airs, interfaces, routers, monitors, events, context, until, .. } = self;
        let layers =
            Layers { channel, interfaces, routers, monitors: monitors.as_deref_mut(), events, until: *until };
        (airs, layers, context)
    }
}

impl Layers<'_> {
    /// Gives a MAC an input, and pushes the event it wants after it.
    #[inline(always)]
    pub(crate) fn tell_mac(
        &mut self,
        interface: InterfaceId,
        carrier: Carrier,
        cx: &mut Context,
        input: impl FnOnce(&mut mac::Any, &mut Io<'_>),
    ) -> Attention {
        let station = self.interfaces[interface as usize].station();
        station.mac(carrier, cx, input);
        let is_seen = self.monitors.as_ref().is_some_and(|monitors| monitors.hear(station.node));
        let routers = &self.routers;
        let taps =
            *station.is_tapped.get_or_insert_with(|| routers[station.node as usize].protocol.overhears());
        let wish = station.mac.wish();
        let deadline = wish.deadline.max(cx.now);
        if let Some(generation) = station.timer.want(deadline) {
            let event = Event::MacDeadline { interface, generation };
            self.events.push(deadline, Phase::Timer, interface, event);
        }
        Attention { watched_from: wish.watches_from, overhears: is_seen || wish.overhears, taps }
    }

    /// A frame with packets for others, of which the MAC does not want to know.
    fn is_for_routing_only(&mut self, interface: InterfaceId, frame: &Frame) -> bool {
        let station = self.interfaces[interface as usize].station();
        let is_known = station.is_tapped.is_some();
        is_known && frame.kind == FrameKind::Data && !station.mac.overhears() && !frame.is_for(station.node)
    }

    #[cold]
    #[inline(never)]
    fn show(&mut self, interface: InterfaceId, frame: &Frame, view: View, cx: &Context) {
        if let Some(monitors) = &mut self.monitors {
            let (node, channel) = (self.interfaces[interface as usize].node(), self.channel);
            let Context { now, ref packets, .. } = *cx;
            monitors.on_frame(&FrameObserved { now, channel, node, frame, packets, view });
        }
    }
}

impl Above for Layers<'_> {
    #[inline(always)]
    fn tell(&mut self, told: &Told<'_>, cx: &mut Context) -> Attention {
        let Told { interface, mut frame, strength, is_carrier_news, carrier } = *told;
        if let (Some(frame), true) = (frame, self.monitors.is_some()) {
            self.show(interface, frame, View::Received(strength), cx);
        }
        // Only routing wants it: the MAC need not be woken.
        if let Some(tapped) = frame.take_if(|frame| self.is_for_routing_only(interface, frame)) {
            cx.push(Effect::Heard { interface, frame: *tapped, for_me: [false; 2] });
        }
        self.tell_mac(interface, carrier, cx, |mac, io| {
            if let Some(frame) = frame {
                mac.on_frame(frame, io);
            }
            if is_carrier_news {
                mac.on_carrier(io);
            }
        })
    }

    #[inline(always)]
    fn overhear(&mut self, node: NodeId, frame: &Frame, cx: &mut Context) -> bool {
        let router = &mut self.routers[node as usize];
        let learns = router.protocol.on_heard(frame, cx);
        if learns && let Some((at, event)) = router.wants_event(node, cx.now) {
            self.events.push(at, Phase::Timer, node, event);
        }
        learns
    }

    #[inline(always)]
    fn horizon(&self) -> (Instant, Phase) {
        self.events.horizon(self.until)
    }
}
