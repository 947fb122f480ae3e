//! [`Layers`]: the layers above the antennas of a channel, apart from the channel itself.

use farlink_kernel::{EventQueue, Instant, Phase};

use crate::channel::shared::upper_layers::{Indication, Interest, UpperLayers};
use crate::channel::shared::{Progress, SharedChannel};
use crate::context::{Context, Effect};
use crate::event::Event;
use crate::frame::{Frame, FrameKind};
use crate::ids::{ChannelId, InterfaceId, NodeId};
use crate::interface::Interface;
use crate::mac::{self, Io};
use crate::observe::monitor::{FrameObserved, Monitors, View};
use crate::phy::antenna::Carrier;
use crate::routing::router::Router;
use crate::world::World;

pub(crate) struct Layers<'a> {
    channel: ChannelId,
    interfaces: &'a mut [Interface],
    routers: &'a mut [Router],
    monitors: Option<&'a mut Monitors>,
    events: &'a mut EventQueue<Event>,
    /// The end of the current call of [`World::run_until`].
    until: Instant,
}

impl World {
    /// The channels, the layers above one of them, and the context of all layers.
    #[inline(always)]
    pub(crate) fn layers(&mut self, channel: ChannelId) -> (&mut [SharedChannel], Layers<'_>, &mut Context) {
        let Self { channels, interfaces, routers, monitors, events, context, until, .. } = self;
        let layers =
            Layers { channel, interfaces, routers, monitors: monitors.as_deref_mut(), events, until: *until };
        (channels, layers, context)
    }
}

impl Layers<'_> {
    /// Gives a MAC an input, and pushes its timer event.
    #[inline(always)]
    pub(crate) fn notify_mac(
        &mut self,
        interface: InterfaceId,
        carrier: Carrier,
        cx: &mut Context,
        input: impl FnOnce(&mut mac::Any, &mut Io<'_>),
    ) -> Interest {
        let station = self.interfaces[interface].station();
        station.mac(carrier, cx, input);
        let is_monitored = self.monitors.as_ref().is_some_and(|monitors| monitors.hear(station.node));
        let wanted = station.mac.notifications();
        let deadline = wanted.deadline.max(cx.now);
        if let Some(generation) = station.timer.want(deadline) {
            let event = Event::MacDeadline { interface, generation };
            self.events.push(deadline, Phase::Timer, interface.0, event);
        }
        let overhears = is_monitored || wanted.overhears;
        let (carrier_from, awaits_end) = (wanted.watches_from, wanted.awaits_end);
        Interest { carrier_from, overhears, taps: station.is_tapped, awaits_end }
    }

    #[inline(never)]
    fn exchange_events(
        &mut self,
        (at, phase, event): (Instant, Phase, Event),
        of_other: Phase,
        progress: &Progress,
    ) -> Progress {
        self.events.skip(progress.moments, progress.moment.0);
        self.events.push(at, phase, self.channel.0, event);
        let (now, _) = self.events.pop().expect("one is due");
        Progress::new((now, of_other), self.horizon())
    }

    /// True for a data frame for other nodes that routing taps and the MAC ignores.
    fn is_for_routing_only(&mut self, interface: InterfaceId, frame: &Frame) -> bool {
        let station = self.interfaces[interface].station();
        frame.kind == FrameKind::Data && !frame.is_for(station.node) && !station.mac.overhears()
    }

    #[cold]
    #[inline(never)]
    fn show(&mut self, interface: InterfaceId, frame: &Frame, view: View, cx: &Context) {
        if let Some(monitors) = &mut self.monitors {
            let (node, channel) = (self.interfaces[interface].node(), self.channel);
            let Context { now, ref packets, .. } = *cx;
            monitors.on_frame(&FrameObserved { now, channel, node, frame, packets, view });
        }
    }
}

impl UpperLayers for Layers<'_> {
    #[inline(always)]
    fn indicate(&mut self, indication: &Indication<'_>, cx: &mut Context) -> Interest {
        let Indication { interface, mut frame, strength, carrier_changed, carrier } = *indication;
        if let (Some(frame), true) = (frame, self.monitors.is_some()) {
            self.show(interface, frame, View::Received(strength), cx);
        }
        if let Some(tapped) = frame.take_if(|frame| self.is_for_routing_only(interface, frame)) {
            cx.push(Effect::Heard { interface, frame: *tapped, for_me: [false; 2] });
        }
        self.notify_mac(interface, carrier, cx, |mac, io| {
            if let Some(frame) = frame {
                mac.on_frame(frame, io);
            }
            if carrier_changed {
                mac.on_carrier(io);
            }
        })
    }

    #[inline(always)]
    fn overhear(&mut self, node: NodeId, frame: &Frame, cx: &mut Context) -> bool {
        let router = &mut self.routers[node];
        let has_effect = router.protocol.on_heard(frame, cx);
        if has_effect && let Some((at, event)) = router.wants_event(node, cx.now) {
            self.events.push(at, Phase::Timer, node.0, event);
        }
        has_effect
    }

    #[inline(always)]
    fn exchange(
        &mut self,
        transmission: u32,
        (at, phase): (Instant, Phase),
        progress: &mut Progress,
    ) -> Option<u32> {
        let Some(Event::Signal { channel, transmission: other, phase: of_other }) = self.events.peek_event()
        else {
            return None;
        };
        let is_due = channel == self.channel && self.events.peek().is_some_and(|next| next <= self.until);
        is_due.then(|| {
            let event = Event::Signal { channel, transmission, phase };
            *progress = self.exchange_events((at, phase, event), of_other, progress);
            other
        })
    }

    #[inline(always)]
    fn horizon(&self) -> (Instant, Phase) {
        self.events.horizon(self.until)
    }
}
