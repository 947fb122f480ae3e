//! [`Connection`]: one end of a TCP connection (RFC 9293), one file per concern.
//!
//! The parts of its state, each with private fields: `api` (the types of its interface), `sender` (sequence variables, what bounds
//! sending), `send_window` (the peer's), `send_buffer`, `pacer`, `burst` (a packet of several segments), `receiver`, `ahead` (what
//! arrived out of order), `acks` (when ACKs leave), `receive_buffer`, `timers`, `rtt` (round-trip time and timeout), `spread` (its
//! variance in Linux), `rate` (delivery rate), `clock` (timestamps), `events` (for the application), `accounts` (limited by what,
//! for how long), `start` (the end of the first slow start), `suspicion` (of a spurious reduction), `cwr` (the reaction to marks),
//! `accurate_ecn` (counts of marks), `early` (Fast Open); `endpoint` holds them.
//!
//! What it does, in a segment's order: `handshake` (SYN, options, states), `fast_open` (data with the SYN), `one_way` (data
//! without a handshake), `input` (RFC 9293 section 3.10.7), `predicted` (what is as expected, in a few steps), `ack` (acknowledgements at the
//! sender), `measure` (round-trip times and rates), `reduction` (loss episodes
//! and the window), `ecn` (what ACKs report of marks), `spurious` (reductions that are undone), `output` (what to send next),
//! `segmentation_offload` (bursts), `transmit` (segments), `deadlines` (expired timers), `freeze` (route failures), `icmp`, `reset`.
//!
//! All inside counts in sequence-space offsets: the SYN is 0, stream byte k is 1 + k.

mod accounts;
mod accurate_ecn;
mod ack;
mod acks;
mod ahead;
mod api;
mod burst;
mod clock;
mod cwr;
mod deadlines;
mod early;
mod ecn;
mod endpoint;
mod events;
mod fast_open;
mod freeze;
mod handshake;
mod icmp;
mod input;
mod measure;
mod one_way;
mod output;
mod pacer;
mod predicted;
mod rate;
mod receive_buffer;
mod receiver;
mod reduction;
mod reset;
mod rtt;
mod segmentation_offload;
mod send_buffer;
mod send_window;
mod sender;
mod spread;
mod spurious;
mod start;
mod suspicion;
mod timers;
mod transmit;

pub use accounts::{Cause, LimitedBy};
pub use api::{Counters, Event, Role, Sample, State, Transmit};
pub use endpoint::{Connection, congestion_setup};
pub use icmp::Icmp;
pub use transmit::Outlet;

#[cfg(test)]
mod tests;
