//! The Fast Open option as bytes; etherparse does not know it.

use crate::fast_open::{Cookie, FastOpenOption};

/// Option kinds of Fast Open: RFC 7413 section 7, and experiment 0xF989 of RFC 6994.
const KIND_FAST_OPEN: u8 = 34;
const KIND_EXPERIMENT: u8 = 254;
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];

/// A cookie of a wrong length is ignored (RFC 7413 section 4.1.1).
pub(super) fn read(kind: u8, content: &[u8]) -> Option<FastOpenOption> {
    let (cookie, experimental) = match (kind, content) {
        (KIND_FAST_OPEN, cookie) => (cookie, false),
        (KIND_EXPERIMENT, [first, second, cookie @ ..]) if [*first, *second] == FAST_OPEN_EXPERIMENT => {
            (cookie, true)
        }
        _ => return None,
    };
    if cookie.is_empty() {
        return Some(FastOpenOption { cookie: None, experimental });
    }
    Cookie::new(cookie).map(|cookie| FastOpenOption { cookie: Some(cookie), experimental })
}

pub(super) fn write(option: &FastOpenOption, out: &mut Vec<u8>) {
    let len = option.wire_len() as u8;
    if option.experimental {
        out.extend([KIND_EXPERIMENT, len]);
        out.extend(FAST_OPEN_EXPERIMENT);
    } else {
        out.extend([KIND_FAST_OPEN, len]);
    }
    out.extend(option.cookie.iter().flat_map(Cookie::as_slice));
}
