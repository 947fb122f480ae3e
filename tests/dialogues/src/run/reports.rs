//! The error queue of a socket: Linux's reports about data that were sent, which `recvmsg(MSG_ERRQUEUE)` takes.
//!
//! MSG_ZEROCOPY: a number for each call, reported once its data are acknowledged; neighbours are reported together.

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};
use farlink_tcp::connection::Transmit;

use super::calls::member;
use crate::script::Expression;

/// A report that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// Calls `first..=last` are done.
    Zerocopy { first: u32, last: u32 },
    /// A byte was handed down, sent, or acknowledged (SO_TIMESTAMPING).
    Stamp { what: Stamp, at: Instant, key: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Scheduled,
    Sent,
    Acknowledged,
}

impl Stamp {
    fn name(self) -> &'static str {
        match self {
            Self::Scheduled => "SCM_TSTAMP_SCHED",
            Self::Sent => "SCM_TSTAMP_SND",
            Self::Acknowledged => "SCM_TSTAMP_ACK",
        }
    }
}

/// What is to be reported once stream offset `end` is acknowledged or sent.
#[derive(Clone, Copy, Debug)]
struct Pending {
    end: u64,
    number: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    queue: VecDeque<Report>,
    made: u64,
    zerocopy: VecDeque<Pending>,
    calls: u32,
    /// SO_TIMESTAMPING: the stream offset that keys count from.
    stamps_from: Option<u64>,
    to_send: VecDeque<u64>,
    to_acknowledge: VecDeque<u64>,
}

impl Reports {
    /// How many reports there ever were, those that were put together included.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// SO_TIMESTAMPING was set when `written` bytes had been written.
    pub(super) fn stamp_from(&mut self, written: u64) {
        self.stamps_from = Some(written);
    }

    /// A call wrote `bytes` up to stream offset `end`.
    pub(super) fn on_write(&mut self, end: u64, bytes: u64, is_zerocopy: bool) {
        if bytes == 0 {
            return;
        }
        if is_zerocopy {
            self.zerocopy.push_back(Pending { end, number: self.calls });
            self.calls += 1;
        }
        if self.stamps_from.is_some() {
            self.to_send.push_back(end);
            self.to_acknowledge.push_back(end);
        }
    }

    pub(super) fn on_sent(&mut self, now: Instant, transmit: &Transmit) {
        let end = transmit.offset + u64::from(transmit.segment.len);
        while let Some(&watched) = self.to_send.front().filter(|&&watched| watched <= end) {
            self.to_send.pop_front();
            self.stamp(Stamp::Scheduled, now, watched);
            self.stamp(Stamp::Sent, now, watched);
        }
    }

    /// Everything below stream offset `una` is acknowledged, or the connection `is_gone`.
    pub(super) fn on_acknowledged(&mut self, now: Instant, una: u64, is_gone: bool) {
        while let Some(&done) = self.zerocopy.front().filter(|done| done.end <= una || is_gone) {
            self.zerocopy.pop_front();
            self.made += 1;
            match self.queue.back_mut() {
                Some(Report::Zerocopy { last, .. }) if *last + 1 == done.number => *last = done.number,
                _ => self.queue.push_back(Report::Zerocopy { first: done.number, last: done.number }),
            }
        }
        while let Some(&watched) = self.to_acknowledge.front().filter(|&&watched| watched <= una) {
            self.to_acknowledge.pop_front();
            self.stamp(Stamp::Acknowledged, now, watched);
        }
    }

    fn stamp(&mut self, what: Stamp, at: Instant, end: u64) {
        let key = end.saturating_sub(1 + self.stamps_from.unwrap_or(0));
        self.made += 1;
        self.queue.push_back(Report::Stamp { what, at, key });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn take(&mut self) -> Option<Report> {
        self.queue.pop_front()
    }
}

impl Report {
    /// What of it is not as the control messages of a script say.
    pub(super) fn difference(self, expected: &[Expression], tolerance: Duration) -> Option<String> {
        let data: Vec<&Expression> = expected.iter().filter_map(|item| member(item, "cmsg_data")).collect();
        let find = |name: &str| data.iter().find_map(|data| member(data, name));
        let integer = |name: &str| match find(name) {
            Some(Expression::Integer(number)) => Some(*number),
            _ => None,
        };
        let is_word = |name: &str, word: &str| find(name) == Some(&Expression::Words(vec![word.to_owned()]));
        let holds = match self {
            Self::Zerocopy { first, last } => {
                is_word("ee_origin", "SO_EE_ORIGIN_ZEROCOPY")
                    && integer("ee_info") == Some(i64::from(first))
                    && integer("ee_data") == Some(i64::from(last))
            }
            Self::Stamp { what, at, key } => {
                let (seconds, nanos) = (integer("scm_sec").unwrap_or(0), integer("scm_nsec").unwrap_or(0));
                let named = Instant::ZERO
                    + Duration::from_nanos((seconds * 1_000_000_000 + nanos).max(0).cast_unsigned());
                is_word("ee_origin", "SO_EE_ORIGIN_TIMESTAMPING")
                    && is_word("ee_info", what.name())
                    && integer("ee_data") == Some(key.cast_signed())
                    && at.saturating_since(named) <= tolerance
                    && named.saturating_since(at) <= tolerance
            }
        };
        (!holds).then(|| format!("the report is {self:?}"))
    }
}
