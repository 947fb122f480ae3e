//! Assertions: `%{ assert tcpi_snd_cwnd == 10 and tcpi_unacked < 3, tcpi_snd_cwnd }%`.
//!
//! packetdrill hands the code to Python; here it is a list of comparisons of one field with one integer.

use crate::Refusal;
use crate::script::{Assertion, Comparison, Field, Operator};
use crate::token::{Cursor, Token};

/// Names that stand for integers: the states of Linux' `tcp_states.h`.
const CONSTANTS: [(&str, i64); 11] = [
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
];

/// The assertions of a snippet `%{ .. }%` that begins on `first_line`.
pub(super) fn assertions(code: &str, first_line: usize) -> Result<Vec<Assertion>, Refusal> {
    let inner = code.trim_start_matches("%{").trim_end_matches("}%");
    let mut assertions = Vec::new();
    for (i, line) in inner.split('\n').enumerate() {
        let line = line.split('#').next().unwrap_or("");
        for statement in line.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            assertions.push(assertion(statement, first_line + i)?);
        }
    }
    Ok(assertions)
}

fn assertion(statement: &str, line: usize) -> Result<Assertion, Refusal> {
    let refuse = |why: &str| Refusal::new(line, statement, why);
    let mut cursor = Cursor::new(statement, line)
        .map_err(|_| refuse("only `assert tcpi_field op integer` is understood"))?;
    if !cursor.take("assert") {
        return Err(refuse("only `assert tcpi_field op integer`, joined by and/or, is understood"));
    }
    let mut any_of = vec![Vec::new()];
    loop {
        let comparison = comparison(&mut cursor)?;
        any_of.last_mut().expect("it begins with one").push(comparison);
        match cursor.next() {
            Some((_, "and")) => {}
            Some((_, "or")) => any_of.push(Vec::new()),
            // What follows the comma is Python's message.
            None | Some((_, ",")) => break,
            _ => return Err(refuse("expected `and`, `or` or the end")),
        }
    }
    Ok(Assertion { line, text: statement.to_owned(), any_of })
}

fn comparison(cursor: &mut Cursor<'_>) -> Result<Comparison, Refusal> {
    let at = cursor.clone();
    let name = cursor.take_kind(Token::Word).unwrap_or("");
    let known = Field::NAMES.iter().find(|(known, _)| *known == name);
    let field = known.ok_or_else(|| at.refuse("a connection cannot answer this"))?.1;
    Ok(Comparison { field, operator: operator(cursor)?, value: value(cursor)? })
}

fn operator(cursor: &mut Cursor<'_>) -> Result<Operator, Refusal> {
    let at = cursor.clone();
    let first = cursor.next().map_or("", |(_, sign)| sign);
    let or_equal = cursor.take("=");
    Ok(match (first, or_equal) {
        ("=", true) => Operator::Equal,
        ("!", true) => Operator::Unequal,
        ("<", false) => Operator::Less,
        ("<", true) => Operator::LessOrEqual,
        (">", false) => Operator::Greater,
        (">", true) => Operator::GreaterOrEqual,
        _ => return Err(at.refuse("expected ==, !=, <, <=, > or >=")),
    })
}

fn value(cursor: &mut Cursor<'_>) -> Result<i64, Refusal> {
    if let Some((Token::Word, word)) = cursor.peek() {
        let known = CONSTANTS.iter().find(|(known, _)| *known == word);
        let value = known.ok_or_else(|| cursor.refuse("expected an integer or a state's name"))?.1;
        cursor.next();
        return Ok(value);
    }
    cursor.number("an integer")
}
