//! Calls that make a connection and end it.

use farlink_kernel::Bytes;
use farlink_tcp::config::EcnMode;
use farlink_tcp::connection::{Role, State};
use farlink_tcp::{Config, Connection, fast_open};

use super::calls::{Given, refuse, word_is};
use super::sockets::{Kind, Options};
use super::{Player, Stop};
use crate::header::Reading;
use crate::script::{Call, Expression};

/// What timestamps take from a segment.
pub(super) const TIMESTAMPS: u64 = 12;

impl Player<'_> {
    pub(super) fn socket(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let is_tcp = matches!(&call.arguments[..], [_, Expression::Words(kind), protocol]
            if kind.iter().any(|word| word == "SOCK_STREAM")
                && (*protocol == Expression::Words(vec!["IPPROTO_TCP".into()]) || *protocol == Expression::Integer(0)));
        if !is_tcp {
            return Err(refuse(line, call, "only TCP sockets are spoken").into());
        }
        let blocks = !word_is(call, 1, &["SOCK_NONBLOCK"]);
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "a socket that cannot be made").into());
        };
        self.add_socket(number, blocks, Kind::Fresh, Options::default());
        Ok(Ok(number))
    }

    pub(super) fn bind(&self, line: usize, call: &Call) -> Result<Given, Stop> {
        match self.find(line, call)?.kind {
            Kind::Fresh => Ok(Ok(0)),
            _ => Err(refuse(line, call, "the socket is in use already").into()),
        }
    }

    pub(super) fn listen(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let given = self.bind(line, call)?;
        let socket = *self.find(line, call)?;
        self.change(socket.number, |socket| socket.kind = Kind::Listening);
        self.await_peer(socket.number);
        Ok(given)
    }

    /// A connection that waits for a SYN, as the listening socket `number` has it.
    pub(super) fn await_peer(&mut self, number: i64) {
        let Some(&socket) = self.socket_numbered(number) else { return };
        let fast_open = self.host.fast_open.of_server(socket.options.opens_fast);
        let tcp = self.options(socket.options);
        let tcp = if self.script.setting.is_foreign { Config { fast_open, ..tcp } } else { tcp };
        let key = socket.options.key.unwrap_or(self.host.fast_open.key);
        let cookie = self.host.fast_open.cookie(&key).filter(|_| self.script.setting.is_foreign);
        let connection = self.make(&tcp, Role::Passive);
        if let Some(cookie) = cookie {
            connection.take_cookie_for_valid(cookie);
        }
        self.start(number);
    }

    pub(super) fn connect(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        match socket.kind {
            Kind::Fresh => {}
            Kind::PutOff => return Ok(Err("EISCONN")),
            _ if self.exchange.application.established => return Ok(Err("EISCONN")),
            _ => return Ok(Err("EALREADY")),
        }
        let mode = self.host.fast_open.of_client().filter(|_| socket.options.puts_off);
        let has_cookie = self.host.fast_open.memory.cookie.is_some();
        let puts_off = match mode {
            None | Some(fast_open::FastOpen::Off) => false,
            Some(fast_open::FastOpen::Request | fast_open::FastOpen::Cookie) => has_cookie,
            Some(fast_open::FastOpen::WithoutCookie) => true,
        };
        if puts_off {
            self.change(socket.number, |socket| socket.kind = Kind::PutOff);
            return Ok(Ok(0));
        }
        self.approach_peer(socket.number, mode);
        self.start(socket.number);
        Ok(if socket.blocks { Ok(0) } else { Err("EINPROGRESS") })
    }

    /// A connection that will send a SYN; `mode` of Fast Open where the call asks for it.
    pub(super) fn approach_peer(
        &mut self,
        number: i64,
        mode: Option<fast_open::FastOpen>,
    ) -> &mut Connection {
        let options = self.socket_numbered(number).map_or(Options::default(), |socket| socket.options);
        let mut tcp = self.options(options);
        if self.host.only_answers_ecn {
            tcp.ecn = EcnMode::Off;
        }
        if self.script.setting.is_foreign {
            tcp.fast_open = mode.unwrap_or(fast_open::FastOpen::Off);
        }
        let (memory, is_foreign) = (self.host.fast_open.memory, self.script.setting.is_foreign);
        let connection = self.make(&tcp, Role::Active);
        if is_foreign || memory != fast_open::Memory::default() {
            connection.remember_path(memory);
        }
        if let Some(retries) = options.syn_retries {
            connection.limit_syn_retries(retries);
        }
        connection
    }

    /// The host's options for a socket.
    fn options(&self, socket: Options) -> Config {
        let mut tcp = self.host.tcp.clone();
        if self.script.setting.is_foreign {
            let most = self.host.mss.min(socket.mss.unwrap_or(u64::MAX));
            let options = if tcp.timestamps { TIMESTAMPS } else { 0 };
            tcp.segment_size = Bytes(most.saturating_sub(options).max(1));
        }
        tcp
    }

    fn make(&mut self, tcp: &Config, role: Role) -> &mut Connection {
        self.begin_exchange(tcp.clone());
        let initial = self.exchange.numbers.initial();
        self.exchange.connection.insert(Connection::new(tcp, role, initial, 0))
    }

    /// The connection opens, and is the socket's.
    pub(super) fn start(&mut self, number: i64) {
        let (now, id) = (self.now, self.exchange.id);
        if let Some(connection) = &mut self.exchange.connection {
            connection.open(now);
            if self.script.setting.dialogue.reading == Reading::WhenCalled {
                connection.pause_reading(now, true);
            }
        }
        self.change(number, |socket| {
            socket.exchange = id;
            if socket.kind != Kind::Listening {
                socket.kind = Kind::Connected;
            }
        });
        self.drain();
    }

    pub(super) fn accept(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let listening = *self.find(line, call)?;
        if listening.kind != Kind::Listening {
            return Err(refuse(line, call, "the socket does not listen").into());
        }
        if !self.exchange.application.established {
            return Ok(Err("EAGAIN"));
        }
        let Expression::Integer(number) = call.result else {
            return Err(refuse(line, call, "a socket that cannot be made").into());
        };
        if self.is_accepted() {
            return Err(refuse(line, call, "a listener accepts one connection").into());
        }
        let blocks = !word_is(call, 3, &["SOCK_NONBLOCK"]);
        self.add_socket(number, blocks, Kind::Connected, listening.options);
        Ok(Ok(number))
    }

    /// The connection has a socket of its own.
    fn is_accepted(&self) -> bool {
        let id = self.exchange.id;
        self.sockets.iter().any(|socket| socket.exchange == id && socket.kind == Kind::Connected)
    }

    pub(super) fn close(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        let socket = *self.find(line, call)?;
        let state = self.exchange.connection.as_ref().map(Connection::state);
        let application = &self.exchange.application;
        let setting = &self.script.setting;
        let reads = setting.is_foreign || setting.dialogue.reading == Reading::WhenCalled;
        let abandons = match socket.kind {
            // What nobody accepted, or nobody has read (RFC 2525 section 2.17).
            Kind::Listening => reads && application.established && !self.is_accepted(),
            Kind::Connected => reads && application.unread() > 0,
            Kind::Fresh | Kind::PutOff | Kind::Closed => false,
        };
        let closes = match socket.kind {
            Kind::Connected => socket.writes,
            Kind::Listening => state == Some(State::Listen),
            Kind::Fresh | Kind::PutOff | Kind::Closed => false,
        };
        if abandons && state != Some(State::Closed) {
            let now = self.now;
            if let Some(connection) = &mut self.exchange.connection {
                connection.abort(now);
            }
        } else if closes {
            self.close_connection();
        }
        self.change(socket.number, |socket| socket.kind = Kind::Closed);
        Ok(Ok(0))
    }

    pub(super) fn shutdown(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
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
        if let Some(connection) = self.exchange.connection.as_mut().filter(|it| it.state() != State::Closed) {
            connection.close(now);
        }
    }
}
