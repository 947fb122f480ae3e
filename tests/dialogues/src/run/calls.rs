//! The socket calls that drive a connection.

use farlink_kernel::Bytes;
use farlink_tcp::connection::{Role, State};
use farlink_tcp::{Connection, Flags};

use super::{Player, Stop, fail};
use crate::Refusal;
use crate::header::Reading;
use crate::script::{Action, Call, Expression};

/// What timestamps take from a segment.
pub(super) const TIMESTAMPS: u64 = 12;

/// A file descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) number: i64,
    pub(super) blocks: bool,
    kind: Kind,
    /// Not shut down for reading or writing.
    reads: bool,
    writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fresh,
    Listening,
    Connected,
    Closed,
}

/// What a call gives: a number or the name of an error.
pub(super) type Given = Result<i64, &'static str>;

impl Player<'_> {
    /// A call that does not block, or no longer.
    pub(super) fn finish_call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        let is_closed = |socket: &Socket| {
            call.arguments.first() == Some(&Expression::Integer(socket.number)) && socket.kind == Kind::Closed
        };
        if self.sockets.iter().any(is_closed) {
            return check(line, call, Err("EBADF"));
        }
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
            "ioctl" => self.ioctl(line, call)?,
            "close" => self.close(line, call)?,
            "shutdown" => self.shutdown(line, call)?,
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
        if self.sockets.iter().any(|socket| matches!(socket.kind, Kind::Fresh | Kind::Listening)) {
            return Err(refuse(line, call, "a dialogue is about one connection").into());
        }
        let blocks = !word_is(call, 1, &["SOCK_NONBLOCK"]);
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "a socket that cannot be made").into());
        };
        self.add_socket(number, blocks, Kind::Fresh);
        Ok(Ok(number))
    }

    /// A number may be used again once its socket is closed.
    fn add_socket(&mut self, number: i64, blocks: bool, kind: Kind) {
        self.sockets.retain(|socket| socket.number != number);
        self.sockets.push(Socket { number, blocks, kind, reads: true, writes: true });
    }

    fn listen(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let given = self.on_fresh(line, call, 0)?;
        if self.script.setting.is_foreign && !self.peer_will_offer_timestamps() {
            // Without timestamps the path of a foreign script carries so much more.
            self.host.tcp.timestamps = false;
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

    pub(super) fn connect(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
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
        self.change(number, |socket| socket.kind = kind);
        if self.script.setting.is_foreign {
            let options = if self.host.tcp.timestamps { TIMESTAMPS } else { 0 };
            self.host.tcp.segment_size = Bytes(self.host.mss.saturating_sub(options).max(1));
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
        self.add_socket(number, blocks, Kind::Connected);
        Ok(Ok(number))
    }

    fn write(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find_connected(line, call)?;
        let bytes = count(line, call)?;
        if !socket.writes {
            return Ok(Err("EPIPE"));
        }
        if matches!(call.result, Expression::Integer(0..))
            && call.result != Expression::Integer(bytes.cast_signed())
        {
            return Err(refuse(line, call, "there is no send buffer that takes only a part").into());
        }
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
        let socket = *self.find_connected(line, call)?;
        let wanted = count(line, call)?;
        let waiting = self.application.received - self.application.read;
        if waiting == 0 && wanted > 0 {
            return Ok(if self.application.peer_closed || !socket.reads {
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
        let is_last = match socket.kind {
            Kind::Connected => true,
            Kind::Listening => self.connection.as_ref().map(Connection::state) == Some(State::Listen),
            Kind::Fresh | Kind::Closed => false,
        };
        let application = &self.application;
        if is_last && self.script.setting.is_foreign && application.received > application.read {
            return Err(refuse(line, call, "a host resets what it closes with unread data").into());
        }
        if is_last && socket.writes {
            self.close_connection();
        }
        self.change(socket.number, |socket| socket.kind = Kind::Closed);
        Ok(Ok(0))
    }

    fn shutdown(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find_connected(line, call)?;
        let (reads, writes) = match call.arguments.get(1) {
            Some(Expression::Words(words)) if words[..] == ["SHUT_RD"] => (false, true),
            Some(Expression::Words(words)) if words[..] == ["SHUT_WR"] => (true, false),
            Some(Expression::Words(words)) if words[..] == ["SHUT_RDWR"] => (false, false),
            _ => return Err(refuse(line, call, "expected SHUT_RD, SHUT_WR or SHUT_RDWR").into()),
        };
        if socket.writes && !writes {
            self.close_connection();
        }
        self.change(socket.number, |socket| {
            socket.reads &= reads;
            socket.writes &= writes;
        });
        Ok(Ok(0))
    }

    fn close_connection(&mut self) {
        let now = self.now;
        if let Some(connection) = self.connection.as_mut().filter(|it| it.state() != State::Closed) {
            connection.close(now);
        }
    }

    /// Changes the socket of this number.
    pub(super) fn change(&mut self, number: i64, change: impl Fn(&mut Socket)) {
        self.sockets.iter_mut().filter(|socket| socket.number == number).for_each(change);
    }

    /// The socket a call names first.
    pub(super) fn find(&self, line: usize, call: &Call) -> Result<&Socket, Refusal> {
        let number = match call.arguments.first() {
            Some(Expression::Integer(number)) => *number,
            _ => return Err(refuse(line, call, "expected a socket first")),
        };
        let found = self.sockets.iter().find(|socket| socket.number == number);
        found.ok_or_else(|| refuse(line, call, "no such socket"))
    }

    pub(super) fn find_connected(&self, line: usize, call: &Call) -> Result<&Socket, Refusal> {
        let socket = self.find(line, call)?;
        match socket.kind {
            Kind::Connected => Ok(socket),
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

pub(super) fn refuse(line: usize, call: &Call, why: &str) -> Refusal {
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

pub(super) fn word_is(call: &Call, place: usize, known: &[&str]) -> bool {
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
pub(super) fn check(line: usize, call: &Call, given: Given) -> Result<(), Stop> {
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
