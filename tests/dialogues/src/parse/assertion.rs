//! Assertions: `%{ assert tcpi_snd_cwnd == 10 and tcpi_unacked < 3, tcpi_snd_cwnd }%`.
//!
//! packetdrill hands the code to Python; here it is a list of comparisons of fields with integers. Python's
//! `5 <= tcpi_unacked <= 9` is two of them. What it prints is left out.

use crate::Refusal;
use crate::script::{Assertion, Comparison, Field, Operator};
use crate::token::{Cursor, Token};

/// Names that stand for integers: the states of Linux' `tcp_states.h` and the observable states of its loss
/// recovery.
const CONSTANTS: [(&str, i64); 14] = [
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
    ("TCP_CA_Open", 0),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
];
const UNDERSTOOD: &str = "only `assert tcpi_field op integer`, joined by and/or, is understood";

/// The assertions of a snippet `%{ .. }%` that begins on `first_line`.
pub(super) fn assertions(code: &str, first_line: usize) -> Result<Vec<Assertion>, Refusal> {
    let inner = code.trim_start_matches("%{").trim_end_matches("}%");
    let mut assertions = Vec::new();
    for (i, line) in inner.split('\n').enumerate() {
        let line = line.split('#').next().unwrap_or("").trim().trim_end_matches('\\');
        for statement in line.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            if !is_print(statement) {
                assertions.push(assertion(statement, first_line + i)?);
            }
        }
    }
    Ok(assertions)
}

fn is_print(statement: &str) -> bool {
    statement.strip_prefix("print").is_some_and(|rest| rest.starts_with([' ', '(']))
}

fn assertion(statement: &str, line: usize) -> Result<Assertion, Refusal> {
    let refuse = |why: &str| Refusal::new(line, statement, why);
    // What follows the comma is Python's message.
    let condition = statement.split(',').next().unwrap_or("");
    let mut cursor = Cursor::new(condition, line).map_err(|_| refuse(UNDERSTOOD))?;
    if !cursor.take("assert") {
        return Err(refuse(UNDERSTOOD));
    }
    let mut any_of = vec![Vec::new()];
    loop {
        let compared = comparisons(&mut cursor).map_err(|refusal| refuse(&refusal.why))?;
        any_of.last_mut().expect("it begins with one").extend(compared);
        match cursor.next() {
            Some((_, "and")) => {}
            Some((_, "or")) => any_of.push(Vec::new()),
            None => break,
            _ => return Err(refuse("expected `and`, `or` or the end")),
        }
    }
    Ok(Assertion { line, text: statement.to_owned(), any_of })
}

/// `field op value`, `value op field` or `value op field op value`.
fn comparisons(cursor: &mut Cursor<'_>) -> Result<Vec<Comparison>, Refusal> {
    let mut found = Vec::new();
    if let Some((Token::Integer | Token::Hex, _)) = cursor.peek() {
        let value = value(cursor)?;
        let operator = operator(cursor)?.mirrored();
        found.push(Comparison { field: field(&mut cursor.clone())?, operator, value });
    }
    let field = field(cursor)?;
    if found.is_empty() || !matches!(cursor.peek(), None | Some((Token::Word, _))) {
        found.push(Comparison { field, operator: operator(cursor)?, value: value(cursor)? });
    }
    Ok(found)
}

fn field(cursor: &mut Cursor<'_>) -> Result<Field, Refusal> {
    let name = cursor.take_kind(Token::Word).ok_or_else(|| cursor.refuse(UNDERSTOOD))?;
    let known = Field::NAMES.iter().find(|(known, _)| *known == name);
    Ok(known.ok_or_else(|| cursor.refuse(format!("a connection does not tell `{name}`")))?.1)
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
        let value =
            known.ok_or_else(|| cursor.refuse(format!("`{word}` is no integer and no known state")))?;
        cursor.next();
        return Ok(value.1);
    }
    cursor.number("an integer")
}
