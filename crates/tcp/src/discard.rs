//! [`Discard`]: why a connection discards a segment that arrived.

use farlink_kernel::choice;

choice! {
    /// Why a segment that arrived was discarded, or its data were.
    pub enum Discard {
        /// All of its data, its SYN or its FIN had arrived before (RFC 9293 section 3.10.7.4), whatever its timestamp.
        DuplicateData = "duplicate_data",
        /// Its timestamp is older than that of a segment before it (PAWS, RFC 7323 section 5.3, rule R1).
        OldTimestamp = "old_timestamp",
        /// It has no timestamp although both ends agreed on them (RFC 7323 section 3.2).
        NoTimestamp = "no_timestamp",
        /// It lies before or beyond the window (RFC 9293 section 3.10.7.4).
        OutsideWindow = "outside_window",
        /// It acknowledges what was never sent, or is older than any window (RFC 5961 section 5.2).
        InvalidAck = "invalid_ack",
        /// It is a reset with another number than the next one (RFC 5961 section 3.2).
        InvalidReset = "invalid_reset",
        /// It is a SYN on a connection that has one (RFC 5961 section 4).
        RepeatedSyn = "repeated_syn",
        /// It has no ACK flag (RFC 9293 section 3.10.7.4, fifth check).
        NoAck = "no_ack",
        /// It belongs to no connection: this end is closed, or awaits another segment (RFC 9293 section 3.10.7.1).
        NoConnection = "no_connection",
    }
}
