//! Fast Open as a Linux host has it: its switches, what it remembers as a client, and its cookies as a server.

use std::hash::Hasher;

use farlink_tcp::fast_open::{self, Cookie, Memory};
use siphasher::sip::SipHasher24;

use crate::header::Addresses;

/// Bits of `tcp_fastopen` (Linux, `ip-sysctl`).
const CLIENT: u64 = 0x1;
const SERVER: u64 = 0x2;
const CLIENT_WITHOUT_COOKIE: u64 = 0x4;
const SERVER_WITHOUT_COOKIE: u64 = 0x200;
const EVERY_LISTENER: u64 = 0x400;
/// What packetdrill's `defaults.sh` sets.
const SWITCHES: u64 = 0x70403;
const KEY: &str = "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4";

/// A server's secret.
pub(crate) type Key = [u8; 16];

#[derive(Clone, Debug)]
pub(crate) struct FastOpen {
    pub(crate) switches: u64,
    pub(crate) key: Key,
    /// Of the path to the peer.
    pub(crate) memory: Memory,
    addresses: Addresses,
}

impl FastOpen {
    /// A host as it is when it has started.
    pub(super) fn new(addresses: Addresses) -> Self {
        let mut it = Self { switches: CLIENT, key: Key::default(), memory: Memory::default(), addresses };
        it.key = key(KEY).unwrap_or_default();
        it
    }

    pub(super) fn reset(&mut self) {
        *self = Self { switches: SWITCHES, ..Self::new(self.addresses) };
    }

    /// What a client does, if it may.
    pub(crate) fn of_client(&self) -> Option<fast_open::FastOpen> {
        match (self.switches & CLIENT, self.switches & CLIENT_WITHOUT_COOKIE) {
            (0, _) => None,
            (_, 0) => Some(fast_open::FastOpen::Request),
            _ => Some(fast_open::FastOpen::WithoutCookie),
        }
    }

    /// What a listener does; `is_asked` by its socket.
    pub(crate) fn of_server(&self, is_asked: bool) -> fast_open::FastOpen {
        let serves = self.switches & SERVER != 0 && (is_asked || self.switches & EVERY_LISTENER != 0);
        match (serves, self.switches & SERVER_WITHOUT_COOKIE) {
            (false, _) => fast_open::FastOpen::Off,
            (true, 0) => fast_open::FastOpen::Request,
            (true, _) => fast_open::FastOpen::WithoutCookie,
        }
    }

    /// The cookie for the peer: SipHash of both addresses (Linux, `__tcp_fastopen_cookie_gen_cipher`).
    pub(crate) fn cookie(&self, key: &Key) -> Option<Cookie> {
        let mut hasher = SipHasher24::new_with_key(key);
        hasher.write(&self.addresses.remote.octets());
        hasher.write(&self.addresses.local.octets());
        Cookie::new(&hasher.finish().to_le_bytes())
    }
}

/// `a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4`: four words, the lowest byte of each first.
pub(super) fn key(text: &str) -> Option<Key> {
    let words: Option<Vec<u32>> = text.split('-').map(|word| u32::from_str_radix(word, 16).ok()).collect();
    let bytes: Vec<u8> = words?.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_the_kernels() {
        let host = FastOpen::new(Addresses::default());
        let cookie = host.cookie(&host.key).expect("eight bytes are a cookie");
        assert_eq!(cookie.as_slice(), [0x30, 0x21, 0xb9, 0xd8, 0x89, 0x01, 0x7e, 0xeb]);
    }
}
