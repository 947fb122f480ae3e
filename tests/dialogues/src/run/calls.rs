//! The socket calls that drive a connection.

use farlink_kernel::{Bytes, Instant};
use farlink_tcp::connection::{Role, State};
use farlink_tcp::{Connection, Flags, congestion};

use super::{Player, Stop, fail};
use crate::Refusal;
use crate::header::Reading;
use crate::script::{Action, Call, Expression, When};

/// What timestamps take from a segment.
const TIMESTAMPS: u64 = 12;

/// A file descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    number: i64,
    blocks: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fresh,
    Listening,
    Connected,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    pub(super) until: Instant,
    line: usize,
    call: Call,
}

/// What a call gives: a number or the name of an error.
type Given = Result<i64, &'static str>;

impl Player<'_> {
    /// The application calls.
    pub(super) fn call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        match call.until {
            None => self.finish_call(line, call),
            Some(until) => {
                // What begins at once; the rest happens when the call returns.
                if call.name == "connect" {
                    self.connect(line, call)?;
                }
                let is_relative = self
                    .script
                    .events
                    .iter()
                    .any(|event| event.line == line && matches!(event.when, When::After(_)));
                let start = if is_relative { self.before } else { Instant::ZERO };
                let until = start.saturating_add(until);
                self.blocked.push(Blocked { until, line, call: call.clone() });
                Ok(())
            }
        }
    }

    /// A call that blocked returns.
    pub(super) fn return_from(&mut self, blocked: &Blocked) -> Result<(), Stop> {
        if blocked.call.name == "connect" {
            let given = if self.application.established { Ok(0) } else { Err("ETIMEDOUT") };
            return check(blocked.line, &blocked.call, given);
        }
        self.finish_call(blocked.line, &blocked.call)
    }

    fn finish_call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        let given = match call.name.as_str() {
            "socket" => self.socket(line, call)?,
            "bind" => self.on_fresh(line, call, 0)?,
            "listen" => self.listen(line, call)?,
            "accept" | "accept4" => self.accept(line, call)?,
            "connect" => {
                self.connect(line, call)?;
                if self.find(line, call)?.blocks { Ok(0) } else { Err("EINPROGRESS") }
            }
            "fcntl" => self.fcntl(line, call)?,
            "setsockopt" => self.set_option(line, call)?,
            "getsockopt" => self.get_option(line, call)?,
            "write" | "send" | "sendto" => self.write(line, call)?,
            "read" | "recv" | "recvfrom" => self.read(line, call)?,
            "close" => self.close(line, call)?,
            "shutdown" if word_is(call, 1, &["SHUT_WR"]) => self.close(line, call)?,
            _ => return Err(refuse(line, call, "this call does not drive a connection").into()),
        };
        self.drain();
        check(line, call, given)
    }

    fn socket(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let is_tcp = matches!(&call.arguments[..], [_, Expression::Words(kind), protocol]
            if kind.iter().any(|word| word == "SOCK_STREAM")
                && (*protocol == Expression::Words(vec!["IPPROTO_TCP".into()]) || *protocol == Expression::Integer(0)));
        if !is_tcp {
            return Err(refuse(line, call, "only TCP sockets are spoken").into());
        }
        if self.sockets.iter().any(|socket| socket.kind != Kind::Connected) {
            return Err(refuse(line, call, "a dialogue is about one connection").into());
        }
        let blocks = !word_is(call, 1, &["SOCK_NONBLOCK"]);
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "a socket that cannot be made").into());
        };
        self.sockets.push(Socket { number, blocks, kind: Kind::Fresh });
        Ok(Ok(number))
    }

    fn listen(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let given = self.on_fresh(line, call, 0)?;
        if self.script.setting.is_foreign && !self.peer_will_offer_timestamps() && self.host.tcp.timestamps {
            // Without timestamps the path of a foreign script carries so much more.
            self.host.tcp.timestamps = false;
            self.host.tcp.segment_size = Bytes(self.host.tcp.segment_size.0 + TIMESTAMPS);
        }
        self.open(line, call, Role::Passive, Kind::Listening)?;
        Ok(given)
    }

    fn peer_will_offer_timestamps(&self) -> bool {
        self.script.events.iter().any(|event| match &event.action {
            Action::Inject(packet) if packet.flags.has(Flags::SYN) => {
                packet.options.is_some_and(|options| options.timestamps.is_some())
            }
            _ => false,
        })
    }

    fn connect(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        if self.host.only_answers_ecn {
            self.host.tcp.ecn = false;
        }
        self.open(line, call, Role::Active, Kind::Connected)
    }

    fn open(&mut self, line: usize, call: &Call, role: Role, kind: Kind) -> Result<(), Stop> {
        if self.connection.is_some() {
            return Err(refuse(line, call, "a dialogue is about one connection").into());
        }
        let number = self.find(line, call)?.number;
        for socket in self.sockets.iter_mut().filter(|socket| socket.number == number) {
            socket.kind = kind;
        }
        let mut connection = Connection::new(&self.host.tcp, role, self.numbers.initial(), 0);
        connection.open(self.now);
        if self.script.setting.dialogue.reading == Reading::WhenCalled {
            connection.pause_reading(self.now, true);
        }
        self.connection = Some(connection);
        self.drain();
        Ok(())
    }

    fn accept(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let listening = *self.find(line, call)?;
        if listening.kind != Kind::Listening {
            return Err(refuse(line, call, "the socket does not listen").into());
        }
        if !self.application.established {
            return Ok(Err("EAGAIN"));
        }
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "a socket that cannot be made").into());
        };
        let is_known = self.sockets.iter().any(|socket| socket.kind == Kind::Connected);
        if is_known {
            return Err(refuse(line, call, "a dialogue is about one connection").into());
        }
        let blocks = !word_is(call, 3, &["SOCK_NONBLOCK"]);
        self.sockets.push(Socket { number, blocks, kind: Kind::Connected });
        Ok(Ok(number))
    }

    fn fcntl(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let number = self.find(line, call)?.number;
        if word_is(call, 1, &["F_SETFL"]) {
            let blocks = !word_is(call, 2, &["O_NONBLOCK"]);
            for socket in self.sockets.iter_mut().filter(|socket| socket.number == number) {
                socket.blocks = blocks;
            }
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

    fn set_option(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find(line, call)?;
        let first = match call.arguments.get(3) {
            Some(Expression::List(items)) => items.first(),
            other => other,
        };
        let is_open = self.connection.is_some();
        match (call.arguments.get(2), first) {
            // One connection on a host of its own: nobody to share an address with.
            (Some(Expression::Words(words)), _)
                if words[..] == ["SO_REUSEADDR"] || words[..] == ["SO_REUSEPORT"] => {}
            // Small segments are always sent at once.
            (Some(Expression::Words(words)), Some(Expression::Integer(1)))
                if words[..] == ["TCP_NODELAY"] => {}
            (Some(Expression::Words(words)), Some(Expression::Integer(mss)))
                if words[..] == ["TCP_MAXSEG"] && !is_open && *mss > 0 =>
            {
                let options = if self.host.tcp.timestamps { TIMESTAMPS } else { 0 };
                self.host.tcp.segment_size = Bytes(mss.cast_unsigned().saturating_sub(options).max(1));
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

    fn get_option(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find(line, call)?;
        let asks_for_success = word_is(call, 2, &["SO_ERROR"])
            && call.arguments.get(3) == Some(&Expression::List(vec![Expression::Integer(0)]));
        if !asks_for_success {
            return Err(refuse(line, call, "of getsockopt, only SO_ERROR without an error is known").into());
        }
        if self.application.gone {
            return Err(fail(line, "the connection is gone"));
        }
        Ok(Ok(0))
    }

    fn write(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find_connected(line, call)?;
        let bytes = count(line, call)?;
        if let Some(Expression::Words(flags)) = call.arguments.get(3)
            && !flags.iter().all(|flag| flag == "MSG_DONTWAIT" || flag == "MSG_NOSIGNAL")
        {
            return Err(refuse(line, call, "these flags are not spoken").into());
        }
        if self.application.gone {
            return Ok(Err("ECONNRESET"));
        }
        if let Some(connection) = &mut self.connection {
            connection.write(self.now, bytes);
        }
        Ok(Ok(bytes.cast_signed()))
    }

    fn read(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        self.find_connected(line, call)?;
        let wanted = count(line, call)?;
        let waiting = self.application.received - self.application.read;
        if waiting == 0 && wanted > 0 {
            return Ok(if self.application.peer_closed {
                Ok(0)
            } else if self.application.gone {
                Err("ECONNRESET")
            } else {
                Err("EAGAIN")
            });
        }
        let read = wanted.min(waiting);
        self.application.read += read;
        if self.script.setting.dialogue.reading == Reading::WhenCalled {
            if read < waiting {
                return Err(refuse(line, call, "a reader that is called must take all there is").into());
            }
            let now = self.now;
            if let Some(connection) = &mut self.connection {
                connection.pause_reading(now, false);
            }
            self.drain();
            if let Some(connection) = &mut self.connection {
                connection.pause_reading(now, true);
            }
        }
        Ok(Ok(read.cast_signed()))
    }

    fn close(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        if socket.kind == Kind::Connected {
            let now = self.now;
            if let Some(connection) =
                self.connection.as_mut().filter(|connection| connection.state() != State::Closed)
            {
                connection.close(now);
            }
        }
        Ok(Ok(0))
    }

    /// The socket a call names first.
    fn find(&self, line: usize, call: &Call) -> Result<&Socket, Refusal> {
        let number = match call.arguments.first() {
            Some(Expression::Integer(number)) => *number,
            _ => return Err(refuse(line, call, "expected a socket first")),
        };
        let found = self.sockets.iter().find(|socket| socket.number == number);
        found.ok_or_else(|| refuse(line, call, "no such socket"))
    }

    fn find_connected(&self, line: usize, call: &Call) -> Result<(), Refusal> {
        match self.find(line, call)?.kind {
            Kind::Connected => Ok(()),
            _ => Err(refuse(line, call, "the socket is not connected")),
        }
    }

    fn on_fresh(&self, line: usize, call: &Call, given: i64) -> Result<Given, Stop> {
        match self.find(line, call)?.kind {
            Kind::Fresh => Ok(Ok(given)),
            _ => Err(refuse(line, call, "the socket is in use already").into()),
        }
    }
}

fn refuse(line: usize, call: &Call, why: &str) -> Refusal {
    let arguments: Vec<String> = call.arguments.iter().map(show).collect();
    Refusal::new(line, format!("{}({})", call.name, arguments.join(", ")), why)
}

fn show(expression: &Expression) -> String {
    match expression {
        Expression::Any => "...".to_owned(),
        Expression::Integer(number) => number.to_string(),
        Expression::Words(words) => words.join("|"),
        Expression::Text(text) => format!("\"{text}\""),
        Expression::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
    }
}

fn word_is(call: &Call, place: usize, known: &[&str]) -> bool {
    matches!(call.arguments.get(place), Some(Expression::Words(words))
        if words.iter().any(|word| known.contains(&word.as_str())))
}

/// The number of bytes a call is about.
fn count(line: usize, call: &Call) -> Result<u64, Refusal> {
    match call.arguments.get(2) {
        Some(Expression::Integer(bytes)) if *bytes >= 0 => Ok(bytes.cast_unsigned()),
        _ => Err(refuse(line, call, "expected a number of bytes")),
    }
}

/// The call gave what the script says.
fn check(line: usize, call: &Call, given: Given) -> Result<(), Stop> {
    let holds = match (&call.result, &call.errno, given) {
        (Expression::Any | Expression::Words(_), None, Ok(_)) => true,
        (Expression::Integer(number), None, Ok(given)) => *number == given,
        (Expression::Integer(-1), Some(errno), Err(given)) => {
            errno == given || (errno == "EWOULDBLOCK" && given == "EAGAIN")
        }
        _ => false,
    };
    if holds {
        return Ok(());
    }
    let given = given.map_or_else(|errno| format!("-1 {errno}"), |number| number.to_string());
    Err(fail(line, format!("{} gave {given}", call.name)))
}
