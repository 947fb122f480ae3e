//! Assertions: `%{ assert tcpi_snd_cwnd == 10 and tcpi_unacked < 3, tcpi_snd_cwnd }%`.
//!
//! packetdrill hands the code to Python; here it is a list of comparisons of fields with integers. Python's
//! `5 <= tcpi_unacked <= 9` is two of them. What it prints is left out.

use std::collections::BTreeMap;

use crate::Refusal;
use crate::script::{Assertion, Comparison, Field, Operator};
use crate::token::{Cursor, Token};

/// Names that stand for integers: the states of Linux' `tcp_states.h` and the observable states of its loss
/// recovery.
const CONSTANTS: [(&str, i64); 17] = [
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
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_SYN_DATA", 32),
];
const UNDERSTOOD: &str = "only `assert tcpi_field op integer`, joined by and/or, is understood";
/// Every bit.
const ALL: i64 = -1;
/// `TCPI_OPT_SYN_DATA`.
const SYN_DATA: i64 = 32;

/// What snippets have assigned so far: `cwnd = 58`, `cwnd += 1`. Assertions stand in the order in which they are made, so
/// that the values are known while the script is read.
pub(super) type Variables = BTreeMap<String, i64>;

/// The assertions of a snippet `%{ .. }%` that begins on `first_line`.
pub(super) fn assertions(
    code: &str,
    first_line: usize,
    variables: &mut Variables,
) -> Result<Vec<Assertion>, Refusal> {
    let inner = code.trim_start_matches("%{").trim_end_matches("}%");
    let mut assertions = Vec::new();
    for (i, line) in inner.split('\n').enumerate() {
        let line = line.split('#').next().unwrap_or("").trim().trim_end_matches('\\');
        for statement in line.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            if !is_print(statement) && !assigns(statement, variables) {
                assertions.push(assertion(statement, first_line + i, variables)?);
            }
        }
    }
    Ok(assertions)
}

fn is_print(statement: &str) -> bool {
    statement.strip_prefix("print").is_some_and(|rest| rest.starts_with([' ', '(']))
}

/// `name = integer` and `name += integer`; true when `statement` is one.
fn assigns(statement: &str, variables: &mut Variables) -> bool {
    let Ok(mut cursor) = Cursor::new(statement, 1) else { return false };
    let Some(name) = cursor.take_kind(Token::Word) else { return false };
    let adds = cursor.take("+");
    let (true, Ok(number)) = (cursor.take("="), cursor.number::<i64>("an integer")) else { return false };
    let before = if adds { variables.get(name).copied() } else { Some(0) };
    let is_one = cursor.peek().is_none() && before.is_some();
    if let Some(before) = before.filter(|_| is_one) {
        variables.insert(name.to_owned(), before + number);
    }
    is_one
}

fn assertion(statement: &str, line: usize, variables: &Variables) -> Result<Assertion, Refusal> {
    let refuse = |why: &str| Refusal::new(line, statement, why);
    // What follows the comma is Python's message.
    let condition = statement.split(',').next().unwrap_or("");
    let mut cursor = Cursor::new(condition, line).map_err(|_| refuse(UNDERSTOOD))?;
    if !cursor.take("assert") {
        return Err(refuse(UNDERSTOOD));
    }
    let mut any_of = vec![Vec::new()];
    loop {
        let compared = comparisons(&mut cursor, variables).map_err(|refusal| refuse(&refusal.why))?;
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
fn comparisons(cursor: &mut Cursor<'_>, variables: &Variables) -> Result<Vec<Comparison>, Refusal> {
    let mut found = Vec::new();
    if let Some((Token::Integer | Token::Hex, _)) = cursor.peek() {
        let value = value(cursor, variables)?;
        let operator = operator(cursor)?.mirrored();
        let (field, mask) = masked(&mut cursor.clone(), variables)?;
        found.push(Comparison { field, mask, operator, value });
    }
    let (field, mask) = masked(cursor, variables)?;
    if found.is_empty() || !matches!(cursor.peek(), None | Some((Token::Word, _))) {
        let operator = operator(cursor)?;
        found.push(Comparison { field, mask, operator, value: value(cursor, variables)? });
    }
    if found.iter().any(|comparison| comparison.field == Field::Options && comparison.mask != SYN_DATA) {
        return Err(cursor.refuse("of tcpi_options, `(tcpi_options & TCPI_OPT_SYN_DATA)` is known"));
    }
    Ok(found)
}

/// `field` or `(field & mask)`.
fn masked(cursor: &mut Cursor<'_>, variables: &Variables) -> Result<(Field, i64), Refusal> {
    if !cursor.take("(") {
        return Ok((field(cursor)?, ALL));
    }
    let field = field(cursor)?;
    cursor.expect("&")?;
    let mask = value(cursor, variables)?;
    cursor.expect(")")?;
    Ok((field, mask))
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

fn value(cursor: &mut Cursor<'_>, variables: &Variables) -> Result<i64, Refusal> {
    if let Some((Token::Word, word)) = cursor.peek() {
        let constant = CONSTANTS.iter().find(|(known, _)| *known == word).map(|known| known.1);
        let value = constant
            .or_else(|| variables.get(word).copied())
            .ok_or_else(|| cursor.refuse(format!("`{word}` is no integer and no known state")))?;
        cursor.next();
        return Ok(value);
    }
    cursor.number("an integer")
}
