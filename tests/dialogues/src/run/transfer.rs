//! Calls that move data.

use farlink_tcp::Connection;
use farlink_tcp::connection::State;

use super::calls::{Given, member, refuse, word_is};
use super::sockets::{Kind, Socket};
use super::{Player, Stop, fail};
use crate::Refusal;
use crate::header::Reading;
use crate::script::{Call, Expression};

/// MSG_FASTOPEN as a number.
const FAST_OPEN: i64 = 0x2000_0000;
/// Flags of send that are understood.
const FLAGS: [&str; 5] = ["MSG_DONTWAIT", "MSG_NOSIGNAL", "MSG_FASTOPEN", "MSG_ZEROCOPY", "MSG_EOR"];

/// A send call: how much, and how.
#[derive(Clone, Copy, Debug)]
struct Sending {
    bytes: u64,
    opens_fast: bool,
    is_zerocopy: bool,
    ends_record: bool,
    blocks: bool,
}

impl Player<'_> {
    pub(super) fn write(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        let sending = sending(line, call, socket)?;
        if is_null(call) && sending.bytes > 0 {
            return Ok(Err("EFAULT"));
        }
        match socket.kind {
            Kind::Fresh if sending.opens_fast => Ok(self.open_with(call, socket, sending)),
            Kind::PutOff => Ok(self.open_with(call, socket, sending)),
            Kind::Connected => self.write_more(line, call, socket, sending),
            Kind::Fresh => Ok(Err("EPIPE")),
            _ => Err(refuse(line, call, "the socket is not connected").into()),
        }
    }

    /// The SYN goes out, with data if it may carry any (RFC 7413 section 4.2.1).
    fn open_with(&mut self, call: &Call, socket: Socket, sending: Sending) -> Given {
        let Some(mode) = self.host.fast_open.of_client().filter(|_| !word_is(call, 4, &["AF_UNSPEC"])) else {
            return Err("EOPNOTSUPP");
        };
        let now = self.now;
        let connection = self.approach_peer(socket.number, Some(mode));
        let room = connection.syn_data_limit();
        // A call that waits hands over the rest when the handshake is complete.
        let taken = if sending.blocks { sending.bytes } else { sending.bytes.min(room) };
        connection.write(now, taken);
        self.note_written(socket, sending, taken);
        self.start(socket.number);
        if taken == 0 { Err("EINPROGRESS") } else { Ok(taken.cast_signed()) }
    }

    fn write_more(
        &mut self,
        line: usize,
        call: &Call,
        socket: Socket,
        sending: Sending,
    ) -> Result<Given, Stop> {
        let is_foreign = self.script.setting.is_foreign;
        if let Some(errno) = self.exchange.application.error.take() {
            return Ok(Err(errno));
        }
        if !socket.writes || (is_foreign && self.exchange.application.gone) {
            return Ok(Err("EPIPE"));
        }
        if self.exchange.application.gone {
            return Ok(Err("ECONNRESET"));
        }
        if self.is_connecting() && sending.opens_fast {
            return Ok(Err("EALREADY"));
        }
        if self.is_connecting() && is_foreign {
            return Ok(Err("EAGAIN"));
        }
        if matches!(call.result, Expression::Integer(0..))
            && call.result != Expression::Integer(sending.bytes.cast_signed())
        {
            return Err(refuse(line, call, "there is no send buffer that takes only a part").into());
        }
        let now = self.now;
        if let Some(connection) = &mut self.exchange.connection {
            connection.write(now, sending.bytes);
            if sending.ends_record {
                connection.end_record();
            }
        }
        self.note_written(socket, sending, sending.bytes);
        Ok(Ok(sending.bytes.cast_signed()))
    }

    fn is_connecting(&self) -> bool {
        self.exchange.connection.as_ref().map(Connection::state) == Some(State::SynSent)
    }

    fn note_written(&mut self, socket: Socket, sending: Sending, bytes: u64) {
        let application = &mut self.exchange.application;
        application.written += bytes;
        application.reports.on_write(
            application.written,
            bytes,
            sending.is_zerocopy && socket.options.zerocopy,
        );
    }

    pub(super) fn read(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let wanted = count(line, call)?;
        self.take(line, call, wanted)
    }

    fn take(&mut self, line: usize, call: &Call, wanted: u64) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        if socket.kind == Kind::PutOff {
            return Ok(Err("EAGAIN"));
        }
        self.find_connected(line, call)?;
        let application = &mut self.exchange.application;
        let waiting = application.unread();
        if is_null(call) && waiting > 0 {
            return Ok(Err("EFAULT"));
        }
        if waiting == 0 && wanted > 0 {
            return Ok(if let Some(errno) = application.error.take() {
                Err(errno)
            } else if application.peer_closed || !socket.reads || application.gone {
                Ok(0)
            } else {
                Err("EAGAIN")
            });
        }
        let read = wanted.min(waiting);
        application.read += read;
        if self.script.setting.dialogue.reading == Reading::WhenCalled {
            if read < waiting {
                return Err(refuse(line, call, "a reader that is called must take all there is").into());
            }
            let now = self.now;
            if let Some(connection) = &mut self.exchange.connection {
                connection.pause_reading(now, false);
            }
            self.drain();
            if let Some(connection) = &mut self.exchange.connection {
                connection.pause_reading(now, true);
            }
        }
        Ok(Ok(read.cast_signed()))
    }

    /// `recvmsg`: data with the bytes left behind them, or the next report of the error queue.
    pub(super) fn receive_message(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let Some(message @ Expression::Record(_)) = call.arguments.get(1) else {
            return Err(refuse(line, call, "expected a message in braces").into());
        };
        let expected = match member(message, "msg_control") {
            Some(Expression::List(items)) => &items[..],
            _ => &[],
        };
        if word_is(call, 2, &["MSG_ERRQUEUE"]) {
            return self.take_report(line, call, expected);
        }
        let wanted = count(line, call)?;
        let given = self.take(line, call, wanted)?;
        for control in expected {
            let value = member(control, "cmsg_data");
            let is_unread =
                member(control, "cmsg_type") == Some(&Expression::Words(vec!["TCP_CM_INQ".into()]));
            let (true, Some(Expression::Integer(value))) = (is_unread, value) else {
                return Err(refuse(line, call, "of control messages, TCP_CM_INQ is known").into());
            };
            let application = &self.exchange.application;
            // The end of the stream counts as a byte (Linux, `tcp_inq_hint`).
            let unread = application.unread().max(u64::from(application.peer_closed)).cast_signed();
            if !self.find(line, call)?.options.tells_unread || *value != unread {
                return Err(fail(line, format!("TCP_CM_INQ is {unread}")));
            }
        }
        Ok(given)
    }

    fn take_report(&mut self, line: usize, call: &Call, expected: &[Expression]) -> Result<Given, Stop> {
        let Some(report) = self.exchange.application.reports.take() else { return Ok(Err("EAGAIN")) };
        match report.difference(expected, self.script.setting.tolerance) {
            None => Ok(Ok(0)),
            Some(what) => Err(fail(line, format!("{}: {what}", call.name))),
        }
    }
}

