//! The socket calls that drive a connection.

use super::sockets::{Kind, Socket};
use super::{Player, Stop, fail};
use crate::Refusal;
use crate::script::{Call, Expression};

/// What a call gives: a number or the name of an error.
pub(super) type Given = Result<i64, &'static str>;

impl Player<'_> {
    /// A call that does not block, or no longer.
    pub(super) fn finish_call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        let named = match call.arguments.first() {
            Some(Expression::Integer(number)) => self.socket_numbered(*number).copied(),
            _ => None,
        };
        if call.name != "epoll_create" && named.is_some_and(|socket| socket.kind == Kind::Closed) {
            return check(line, call, Err("EBADF"));
        }
        let made = self.past.len();
        let before = self.turn_to(named.map_or(self.exchange.id, |socket: Socket| socket.exchange));
        let given = self.dispatch(line, call)?;
        self.drain();
        if self.exchange.id != before && self.past.len() == made {
            // What an earlier connection sends is not the script's any more.
            self.exchange.sent.clear();
            self.turn_to(before);
        }
        check(line, call, given)
    }

    fn dispatch(&mut self, line: usize, call: &Call) -> Result<Given, Stop> {
        match call.name.as_str() {
            "socket" => self.socket(line, call),
            "bind" => self.bind(line, call),
            "listen" => self.listen(line, call),
            "accept" | "accept4" => self.accept(line, call),
            "connect" => self.connect(line, call),
            "fcntl" => self.fcntl(line, call),
            "setsockopt" => self.set_option(line, call),
            "getsockopt" => self.get_option(line, call),
            "write" | "send" | "sendto" | "sendmsg" => self.write(line, call),
            "read" | "recv" | "recvfrom" => self.read(line, call),
            "recvmsg" => self.receive_message(line, call),
            "ioctl" => self.ioctl(line, call),
            "poll" => self.poll(line, call),
            "epoll_create" => self.epoll_create(line, call),
            "epoll_ctl" => self.epoll_control(line, call),
            "epoll_wait" => self.epoll_wait(line, call),
            "close" => self.close(line, call),
            "shutdown" => self.shutdown(line, call),
            _ => Err(refuse(line, call, "this call does not drive a connection").into()),
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
        Expression::Record(members) => {
            let shown: Vec<String> = members
                .iter()
                .map(|(name, value)| match name.as_str() {
                    "" => show(value),
                    name => format!("{name}={}", show(value)),
                })
                .collect();
            format!("{{{}}}", shown.join(", "))
        }
    }
}

pub(super) fn word_is(call: &Call, place: usize, known: &[&str]) -> bool {
    matches!(call.arguments.get(place), Some(Expression::Words(words))
        if words.iter().any(|word| known.contains(&word.as_str())))
}

/// The member of a record called `name`.
pub(super) fn member<'a>(record: &'a Expression, name: &str) -> Option<&'a Expression> {
    let Expression::Record(members) = record else { return None };
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// The call gave what the script says.
pub(super) fn check(line: usize, call: &Call, given: Given) -> Result<(), Stop> {
    let holds = match (&call.result, &call.errno, given) {
        // Of an error without a name any holds.
        (Expression::Any | Expression::Words(_), None, Ok(_)) | (Expression::Integer(-1), None, Err(_)) => {
            true
        }
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
