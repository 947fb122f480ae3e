//! Errors that routers report (RFC 9293 section 3.9.2.2, RFC 1191), as Linux takes them (`tcp_v4_err`).

use farlink_kernel::Bytes;

use super::api::{Role, State};
use super::endpoint::Connection;
use crate::seq::SeqNumber;

/// IP and TCP headers without options.
const HEADERS: u64 = 40;
/// No path has a smaller MTU (RFC 791 section 3.2).
const SMALLEST_MTU: u64 = 68;

/// An ICMP message about a segment of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icmp {
    /// Fragmentation needed: the next link carries packets of so much (RFC 1191 section 4).
    FragmentationNeeded {
        /// The next link's MTU.
        mtu: Bytes,
    },
    /// Network, host, protocol or port unreachable.
    Unreachable,
}

impl Connection {
    /// A router reports an error about the segment that begins with `seq`. What lies outside of what is outstanding is
    /// ignored (RFC 5927 section 4.1).
    pub fn on_icmp(&mut self, icmp: Icmp, seq: SeqNumber) {
        let is_outstanding =
            self.snd.offset_of(seq).is_some_and(|offset| (self.snd.una()..=self.snd.nxt()).contains(&offset));
        if !is_outstanding || matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            return;
        }
        match icmp {
            Icmp::FragmentationNeeded { mtu } => self.shrink_segments(mtu.0.max(SMALLEST_MTU)),
            Icmp::Unreachable => self.on_unreachable(),
        }
    }

    /// Outstanding segments that are too large were dropped: they are sent anew in smaller ones, at once, and the window
    /// is not reduced, for it was no congestion (RFC 1191 section 6.5).
    fn shrink_segments(&mut self, mtu: u64) {
        let options = self.config.segment_size.0.abs_diff(u64::from(self.syn_options().mss.unwrap_or(0)));
        let carried = mtu - HEADERS;
        if self.is_shaking_hands() {
            let payload = Bytes(carried.saturating_sub(options).max(1));
            self.config.segment_size = self.config.segment_size.min(payload);
            // The SYN alone was not too large; its data were.
            if self.snd.nxt() > 1 && self.state == State::SynSent {
                self.lose_syn();
                self.snd.force_retransmission(true);
            }
            return;
        }
        let options = if self.negotiated.timestamps { options } else { 0 };
        let payload = carried.saturating_sub(options).max(1);
        if payload >= self.snd.segment_size() {
            return;
        }
        self.snd.set_segment_size(payload);
        if !self.snd.board().is_empty() {
            self.take_back();
            self.follow_recovery();
        }
    }

    /// Ends a handshake; afterwards it is no more than a hint (RFC 9293 section 3.9.2.2: MUST-56).
    fn on_unreachable(&mut self) {
        match self.state {
            State::SynReceived if self.role == Role::Passive && !self.fast_open.is_open_early => {
                self.return_to_listen();
            }
            State::SynSent | State::SynReceived => self.delete(),
            _ => {}
        }
    }
}
