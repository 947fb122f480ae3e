//! File descriptors.

use super::Player;
use super::calls::refuse;
use crate::Refusal;
use crate::host::Key;
use crate::script::{Call, Expression};

/// A socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) number: i64,
    pub(super) blocks: bool,
    pub(super) kind: Kind,
    /// Not shut down for reading or writing.
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// The connection it is about, once there is one.
    pub(super) exchange: usize,
    pub(super) options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fresh,
    Listening,
    /// `connect` has put the SYN off until there are data for it (TCP_FASTOPEN_CONNECT).
    PutOff,
    Connected,
    Closed,
}

/// What setsockopt has set. A socket that is accepted has its listener's options.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    /// TCP_MAXSEG.
    pub(super) mss: Option<u64>,
    /// TCP_SYNCNT.
    pub(super) syn_retries: Option<u32>,
    /// TCP_FASTOPEN_CONNECT.
    pub(super) puts_off: bool,
    /// TCP_FASTOPEN.
    pub(super) opens_fast: bool,
    /// TCP_FASTOPEN_KEY.
    pub(super) key: Option<Key>,
    /// SO_ZEROCOPY.
    pub(super) zerocopy: bool,
    /// TCP_INQ.
    pub(super) tells_unread: bool,
}

impl Player<'_> {
    /// A number may be used again once its socket is closed.
    pub(super) fn add_socket(&mut self, number: i64, blocks: bool, kind: Kind, options: Options) {
        self.sockets.retain(|socket| socket.number != number);
        let exchange = self.exchange.id;
        self.sockets.push(Socket { number, blocks, kind, reads: true, writes: true, exchange, options });
    }

    /// Changes the socket of this number.
    pub(super) fn change(&mut self, number: i64, change: impl Fn(&mut Socket)) {
        self.sockets.iter_mut().filter(|socket| socket.number == number).for_each(change);
    }

    pub(super) fn socket_numbered(&self, number: i64) -> Option<&Socket> {
        self.sockets.iter().find(|socket| socket.number == number)
    }

    /// The socket a call names first.
    pub(super) fn find(&self, line: usize, call: &Call) -> Result<&Socket, Refusal> {
        let number = match call.arguments.first() {
            Some(Expression::Integer(number)) => *number,
            _ => return Err(refuse(line, call, "expected a socket first")),
        };
        self.socket_numbered(number).ok_or_else(|| refuse(line, call, "no such socket"))
    }

    pub(super) fn find_connected(&self, line: usize, call: &Call) -> Result<&Socket, Refusal> {
        let socket = self.find(line, call)?;
        match socket.kind {
            Kind::Connected => Ok(socket),
            _ => Err(refuse(line, call, "the socket is not connected")),
        }
    }
}
