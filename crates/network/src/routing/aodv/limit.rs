//! So many per second (RREQ_RATELIMIT and RERR_RATELIMIT; RFC 3561, sections 6.3 and 6.11).

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};

#[derive(Clone, Debug)]
pub struct RateLimit {
    per_second: Option<u32>,
    last: VecDeque<Instant>,
}

impl RateLimit {
    pub fn new(per_second: Option<u32>) -> Self {
        Self { per_second, last: VecDeque::new() }
    }

    pub fn free_at(&self, now: Instant) -> Instant {
        match (self.per_second, self.last.front()) {
            (Some(most), Some(&first)) if self.last.len() >= most as usize => {
                now.max(first.saturating_add(Duration::from_secs(1)))
            }
            _ => now,
        }
    }

    pub fn take(&mut self, now: Instant) -> bool {
        let is_free = self.free_at(now) <= now;
        if let (true, Some(most)) = (is_free, self.per_second) {
            if self.last.len() >= most as usize {
                self.last.pop_front();
            }
            self.last.push_back(now);
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_second_sees_as_many_as_allowed() {
        let at = |n| Instant::ZERO + Duration::from_millis(n);
        let mut limit = RateLimit::new(Some(3));
        let taken: Vec<_> = [0, 400, 500, 600, 999, 1000, 1001, 1400].map(|n| limit.take(at(n))).into();
        assert_eq!(taken, [true, true, true, false, false, true, false, true]);
        assert_eq!(limit.free_at(at(1400)), at(1500));
        let mut none = RateLimit::new(None);
        assert!((0..100).all(|_| none.take(at(0))));
    }
}