/// The buffer is the null pointer.
fn is_null(call: &Call) -> bool {
    call.arguments.get(1) == Some(&Expression::Words(vec!["NULL".into()]))
}

fn sending(line: usize, call: &Call, socket: Socket) -> Result<Sending, Refusal> {
    let place = if call.name == "sendmsg" { 2 } else { 3 };
    let flags: &[String] = match call.arguments.get(place) {
        Some(Expression::Words(flags)) => flags,
        _ => &[],
    };
    if !flags.iter().all(|flag| FLAGS.contains(&flag.as_str())) {
        return Err(refuse(line, call, "these flags are not spoken"));
    }
    let has = |flag: &str| flags.iter().any(|known| known == flag);
    Ok(Sending {
        bytes: count(line, call)?,
        opens_fast: has("MSG_FASTOPEN") || call.arguments.get(place) == Some(&Expression::Integer(FAST_OPEN)),
        is_zerocopy: has("MSG_ZEROCOPY"),
        ends_record: has("MSG_EOR"),
        blocks: socket.blocks && !has("MSG_DONTWAIT"),
    })
}

/// The number of bytes a call is about.
fn count(line: usize, call: &Call) -> Result<u64, Refusal> {
    let refusal = || refuse(line, call, "expected a number of bytes");
    let number = |value: &Expression| match value {
        Expression::Integer(bytes) if *bytes >= 0 => Ok(bytes.cast_unsigned()),
        _ => Err(refusal()),
    };
    if !matches!(call.name.as_str(), "sendmsg" | "recvmsg") {
        return number(call.arguments.get(2).ok_or_else(refusal)?);
    }
    let message = call.arguments.get(1).ok_or_else(refusal)?;
    let Some(Expression::List(pieces)) = member(message, "msg_iov") else { return Err(refusal()) };
    pieces
        .iter()
        .map(|piece| match piece {
            Expression::Record(members) => members.last().map_or(Err(refusal()), |(_, len)| number(len)),
            _ => Err(refusal()),
        })
        .sum()
}

/// True for a call that waits for a handshake it began or for room.
pub(super) fn sends(call: &Call) -> bool {
    matches!(call.name.as_str(), "write" | "send" | "sendto" | "sendmsg")
}
