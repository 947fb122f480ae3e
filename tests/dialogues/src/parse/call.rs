//! Socket calls: `write(4, ..., 1000) = 1000`, `0.1...0.2 connect(3, ..., ...) = -1 EINPROGRESS (note)`.

use crate::Refusal;
use crate::script::{Call, Expression};
use crate::token::{Cursor, Token};

/// The calls that drive a connection.
const CALLS: [&str; 24] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "accept4",
    "connect",
    "fcntl",
    "ioctl",
    "setsockopt",
    "getsockopt",
    "write",
    "send",
    "sendto",
    "read",
    "recv",
    "recvfrom",
    "sendmsg",
    "recvmsg",
    "poll",
    "epoll_create",
    "epoll_ctl",
    "epoll_wait",
    "close",
    "shutdown",
];

pub(super) fn call(cursor: &mut Cursor<'_>) -> Result<Call, Refusal> {
    let at = cursor.clone();
    // A refusal shows the whole call, not the argument alone.
    spoken(cursor).map_err(|refusal| at.refuse(refusal.why))
}

fn spoken(cursor: &mut Cursor<'_>) -> Result<Call, Refusal> {
    let until = if cursor.take("...") { Some(super::time(cursor)?) } else { None };
    let name = cursor.take_kind(Token::Word).ok_or_else(|| cursor.refuse("expected a function"))?.to_owned();
    if !CALLS.contains(&name.as_str()) {
        return Err(cursor.refuse(format!("the call {name} does not drive a connection")));
    }
    cursor.expect("(")?;
    let arguments = list(cursor, ")")?;
    cursor.expect("=")?;
    let result = expression(cursor)?;
    let mut errno = None;
    if let Some(word) = cursor.take_kind(Token::Word) {
        errno = Some(word.to_owned());
    }
    if cursor.take("(") {
        while cursor.take_kind(Token::Word).is_some() {}
        cursor.expect(")")?;
    }
    Ok(Call { until, name, arguments, result, errno })
}

/// Expressions between commas up to `close`, which is taken as well.
fn list(cursor: &mut Cursor<'_>, close: &str) -> Result<Vec<Expression>, Refusal> {
    let mut items = Vec::new();
    if cursor.take(close) {
        return Ok(items);
    }
    loop {
        items.push(expression(cursor)?);
        if cursor.take(close) {
            return Ok(items);
        }
        cursor.expect(",")?;
    }
}

fn expression(cursor: &mut Cursor<'_>) -> Result<Expression, Refusal> {
    let at = cursor.clone();
    match cursor.peek() {
        Some((Token::Ellipsis, _)) => {
            cursor.next();
            Ok(Expression::Any)
        }
        Some((Token::Integer | Token::Hex, _)) => cursor.number("a number").map(Expression::Integer),
        Some((_, "-")) => {
            cursor.next();
            cursor.number("a number").map(|number: i64| Expression::Integer(-number))
        }
        Some((Token::Text, text)) => {
            cursor.next();
            cursor.take("...");
            Ok(Expression::Text(text.trim_matches('"').to_owned()))
        }
        Some((Token::Word, _)) => words(cursor),
        Some((_, "[")) => {
            cursor.next();
            list(cursor, "]").map(Expression::List)
        }
        Some((_, "{")) => {
            cursor.next();
            record(cursor)
        }
        _ => Err(at.refuse("this kind of argument is not understood")),
    }
}

/// Members up to `}`, which is taken as well: `name=value`, `name(...)=value` or a value alone.
fn record(cursor: &mut Cursor<'_>) -> Result<Expression, Refusal> {
    let mut members = Vec::new();
    if cursor.take("}") {
        return Ok(Expression::Record(members));
    }
    loop {
        let at = cursor.clone();
        let name = name(cursor);
        if name.is_empty() {
            *cursor = at;
        }
        members.push((name, expression(cursor)?));
        if cursor.take("}") {
            return Ok(Expression::Record(members));
        }
        cursor.expect(",")?;
    }
}

/// The name of a member with its `=`; empty when there is none.
fn name(cursor: &mut Cursor<'_>) -> String {
    let Some(name) = cursor.take_kind(Token::Word) else { return String::new() };
    if cursor.take("(") {
        while cursor.next().is_some_and(|(_, sign)| sign != ")") {}
    }
    if cursor.take("=") { name.to_owned() } else { String::new() }
}

fn words(cursor: &mut Cursor<'_>) -> Result<Expression, Refusal> {
    let mut words = Vec::new();
    loop {
        let word = cursor.take_kind(Token::Word).ok_or_else(|| cursor.refuse("expected a symbol"))?;
        words.push(word.to_owned());
        if !cursor.take("|") {
            return Ok(Expression::Words(words));
        }
    }
}
