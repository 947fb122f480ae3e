//! The Fast Open option as bytes; etherparse does not know it.

use etherparse::{TcpOptionElement, TcpOptions};

use super::Oversize;
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

/// Appends the option to the others, in place of their padding.
pub(super) fn append(
    elements: &[TcpOptionElement],
    known: &TcpOptions,
    option: &FastOpenOption,
) -> Result<TcpOptions, Oversize> {
    let unpadded: usize = elements.iter().map(element_len).sum();
    let mut bytes = known.as_slice()[..unpadded].to_vec();
    let len = option.wire_len() as u8;
    if option.experimental {
        bytes.extend([KIND_EXPERIMENT, len]);
        bytes.extend(FAST_OPEN_EXPERIMENT);
    } else {
        bytes.extend([KIND_FAST_OPEN, len]);
    }
    bytes.extend(option.cookie.iter().flat_map(Cookie::as_slice));
    TcpOptions::try_from_slice(&bytes).map_err(|_| Oversize::Options)
}

/// Bytes of an option that a SYN has.
fn element_len(element: &TcpOptionElement) -> usize {
    match element {
        TcpOptionElement::Noop => 1,
        TcpOptionElement::MaximumSegmentSize(_) => 4,
        TcpOptionElement::WindowScale(_) => 3,
        TcpOptionElement::SelectiveAcknowledgementPermitted => 2,
        TcpOptionElement::SelectiveAcknowledgement(_, rest) => 10 + 8 * rest.iter().flatten().count(),
        TcpOptionElement::Timestamp(..) => 10,
    }
}
