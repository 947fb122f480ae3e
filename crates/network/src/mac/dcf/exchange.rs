//! [`Exchange`]: the frames of an exchange, their Duration fields and the response timeouts (IEEE 802.11-1999, 9.2.5.4,
//! 9.2.5.7, 9.2.8).

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::Config;
use super::contention::InterframeSpaces;
use super::pending::{PendingFrame, Response};
use crate::frame::Mode;
use crate::frame::{Frame, FrameKind};
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::phy::Phy;

/// Sizes of control frames in bytes (7.2.1).
const RTS: u32 = 20;
const CTS: u32 = 14;
const ACK: u32 = 14;

/// Frames of one station and their timing.
#[derive(Debug)]
pub(super) struct Exchange {
    phy: Arc<dyn Phy>,
    rts_threshold: u64,
    pub(super) sifs: Duration,
    slot: Duration,
    basic_mode: Mode,
    data_mode: Mode,
    /// Lengths of the responses to own frames.
    pub(super) cts: Duration,
    pub(super) ack: Duration,
    /// `CTSTimeout` after an RTS begins, and `ACKTimeout` after data ends.
    waits: [Duration; 2],
}

impl Exchange {
    pub(super) fn new(config: &Config, phy: &Arc<dyn Phy>) -> Self {
        let timing = phy.timing();
        let (basic_mode, data_mode) = (phy.basic_mode(), phy.data_mode());
        let [cts, ack] =
            [(CTS, basic_mode), (ACK, data_mode)].map(|(size, of)| phy.air_time(size, phy.answer_mode(of)));
        let wait = |of, response| {
            let start = timing.slot + phy.header_time(phy.answer_mode(of));
            phy.turnaround() * 2 + timing.sifs + config.rules.response_wait(start, response)
        };
        Self {
            cts,
            ack,
            waits: [phy.air_time(RTS, basic_mode) + wait(basic_mode, cts), wait(data_mode, ack)],
            basic_mode,
            data_mode,
            phy: Arc::clone(phy),
            rts_threshold: config.rts_threshold.0,
            sifs: timing.sifs,
            slot: timing.slot,
        }
    }

    /// The interframe spaces (9.2.10). Without `has_eifs` EIFS is DIFS.
    pub(super) fn spaces(&self, has_eifs: bool) -> InterframeSpaces {
        let difs = self.sifs + self.slot * 2;
        let slowest_ack = self.phy.air_time(ACK, self.phy.answer_mode(Mode(0)));
        let eifs = if has_eifs { self.sifs + slowest_ack + difs } else { difs };
        InterframeSpaces { slot: self.slot, difs, eifs }
    }

    /// When SIFS ends after a frame that ends now.
    pub(super) fn after_sifs(&self, now: Instant) -> Instant {
        now + self.sifs
    }

    /// True for a frame above the RTS threshold.
    pub(super) fn uses_rts(&self, size: u32) -> bool {
        u64::from(size) > self.rts_threshold
    }

    /// An RTS, whose duration covers CTS, data and ACK.
    pub(super) fn rts(&self, pending: &PendingFrame, number: u32, from: NodeId, to: NodeId) -> Frame {
        let frame = Frame::new(from, number, FrameKind::RequestToSend { to }, RTS, self.basic_mode);
        let duration = self.sifs * 3 + self.cts + pending.length + self.ack;
        Frame { duration, is_retry: pending.is_retry, ..frame }
    }

    pub(super) fn cts(&self, rts: &Frame, from: NodeId) -> Frame {
        let kind = FrameKind::ClearToSend { to: rts.sender };
        let duration = rts.duration.saturating_sub(self.sifs + self.cts);
        Frame { duration, ..Frame::new(from, rts.number, kind, CTS, self.phy.answer_mode(rts.mode)) }
    }

    pub(super) fn data(&self, pending: &PendingFrame, number: u32, from: NodeId) -> Frame {
        let (mode, duration) = match pending.part.next_hop {
            NextHop::Everyone => (self.basic_mode, Duration::ZERO),
            NextHop::Node(_) => (self.data_mode, self.sifs + self.ack),
        };
        let frame = Frame::new(from, number, FrameKind::Data, pending.size, mode);
        Frame { parts: [Some(pending.part), None], is_retry: pending.is_retry, duration, ..frame }
    }

    pub(super) fn ack(&self, data: &Frame, from: NodeId) -> Frame {
        let (to, number) = (data.sender, data.number);
        let kind = FrameKind::Acknowledgement { to, number, part: 0 };
        Frame::new(from, number, kind, ACK, self.phy.answer_mode(data.mode))
    }

    /// How long data for one neighbour lasts.
    pub(super) fn data_length(&self, size: u32) -> Duration {
        self.phy.air_time(size, self.data_mode)
    }

    /// When the response to an RTS that begins now, or to data of this length, times out (`CTSTimeout`, `ACKTimeout`).
    pub(super) fn timeout(&self, response: Response, data_length: Duration, now: Instant) -> Instant {
        let [cts, ack] = self.waits;
        now + match response {
            Response::Cts => cts,
            Response::Ack => data_length + ack,
        }
    }
}
