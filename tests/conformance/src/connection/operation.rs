//! [`Operation`]: what may happen to a connection.

use farlink_kernel::Duration;
use farlink_kernel::random::Stream;

use super::circumstances::{once_in, one_of};
use super::notices::{self, Routing};

/// Something that may happen to a connection. Positions on the link are counted from the oldest segment in
/// flight and wrap around.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A segment arrives at the peer.
    Forth(usize),
    /// A segment of the peer arrives.
    Back(usize),
    /// A segment to the peer is lost.
    LoseForth(usize),
    /// A segment of the peer is lost.
    LoseBack(usize),
    /// A segment to the peer travels twice.
    CopyForth(usize),
    /// A segment of the peer travels twice.
    CopyBack(usize),
    /// A router marks a segment to the peer (RFC 3168).
    Mark(usize),
    /// All goes well for so many round trips.
    Smooth(u32),
    /// The application writes so many full segments and, at most one segment, bytes.
    Write(u64, u64),
    /// The application has written all; nothing before the SYN is answered.
    Close,
    /// The peer's application writes so many full segments.
    PeerWrites(u64),
    /// Time passes.
    Pass(Duration),
    /// Nothing arrives until the next timer expires.
    Expire,
    /// All that is sent is lost until the timers have expired so many times.
    Storm(u32),
    /// The peer forgets what it reported by SACK.
    Renege,
    /// The peer offers another window: shrunk, shut, or open.
    Offer(u64),
    /// The peer's application stops or resumes reading.
    Pause(bool),
    /// The peer acknowledges once more.
    PeerAcknowledges,
    /// A notification arrives.
    Notice(Routing),
}

/// Any operation; those of routers only where there are notices.
pub(super) fn any(rng: &mut Stream, has_notices: bool) -> Operation {
    let mut place = || rng.below(20) as usize;
    let far = place();
    if has_notices && once_in(rng, 4) {
        return Operation::Notice(notices::any(rng));
    }
    match rng.below(100) {
        0..22 => Operation::Forth(0),
        22..27 => Operation::Forth(far),
        27..49 => Operation::Back(0),
        49..52 => Operation::Back(far),
        52..57 => Operation::LoseForth(far),
        57..59 => Operation::LoseBack(far),
        59..61 => Operation::CopyForth(far),
        61..63 => Operation::CopyBack(far),
        63 => Operation::Mark(far),
        64..68 => Operation::Smooth(1 + rng.below(4) as u32),
        68..74 => Operation::Write(rng.below(20), rng.below(100)),
        74 if once_in(rng, 10) => Operation::Close,
        74 => Operation::PeerWrites(rng.below(20)),
        75..79 => Operation::Pass(some_time(rng)),
        79..86 => Operation::Expire,
        86 => Operation::Storm(1 + rng.below(8) as u32),
        87..89 => Operation::Renege,
        89..92 => Operation::Offer(one_of(rng, &[0, 1, 100, 1_000, 5_000, 65_535, 1 << 20])),
        92..94 => Operation::Pause(rng.below(2) == 0),
        _ => Operation::PeerAcknowledges,
    }
}

fn some_time(rng: &mut Stream) -> Duration {
    let times = [1, 100_000, 5_000_000, 50_000_000, 300_000_000, 2_000_000_000, 70_000_000_000];
    Duration::from_nanos(one_of(rng, &times)).mul_f64(0.5 + rng.uniform())
}
