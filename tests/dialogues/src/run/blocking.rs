//! Calls that block: they return when they can, which must be when the script says.

use farlink_kernel::Instant;

use super::sockets::Kind;
use super::transfer::sends;
use super::{Player, Stop, clock, fail};
use crate::Refusal;
use crate::script::{Call, Event, When};

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    pub(super) until: Instant,
    line: usize,
    call: Call,
    /// The connection it is about.
    exchange: usize,
}

impl Player<'_> {
    /// The application calls.
    pub(super) fn call(&mut self, event: &Event, call: &Call) -> Result<(), Stop> {
        let Some(until) = call.until else { return self.finish_call(event.line, call) };
        let kind = self.find(event.line, call).map(|socket| socket.kind);
        let opens = call.name == "connect" || (sends(call) && matches!(kind, Ok(Kind::Fresh | Kind::PutOff)));
        let waits = matches!(call.name.as_str(), "accept" | "read" | "recv" | "recvfrom" | "poll");
        if !opens && !waits {
            let why = "of calls that block, those that open, accept, read and poll are understood: there is no send buffer to fill";
            return Err(Refusal::new(event.line, format!("...{}", call.name), why).into());
        }
        // What begins at once; the rest happens when the call returns.
        if call.name == "connect" {
            // A blocking call gives 0 in the end.
            let _in_progress = self.connect(event.line, call)?;
        } else if opens && let Err(errno) = self.write(event.line, call)? {
            return super::calls::check(event.line, call, Err(errno));
        }
        let start = if matches!(event.when, When::After(_)) { self.before } else { Instant::ZERO };
        let until = start.saturating_add(until);
        let exchange = self.exchange.id;
        self.blocked.push(Blocked { until, line: event.line, call: call.clone(), exchange });
        Ok(())
    }

    /// Calls return that can.
    pub(super) fn wake(&mut self) -> Result<(), Stop> {
        while let Some(place) = self.blocked.iter().position(|blocked| self.can_return(blocked)) {
            let Blocked { until, line, call, .. } = self.blocked.remove(place);
            let tolerance = self.script.setting.tolerance;
            if self.now + tolerance < until || self.now > until + tolerance {
                let what = format!("{} returned at {}, not at {}", call.name, clock(self.now), clock(until));
                return Err(fail(line, what));
            }
            if call.name == "connect" || sends(&call) {
                let application = &mut self.exchange.application;
                let given = if !application.established {
                    Err(application.error.take().unwrap_or("ECONNREFUSED"))
                } else if call.name == "connect" {
                    Ok(0)
                } else {
                    Ok(application.written.cast_signed())
                };
                super::calls::check(line, &call, given)?;
            } else {
                self.finish_call(line, &call)?;
            }
        }
        Ok(())
    }

    fn can_return(&self, blocked: &Blocked) -> bool {
        let application = &self.exchange.application;
        match blocked.call.name.as_str() {
            "poll" => self.has_polled(&blocked.call),
            _ if blocked.exchange != self.exchange.id => false,
            "accept" => application.established,
            "connect" | "write" | "send" | "sendto" | "sendmsg" => {
                application.established || application.gone
            }
            _ => application.received > application.read || application.peer_closed || application.gone,
        }
    }

    /// It is later than a call should have returned.
    pub(super) fn overdue(&self, now: Instant) -> Result<(), Stop> {
        let tolerance = self.script.setting.tolerance;
        match self.blocked.iter().find(|blocked| blocked.until.saturating_add(tolerance) < now) {
            None => Ok(()),
            Some(Blocked { until, line, call, .. }) => {
                Err(fail(*line, format!("{} did not return by {}", call.name, clock(*until))))
            }
        }
    }
}
