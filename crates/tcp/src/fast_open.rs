//! TCP Fast Open (RFC 7413): the option, and what a client remembers of a path.

use farlink_kernel::choice;

choice! {
    /// TCP Fast Open (RFC 7413): data with the SYN, one round trip earlier.
    pub enum FastOpen {
        /// Data follow the handshake.
        Off = "off",
        /// The client asks for a cookie; data go with the SYN of a later connection over the same path.
        Request = "request",
        /// The client has the server's cookie from an earlier connection, so that data go with its SYN.
        Cookie = "cookie",
        /// Data go with the SYN, and the server accepts them, without a cookie (Linux, `tcp_fastopen` bits 0x4 and 0x200).
        WithoutCookie = "without_cookie",
    }
}

/// Shortest and longest cookie; its length is even (RFC 7413 section 4.1.1).
const SHORTEST: usize = 4;
const LONGEST: usize = 16;

/// A Fast Open cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie {
    bytes: [u8; LONGEST],
    len: u8,
}

impl Cookie {
    /// The cookie of these bytes; `None` for a length that RFC 7413 section 4.1.1 does not allow.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        if !(SHORTEST..=LONGEST).contains(&bytes.len()) || !bytes.len().is_multiple_of(2) {
            return None;
        }
        let mut cookie = Self { bytes: [0; LONGEST], len: bytes.len() as u8 };
        cookie.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(cookie)
    }

    /// Its bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Eight zero bytes: what both ends take where no host has made a cookie from addresses and a secret.
impl Default for Cookie {
    fn default() -> Self {
        Self { bytes: [0; LONGEST], len: 8 }
    }
}

/// The Fast Open option of a SYN or SYN/ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastOpenOption {
    /// The cookie; `None` asks for one.
    pub cookie: Option<Cookie>,
    /// In the form for experiments (RFC 6994, magic number 0xF989) instead of option 34 (RFC 7413 section 7).
    pub experimental: bool,
}

impl FastOpenOption {
    /// Bytes that the option takes.
    pub fn wire_len(&self) -> u64 {
        let head = if self.experimental { 4 } else { 2 };
        head + self.cookie.map_or(0, |cookie| cookie.as_slice().len() as u64)
    }
}

/// What a client remembers of a path from one connection to the next (RFC 7413 section 4.1.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The server's cookie.
    pub cookie: Option<Cookie>,
    /// The cookie came in the form for experiments, and is returned in it.
    pub experimental: bool,
    /// The MSS option of the server's SYN/ACK.
    pub mss: Option<u16>,
    /// Requests in the standard form, and then in the form for experiments, that gave no cookie.
    pub vain_requests: u8,
}

impl Memory {
    /// What a SYN carries: the cookie or a request for one. Linux asks in the form for experiments once.
    pub fn option(&self) -> FastOpenOption {
        let experimental = match self.cookie {
            Some(_) => self.experimental,
            None => self.vain_requests == 1,
        };
        FastOpenOption { cookie: self.cookie, experimental }
    }

    /// Takes in a SYN/ACK with `mss` and the option `answer`; `asked` in vain when it answers `request` without a cookie.
    pub fn learn(&mut self, mss: Option<u16>, answer: Option<FastOpenOption>, vain: Option<FastOpenOption>) {
        self.mss = mss.or(self.mss);
        if let Some(FastOpenOption { cookie: Some(cookie), experimental }) = answer {
            (self.cookie, self.experimental) = (Some(cookie), experimental);
        } else if let Some(request) = vain.filter(|_| self.cookie.is_none()) {
            self.vain_requests = self.vain_requests.max(if request.experimental { 2 } else { 1 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_have_4_to_16_bytes_and_an_even_length() {
        for (len, holds) in [(2, false), (4, true), (5, false), (6, true), (16, true), (18, false)] {
            assert_eq!(Cookie::new(&vec![7; len]).is_some(), holds, "{len} bytes");
        }
    }

    #[test]
    fn a_client_asks_in_the_form_for_experiments_once() {
        let mut memory = Memory::default();
        let forms: Vec<bool> = (0..4)
            .map(|_| {
                let request = memory.option();
                memory.learn(None, None, Some(request));
                request.experimental
            })
            .collect();
        assert_eq!(forms, [false, true, false, false]);
    }
}
