//! A script's text becomes events: times, packets, calls and assertions, each in a file of its own.

mod assertion;
mod call;
mod fast_open;
mod icmp;
mod packet;

use farlink_kernel::Duration;

use crate::header::Setting;
use crate::script::{Action, Event, Script, When};
use crate::token::{Cursor, Token};
use crate::{Refusal, header};

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, Refusal> {
    let mut setting = header::read(text)?;
    let mut cursor = Cursor::new(text, 1)?;
    while let Some((Token::Flag, _)) = cursor.peek() {
        flag(&mut cursor, &mut setting)?;
    }
    let mut events = Vec::new();
    let mut variables = assertion::Variables::new();
    while cursor.peek().is_some() {
        events.push(event(&mut cursor, &mut variables)?);
    }
    if events.is_empty() {
        return Err(Refusal::new(1, "script", "nothing happens in it"));
    }
    Ok(Script { setting, events })
}

/// `--tolerance_usecs=1000`
fn flag(cursor: &mut Cursor<'_>, setting: &mut Setting) -> Result<(), Refusal> {
    let refusal = cursor.refuse("no such option here");
    let name = cursor.next().map_or("", |(_, text)| text);
    // Timestamps that are echoed count in ticks anyway.
    if name == "--tcp_ts_ecr_scaled" {
        return Ok(());
    }
    cursor.expect("=")?;
    match name {
        "--tolerance_usecs" => setting.tolerance = Duration::from_micros(cursor.number("microseconds")?),
        "--ip_version" if cursor.take("ipv4") => {}
        "--local_ip" => setting.addresses.local = address(cursor)?,
        "--remote_ip" => setting.addresses.remote = address(cursor)?,
        // The clock of timestamps ticks in milliseconds.
        "--tcp_ts_tick_usecs" if cursor.take("1000") => {}
        _ => return Err(refusal),
    }
    Ok(())
}

fn address(cursor: &mut Cursor<'_>) -> Result<std::net::Ipv4Addr, Refusal> {
    let refusal = cursor.refuse("expected an IPv4 address");
    let mut text = String::new();
    while let Some((Token::Integer | Token::Decimal, part)) = cursor.peek() {
        text.push_str(part);
        cursor.next();
    }
    text.parse().map_err(|_| refusal)
}

fn event(cursor: &mut Cursor<'_>, variables: &mut assertion::Variables) -> Result<Event, Refusal> {
    let line = cursor.line();
    // Commands before and after the events have no time.
    if let Some(command) = cursor.take_kind(Token::Command) {
        let action = Action::Command(command.trim_matches('`').to_owned());
        return Ok(Event { line, when: When::After(Duration::ZERO), action });
    }
    let at = cursor.clone();
    let when = when(cursor)?;
    let action = match cursor.peek() {
        Some((_, "<")) => {
            cursor.next();
            if cursor.take("icmp") {
                Action::Icmp(icmp::icmp(cursor)?)
            } else {
                Action::Inject(packet::injected(cursor)?)
            }
        }
        Some((_, ">")) => {
            cursor.next();
            Action::Expect(packet::expected(cursor)?)
        }
        Some((Token::Command, command)) => {
            cursor.next();
            Action::Command(command.trim_matches('`').to_owned())
        }
        Some((Token::Code, code)) => {
            let first_line = cursor.line();
            cursor.next();
            Action::Assert(assertion::assertions(code, first_line, variables)?)
        }
        Some((Token::Word | Token::Ellipsis, _)) => Action::Call(call::call(cursor)?),
        _ => return Err(cursor.refuse("expected a packet, a call, a command or an assertion")),
    };
    if matches!(when, When::AtBetween(..) | When::AfterBetween(..) | When::Any)
        && !matches!(action, Action::Expect(_))
    {
        return Err(at.refuse("only the time of a packet that is sent may be left open"));
    }
    Ok(Event { line, when, action })
}

fn when(cursor: &mut Cursor<'_>) -> Result<When, Refusal> {
    if cursor.take("*") {
        return Ok(When::Any);
    }
    let at = cursor.clone();
    let relative = cursor.take("+");
    let from = time(cursor)?;
    if !cursor.take("~") {
        return Ok(if relative { When::After(from) } else { When::At(from) });
    }
    if relative {
        cursor.expect("+")?;
    }
    let to = time(cursor)?;
    if to < from {
        return Err(at.refuse("the range of times ends before it begins"));
    }
    Ok(if relative { When::AfterBetween(from, to) } else { When::AtBetween(from, to) })
}

/// Seconds, exact to the nanosecond.
fn time(cursor: &mut Cursor<'_>) -> Result<Duration, Refusal> {
    let refusal = cursor.refuse("expected a time in seconds");
    let (Token::Integer | Token::Decimal, digits) = cursor.next().ok_or_else(|| refusal.clone())? else {
        return Err(refusal);
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let nanos = format!("{fraction:0<9}");
    let seconds: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| refusal.clone())? };
    let nanos: u64 = nanos.get(..9).and_then(|nanos| nanos.parse().ok()).ok_or_else(|| refusal.clone())?;
    let total = seconds.checked_mul(1_000_000_000).and_then(|whole| whole.checked_add(nanos));
    total.map(Duration::from_nanos).ok_or(refusal)
}
