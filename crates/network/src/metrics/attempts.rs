//! [`Attempts`]: how often a station transmitted packets over each of its hops, and why attempts failed.
//!
//! An attempt begins with an RTS, or with a frame that is sent without one, and ends when the frame is acknowledged,
//! retransmitted, or given up. It fails for one cause: that for which the neighbour did not receive the RTS or the
//! frame, or that for which the station did not receive the answer.

use crate::frame::{Frame, FrameKind};
use crate::ids::NodeId;
use crate::packet::{CAUSES, Cause};

/// Counts of one hop: from a station to a neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    pub attempts: u64,
    /// Those of them that failed, by cause.
    pub failed: [u64; CAUSES],
    pub given_up: u64,
}

/// A neighbour the present frame is for.
#[derive(Clone, Copy, Debug)]
struct Aim {
    to: NodeId,
    place: usize,
    /// Why the present attempt fails, as far as it is known.
    why: Option<Cause>,
}

#[derive(Clone, Debug, Default)]
pub struct Attempts {
    /// The neighbours there were frames for, and the counts of each.
    neighbours: Vec<NodeId>,
    hops: Vec<Hop>,
    number: u32,
    /// The present attempt began with an RTS, and the frame itself was not sent yet.
    is_asking: bool,
    aims: [Option<Aim>; 2],
    failed: Vec<(NodeId, Cause)>,
    /// Causes of the attempts of packets that were given up; boxed, for that is rare.
    given_up: Box<[u64; CAUSES]>,
}

impl Attempts {
    /// The station sends an RTS or a frame with packets.
    pub fn on_sent(&mut self, frame: &Frame) {
        let is_allowed = self.is_asking && frame.kind == FrameKind::Data;
        self.is_asking = matches!(frame.kind, FrameKind::RequestToSend { .. });
        let is_again = frame.number == self.number;
        if is_allowed && is_again {
            return;
        }
        self.number = frame.number;
        if !is_again {
            self.failed.clear();
        }
        let mut addressees = frame.addressees();
        let former = self.aims;
        self.aims = [(); 2].map(|()| {
            let to = addressees.next()?;
            // Mostly the neighbour of the frame before.
            let before = former.into_iter().flatten().find(|aim| aim.to == to);
            let place = before.map_or_else(|| self.place(to), |aim| aim.place);
            self.hops[place].attempts += 1;
            match before {
                Some(aim) if is_again => self.fail(aim),
                _ => self.failed.retain(|&(other, _)| other != to),
            }
            Some(Aim { to, place, why: None })
        });
    }

    /// Where the counts of the hop to a neighbour are.
    fn place(&mut self, to: NodeId) -> usize {
        self.neighbours.iter().position(|&neighbour| neighbour == to).unwrap_or_else(|| {
            self.neighbours.push(to);
            self.hops.push(Hop::default());
            self.hops.len() - 1
        })
    }

    fn fail(&mut self, aim: Aim) {
        let cause = aim.why.unwrap_or(Cause::NoResponse);
        self.hops[aim.place].failed[cause as usize] += 1;
        self.failed.push((aim.to, cause));
    }

    /// `node` did not receive a frame that this station sent.
    pub fn on_undelivered(&mut self, frame: &Frame, node: NodeId, cause: Cause) {
        let is_own = matches!(frame.kind, FrameKind::Data | FrameKind::RequestToSend { .. });
        if is_own && frame.number == self.number {
            self.blame(node, cause);
        }
    }

    /// This station, `node`, did not receive a frame.
    pub fn on_missed(&mut self, frame: &Frame, node: NodeId, cause: Cause) {
        if let FrameKind::ClearToSend { to } | FrameKind::Acknowledgement { to, .. } = frame.kind
            && to == node
        {
            self.blame(frame.sender, cause);
        }
    }

    fn blame(&mut self, neighbour: NodeId, cause: Cause) {
        if let Some(aim) = self.aims.iter_mut().flatten().find(|aim| aim.to == neighbour) {
            aim.why = aim.why.or(Some(cause));
        }
    }

    pub fn on_failed(&mut self, neighbour: NodeId) {
        if let Some(aim) = self.aims.iter_mut().find_map(|aim| aim.take_if(|aim| aim.to == neighbour)) {
            self.fail(aim);
        }
    }

    /// The MAC gave up on a packet for `neighbour`.
    pub fn on_given_up(&mut self, neighbour: NodeId) {
        let aim = self.aims.iter_mut().find_map(|aim| aim.take_if(|aim| aim.to == neighbour));
        let place = self.place(neighbour);
        self.hops[place].given_up += 1;
        if let Some(aim) = aim {
            self.fail(aim);
            let failed = self.failed.iter().filter(|&&(to, _)| to == neighbour);
            failed.for_each(|&(_, cause)| self.given_up[cause as usize] += 1);
        }
    }

