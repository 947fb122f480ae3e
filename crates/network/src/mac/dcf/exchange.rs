//! [`Exchange`]: the frames of the distributed coordination function, how long each reserves the medium, and
//! by when it must be answered (IEEE 802.11-1999, 9.2.5.4, 9.2.5.7, 9.2.8).

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::contention::Spaces;
use super::{Config, Own, Rules};
use crate::frame::{Frame, FrameKind, Mode};
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::phy::Phy;

/// Sizes of control frames.
const RTS: u32 = 20;
const CTS: u32 = 14;
const ACK: u32 = 14;

/// ns-2 allows for 2 us of propagation each way.
const NS2_PROPAGATION: Duration = Duration::from_micros(4);

/// What a frame is an answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// To a request.
    Clearance,
    /// To data.
    Acknowledgement,
}

/// Frames and their timing at one station.
#[derive(Debug)]
pub(super) struct Exchange {
    phy: Arc<dyn Phy>,
    rules: Rules,
    rts_threshold: u64,
    sifs: Duration,
    slot: Duration,
    /// How a request is sent, and data.
    basic: Mode,
    data: Mode,
    /// How long the answer to a request is in the air, and the one to data.
    clearance: Duration,
    acknowledgement: Duration,
}

impl Exchange {
    /// Over this PHY.
    pub(super) fn new(config: &Config, phy: &Arc<dyn Phy>) -> Self {
        let timing = phy.timing();
        let (basic, data) = (phy.basic_mode(), phy.data_mode());
        Self {
            clearance: phy.air_time(CTS, phy.answer_mode(basic)),
            acknowledgement: phy.air_time(ACK, phy.answer_mode(data)),
            basic,
            data,
            phy: Arc::clone(phy),
            rules: config.rules,
            rts_threshold: config.rts_threshold.0,
            sifs: timing.sifs,
            slot: timing.slot,
        }
    }

    /// How long the medium must have been idle.
    pub(super) fn spaces(&self, has_extended_space: bool) -> Spaces {
        let difs = self.sifs + self.slot * 2;
        let slowest_answer = self.phy.air_time(ACK, self.phy.answer_mode(Mode(0)));
        let eifs = if has_extended_space { self.sifs + slowest_answer + difs } else { difs };
        Spaces { slot: self.slot, difs, eifs }
    }

    /// When the frame is due that follows one that ends now.
    pub(super) fn follows_at(&self, now: Instant) -> Instant {
        now + self.sifs
    }

    /// True for a frame of this size that is preceded by a request.
    pub(super) fn asks(&self, size: u32) -> bool {
        u64::from(size) > self.rts_threshold
    }

    /// Asks to send a frame.
    pub(super) fn request(&self, own: &Own, number: u32, from: NodeId, to: NodeId) -> Frame {
        let frame = Frame::new(from, number, FrameKind::RequestToSend { to }, RTS, self.basic);
        let data = self.phy.air_time(own.size, self.data);
        let reserved = self.sifs * 3 + self.clearance + data + self.acknowledgement;
        Frame { reserved, is_retry: own.is_retry, ..frame }
    }

    /// Answers a request.
    pub(super) fn clearance(&self, request: &Frame, from: NodeId) -> Frame {
        let mode = self.phy.answer_mode(request.mode);
        let kind = FrameKind::ClearToSend { to: request.sender };
        let reserved = request.reserved.saturating_sub(self.sifs + self.phy.air_time(CTS, mode));
        Frame { reserved, ..Frame::new(from, request.number, kind, CTS, mode) }
    }

    /// A frame of data.
    pub(super) fn data(&self, own: &Own, number: u32, from: NodeId) -> Frame {
        let (mode, reserved) = match own.part.next_hop {
            NextHop::Everyone => (self.basic, Duration::ZERO),
            NextHop::Node(_) => (self.data, self.sifs + self.acknowledgement),
        };
        let frame = Frame::new(from, number, FrameKind::Data, own.size, mode);
        Frame { parts: [Some(own.part), None], is_retry: own.is_retry, reserved, ..frame }
    }

    /// Answers data.
    pub(super) fn acknowledgement(&self, data: &Frame, from: NodeId) -> Frame {
        let (to, number) = (data.sender, data.number);
        let kind = FrameKind::Acknowledgement { to, number, part: 0 };
        Frame::new(from, number, kind, ACK, self.phy.answer_mode(data.mode))
    }

    /// By when an answer to a frame that ends now must have begun; in ns-2, ended.
    pub(super) fn answer_by(&self, answer: Answer, now: Instant) -> Instant {
        let (to, length) = match answer {
            Answer::Clearance => (self.basic, self.clearance),
            Answer::Acknowledgement => (self.data, self.acknowledgement),
        };
        now + self.sifs
            + match self.rules {
                Rules::Standard => self.slot + self.phy.header_time(self.phy.answer_mode(to)),
                Rules::Ns2 => length + NS2_PROPAGATION,
            }
    }

    /// Until when the frame lasts that a clearance which begins now allows, with ns-2's propagation.
    pub(super) fn allows_until(&self, clearance: &Frame, now: Instant) -> Instant {
        let frame = clearance.reserved.saturating_sub(self.sifs + self.acknowledgement);
        now + self.phy.air_time(CTS, clearance.mode) + frame + NS2_PROPAGATION
    }
}
