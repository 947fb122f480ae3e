//! Packets: `[ect0] P. 1:1001(1000) ack 1 win 100 <nop,nop,sack 1:2>`.

use farlink_tcp::accurate_ecn::{AccEcnOption, Order};
use farlink_tcp::segment::{Options, Timestamps};
use farlink_tcp::{Flags, SeqNumber};

use crate::Refusal;
use crate::script::{Ecn, Packet};
use crate::token::{Cursor, Token};

const LETTERS: [(char, Flags); 8] = [
    ('S', Flags::SYN),
    ('F', Flags::FIN),
    ('R', Flags::RST),
    ('P', Flags::PSH),
    ('E', Flags::ECE),
    ('W', Flags::CWR),
    ('A', Flags::AE),
    ('.', Flags::ACK),
];

/// A packet that arrives: all of it must be known.
pub(super) fn injected(cursor: &mut Cursor<'_>) -> Result<Packet, Refusal> {
    let at = cursor.clone();
    let packet = packet(cursor)?;
    if packet.options.is_none() {
        return Err(at.refuse("`<...>` is for packets that are sent"));
    }
    Ok(packet)
}

/// A packet that is sent.
pub(super) fn expected(cursor: &mut Cursor<'_>) -> Result<Packet, Refusal> {
    packet(cursor)
}

fn packet(cursor: &mut Cursor<'_>) -> Result<Packet, Refusal> {
    let ecn = ecn(cursor)?;
    let flags = flags(cursor)?;
    let at = cursor.clone();
    let seq: u32 = cursor.number("a sequence number")?;
    cursor.expect(":")?;
    let end: u32 = cursor.number("a sequence number")?;
    cursor.expect("(")?;
    let len: u16 = cursor.number("a length up to 65535")?;
    cursor.expect(")")?;
    let len = u32::from(len);
    if end != seq.wrapping_add(len) {
        return Err(at.refuse("the sequence numbers are not as far apart as the length says"));
    }
    let ack = if cursor.take("ack") { Some(cursor.number("an acknowledgement number")?) } else { None };
    let window = if cursor.take("win") { Some(cursor.number("a window up to 65535")?) } else { None };
    if let Some((_, "urg" | "{")) = cursor.peek() {
        return Err(cursor.refuse("urgent data and damaged packets are not spoken"));
    }
    let options = options(cursor)?;
    Ok(Packet { ecn, flags, seq, len, ack, window, options })
}

fn ecn(cursor: &mut Cursor<'_>) -> Result<Option<Ecn>, Refusal> {
    let close = match cursor.peek() {
        Some((_, "[")) => "]",
        Some((_, "(")) => ")",
        _ => return Ok(None),
    };
    let at = cursor.clone();
    cursor.next();
    let ecn = match cursor.next() {
        Some((_, "noecn")) => Ecn::None,
        Some((_, "ect0")) => Ecn::Ect0,
        Some((_, "ect1")) => Ecn::Ect1,
        Some((_, "ect01")) => Ecn::Ect,
        Some((_, "ce")) => Ecn::Ce,
        _ => return Err(at.refuse("of the IP header, only ECN can be given")),
    };
    cursor.expect(close)?;
    Ok(Some(ecn))
}

fn flags(cursor: &mut Cursor<'_>) -> Result<Flags, Refusal> {
    let at = cursor.clone();
    if cursor.take("-") {
        return Ok(Flags(0));
    }
    if let Some((_, protocol @ ("udp" | "ipv4" | "ipv6" | "gre" | "mpls"))) = cursor.peek() {
        return Err(at.refuse(format!("{protocol} packets are not spoken, only TCP")));
    }
    if let Some((Token::Integer, _)) = cursor.peek() {
        return Err(at.refuse("ports cannot be chosen"));
    }
    let letters = cursor.take_kind(Token::Word).unwrap_or("");
    let ack = cursor.take(".");
    if letters.is_empty() && !ack {
        return Err(at.refuse("expected flags such as S, F, R, P, E, W, A and ."));
    }
    let mut flags = if ack { Flags::ACK } else { Flags(0) };
    for letter in letters.chars() {
        let known = LETTERS.iter().find(|(known, _)| *known == letter);
        flags |= known.ok_or_else(|| at.refuse(format!("the flag {letter} is not spoken")))?.1;
    }
    Ok(flags)
}

fn options(cursor: &mut Cursor<'_>) -> Result<Option<Options>, Refusal> {
    let mut options = Options::default();
    // The `<` of a packet on the next line follows a time.
    if !cursor.take("<") {
        return Ok(Some(options));
    }
    if cursor.take("...") {
        cursor.expect(">")?;
        return Ok(None);
    }
    loop {
        option(cursor, &mut options)?;
        if cursor.take(">") {
            return Ok(Some(options));
        }
        cursor.expect(",")?;
    }
}

fn option(cursor: &mut Cursor<'_>, options: &mut Options) -> Result<(), Refusal> {
    let at = cursor.clone();
    match cursor.next() {
        Some((_, "nop" | "eol")) => {}
        Some((_, "mss")) => options.mss = Some(cursor.number("an MSS")?),
        Some((_, "wscale")) => options.window_scale = Some(cursor.number("a shift")?),
        Some((_, "sackOK")) => options.sack_permitted = true,
        Some((_, "TS")) => {
            cursor.expect("val")?;
            let value = cursor.number("a timestamp")?;
            cursor.expect("ecr")?;
            options.timestamps = Some(Timestamps { value, echo: cursor.number("a timestamp")? });
        }
        Some((_, "sack")) => {
            while let Some((Token::Integer, _)) = cursor.peek() {
                let left = SeqNumber(cursor.number("a left edge")?);
                cursor.expect(":")?;
                if !options.sack.push(left, SeqNumber(cursor.number("a right edge")?)) {
                    return Err(at.refuse("more than four SACK blocks"));
                }
            }
        }
        Some((_, form @ ("FO" | "FOEXP"))) => {
            if let Some(option) = super::fast_open::option(cursor, form == "FOEXP")? {
                options.set_fast_open(option);
            }
        }
        Some((_, "ECN")) => options.set_acc_ecn(accurate_ecn(cursor)?),
        _ => return Err(at.refuse("this TCP option is not spoken")),
    }
    Ok(())
}

/// `ECN e0b 1 ceb 0 e1b 1`: the first counter tells the order, trailing ones may be left out.
fn accurate_ecn(cursor: &mut Cursor<'_>) -> Result<AccEcnOption, Refusal> {
    let (order, names) = match cursor.peek() {
        Some((_, "e1b")) => (Order::One, ["e1b", "ceb", "e0b"]),
        _ => (Order::Zero, ["e0b", "ceb", "e1b"]),
    };
    let mut counters = Vec::new();
    for name in names {
        if !cursor.take(name) {
            break;
        }
        counters.push(cursor.number("a counter of bytes")?);
    }
    Ok(AccEcnOption::new(order, &counters))
}
