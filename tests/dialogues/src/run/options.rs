//! The options of a socket: fcntl, setsockopt, getsockopt, ioctl.

use farlink_tcp::connection::State;
use farlink_tcp::{Connection, preset};

use super::calls::{Given, refuse, word_is};
use super::sockets::Kind;
use super::{Player, Stop, fail};
use crate::host::Key;
use crate::script::{Call, Expression};

/// What Linux reports of a socket that is not connected.
const UNCONNECTED_MSS: u64 = 536;

impl Player<'_> {
    pub(super) fn fcntl(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let number = self.find(line, call)?.number;
        if word_is(call, 1, &["F_SETFL"]) {
            let blocks = !word_is(call, 2, &["O_NONBLOCK"]);
            self.change(number, |socket| socket.blocks = blocks);
            return Ok(Ok(0));
        }
        if word_is(call, 1, &["F_GETFL"])
            && let Expression::Integer(flags) = call.result
        {
            return Ok(Ok(flags));
        }
        // The flags a socket has from the start are `O_RDWR`, written as a symbol.
        if word_is(call, 1, &["F_GETFL"]) && matches!(call.result, Expression::Words(_)) {
            return Ok(Ok(0));
        }
        Err(refuse(line, call, "of fcntl, F_SETFL and F_GETFL are known").into())
    }

    pub(super) fn set_option(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        let first = match call.arguments.get(3) {
            Some(Expression::List(items)) => items.first(),
            other => other,
        };
        let is_open = socket.kind != Kind::Fresh;
        match (call.arguments.get(2), first) {
            // One connection on a host of its own: nobody to share an address with.
            (Some(Expression::Words(words)), _)
                if words[..] == ["SO_REUSEADDR"] || words[..] == ["SO_REUSEPORT"] => {}
            // Writes never wait for room: there is no send buffer.
            (Some(Expression::Words(words)), Some(Expression::Integer(_))) if words[..] == ["SO_SNDBUF"] => {}
            // Small segments are always sent at once.
            (Some(Expression::Words(words)), Some(Expression::Integer(1)))
                if words[..] == ["TCP_NODELAY"] => {}
            (Some(Expression::Words(words)), Some(Expression::Text(name)))
                if words[..] == ["TCP_CONGESTION"] && !is_open =>
            {
                self.host.tcp.congestion_control = preset::congestion_control(self.host.tcp.preset, name)
                    .ok_or_else(|| refuse(line, call, "no congestion control of this name"))?;
            }
            (Some(Expression::Words(words)), Some(value)) if words.len() == 1 => {
                return self.set_socket_option(line, call, &words[0], value);
            }
            _ => return Err(refuse(line, call, "this socket option is not known here").into()),
        }
        Ok(Ok(0))
    }

    /// The options that change what calls do, not the connection.
    fn set_socket_option(
        &mut self,
        line: usize,
        call: &Call,
        name: &str,
        value: &Expression,
    ) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        let is_set = *value != Expression::Integer(0);
        let mut options = socket.options;
        match (name, value) {
            ("TCP_FASTOPEN_CONNECT", _) if self.host.fast_open.of_client().is_none() => {
                return Ok(Err("EOPNOTSUPP"));
            }
            ("TCP_FASTOPEN_CONNECT", Expression::Integer(_)) => options.puts_off = is_set,
            ("TCP_FASTOPEN", Expression::Integer(_)) => options.opens_fast = is_set,
            ("TCP_FASTOPEN_KEY", Expression::Text(text)) => match key(text) {
                Some(key) => options.key = Some(key),
                None => return Ok(Err("EINVAL")),
            },
            ("TCP_MAXSEG", Expression::Integer(mss @ 1..)) if self.script.setting.is_foreign => {
                options.mss = Some(mss.cast_unsigned());
            }
            ("TCP_SYNCNT", Expression::Integer(count @ 1..)) => {
                options.syn_retries = u32::try_from(*count).ok();
                if let (Some(connection), Some(retries)) =
                    (&mut self.exchange.connection, options.syn_retries)
                {
                    connection.limit_syn_retries(retries);
                }
            }
            ("SO_ZEROCOPY", Expression::Integer(_)) => options.zerocopy = is_set,
            ("TCP_INQ", Expression::Integer(_)) => options.tells_unread = is_set,
            ("SO_TIMESTAMPING", Expression::Words(_)) => {
                let application = &mut self.exchange.application;
                application.reports.stamp_from(application.written);
            }
            // Of other layers, or timers longer than any script.
            ("SO_MARK" | "IP_TOS" | "SO_KEEPALIVE" | "TCP_KEEPIDLE", Expression::Integer(_))
            | ("IP_MTU_DISCOVER", Expression::Words(_)) => {}
            _ => return Err(refuse(line, call, "this socket option is not known here").into()),
        }
        self.change(socket.number, |socket| socket.options = options);
        let waits = self.exchange.connection.as_ref().map(Connection::state) == Some(State::Listen);
        if socket.kind == Kind::Listening && waits {
            self.exchange.connection = None;
            self.await_peer(socket.number);
        }
        Ok(Ok(0))
    }

    pub(super) fn get_option(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find(line, call)?;
        let expected = match call.arguments.get(3) {
            Some(Expression::List(items)) => items.first(),
            _ => None,
        };
        let Some(Expression::Integer(expected)) = expected else {
            return Err(refuse(line, call, "expected the option's value in brackets").into());
        };
        if word_is(call, 2, &["TCP_MAXSEG"]) {
            let own = self.find(line, call)?.options.mss.unwrap_or(UNCONNECTED_MSS);
            let value = if self.exchange.peer_offers.is_some() { self.segment_size() } else { own };
            return if value.cast_signed() == *expected {
                Ok(Ok(0))
            } else {
                Err(fail(line, format!("TCP_MAXSEG is {value}")))
            };
        }
        if !word_is(call, 2, &["SO_ERROR"]) || *expected != 0 {
            return Err(refuse(
                line,
                call,
                "of getsockopt, SO_ERROR without an error and TCP_MAXSEG are known",
            )
            .into());
        }
        if self.exchange.application.gone {
            return Err(fail(line, "the connection is gone"));
        }
        Ok(Ok(0))
    }

    pub(super) fn ioctl(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find_connected(line, call)?;
        let (true, Some(Expression::List(items))) = (word_is(call, 1, &["SIOCINQ"]), call.arguments.get(2))
        else {
            return Err(refuse(line, call, "of ioctl, SIOCINQ is known").into());
        };
        let waiting = self.exchange.application.unread();
        if items[..] == [Expression::Integer(waiting.cast_signed())] {
            Ok(Ok(0))
        } else {
            Err(fail(line, format!("SIOCINQ is {waiting}")))
        }
    }
}

/// `\xf7\x63..`: sixteen bytes.
fn key(text: &str) -> Option<Key> {
    let bytes: Option<Vec<u8>> =
        text.split("\\x").skip(1).map(|digits| u8::from_str_radix(digits, 16).ok()).collect();
    bytes?.try_into().ok()
}
