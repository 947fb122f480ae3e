//! Parameters: those of the thesis, and a choice wherever it is not specific.

use farlink_kernel::config::{Read, above};
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, choice, config};

use crate::mac::{DelayBound, Parameters, Properties};
use crate::phy::Phy;

choice! {
    /// Contention of stations that are due in the same slot; the thesis says only that they sense the carrier at the start of
    /// the slot.
    pub enum CarrierSense {
        /// Each waits for a random number of minislots, and defers to the next slot when it senses a carrier before.
        Minislot = "minislot",
        /// All of them transmit.
        None = "none",
        /// They transmit in a random order, and defer to an earlier carrier: neighbours collide only when they start within
        /// the propagation delay of each other.
        Ideal = "ideal",
    }
}

choice! {
    /// Combined transmission of data and acknowledgements of TCP.
    pub enum Combine {
        /// No; one queue.
        Off = "off",
        /// No; separate queues.
        TwoQueues = "two_queues",
        /// When both are due.
        BothDue = "both_due",
        /// When one is due, and the other is due or was not transmitted yet: no wait before a retransmission is shortened.
        Untried = "untried",
        /// When one is due and the other awaits no answer.
        EitherDue = "either_due",
    }
}

choice! {
    /// When a received packet is relayed.
    pub enum Forwarding {
        /// In the next slot, before queued packets (thesis, section 2.2.1).
        NextSlot = "next_slot",
        /// In the order of the queue.
        Fifo = "fifo",
    }
}

choice! {
    /// Treatment of a duplicate.
    pub enum Duplicates {
        /// It is relayed again: there is no duplicate detection.
        Forward = "forward",
        /// From the same neighbour, it is acknowledged and discarded.
        Ack = "ack",
        /// As `ack` while this node holds the packet, whatever the neighbour; otherwise as `forward`.
        AckWhileHeld = "ack_while_held",
        /// Acknowledged and discarded, whatever the neighbour and however long ago the packet was received or created here.
        AckFromAny = "ack_from_any",
        /// As `ack_from_any`, without an answer.
        DiscardFromAny = "discard_from_any",
    }
}

choice! {
    /// The transmissions of a packet that count as its relay echo.
    pub enum EchoFrom {
        /// Those of the next hop of the last attempt.
        NextHop = "next_hop",
        /// Those of any neighbour except the previous hop.
        AnyNeighbour = "any_neighbour",
    }
}

choice! {
    /// The slot from which the wait before a retransmission counts.
    pub enum WaitFrom {
        /// That of the last attempt.
        Transmission = "transmission",
        /// That of the missing answer.
        AckTimeout = "ack_timeout",
    }
}

