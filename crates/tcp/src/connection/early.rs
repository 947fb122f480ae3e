//! The state of TCP Fast Open (RFC 7413) in a connection.

use crate::fast_open::{self, Cookie, FastOpenOption, Memory};

/// The state of Fast Open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpen {
    /// What this client remembers of the path.
    pub(super) memory: Memory,
    /// The cookie that this server gives the client and takes from it.
    pub(super) own_cookie: Cookie,
    /// The option of the SYN that was sent first.
    pub(super) asked: Option<FastOpenOption>,
    /// One past the data of the SYN sent first; 0 without.
    pub(super) syn_data_end: u64,
    /// The option of the SYN/ACK.
    pub(super) answer: Option<FastOpenOption>,
    /// All data of the SYN were accepted.
    pub(super) data_accepted: bool,
    /// This server sends and delivers before the handshake is complete.
    pub(super) is_open_early: bool,
}

impl FastOpen {
    pub(super) fn new(config: fast_open::FastOpen) -> Self {
        let mut memory = Memory::default();
        if config == fast_open::FastOpen::Cookie {
            memory.cookie = Some(Cookie::default());
        }
        Self { memory, ..Self::default() }
    }
}
