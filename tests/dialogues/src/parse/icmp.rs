//! ICMP messages: `icmp unreachable frag_needed mtu 840 [0:1000(1000)]`.

use crate::Refusal;
use crate::script::Icmp;
use crate::token::{Cursor, Token};

/// Codes of `unreachable`, and the error that Linux makes of each (`icmp_err_convert`).
const CODES: [(&str, &str); 7] = [
    ("net_unreachable", "ENETUNREACH"),
    ("host_unreachable", "EHOSTUNREACH"),
    ("protocol_unreachable", "ENOPROTOOPT"),
    ("port_unreachable", "ECONNREFUSED"),
    ("source_route_failed", "EOPNOTSUPP"),
    ("net_unknown", "ENETUNREACH"),
    // What packetdrill's own runner defines it as.
    ("CODE", "EHOSTUNREACH"),
];

pub(super) fn icmp(cursor: &mut Cursor<'_>) -> Result<Icmp, Refusal> {
    let at = cursor.clone();
    if !cursor.take("unreachable") {
        return Err(at.refuse("of ICMP, `unreachable` is understood"));
    }
    let mut icmp = Icmp { mtu: None, errno: "ENETUNREACH", seq: None };
    if cursor.take("frag_needed") {
        cursor.expect("mtu")?;
        icmp.mtu = Some(cursor.number("an MTU")?);
        icmp.errno = "EMSGSIZE";
    } else if let Some((Token::Word, code)) = cursor.peek() {
        let known = CODES.iter().find(|(known, _)| *known == code);
        icmp.errno = known.ok_or_else(|| at.refuse(format!("the code {code} is not understood")))?.1;
        cursor.next();
    }
    if cursor.take("[") {
        icmp.seq = Some(cursor.number("a sequence number")?);
        cursor.expect(":")?;
        let _end: u32 = cursor.number("a sequence number")?;
        cursor.expect("(")?;
        let _len: u32 = cursor.number("a length")?;
        cursor.expect(")")?;
        cursor.expect("]")?;
    }
    Ok(icmp)
}
