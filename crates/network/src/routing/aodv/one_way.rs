//! Unidirectional links (RFC 3561, section 6.8): requests of nodes that do not receive replies are ignored.

use farlink_kernel::{Duration, Instant};

use crate::hop::NextHop;

/// What is known about links to neighbours that were answered.
#[derive(Clone, Debug, Default)]
pub struct OneWay {
    /// Neighbours whose requests are ignored, and until when.
    blacklist: Vec<(NextHop, Instant)>,
    /// Neighbours that have to acknowledge a reply, and until when.
    replied: Vec<(NextHop, Instant)>,
}

impl OneWay {
    /// A reply went to a neighbour that has to acknowledge it.
    pub fn on_replied(&mut self, neighbour: NextHop, until: Instant) {
        if !self.replied.iter().any(|&(other, _)| other == neighbour) {
            self.replied.push((neighbour, until));
        }
    }

    pub fn on_acknowledgement(&mut self, neighbour: NextHop) {
        self.replied.retain(|&(other, _)| other != neighbour);
    }

    pub fn on_unheard(&mut self, neighbour: NextHop, until: Instant) {
        self.blacklist.retain(|&(other, _)| other != neighbour);
        self.blacklist.push((neighbour, until));
    }

    pub fn is_blacklisted(&mut self, neighbour: NextHop, now: Instant) -> bool {
        self.blacklist.retain(|&(_, until)| until > now);
        self.blacklist.iter().any(|&(other, _)| other == neighbour)
    }

    pub fn deadline(&self) -> Instant {
        self.replied.iter().map(|&(_, until)| until).min().unwrap_or(Instant::NEVER)
    }

    pub fn on_deadline(&mut self, length: Duration, now: Instant) {
        let missed: Vec<_> = self.replied.extract_if(.., |&mut (_, until)| until <= now).collect();
        for (neighbour, _) in missed {
            self.on_unheard(neighbour, now.saturating_add(length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    #[test]
    fn who_does_not_acknowledge_a_reply_is_ignored_for_a_while() {
        let at = |n| Instant::ZERO + Duration::from_secs(n);
        let [good, bad] = [1, 2].map(|node| NextHop::Node(NodeId(node)));
        let mut links = OneWay::default();
        for neighbour in [good, bad] {
            links.on_replied(neighbour, at(1));
        }
        links.on_acknowledgement(good);
        assert_eq!(links.deadline(), at(1));
        links.on_deadline(Duration::from_secs(5), at(1));
        let mut ignored = |now| [good, bad].map(|neighbour| links.is_blacklisted(neighbour, at(now)));
        assert_eq!([ignored(2), ignored(5), ignored(6)], [[false, true], [false, true], [false, false]]);
    }
}
