//! [`Bucket`]: a token bucket (RFC 2697, with the committed burst alone).

use farlink_kernel::{BitRate, Bytes, Duration, Instant};

/// Tokens, counted in billionths of a bit: none is lost by rounding.
#[derive(Clone, Debug)]
pub struct Bucket {
    rate: BitRate,
    size: u128,
    tokens: u128,
    filled: Instant,
}

fn tokens_of(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * 1_000_000_000
}

impl Bucket {
    /// Full at the start of time (RFC 2697, section 3); the rate is above zero.
    pub fn full(rate: BitRate, burst: Bytes) -> Self {
        let size = tokens_of(burst.0);
        Self { rate, size, tokens: size, filled: Instant::ZERO }
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = u128::from(now.saturating_since(self.filled).as_nanos());
        self.tokens = (self.tokens + elapsed * u128::from(self.rate.as_bps())).min(self.size);
        self.filled = now;
    }

    /// True when it holds so many bytes.
    pub fn has_room_for(&self, bytes: u32) -> bool {
        tokens_of(bytes.into()) <= self.size
    }

    /// True when there are tokens for so many bytes, which are then taken.
    pub fn takes(&mut self, now: Instant, bytes: u32) -> bool {
        self.fill(now);
        let Some(left) = self.tokens.checked_sub(tokens_of(bytes.into())) else { return false };
        self.tokens = left;
        true
    }

    /// The first instant from `earliest` on, and from the last one on, with tokens for so many bytes, which are then
    /// taken. It [has room for](Self::has_room_for) them.
    pub fn takes_from(&mut self, earliest: Instant, bytes: u32) -> Instant {
        self.fill(earliest.max(self.filled));
        let missing = tokens_of(bytes.into()).saturating_sub(self.tokens);
        let wait = missing.div_ceil(u128::from(self.rate.as_bps()));
        let at = self.filled.saturating_add(Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX)));
        self.fill(at);
        self.tokens = self.tokens.saturating_sub(tokens_of(bytes.into()));
        at
    }
}
