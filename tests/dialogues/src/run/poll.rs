//! poll and epoll.

use super::calls::{Given, member, refuse};
use super::sockets::Kind;
use super::{Player, Stop, fail};
use crate::Refusal;
use crate::script::{Call, Expression};

/// Linux's numbers, the same for both calls.
const BITS: [(&str, u32); 8] = [
    ("IN", 0x1),
    ("PRI", 0x2),
    ("OUT", 0x4),
    ("ERR", 0x8),
    ("HUP", 0x10),
    ("RDHUP", 0x2000),
    ("EXCLUSIVE", 1 << 28),
    ("ONESHOT", 1 << 30),
];
const IN: u32 = 0x1;
const OUT: u32 = 0x4;
const ERR: u32 = 0x8;
const HUP: u32 = 0x10;
const RDHUP: u32 = 0x2000;
const ONE_SHOT: u32 = 1 << 30;
const EDGE: u32 = 1 << 31;

/// An epoll file and what it watches.
#[derive(Clone, Debug)]
pub(super) struct Epoll {
    number: i64,
    watched: Vec<Watched>,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    socket: i64,
    events: u32,
    /// Something happened since it was reported last.
    is_new: bool,
    /// A report disarms it (EPOLLONESHOT).
    is_armed: bool,
}

impl Player<'_> {
    /// What holds of socket `number` now.
    fn readiness(&self, number: i64) -> u32 {
        let Some(socket) = self.socket_numbered(number) else { return 0 };
        if socket.kind == Kind::PutOff {
            return OUT;
        }
        let exchange = self.past.iter().find(|past| past.id == socket.exchange).unwrap_or(&self.exchange);
        let application = &exchange.application;
        let mut ready = 0;
        if application.unread() > 0 || application.peer_closed || application.gone {
            ready |= IN;
        }
        if application.peer_closed || application.gone {
            ready |= RDHUP;
        }
        if application.established || application.gone {
            ready |= OUT;
        }
        if application.gone {
            ready |= HUP;
        }
        if application.error.is_some() || !application.reports.is_empty() {
            ready |= ERR;
        }
        ready
    }

    /// Something happened to connection `id`.
    pub(super) fn notify(&mut self, id: usize) {
        let sockets = &self.sockets;
        let is_about = |number: i64| sockets.iter().any(|it| it.number == number && it.exchange == id);
        for watched in self.epolls.iter_mut().flat_map(|epoll| &mut epoll.watched) {
            watched.is_new |= is_about(watched.socket);
        }
    }

    /// True when `poll` can return.
    pub(super) fn has_polled(&self, call: &Call) -> bool {
        polled(call).is_ok_and(|(number, events, _)| self.readiness(number) & (events | ERR | HUP) != 0)
    }

    pub(super) fn poll(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let (number, events, expected) =
            polled(call).map_err(|why| Stop::Refused(refuse(line, call, why)))?;
        let ready = self.readiness(number) & (events | ERR | HUP);
        if ready != expected {
            return Err(fail(line, format!("poll found {}", show(ready))));
        }
        Ok(Ok(i64::from(ready != 0)))
    }

    pub(super) fn epoll_create(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "expected a number").into());
        };
        self.epolls.push(Epoll { number, watched: Vec::new() });
        Ok(Ok(number))
    }

    pub(super) fn epoll_control(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let [_, Expression::Words(what), Expression::Integer(socket), event] = &call.arguments[..] else {
            return Err(refuse(line, call, "expected an operation, a socket and an event").into());
        };
        let events = member(event, "events").and_then(bits);
        let events = events.ok_or_else(|| refuse(line, call, "these events are not known"))?;
        let epoll = self.find_epoll(line, call)?;
        epoll.watched.retain(|watched| watched.socket != *socket);
        if what[..] != ["EPOLL_CTL_DEL"] {
            epoll.watched.push(Watched { socket: *socket, events, is_new: true, is_armed: true });
        }
        Ok(Ok(0))
    }

    pub(super) fn epoll_wait(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let expected = call.arguments.get(1).and_then(|event| member(event, "events")).and_then(bits);
        let expected = expected.ok_or_else(|| refuse(line, call, "these events are not known"))?;
        let sockets: Vec<i64> =
            self.find_epoll(line, call)?.watched.iter().map(|watched| watched.socket).collect();
        let ready: Vec<u32> = sockets.iter().map(|&number| self.readiness(number)).collect();
        let mut found = 0;
        for (watched, ready) in self.find_epoll(line, call)?.watched.iter_mut().zip(ready) {
            let ready = ready & (watched.events | ERR | HUP);
            if ready == 0 || !watched.is_armed || (watched.events & EDGE != 0 && !watched.is_new) {
                continue;
            }
            found |= ready;
            watched.is_new = false;
            watched.is_armed = watched.events & ONE_SHOT == 0;
        }
        if found != expected {
            return Err(fail(line, format!("epoll_wait found {}", show(found))));
        }
        Ok(Ok(i64::from(found != 0)))
    }

    fn find_epoll(&mut self, line: usize, call: &Call) -> Result<&mut Epoll, Refusal> {
        let number = call.arguments.first();
        let found = self.epolls.iter_mut().find(|epoll| number == Some(&Expression::Integer(epoll.number)));
        found.ok_or_else(|| refuse(line, call, "no such epoll file"))
    }
}

/// The socket of a `poll`, the events it asks for and those it shall find.
fn polled(call: &Call) -> Result<(i64, u32, u32), &'static str> {
    let why = "one socket with its events is understood";
    let Some(Expression::List(sockets)) = call.arguments.first() else { return Err(why) };
    let [socket] = &sockets[..] else { return Err(why) };
    let Some(Expression::Integer(number)) = member(socket, "fd") else { return Err(why) };
    let events = member(socket, "events").and_then(bits).ok_or(why)?;
    let expected = member(socket, "revents").map_or(Some(0), bits).ok_or(why)?;
    Ok((*number, events, expected))
}

fn bits(events: &Expression) -> Option<u32> {
    match events {
        Expression::Integer(0) => Some(0),
        Expression::Words(words) => words.iter().try_fold(0, |all, word| Some(all | bit(word)?)),
        _ => None,
    }
}

fn bit(word: &str) -> Option<u32> {
    let short = word.strip_prefix("EPOLL").or_else(|| word.strip_prefix("POLL"))?;
    if short == "ET" {
        return Some(EDGE);
    }
    BITS.iter().find(|(name, _)| *name == short).map(|(_, bit)| *bit)
}

fn show(events: u32) -> String {
    let names: Vec<&str> = BITS.iter().filter(|(_, bit)| events & bit != 0).map(|(name, _)| *name).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join("|") }
}
