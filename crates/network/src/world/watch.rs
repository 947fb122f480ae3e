//! Calls of monitors and captures. A run without any pays one comparison per call.

use crate::channel::shared::missed_frame::MissedFrame;
use crate::context::Context;
use crate::frame::Frame;
use crate::hop::Arrival;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::interface::Interface;
use crate::observe::monitor::{FrameObserved, PacketObserved, Step, View};
use crate::packet::Cause;
use crate::world::World;

impl World {
    /// A packet goes down to a node's routing.
    #[inline(always)]
    pub(crate) fn show_down(&mut self, node: NodeId, packet: PacketId) {
        if self.monitors.is_some() {
            self.observe_down(node, packet);
        }
    }

    #[cold]
    #[inline(never)]
    fn observe_down(&mut self, node: NodeId, packet: PacketId) {
        self.context.packets.hold(packet, node);
        if let Some(monitors) = &mut self.monitors {
            monitors.on_down(self.context.now, node, packet, &self.context.packets);
        }
    }

    #[inline(always)]
    pub(crate) fn show_frame(&mut self, channel: ChannelId, node: NodeId, frame: &Frame, view: View) {
        if self.monitors.is_some() {
            self.observe_frame(channel, node, frame, view);
        }
    }

    #[cold]
    #[inline(never)]
    fn observe_frame(&mut self, channel: ChannelId, node: NodeId, frame: &Frame, view: View) {
        if let Some(monitors) = &mut self.monitors {
            let Context { now, ref packets, .. } = self.context;
            monitors.on_frame(&FrameObserved { now, channel, node, frame, packets, view });
        }
    }

    #[inline(always)]
    pub(crate) fn show(&mut self, node: NodeId, packet: PacketId, step: Step) {
        if self.monitors.is_some() {
            self.tell(node, packet, step);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, node: NodeId, packet: PacketId, step: Step) {
        self.context.packets.hold(packet, node);
        if let Some(monitors) = &mut self.monitors {
            let Context { now, ref packets, .. } = self.context;
            monitors.on_packet(PacketObserved { now, node, packet, packets, step });
        }
    }

    /// A packet came to a node, perhaps the last one on its way.
    #[inline(always)]
    pub(crate) fn show_up(&mut self, node: NodeId, arrival: Arrival) {
        if self.monitors.is_some() {
            self.observe_up(node, arrival);
        }
    }

    #[cold]
    #[inline(never)]
    fn observe_up(&mut self, node: NodeId, arrival: Arrival) {
        let Arrival { packet, interface, from } = arrival;
        let is_link = matches!(self.interfaces[interface], Interface::Link(_));
        self.tell(node, packet, Step::Arrived { from, is_link });
        let destination = self.context.packets[packet].destination;
        let is_message = self.context.packets.message(packet).is_some();
        if is_message || destination == node {
            self.tell(node, packet, Step::Delivered);
        }
    }

    /// A copy of a packet is lost: shows it and closes its books.
    #[inline(never)]
    pub(crate) fn lose(&mut self, packet: PacketId, cause: Cause) {
        if let Some(monitors) = &mut self.monitors {
            monitors.on_drop(self.context.now, packet, cause, &self.context.packets);
        }
        self.context.packets.drop(packet, cause);
    }

    /// Frames that were missed since the last call, while their packets can be read.
    #[inline(always)]
    pub(crate) fn show_missed(&mut self, channel: ChannelId) {
        let (Some(monitors), Some(missed)) = (&mut self.monitors, &mut self.channels[channel].missed) else {
            return;
        };
        let Context { now, ref packets, .. } = self.context;
        for MissedFrame { frame, node, cause } in missed.drain(..) {
            let view = View::Missed(cause);
            monitors.on_frame(&FrameObserved { now, channel, node, frame: &frame, packets, view });
        }
    }
}
