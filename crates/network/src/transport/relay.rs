//! Two connections of which the second passes on what the first delivers ([`app::relay`]).
//!
//! [`app::relay`]: crate::app::relay

use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Diagnostic, Instant};

use super::end_to_end::EndToEnd;
use super::{Endpoints, Io, Transport};
use crate::app::{Action, Length};
use crate::blueprint::{BuildError, Flow, Part};
use crate::context::{Context, Effect};
use crate::ids::{End, FlowId};
use crate::payload::Payload;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    first: u32,
    second: u32,
    buffer: Bytes,
}

/// The joints of each flow: with the one it passes on, and with the one that passes it on.
pub(super) fn joints(flows: &[Flow]) -> Vec<Vec<Joint>> {
    let mut joints = vec![Vec::new(); flows.len()];
    for (flow, second) in flows.iter().zip(0_u32..) {
        if let Some((label, buffer)) = relayed_by(flow)
            && let Some(first) = flows.iter().position(|other| other.label == label)
        {
            let joint = Joint { first: first as u32, second, buffer };
            joints[first].push(joint);
            joints[second as usize].push(joint);
        }
    }
    joints
}

/// The label of the flow that this one passes on, and the buffer between them.
fn relayed_by(flow: &Flow) -> Option<(&str, Bytes)> {
    match flow.application.parameters().traffic().length {
        Length::Relayed { flow, buffer } => Some((flow, buffer)),
        Length::Endless | Length::Bytes(_) => None,
    }
}

/// The place of the flow that each relay passes on.
fn passed_on(flows: &[Flow]) -> Vec<Option<usize>> {
    let numbers: BTreeMap<&str, usize> = flows.iter().map(|flow| flow.label.as_str()).zip(0..).collect();
    flows.iter().map(|flow| numbers.get(relayed_by(flow)?.0).copied()).collect()
}

/// One per relay: from the flow with data of its own, perhaps over other relays.
pub(super) fn relayed(flows: &[Flow]) -> Vec<EndToEnd> {
    let passed_on = passed_on(flows);
    let relays = (0..flows.len()).filter(|&flow| passed_on[flow].is_some());
    let origin = |relay| std::iter::successors(Some(relay), |&at| passed_on[at]).last().unwrap_or(relay);
    relays.map(|relay| EndToEnd::new(FlowId(origin(relay) as u32), FlowId(relay as u32))).collect()
}

/// The key that names the flow to pass on.
const KEY: &str = "application.flow";

/// Refuses a flow that passes on what does not end at its node, or what another one passes on, or bytes that were
/// not stored.
pub(crate) fn check(flow: &Flow, flows: &[Flow]) -> Result<(), Diagnostic> {
    let Some((label, _)) = relayed_by(flow) else { return Ok(()) };
    let refuse = |message: String, remedy: &str| Err(Diagnostic::new(0..0, message, remedy).at(KEY));
    let Some(first) = flows.iter().find(|other| other.label == label) else {
        return refuse(format!("no flow is called `{label}`"), "write the label of the flow to pass on");
    };
    let is_other_relay =
        |other: &&Flow| relayed_by(other).is_some_and(|(also, _)| also == label) && other.label != flow.label;
    if first.to != flow.from {
        let message = format!("`{label}` does not end where this flow begins");
        return refuse(message, "let the one end at the node from which the other leaves");
    }
    if let Some(other) = flows.iter().find(is_other_relay) {
        return refuse(format!("`{}` passes that flow on, too", other.label), "pass a flow on once");
    }
    if !first.is_tcp() {
        return refuse(format!("`{label}` is datagrams"), "pass on a flow over TCP");
    }
    if flow.payload == Payload::Stored && first.payload != Payload::Stored {
        return refuse(format!("the bytes of `{label}` are not stored"), "store them there, too");
    }
    Ok(())
}

/// Refuses flows that pass on one another in a cycle: none of them has data of its own.
pub(crate) fn check_cycles(flows: &[Flow]) -> Result<(), BuildError> {
    let passed_on = passed_on(flows);
    let passed_on = |flow: usize| passed_on[flow];
    // The flow from which each flow was reached first.
    let mut reached_from = vec![None; flows.len()];
    for start in 0..flows.len() {
        let mut next = Some(start);
        while let Some(at) = next {
            match reached_from[at] {
                Some(from) if from == start => return Err(cycle(at, flows, passed_on)),
                Some(_) => break,
                None => reached_from[at] = Some(start),
            }
            next = passed_on(at);
        }
    }
    Ok(())
}

