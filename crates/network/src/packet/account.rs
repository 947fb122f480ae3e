//! What a packet is for, how its copies may end, and the counts of both.

use farlink_kernel::choice;

/// What a packet is for; queues serve classes apart and the ledger balances each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Routing's own packets and its notices.
    Routing,
    /// Segments and datagrams with payload.
    Data,
    /// Segments without payload.
    Ack,
}

/// How many classes there are.
pub const CLASSES: usize = 3;

choice! {
    /// Why a copy of a packet ended before its destination.
    pub enum Cause {
        /// The queue was full.
        QueueFull = "queue_full",
        /// The queue's management dropped it on purpose.
        EarlyDrop = "early_drop",
        /// The link's error model lost it.
        LinkError = "link_error",
        /// It arrived with a wrong checksum.
        Corrupted = "corrupted",
        /// The link was down.
        LinkDown = "link_down",
        /// The link layer gave up.
        LinkFailure = "link_failure",
        /// It was under way for longer than a packet may be.
        Lifetime = "lifetime",
        /// It waited for the link address of the next hop, and another packet took its place.
        Arp = "arp",
        /// The listener was too far away.
        OutOfReach = "out_of_reach",
        /// The signal was noticed but too weak to be made out.
        BelowThreshold = "below_threshold",
        /// Signals overlapped at the listener.
        Collision = "collision",
        /// Noise, or interference, destroyed some of its bits.
        BitError = "bit_error",
        /// A much stronger signal was there first.
        CaptureLost = "capture_lost",
        /// The listener was sending itself.
        Deaf = "deaf",
        /// The listener was making out another frame.
        ReceiverBusy = "receiver_busy",
        /// The listener made it out but did not answer, or its answer came to nothing.
        NoAnswer = "no_answer",
        /// Routing kept it for a route, and had no room for it.
        SendBufferFull = "send_buffer_full",
        /// Routing kept it for a route that did not come in time.
        SendBufferTimeout = "send_buffer_timeout",
        /// Routing knew no way.
        NoRoute = "no_route",
        /// It went over too many hops.
        HopLimit = "hop_limit",
        /// Nobody at the destination waited for it.
        NoListener = "no_listener",
    }
}

/// How many causes there are.
pub const CAUSES: usize = Cause::WORDS.len();

/// What became of the copies of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Packets made.
    pub originated: u64,
    /// Copies made of packets under way.
    pub duplicated: u64,
    /// Copies that reached their destination's transport.
    pub delivered: u64,
    /// Copies given up because another copy went on or was delivered.
    pub discarded: u64,
    /// Copies lost.
    pub dropped: u64,
    /// Copies lost on the air while their senders kept another.
    pub failed_tries: u64,
}

/// Copies that were lost, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Those that were packets' last, or only, ones on their way.
    pub drops: [u64; CAUSES],
    /// Those on the air whose senders kept another, to try again.
    pub failed_tries: [u64; CAUSES],
}

impl std::ops::AddAssign<&Self> for Losses {
    fn add_assign(&mut self, other: &Self) {
        let add = |sums: &mut [u64; CAUSES], counts: &[u64; CAUSES]| {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        };
        add(&mut self.drops, &other.drops);
        add(&mut self.failed_tries, &other.failed_tries);
    }
}
