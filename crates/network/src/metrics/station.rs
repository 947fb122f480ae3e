//! [`ReceiveCounters`] and [`SendCounters`]: what passed the antenna of a station, and what became of what it sent.

use crate::frame::{Frame, FrameKind};
use crate::ids::NodeId;
use crate::metrics::attempts::Attempts;
use crate::packet::{CAUSES, Cause};

/// Why a listener may not receive a signal that reached it, in the order of [`Cause`].
pub const MISSED: [Cause; 6] = [
    Cause::BelowThreshold,
    Cause::Collision,
    Cause::BitError,
    Cause::CaptureLost,
    Cause::ReceiverTransmitting,
    Cause::ReceiverBusy,
];

/// Counts of what a station hears, apart from what it sends: that changes with every signal. A line of the processor's
/// memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct ReceiveCounters {
    /// Frames received that were for it, or for everyone.
    pub received: u64,
    /// Frames received that were for others.
    pub overheard: u64,
    /// Signals that ended here and were not received, whatever their receivers, in the order of [`MISSED`].
    missed: [u64; MISSED.len()],
}

impl ReceiveCounters {
    /// A signal ended here and was not received.
    #[inline]
    pub fn on_missed(&mut self, cause: Cause) {
        self.missed[cause as usize - MISSED[0] as usize] += 1;
    }

    /// Signals that ended here and were not received, by every cause there is.
    pub fn missed(&self) -> Vec<(&'static str, u64)> {
        MISSED.iter().map(|&cause| Cause::WORDS[cause as usize]).zip(self.missed).collect()
    }
}

/// Counts of one station. A frame with two attempts is sent twice.
#[derive(Clone, Debug, Default)]
pub struct SendCounters {
    pub sent: u64,
    /// Those of them that repeat an RTS or a frame with packets.
    pub retries: u64,
    /// Those of them that carry two packets.
    pub combined: u64,
    pub attempts: Attempts,
    /// Frames sent to one neighbour that it did not receive; boxed, for that is rare.
    undelivered: Box<[u64; CAUSES]>,
    /// Numbers of the newest RTS and of the newest frame with packets.
    newest: [Option<u32>; 2],
}

impl SendCounters {
    pub fn on_sent(&mut self, frame: &Frame) {
        self.sent += 1;
        self.combined += u64::from(frame.parts[1].is_some());
        let kind = match frame.kind {
            FrameKind::RequestToSend { .. } => 0,
            FrameKind::Data => 1,
            FrameKind::Acknowledgement { .. } | FrameKind::ClearToSend { .. } | FrameKind::Tone => return,
        };
        let before = self.newest[kind].replace(frame.number);
        self.retries += u64::from(before == Some(frame.number) || frame.is_retry);
        self.attempts.on_sent(frame);
    }

    /// `node` did not receive a frame of this station that was for it.
    pub fn on_undelivered(&mut self, frame: &Frame, node: NodeId, cause: Cause) {
        self.undelivered[cause as usize] += 1;
        self.attempts.on_undelivered(frame, node, cause);
    }

    /// Attempts of packets that were given up, by every cause there is.
    pub fn given_up_attempts(&self) -> Vec<(&'static str, u64)> {
        let causes = [Cause::OutOfRange].into_iter().chain(MISSED).chain([Cause::NoResponse]);
        let failed = self.attempts.of_given_up();
        causes.map(|cause| (Cause::WORDS[cause as usize], failed[cause as usize])).collect()
    }

    /// Frames to one neighbour that it did not receive, by every cause there is.
    pub fn undelivered(&self) -> Vec<(&'static str, u64)> {
        let causes = [Cause::OutOfRange].into_iter().chain(MISSED);
        causes.map(|cause| (Cause::WORDS[cause as usize], self.undelivered[cause as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Mode;

    #[test]
    fn a_retransmission_is_a_retry_and_an_answer_is_none() {
        let mut counters = SendCounters::default();
        let mut send = |number, kind| counters.on_sent(&Frame::new(NodeId(0), number, kind, 20, Mode(0)));
        // Asked twice, delivered at the second try of the frame; then the next one, and an answer.
        let ask = FrameKind::RequestToSend { to: NodeId(1) };
        send(1, ask);
        send(1, ask);
        send(1, FrameKind::Data);
        send(1, ask);
        send(1, FrameKind::Data);
        send(2, ask);
        send(2, FrameKind::Data);
        send(2, FrameKind::Acknowledgement { to: NodeId(1), number: 2, part: 0 });
        assert_eq!((counters.sent, counters.retries), (8, 3));
    }

    #[test]
    fn signals_are_missed_for_their_causes() {
        let mut counters = ReceiveCounters::default();
        for (cause, times) in MISSED.into_iter().zip(1..) {
            (0..times).for_each(|_| counters.on_missed(cause));
        }
        let counts =
            MISSED.into_iter().map(|cause| Cause::WORDS[cause as usize]).zip(1..).collect::<Vec<_>>();
        assert_eq!(counters.missed(), counts);
        let mut counters = SendCounters::default();
        let to_me = Frame::new(NodeId(0), 1, FrameKind::ClearToSend { to: NodeId(7) }, 14, Mode(0));
        counters.on_undelivered(&to_me, NodeId(7), Cause::OutOfRange);
        assert_eq!(counters.undelivered()[0], ("out_of_range", 1));
    }
}
