//! The Fast Open option: `FO`, `FO abcd1234`, `FOEXP 1234abcd`, `FO TFO_COOKIE`.

use farlink_tcp::fast_open::{Cookie, FastOpenOption};

use crate::Refusal;
use crate::token::Cursor;

/// What packetdrill's own runner defines `TFO_COOKIE` as: the cookie of its addresses and its key.
const TFO_COOKIE: &str = "3021b9d889017eeb";

/// What follows `FO` or `FOEXP`; `None` for a cookie of a length that no TCP takes (RFC 7413 section 4.1.1).
pub(super) fn option(cursor: &mut Cursor<'_>, experimental: bool) -> Result<Option<FastOpenOption>, Refusal> {
    let at = cursor.clone();
    let mut digits = String::new();
    while let Some((_, part)) = cursor.peek().filter(|(_, part)| !matches!(*part, "," | ">")) {
        digits.push_str(part);
        cursor.next();
    }
    if digits.is_empty() {
        return Ok(Some(FastOpenOption { cookie: None, experimental }));
    }
    if digits == "TFO_COOKIE" {
        TFO_COOKIE.clone_into(&mut digits);
    }
    let bytes = bytes(&digits).ok_or_else(|| at.refuse("expected a cookie in hexadecimal digits"))?;
    Ok(Cookie::new(&bytes).map(|cookie| FastOpenOption { cookie: Some(cookie), experimental }))
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok()).collect()
}
