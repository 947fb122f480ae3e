//! [`SynTimeouts`]: how often the SYN timed out.

/// Timeouts of the SYN or SYN/ACK, and after how many retransmissions it is given up (R2 of RFC 9293 section 3.8.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct SynTimeouts {
    count: u32,
    most: u32,
}

impl SynTimeouts {
    /// It is retransmitted `most` times.
    pub(super) fn up_to(most: u32) -> Self {
        Self { count: 0, most }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The timer expired; true when the handshake is given up.
    pub(super) fn on_timeout(&mut self) -> bool {
        self.count += 1;
        self.count > self.most
    }
}
