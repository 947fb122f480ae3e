//! Automatic route shortening (RFC 4728, sections 3.4.3 and 4.4): a node that overhears a packet before its turn sends the
//! source a gratuitous reply.

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use super::discovery::reply;
use super::overhear::place;
use super::{Config, Dsr};
use crate::context::Context;
use crate::ids::NodeId;
use crate::wire::dsr::Path;

/// When gratuitous replies were sent.
#[derive(Clone, Debug)]
pub enum Holdoffs {
    /// By source and sender.
    Senders(Map<(NodeId, NodeId), Instant>),
    /// By route, as ns-2 keeps them (`sendRouteShortening`): a new route takes the place of the oldest, and its time is
    /// entered at the next place.
    Routes(Vec<(Path, Instant)>, usize),
}

impl Holdoffs {
    pub fn new(config: &Config) -> Self {
        match config.gratuitous_reply_routes {
            None => Self::Senders(Map::new()),
            Some(room) => Self::Routes(vec![([].into(), Instant::ZERO); room as usize], 0),
        }
    }

    /// True when the packet's source may have another reply now.
    fn is_due(&mut self, path: &[NodeId], from: usize, holdoff: Duration, now: Instant) -> bool {
        let sent = match self {
            Self::Senders(sent) => match sent.get_mut(&(path[0], path[from])) {
                Some(sent) => sent,
                None => return sent.insert((path[0], path[from]), now).is_none(),
            },
            Self::Routes(known, next) => {
                if let Some(place) = known.iter().position(|(route, _)| route[..] == *path) {
                    &mut known[place].1
                } else {
                    known[*next].0 = path.into();
                    *next = (*next + 1) % known.len();
                    known[*next].1 = now;
                    return true;
                }
            }
        };
        let is_due = now >= sent.saturating_add(holdoff);
        if is_due {
            *sent = now;
        }
        is_due
    }
}

impl Dsr {
    /// This node, which heard it from the one at `from`, is to have the packet later anyway.
    pub(super) fn is_shorter(&self, path: &[NodeId], from: usize) -> bool {
        self.config.route_shortening && place(path, self.node).is_some_and(|own| own > from + 1)
    }

    /// Tells the source if its way could be shorter.
    pub(super) fn shorten(&mut self, path: &[NodeId], from: usize, cx: &mut Context) {
        let holdoff = self.config.gratuitous_reply_holdoff;
        if !self.is_shorter(path, from) || !self.holdoffs.is_due(path, from, holdoff, cx.now) {
            return;
        }
        let Some(own) = place(path, self.node) else { return };
        let path = [&path[..=from], &path[own..]].concat();
        let back: Vec<_> = path[..=from + 1].iter().rev().copied().collect();
        self.cache.learn_wanted(&back, cx.now);
        self.send(reply(path, back), cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::dsr::config::Preset;

    #[test]
    fn replies_are_held_off_per_source_and_sender_and_in_ns2_per_route_with_the_time_of_the_one_before() {
        let second = Duration::from_secs(1);
        let due = |preset, asked: &[(u64, &[u32])]| {
            let mut holdoffs = Holdoffs::new(&Config::of(preset));
            let mut is_due = |&(millis, path): &(u64, &[u32])| {
                let path: Vec<_> = path.iter().copied().map(NodeId).collect();
                holdoffs.is_due(&path, 0, second, Instant::ZERO + Duration::from_millis(millis))
            };
            asked.iter().map(&mut is_due).collect::<Vec<_>>()
        };
        let (one, other): (&[u32], &[u32]) = (&[0, 1, 2], &[0, 1, 3]);
        let asked = [(5000, one), (5100, one), (5200, one), (5300, other), (5400, other), (6200, one)];
        assert_eq!(due(Preset::Rfc, &asked), [true, false, false, false, false, true]);
        // The first time of `one` stands with `other`, which is held off by it.
        assert_eq!(due(Preset::Ns2, &asked), [true, true, false, true, false, true]);
    }
}
