//! The send buffer: the application writes no further than it has room for sent and unsent data.
//!
//! Linux 6.18: an application that found it full writes again once a third is free (`sk_stream_is_writeable`). With
//! autotuning it has room for twice the window, BBR's for three times, and grows when it and not the window limits the sender
//! (`tcp_sndbuf_expand`). The kernel counts memory, and only before it begins another packet: an application that writes
//! while the window lets its data go at once writes until the window is full (`tcp_sendmsg_locked`).

use crate::config::Config;

/// Memory per segment that autotuning counts on: 1460 bytes and the headers of all layers, rounded up to a power of two, and
/// the packet's descriptor.
const MEMORY_PER_SEGMENT: u64 = 2048 + 256;
/// Memory per packet in flight beside its payload (measured of 6.18: 6 % where bursts have six segments).
const MEMORY_PER_PACKET: u64 = 512;
/// The last packet may be filled beyond the limit.
const LARGEST_PACKET: u64 = 64 << 10;
/// Segments it has room for at least (`TCP_INIT_CWND`).
const LEAST_SEGMENTS: u64 = 10;

#[derive(Debug)]
pub(super) struct SendBuffer {
    /// In memory: at present, and at most.
    size: u64,
    limit: u64,
    is_tuned: bool,
    /// Windows it has room for.
    windows: u64,
    /// In payload.
    room: u64,
    /// The application has written so far, if it had so much.
    until: u64,
}

impl SendBuffer {
    /// `None` where nothing bounds what is written.
    pub(super) fn new(config: &Config, controls_recovery: bool) -> Option<Self> {
        let limit = config.send_buffer?.0;
        let windows = if controls_recovery { 3 } else { 2 };
        let first = windows * LEAST_SEGMENTS * MEMORY_PER_SEGMENT;
        let size = if config.send_autotuning { first.min(limit) } else { limit };
        Some(Self { size, limit, is_tuned: config.send_autotuning, windows, room: size, until: 1 + size })
    }

    /// A window of so many segments is not full because of it.
    pub(super) fn grow(&mut self, segments: u64) {
        if self.is_tuned {
            let wanted = self.windows * segments.max(LEAST_SEGMENTS) * MEMORY_PER_SEGMENT;
            self.size = self.size.max(wanted.min(self.limit));
            self.room = self.room.max(self.size / 3 * 2);
        }
    }

    /// True when the data before `end` are written.
    pub(super) fn holds(&self, end: u64) -> bool {
        end <= self.until
    }

    /// True when a third is free.
    pub(super) fn is_writable(&self, una: u64) -> bool {
        self.until.saturating_sub(una) <= self.room / 3 * 2
    }

    /// The application writes what there is room for, or what the window lets go at once.
    pub(super) fn write(&mut self, una: u64, packet: u64, window: u64) {
        let payload = u128::from(self.size) * u128::from(packet) / u128::from(packet + MEMORY_PER_PACKET);
        self.room = payload as u64;
        let written = una + self.room.max(window) + LARGEST_PACKET.min(self.size);
        self.until = self.until.max(written);
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Bytes;

    use super::*;

    const PACKET: u64 = 1536;

    fn buffer(limit: u64, send_autotuning: bool) -> SendBuffer {
        let config = Config { send_buffer: Some(Bytes(limit)), send_autotuning, ..Config::default() };
        SendBuffer::new(&config, false).unwrap()
    }

    #[test]
    fn a_full_buffer_is_written_to_again_when_a_third_is_free() {
        let mut fixed = buffer(400_000, false);
        fixed.write(100_001, PACKET, 0);
        // Three quarters are payload.
        assert_eq!((fixed.room, fixed.until), (300_000, 400_001 + LARGEST_PACKET));
        assert!(!fixed.is_writable(200_000 + LARGEST_PACKET));
        assert!(fixed.is_writable(200_001 + LARGEST_PACKET));
    }

    #[test]
    fn what_the_window_lets_go_at_once_is_written_whatever_its_size() {
        let mut fixed = buffer(400_000, false);
        fixed.write(1, PACKET, 1_000_000);
        assert_eq!(fixed.until, 1_000_001 + LARGEST_PACKET);
        fixed.write(10, PACKET, 0);
        assert_eq!(fixed.until, 1_000_001 + LARGEST_PACKET);
    }

    #[test]
    fn it_grows_with_the_window_up_to_its_limit() {
        let mut tuned = buffer(1 << 20, true);
        assert_eq!(tuned.size, 2 * 10 * 2304);
        tuned.grow(60);
        assert_eq!(tuned.size, 2 * 60 * 2304);
        assert!(tuned.is_writable(1));
        tuned.grow(1000);
        assert_eq!(tuned.size, 1 << 20);
        let mut fixed = buffer(1 << 20, false);
        fixed.grow(1000);
        assert_eq!(fixed.size, 1 << 20);
    }

    #[test]
    fn without_the_option_there_is_none() {
        assert!(SendBuffer::new(&Config::default(), false).is_none());
    }
}