config! {
    /// Parameters of FRN.
    pub struct Config {
        /// Length of a slot; the thesis counts in slots only.
        pub slot: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Length of every frame; shorter packets are padded.
        pub frame: Bytes = Bytes(1100); in Bytes(1)..=Bytes(65_535),
        /// Length of the header of each packet in a frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Contention of stations that are due in the same slot.
        pub carrier_sense: CarrierSense = CarrierSense::Minislot,
        /// With carrier sense: minislots at the start of a slot (the contention window of 802.11, whose broadcast mode the
        /// thesis' simulator modified).
        pub minislots: u32 = 32; in 1..,
        /// Length of a minislot.
        pub minislot: Duration = Duration::from_micros(20); in above(Duration::ZERO),
        /// Shortest wait before a retransmission, in slots.
        pub min_wait: u32 = 3; in 2..,
        /// Longest wait before a retransmission without load, in slots.
        pub max_wait: u32 = 5; in 2..,
        /// Longest wait when all attempts fail, in slots: the longest wait grows linearly with the share of failed attempts (the thesis'
        /// second technique); none: it is fixed.
        pub max_wait_under_load: Option<u32> = None; in 2..,
        /// Share of failed attempts from which the longest wait is that under load.
        pub full_load: f64 = 1.0; in 0.01..=1.0,
        /// Number of attempts that this share is computed from.
        pub history: u32 = 10; in 1..,
        /// Attempts before this age are not counted.
        pub history_age: Option<Duration> = None; in above(Duration::ZERO),
        /// The slot from which the wait counts.
        pub wait_from: WaitFrom = WaitFrom::Transmission,
        /// Lifetime of a packet in slots, from its first transmission at the source.
        pub lifetime: Option<u32> = Some(32); in 1..,
        /// Limit on the retransmissions of a packet along its whole path.
        pub retry_limit: Option<u32> = None,
        /// When a received packet is relayed.
        pub forwarding: Forwarding = Forwarding::NextSlot,
        /// Limit on the packets of a queue that are sent and not answered, waits for a retransmission included; of packets that
        /// await their answer there is never more than a frame, since a station listens in that slot. With 1 and
        /// `forwarding = "fifo"`, two neighbours that have packets for each other block each other: neither relays the other's
        /// packet, so that neither receives an echo.
        pub max_outstanding: Option<u32> = Some(1); in 1..,
        /// Combined transmission of data and acknowledgements (the thesis' first technique).
        pub combine: Combine = Combine::Off,
        /// Treatment of duplicates.
        pub duplicates: Duplicates = Duplicates::Forward,
        /// The transmissions of a packet that count as its relay echo.
        pub echo_from: EchoFrom = EchoFrom::NextHop,
        /// An answer after its slot counts if the packet was not retransmitted meanwhile.
        pub accept_late_echo: bool = true,
    }
}

impl Config {
    /// Length of the contention at the start of a slot.
    pub fn contention(&self) -> Duration {
        match self.carrier_sense {
            CarrierSense::None => Duration::ZERO,
            CarrierSense::Minislot | CarrierSense::Ideal => {
                self.minislot.saturating_mul(u64::from(self.minislots))
            }
        }
    }

    pub(super) fn slot_of(&self, now: Instant) -> u64 {
        now.as_nanos() / self.slot.as_nanos()
    }

    pub(super) fn start(&self, slot: u64) -> Instant {
        Instant::ZERO + self.slot * slot
    }
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties {
            frames: 1,
            rts_threshold: None,
            // A node sends in one of three slots, its neighbours in the others.
            wait: self.slot.saturating_mul(3),
            delay_bound: DelayBound::Unbounded,
            is_ieee80211: false,
            // Every frame is a broadcast.
            has_addresses: false,
        }
    }

    /// Refuses a longest wait below the shortest, a slot too short for a frame, and a frame too short for a packet.
    fn check(&self, phy: &dyn Phy, largest: Bytes) -> Result<(), Diagnostic> {
        at_least(self.max_wait, "max_wait", self.min_wait, "min_wait")?;
        let under_load = self.max_wait_under_load.unwrap_or(u32::MAX);
        at_least(under_load, "max_wait_under_load", self.max_wait, "max_wait")?;
        let needed = self.contention().saturating_add(phy.air_time(self.frame.0 as u32, phy.data_mode()));
        if needed > self.slot {
            let message = format!(
                "a slot of {} is too short for {} of listening and frames of {}",
                self.slot.show(),
                self.contention().show(),
                self.frame.show()
            );
            let remedy = format!("write slot = {} or more, or shorter frames", needed.show());
            return Err(Diagnostic::new(0..0, message, remedy).at("slot"));
        }
        let needed = Bytes(largest.0 + self.header.0);
        if needed > self.frame {
            let message = format!("a frame of {} has no room for the largest packet", self.frame.show());
            let remedy = format!("write frame = {} or more, or smaller segments", needed.show());
            return Err(Diagnostic::new(0..0, message, remedy).at("frame"));
        }
        Ok(())
    }
}

/// Refuses a wait shorter than `least`.
fn at_least(wait: u32, key: &'static str, least: u32, least_key: &str) -> Result<(), Diagnostic> {
    if wait >= least {
        return Ok(());
    }
    let message = format!("{wait} slots are fewer than {least_key} = {least}");
    Err(Diagnostic::new(0..0, message, format!("write {key} = {least} or more")).at(key))
}
