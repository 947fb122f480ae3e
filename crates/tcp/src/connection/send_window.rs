//! [`SendWindow`]: the window that the peer offers (`SND.WND`, RFC 9293 section 3.3.1).

/// The peer's window.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendWindow {
    edge: u64,
    size: u64,
    largest: u64,
    /// Number and acknowledgement of the segment it came with (`SND.WL1`, `SND.WL2`).
    wl1: u64,
    wl2: u64,
}

impl SendWindow {
    /// Room for the SYN, which needs no window.
    pub(super) const SYN: Self = Self { edge: 1, size: 0, largest: 0, wl1: 0, wl2: 0 };

    /// The first window, offered in the handshake.
    pub(super) fn first(size: u64) -> Self {
        Self { edge: 1 + size, size, largest: size, wl1: 0, wl2: 1 }
    }

    /// A segment offers `size` bytes from `ack` on; whether that is another size, `None` if the segment is older than the
    /// one before (section 3.10.7.4).
    #[inline(always)]
    pub(super) fn update(&mut self, start: u64, ack: u64, size: u64) -> Option<bool> {
        if start < self.wl1 || (start == self.wl1 && ack < self.wl2) {
            return None;
        }
        (self.wl1, self.wl2, self.edge) = (start, ack, ack + size);
        let is_changed = size != self.size;
        if is_changed {
            self.size = size;
            self.largest = self.largest.max(size);
        }
        Some(is_changed)
    }

    /// Its right edge.
    pub(super) fn edge(&self) -> u64 {
        self.edge
    }

    /// Its size when it was offered last.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The largest that was ever offered (`MAX.SND.WND` of RFC 5961).
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// Where the segment began that it came with.
    pub(super) fn offered_at(&self) -> u64 {
        self.wl1
    }
}
