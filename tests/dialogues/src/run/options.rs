//! The options of a socket: fcntl, setsockopt, getsockopt, ioctl.

use farlink_tcp::congestion;

use super::calls::{Given, refuse, word_is};
use super::{Player, Stop, fail};
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
        self.find(line, call)?;
        let first = match call.arguments.get(3) {
            Some(Expression::List(items)) => items.first(),
            other => other,
        };
        let is_foreign = self.script.setting.is_foreign;
        let is_open = self.connection.is_some();
        match (call.arguments.get(2), first) {
            // One connection on a host of its own: nobody to share an address with.
            (Some(Expression::Words(words)), _)
                if words[..] == ["SO_REUSEADDR"] || words[..] == ["SO_REUSEPORT"] => {}
            // Writes never wait for room: there is no send buffer.
            (Some(Expression::Words(words)), Some(Expression::Integer(_))) if words[..] == ["SO_SNDBUF"] => {}
            // Small segments are always sent at once.
            (Some(Expression::Words(words)), Some(Expression::Integer(1)))
                if words[..] == ["TCP_NODELAY"] => {}
            (Some(Expression::Words(words)), Some(Expression::Integer(mss)))
                if words[..] == ["TCP_MAXSEG"] && is_foreign && !is_open && *mss > 0 =>
            {
                self.host.mss = mss.cast_unsigned();
            }
            (Some(Expression::Words(words)), Some(Expression::Text(name)))
                if words[..] == ["TCP_CONGESTION"] && !is_open =>
            {
                self.host.tcp.congestion_control = congestion::Config::named(name)
                    .ok_or_else(|| refuse(line, call, "no congestion control of this name"))?;
            }
            _ => return Err(refuse(line, call, "this socket option is not known here").into()),
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
            let value = if self.peer_offers.is_some() { self.segment_size() } else { UNCONNECTED_MSS };
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
        if self.application.gone {
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
        let waiting = self.application.received - self.application.read;
        if items[..] == [Expression::Integer(waiting.cast_signed())] {
            Ok(Ok(0))
        } else {
            Err(fail(line, format!("SIOCINQ is {waiting}")))
        }
    }
}
