//! What a packet is for, how its copies may end, and the counts of both.

use farlink_kernel::choice;

choice! {
    /// What a packet is for; queues serve classes apart and the ledger balances each by itself.
    pub enum Class {
        /// Routing's own packets and its notices.
        Routing = "routing",
        /// Segments and datagrams with payload.
        Data = "data",
        /// Segments without payload.
        Ack = "ack",
    }
}

/// How many classes there are.
pub const CLASSES: usize = Class::WORDS.len();

choice! {
    /// What makes a copy of a packet in flight.
    pub enum Duplication {
        /// A link's error model.
        Link = "link",
        /// A receiver of a broadcast frame: the sender's copy stays with the sender.
        Broadcast = "broadcast",
        /// A MAC that transmits a copy and keeps the packet for a retransmission.
        Attempt = "attempt",
    }
}

choice! {
    /// Why a copy ends that is neither delivered nor lost: another one goes on, or the transport of its destination
    /// discards it.
    pub enum Discard {
        /// The next hop has acknowledged another copy.
        Acknowledged = "acknowledged",
        /// It has been broadcast; each receiver has a copy of its own.
        Broadcast = "broadcast",
        /// The receiver had it before, or (`dcf` with the rules of ns-2) had not cleared it.
        Duplicate = "duplicate",
        /// The MAC withdrew the attempt before its transmission.
        Withdrawn = "withdrawn",
        /// At the transport of its destination: all of its data had arrived before.
        DuplicateData = "duplicate_data",
        /// The same, of a copy that a link made: another one arrived before.
        DuplicatedByLink = "duplicated_by_link",
        /// The same, by TCP: its timestamp is old (PAWS, RFC 7323 section 5.3).
        OldTimestamp = "old_timestamp",
        /// It has no timestamp although both ends agreed on them.
        NoTimestamp = "no_timestamp",
        /// It lies before or beyond the window.
        OutsideWindow = "outside_window",
        /// It acknowledges what was never sent, or is older than any window.
        InvalidAck = "invalid_ack",
        /// It is a reset with another number than the next one.
        InvalidReset = "invalid_reset",
        /// It is a SYN on a connection that has one.
        RepeatedSyn = "repeated_syn",
        /// It has no ACK flag.
        NoAck = "no_ack",
        /// Its connection is closed, or awaits another segment.
        NoConnection = "no_connection",
    }
}

impl Discard {
    /// From this one on they are of packets that reached the transport of their destination.
    pub(super) const FIRST_AT_DESTINATION: Self = Self::DuplicateData;

    /// True for a packet that reached the transport of its destination.
    pub fn is_at_destination(self) -> bool {
        self as usize >= Self::FIRST_AT_DESTINATION as usize
    }
}

impl From<farlink_tcp::Discard> for Discard {
    fn from(why: farlink_tcp::Discard) -> Self {
        use farlink_tcp::Discard as By;
        match why {
            By::DuplicateData => Self::DuplicateData,
            By::OldTimestamp => Self::OldTimestamp,
            By::NoTimestamp => Self::NoTimestamp,
            By::OutsideWindow => Self::OutsideWindow,
            By::InvalidAck => Self::InvalidAck,
            By::InvalidReset => Self::InvalidReset,
            By::RepeatedSyn => Self::RepeatedSyn,
            By::NoAck => Self::NoAck,
            By::NoConnection => Self::NoConnection,
        }
    }
}

choice! {
    /// Where a copy in flight is held.
    pub enum Location {
        /// In the queue of an interface.
        Queue = "queue",
        /// With a MAC: it awaits the medium or its acknowledgement.
        Mac = "mac",
        /// On a link: in transmission or in propagation.
        Link = "link",
        /// On a shared channel.
        Medium = "medium",
        /// At an interface that resolves the next hop's link address.
        Arp = "arp",
        /// In a buffer of the routing protocol: it awaits a route or its departure.
        RoutingBuffer = "routing_buffer",
        /// At a host that takes time: on the way between transport and interface.
        Host = "host",
    }
}

choice! {
    /// Why a copy of a packet ended before its destination.
    pub enum Cause {
        /// The queue was full.
        QueueFull = "queue_full",
        /// The queue's management dropped it on purpose.
        EarlyDrop = "early_drop",
        /// A policer had no tokens for it, or it is larger than the burst of a shaper.
        Policed = "policed",
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
        OutOfRange = "out_of_range",
        /// The signal was noticed but too weak to be received.
        BelowThreshold = "below_threshold",
        /// Signals overlapped at the listener.
        Collision = "collision",
        /// Noise, or interference, destroyed some of its bits.
        BitError = "bit_error",
        /// A much stronger signal was there first.
        CaptureLost = "capture_lost",
        /// The listener was sending itself.
        ReceiverTransmitting = "receiver_transmitting",
        /// The listener was receiving another frame.
        ReceiverBusy = "receiver_busy",
        /// The listener made it out but did not answer, or its answer came to nothing.
        NoResponse = "no_response",
        /// Routing kept it for a route, and had no room for it.
        SendBufferFull = "send_buffer_full",
        /// Routing kept it for a route that did not come in time.
        SendBufferTimeout = "send_buffer_timeout",
        /// Routing knew no way.
        NoRoute = "no_route",
        /// It went over too many hops.
        HopLimit = "hop_limit",
        /// No application at the destination.
        PortUnreachable = "port_unreachable",
    }
}

/// How many causes there are.
pub const CAUSES: usize = Cause::WORDS.len();

/// The counts that are not zero, with their words.
pub fn counted(words: &[&'static str], counts: &[u64]) -> Vec<(&'static str, u64)> {
    words.iter().copied().zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect()
}

/// The causes that occurred, with their numbers.
pub fn named(causes: &[u64; CAUSES]) -> Vec<(&'static str, u64)> {
    counted(Cause::WORDS, causes)
}

/// What became of the copies of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Packets made.
    pub originated: u64,
    /// Copies that reached their destination's transport.
    pub delivered: u64,
    /// Copies made of packets in flight, by what made them.
    pub duplicated: [u64; Duplication::WORDS.len()],
    /// Copies given up because another copy went on or was delivered, by reason.
    pub discarded: [u64; Discard::WORDS.len()],
    /// Copies lost.
    pub losses: Losses,
}

impl Account {
    /// Copies that began.
    pub fn begun(&self) -> u64 {
        self.originated + self.duplicated.iter().sum::<u64>()
    }

    pub(crate) fn ended(&self) -> u64 {
        let Losses { drops, failed_attempts } = &self.losses;
        self.delivered + self.discarded.iter().chain(drops).chain(failed_attempts).sum::<u64>()
    }
}

impl std::ops::AddAssign<&Self> for Account {
    fn add_assign(&mut self, other: &Self) {
        self.originated += other.originated;
        self.delivered += other.delivered;
        add(&mut self.duplicated, &other.duplicated);
        add(&mut self.discarded, &other.discarded);
        self.losses += &other.losses;
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

/// Copies that were lost, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Those that were packets' last, or only, ones on their way.
    pub drops: [u64; CAUSES],
    /// Those on shared channels whose senders kept another for a retransmission.
    pub failed_attempts: [u64; CAUSES],
}

impl std::ops::AddAssign<&Self> for Losses {
    fn add_assign(&mut self, other: &Self) {
        add(&mut self.drops, &other.drops);
        add(&mut self.failed_attempts, &other.failed_attempts);
    }
}