    /// The hops, in the order of the neighbours.
    pub fn hops(&self) -> impl Iterator<Item = (NodeId, &Hop)> {
        let mut hops: Vec<_> = self.neighbours.iter().copied().zip(&self.hops).collect();
        hops.sort_unstable_by_key(|&(neighbour, _)| neighbour);
        hops.into_iter()
    }

    /// Causes of the attempts of packets that were given up.
    pub fn of_given_up(&self) -> &[u64; CAUSES] {
        &self.given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Mode;
    use crate::hop::{NextHop, Part};
    use crate::ids::PacketId;

    fn request(number: u32) -> Frame {
        Frame::new(NodeId(0), number, FrameKind::RequestToSend { to: NodeId(7) }, 20, Mode(0))
    }

    fn data(number: u32, to: &[NodeId]) -> Frame {
        let part = |&to| Part { packet: PacketId(0), next_hop: NextHop::Node(to) };
        let parts = [to.first().map(part), to.get(1).map(part)];
        Frame { parts, ..Frame::new(NodeId(0), number, FrameKind::Data, 500, Mode(0)) }
    }

    fn failed(hop: &Hop) -> Vec<(Cause, u64)> {
        let causes = [
            Cause::Collision,
            Cause::ReceiverTransmitting,
            Cause::BitError,
            Cause::OutOfRange,
            Cause::NoResponse,
        ];
        causes
            .into_iter()
            .map(|cause| (cause, hop.failed[cause as usize]))
            .filter(|each| each.1 > 0)
            .collect()
    }

    #[test]
    fn each_failed_attempt_has_the_cause_it_met_first() {
        let mut attempts = Attempts::default();
        // An RTS collides; one is received and not answered; a CTS is lost; the frame is lost; it arrives.
        attempts.on_sent(&request(1));
        attempts.on_undelivered(&request(1), NodeId(7), Cause::Collision);
        attempts.on_sent(&request(1));
        attempts.on_sent(&request(1));
        let cts = Frame {
            sender: NodeId(7),
            ..Frame::new(NodeId(7), 1, FrameKind::ClearToSend { to: NodeId(0) }, 14, Mode(0))
        };
        attempts.on_missed(&cts, NodeId(0), Cause::BitError);
        for lost in [true, false] {
            attempts.on_sent(&request(1));
            attempts.on_sent(&data(1, &[NodeId(7)]));
            if lost {
                attempts.on_undelivered(&data(1, &[NodeId(7)]), NodeId(7), Cause::ReceiverTransmitting);
            }
        }
        attempts.on_sent(&request(2));
        let (to, hop) = attempts.hops().next().unwrap();
        assert_eq!((to, hop.attempts, hop.given_up), (NodeId(7), 6, 0));
        let one_each = [Cause::Collision, Cause::ReceiverTransmitting, Cause::BitError, Cause::NoResponse]
            .map(|cause| (cause, 1));
        assert_eq!(failed(hop), one_each);
        assert_eq!(attempts.of_given_up(), &[0; CAUSES]);
    }

    #[test]
    fn the_attempts_of_a_packet_that_is_given_up_are_counted_apart() {
        let mut attempts = Attempts::default();
        attempts.on_sent(&data(1, &[NodeId(7)]));
        attempts.on_undelivered(&data(1, &[NodeId(7)]), NodeId(7), Cause::Collision);
        attempts.on_sent(&data(1, &[NodeId(7)]));
        attempts.on_sent(&data(2, &[NodeId(7)]));
        for _ in 0..2 {
            attempts.on_sent(&data(3, &[NodeId(7)]));
            attempts.on_undelivered(&data(3, &[NodeId(7)]), NodeId(7), Cause::OutOfRange);
        }
        attempts.on_given_up(NodeId(7));
        let (_, hop) = attempts.hops().next().unwrap();
        assert_eq!((hop.attempts, hop.given_up), (5, 1));
        assert_eq!(failed(hop), [(Cause::Collision, 1), (Cause::OutOfRange, 2)]);
        assert_eq!(attempts.of_given_up()[Cause::OutOfRange as usize], 2);
        assert_eq!(attempts.of_given_up().iter().sum::<u64>(), 2);
    }

    #[test]
    fn the_parts_of_a_frame_are_counted_apart() {
        let mut attempts = Attempts::default();
        attempts.on_sent(&data(1, &[7, 9].map(NodeId)));
        attempts.on_undelivered(&data(1, &[7, 9].map(NodeId)), NodeId(9), Cause::ReceiverTransmitting);
        attempts.on_sent(&data(1, &[NodeId(9)]));
        attempts.on_sent(&data(2, &[NodeId(7)]));
        let hops: Vec<_> = attempts.hops().map(|(to, hop)| (to, hop.attempts, failed(hop))).collect();
        assert_eq!(hops, [(NodeId(7), 2, vec![]), (NodeId(9), 2, vec![(Cause::ReceiverTransmitting, 1)])]);
    }
}
