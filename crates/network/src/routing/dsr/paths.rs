//! Whole paths, as ns-2.35 keeps them (`dsr/mobicache.cc`, of Broch, Maltz, Johnson, Hu and Jetcheva, "A Performance
//! Comparison of Multi-Hop Wireless Ad Hoc Network Routing Protocols", MobiCom 1998): those that were asked for or used
//! in one cache, overheard ones in another, so that these do not evict those.

use farlink_kernel::Instant;

use crate::ids::NodeId;
use crate::wire::dsr::Broken;

const ALL: usize = 94;
/// ... so many are for those that were asked for or used.
const WANTED: usize = 30;

#[derive(Clone, Debug)]
pub struct Paths {
    wanted: PathCache,
    heard: PathCache,
}

/// A fixed number of paths, replaced in turn.
#[derive(Clone, Debug)]
struct PathCache {
    kept: Vec<Kept>,
    room: usize,
    next_out: usize,
}

/// A path, and until when it counts; without nodes, room for one.
#[derive(Clone, Debug)]
struct Kept {
    path: Vec<NodeId>,
    until: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Nothing,
    More,
    /// More is known, and something else is not any more.
    Other,
}

impl Paths {
    pub fn new(size: usize) -> Self {
        let wanted = (size * WANTED / ALL).max(1);
        Self { wanted: PathCache::new(wanted), heard: PathCache::new(size.saturating_sub(wanted).max(1)) }
    }

    /// A path was heard of, or asked for.
    pub fn learn(&mut self, path: &[NodeId], until: Instant, is_wanted: bool) -> Change {
        let cache = if is_wanted { &mut self.wanted } else { &mut self.heard };
        cache.learn(path, until)
    }

    /// A shortest path to a node, of equal ones one that was asked for or used. Use moves an overheard path to the other cache.
    pub fn find(
        &mut self,
        destination: NodeId,
        now: Instant,
        is_wanted: bool,
    ) -> Option<(&[NodeId], Change)> {
        let wanted = self.wanted.shortest(destination, now);
        let heard = self.heard.shortest(destination, now);
        match (wanted, heard) {
            (Some((end, place)), heard) if heard.is_none_or(|(other, _)| end <= other) => {
                Some((&self.wanted.kept[place].path[..=end], Change::Nothing))
            }
            (_, Some((end, place))) if is_wanted => {
                let Kept { path, until } = &mut self.heard.kept[place];
                let path = std::mem::take(path);
                self.wanted.learn(&path, *until);
                let at = self.wanted.kept.iter().position(|kept| kept.path.starts_with(&path));
                let at = at.expect("it was put there");
                Some((&self.wanted.kept[at].path[..=end], Change::Other))
            }
            (_, heard) => heard.map(|(end, place)| (&self.heard.kept[place].path[..=end], Change::Nothing)),
        }
    }

    /// A link is broken: what is behind it is not known any more. True when something was.
    pub fn forget(&mut self, broken: Broken) -> bool {
        let caches = [&mut self.wanted, &mut self.heard];
        caches.into_iter().fold(false, |any, cache| cache.forget(broken) | any)
    }
}

impl PathCache {
    fn new(room: usize) -> Self {
        Self { kept: Vec::with_capacity(room), room, next_out: 0 }
    }

    fn learn(&mut self, path: &[NodeId], until: Instant) -> Change {
        for kept in &mut self.kept {
            let common = kept.path.len().min(path.len());
            if common > 0 && kept.path[..common] == path[..common] {
                kept.until = until;
                let is_longer = path.len() > common;
                kept.path.extend_from_slice(&path[common..]);
                return if is_longer { Change::More } else { Change::Nothing };
            }
        }
        if let Some(free) = self.kept.iter_mut().find(|kept| kept.path.is_empty()) {
            free.path.extend_from_slice(path);
            free.until = until;
            return Change::More;
        }
        if self.kept.len() < self.room {
            self.kept.push(Kept { path: path.to_vec(), until });
            return Change::More;
        }
        let out = &mut self.kept[self.next_out];
        out.path.clear();
        out.path.extend_from_slice(path);
        out.until = until;
        self.next_out = (self.next_out + 1) % self.room;
        Change::Other
    }

    /// Where on a shortest path the destination is, and that path's place.
    fn shortest(&self, destination: NodeId, now: Instant) -> Option<(usize, usize)> {
        let ends = self.kept.iter().zip(0..).filter(|(kept, _)| kept.until > now);
        ends.filter_map(|(kept, place)| {
            kept.path.iter().position(|&node| node == destination).map(|end| (end, place))
        })
        .min()
    }

    fn forget(&mut self, Broken { from, to }: Broken) -> bool {
        let mut is_changed = false;
        for Kept { path, .. } in &mut self.kept {
            if let Some(place) = path.windows(2).position(|link| link == [from, to]) {
                path.truncate(if place == 0 { 0 } else { place + 1 });
                is_changed = true;
            }
        }
        is_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(paths: &mut Paths, destination: NodeId, is_wanted: bool) -> Option<Vec<NodeId>> {
        paths.find(destination, Instant::ZERO, is_wanted).map(|(path, _)| path.to_vec())
    }

    #[test]
    fn what_is_heard_does_not_drive_out_what_was_asked_for_or_is_used() {
        let mut paths = Paths::new(ALL);
        paths.learn(&[0, 1, 2].map(NodeId), Instant::NEVER, true);
        paths.learn(&[0, 3, 4].map(NodeId), Instant::NEVER, false);
        // Sending to 4 keeps the path; replying with it does not.
        paths.learn(&[0, 5, 6].map(NodeId), Instant::NEVER, false);
        assert_eq!(find(&mut paths, NodeId(4), true), Some([0, 3, 4].map(NodeId).to_vec()));
        assert_eq!(find(&mut paths, NodeId(6), false), Some([0, 5, 6].map(NodeId).to_vec()));
        for node in (100..100 + ALL as u32).map(NodeId) {
            paths.learn(&[NodeId(0), node], Instant::NEVER, false);
        }
        let found = [2, 4, 6].map(|node| find(&mut paths, NodeId(node), false).is_some());
        assert_eq!(found, [true, true, false]);
    }

    #[test]
    fn a_path_that_goes_on_from_another_takes_its_place_and_a_part_of_one_is_known() {
        let mut paths = Paths::new(ALL);
        let mut learn = |path: &[NodeId]| paths.learn(path, Instant::NEVER, false);
        assert_eq!(learn(&[0, 1, 2].map(NodeId)), Change::More);
        assert_eq!(learn(&[0, 1, 2, 3].map(NodeId)), Change::More);
        assert_eq!(
            (learn(&[0, 1].map(NodeId)), learn(&[0, 1, 2, 3].map(NodeId))),
            (Change::Nothing, Change::Nothing)
        );
        assert_eq!(paths.heard.kept.len(), 1);
        assert!(paths.forget(Broken { from: NodeId(0), to: NodeId(1) }));
        assert_eq!(find(&mut paths, NodeId(1), false), None);
    }
}
