//! Parameters: those the thesis gives, and a choice wherever it leaves a question open.

use farlink_kernel::config::above;
use farlink_kernel::{Bytes, Duration, Instant, choice, config};

choice! {
    /// Who sends of the stations that are due in the same slot; the thesis says only that they sense the carrier at
    /// its start.
    pub enum CarrierSense {
        /// Each lets a random number of minislots pass, and keeps silent for the slot when it hears somebody before.
        Minislot = "minislot",
        /// All of them.
        None = "none",
        /// One after the other in a random order, unless it hears one before it: neighbours collide only when they
        /// begin within the time that a signal takes.
        Ideal = "ideal",
    }
}

choice! {
    /// Whether data and acknowledgements of TCP share frames.
    pub enum Combine {
        /// No, and they wait in one queue.
        Off = "off",
        /// No, but they wait in two queues.
        TwoQueues = "two_queues",
        /// When both are due.
        BothDue = "both_due",
        /// When one is due and the other is not on its way.
        EitherDue = "either_due",
    }
}

choice! {
    /// When a packet that came from a neighbour is passed on.
    pub enum Forwarding {
        /// In the next slot, before all that waits (thesis, section 2.2.1).
        NextSlot = "next_slot",
        /// When its turn comes.
        Fifo = "fifo",
    }
}

choice! {
    /// What becomes of a packet that came before, from the same neighbour.
    pub enum Duplicates {
        /// It is passed on again: nobody remembers.
        Forward = "forward",
        /// It is acknowledged and discarded.
        Ack = "ack",
        /// That, while this node still has it, from whomever; after that it is passed on again.
        AckWhileHeld = "ack_while_held",
    }
}

choice! {
    /// From which slot on the wait before another try is counted.
    pub enum WaitFrom {
        /// That of the last try.
        Transmission = "transmission",
        /// That in which nobody answered.
        AckTimeout = "ack_timeout",
    }
}

config! {
    /// Parameters of FRN.
    pub struct Config {
        /// Length of a slot; the thesis counts in slots only.
        pub slot: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Every frame is as long as this: a slot holds one, and what it carries less is wasted.
        pub frame: Bytes = Bytes(1100); in Bytes(1)..=Bytes(65_535),
        /// Length of the header of each packet in a frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Who sends when several are due.
        pub carrier_sense: CarrierSense = CarrierSense::Minislot,
        /// With carrier sense: how many minislots begin a slot (802.11's contention window, of whose frames to
        /// everyone the thesis' simulator made its slots).
        pub minislots: u32 = 32; in 1..,
        /// Length of one.
        pub minislot: Duration = Duration::from_micros(20); in above(Duration::ZERO),
        /// When nobody answers, the packet is sent again after so many slots at least.
        pub min_wait: u32 = 3; in 2..,
        /// And after so many at most.
        pub max_wait: u32 = 5; in 2..,
        /// The most it grows to, linearly, with the share of tries that failed; none: it does not (the thesis' second
        /// technique).
        pub max_wait_under_load: Option<u32> = None; in 2..,
        /// Of how many tries that share is.
        pub history: u32 = 10; in 1..,
        /// Older ones do not count.
        pub history_age: Option<Duration> = None; in above(Duration::ZERO),
        /// From where the wait is counted.
        pub wait_from: WaitFrom = WaitFrom::Transmission,
        /// A packet is discarded so many slots after its source began to send it, wherever it is.
        pub lifetime: Option<u32> = Some(32); in 1..,
        /// A packet is discarded when it was sent again so often on its whole way and that failed, too.
        pub retry_limit: Option<u32> = None,
        /// When a packet that came is passed on.
        pub forwarding: Forwarding = Forwarding::NextSlot,
        /// No new packet of a queue is sent while so many are under way, those included that wait to be sent again. With
        /// 1, and packets passed on in turn, two neighbours that have packets for each other block each other:
        /// neither passes on what it was sent, so that neither hears an echo.
        pub max_outstanding: Option<u32> = Some(1); in 1..,
        /// Data and acknowledgements share frames (the thesis' first technique).
        pub combine: Combine = Combine::Off,
        /// What becomes of packets that come again.
        pub duplicates: Duplicates = Duplicates::Forward,
        /// An answer that comes after its slot, and before the packet is sent again, counts.
        pub accept_late_echo: bool = true,
    }
}

impl Config {
    /// How long stations listen at the start of a slot before they send.
    pub fn contention(&self) -> Duration {
        match self.carrier_sense {
            CarrierSense::None => Duration::ZERO,
            CarrierSense::Minislot | CarrierSense::Ideal => {
                self.minislot.saturating_mul(u64::from(self.minislots))
            }
        }
    }

    /// The slot of an instant.
    pub(super) fn slot_of(&self, now: Instant) -> u64 {
        now.as_nanos() / self.slot.as_nanos()
    }

    /// When a slot begins.
    pub(super) fn start(&self, slot: u64) -> Instant {
        Instant::ZERO + self.slot * slot
    }
}