/// Flows of a cycle that a message names.
const MOST_NAMED: usize = 5;

fn cycle(start: usize, flows: &[Flow], passed_on: impl Fn(usize) -> Option<usize>) -> BuildError {
    let rest = std::iter::successors(passed_on(start), |&at| passed_on(at)).take_while(|&at| at != start);
    let labels: Vec<String> =
        std::iter::once(start).chain(rest).map(|at| format!("`{}`", flows[at].label)).collect();
    let message = match &labels[..] {
        [alone] => format!("{alone} passes on itself"),
        [first, second] => format!("{first} and {second} pass on each other"),
        all if all.len() <= MOST_NAMED => format!("{} pass on one another in a cycle", all.join(", ")),
        all => {
            let named = all[..MOST_NAMED].join(", ");
            format!("{named} and {} others pass on one another in a cycle", all.len() - MOST_NAMED)
        }
    };
    let remedy = "give one of them data of its own, such as application = \"bulk\"";
    Part::Flow(start).refuse(KEY, message, remedy)
}

impl Transport {
    /// What is passed on is read only as far as there is room.
    pub(super) fn let_gateways_read(&mut self) {
        for (flow, number) in self.flows.iter_mut().zip(0..) {
            let passes_on = flow.joints.iter().any(|joint| joint.first == number);
            if let (Endpoints::Tcp(source), true) = (&mut flow.endpoints, passes_on) {
                source.read_on_demand();
            }
        }
    }

    /// Something happened to a flow that has joints: what can be passed on is.
    #[inline(never)]
    pub(super) fn pass_on(&mut self, flow: FlowId, cx: &mut Context) {
        for place in 0..self.flows[flow].joints.len() {
            let joint = self.flows[flow].joints[place];
            self.pass_over(joint, cx);
        }
        self.note_sent(flow, cx);
    }

    /// Bytes of a flow that others pass on may have been sent for the first time.
    #[inline(always)]
    pub(super) fn note_sent(&mut self, flow: FlowId, cx: &Context) {
        if !self.flows[flow].joints.is_empty() {
            self.note_sent_of_joint(flow, cx);
        }
    }

    #[inline(never)]
    fn note_sent_of_joint(&mut self, flow: FlowId, cx: &Context) {
        let Endpoints::Tcp(tcp) = &self.flows[flow].endpoints else { return };
        let end = tcp.connection(End::Sender).sample().snd_nxt;
        for bytes in self.relayed.iter_mut().filter(|bytes| bytes.origin == flow) {
            bytes.on_sent(end, cx.now);
        }
    }

    /// A data packet of `flow` from `offset` on arrived for the first time.
    pub(super) fn note_arrival(&mut self, flow: FlowId, offset: u64, cx: &Context) {
        let received = self.flows[flow].measured.received();
        for bytes in self.relayed.iter_mut().filter(|bytes| bytes.relay == flow) {
            bytes.on_first_arrival(offset, received, cx.now);
        }
    }

    /// What `flow` passes on, if it is a relay.
    pub fn relayed(&self, flow: FlowId) -> Option<&EndToEnd> {
        self.relayed.iter().find(|bytes| bytes.relay == flow)
    }

    fn pass_over(&mut self, joint: Joint, cx: &mut Context) {
        let Joint { first, second, buffer } = joint;
        let places = [first as usize, second as usize];
        let Ok([from, to]) = self.flows.get_disjoint_mut(places) else { return };
        let (Endpoints::Tcp(source), Endpoints::Tcp(sink)) = (&mut from.endpoints, &mut to.endpoints) else {
            return;
        };
        if !sink.is_open() {
            return;
        }
        let capture = &mut self.capture;
        let bytes = source.readable().min(buffer.0.saturating_sub(sink.unacknowledged()));
        if bytes > 0 {
            sink.carry(source.stored(), source.taken(), bytes);
            source
                .take(bytes, &mut Io { identity: &from.identity, measured: &mut from.measured, cx, capture });
        }
        let close = source.is_over();
        if bytes > 0 || close {
            // The connection may have been open and idle for any time.
            if to.measured.start == Instant::NEVER && to.measured.complete.is_none() {
                to.measured.start = cx.now;
                sink.restart_accounts(cx.now);
                cx.push(Effect::Begin { flow: to.identity.flow });
            }
            let action = Action { send: Bytes(bytes), close, wake: Instant::NEVER };
            sink.act(action, &mut Io { identity: &to.identity, measured: &mut to.measured, cx, capture });
        }
        sink.note_full_buffer(cx.now, sink.unacknowledged() >= buffer.0);
    }
}
