//! Calls that block: they return when they can, which must be when the script says.

use farlink_kernel::Instant;

use super::{Player, Stop, clock, fail};
use crate::Refusal;
use crate::script::{Call, Event, When};

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    pub(super) until: Instant,
    line: usize,
    call: Call,
}

impl Player<'_> {
    /// The application calls.
    pub(super) fn call(&mut self, event: &Event, call: &Call) -> Result<(), Stop> {
        let Some(until) = call.until else { return self.finish_call(event.line, call) };
        if !matches!(call.name.as_str(), "accept" | "connect" | "read" | "recv" | "recvfrom") {
            let why = "only accept, connect and read block: there is no send buffer to fill";
            return Err(Refusal::new(event.line, format!("...{}", call.name), why).into());
        }
        // What begins at once; the rest happens when the call returns.
        if call.name == "connect" {
            self.connect(event.line, call)?;
        }
        let start = if matches!(event.when, When::After(_)) { self.before } else { Instant::ZERO };
        let until = start.saturating_add(until);
        self.blocked.push(Blocked { until, line: event.line, call: call.clone() });
        Ok(())
    }

    /// Calls return that can.
    pub(super) fn wake(&mut self) -> Result<(), Stop> {
        while let Some(place) = self.blocked.iter().position(|blocked| self.can_return(&blocked.call)) {
            let Blocked { until, line, call } = self.blocked.remove(place);
            let tolerance = self.script.setting.tolerance;
            if self.now + tolerance < until || self.now > until + tolerance {
                let what = format!("{} returned at {}, not at {}", call.name, clock(self.now), clock(until));
                return Err(fail(line, what));
            }
            if call.name == "connect" {
                let given = if self.application.established { Ok(0) } else { Err("ECONNREFUSED") };
                super::calls::check(line, &call, given)?;
            } else {
                self.finish_call(line, &call)?;
            }
        }
        Ok(())
    }

    fn can_return(&self, call: &Call) -> bool {
        let application = &self.application;
        match call.name.as_str() {
            "accept" => application.established,
            "connect" => application.established || application.gone,
            _ => application.received > application.read || application.peer_closed || application.gone,
        }
    }

    /// It is later than a call should have returned.
    pub(super) fn overdue(&self, now: Instant) -> Result<(), Stop> {
        let tolerance = self.script.setting.tolerance;
        match self.blocked.iter().find(|blocked| blocked.until.saturating_add(tolerance) < now) {
            None => Ok(()),
            Some(Blocked { until, line, call }) => {
                Err(fail(*line, format!("{} did not return by {}", call.name, clock(*until))))
            }
        }
    }
}
