//! What a node knows of the network (RFC 4728, section 4.1): whole paths, or links.

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::config::{CacheKind, Config};
use super::links::Links;
use super::paths::{Change, Paths};
use crate::ids::NodeId;
use crate::wire::dsr::{Broken, Path};

/// What is known, and until when if it is not heard again.
#[derive(Clone, Debug)]
pub struct Cache {
    node: NodeId,
    known: Known,
    lifetime: Option<Duration>,
    /// How often what is known changed, and how often something went.
    changes: u64,
    losses: u64,
    /// What was answered last, by destination, and after so many changes.
    answers: Vec<(NodeId, u64, Path)>,
}

#[derive(Clone, Debug)]
enum Known {
    Paths(Paths),
    Links(Links),
}

impl Cache {
    pub fn new(config: &Config, node: NodeId) -> Self {
        let size = config.cache_size as usize;
        let known = match config.cache {
            CacheKind::Paths => Known::Paths(Paths::new(size)),
            CacheKind::Links => Known::Links(Links::new(size)),
        };
        let lifetime = config.cache_timeout;
        Self { node, known, lifetime, changes: 0, losses: 0, answers: Vec::new() }
    }

    pub fn learn(&mut self, path: &[NodeId], now: Instant) {
        self.put(path, now, false);
    }

    pub fn learn_wanted(&mut self, path: &[NodeId], now: Instant) {
        self.put(path, now, true);
    }

    fn put(&mut self, path: &[NodeId], now: Instant, is_wanted: bool) {
        if path.len() < 2 || path[0] != self.node || has_loop(path) {
            return;
        }
        let until = self.lifetime.map_or(Instant::NEVER, |lifetime| now.saturating_add(lifetime));
        let change = match &mut self.known {
            Known::Paths(paths) => paths.learn(path, until, is_wanted),
            Known::Links(links) => links.learn(path, until),
        };
        self.count(change);
    }

    fn count(&mut self, change: Change) {
        self.changes += u64::from(change != Change::Nothing);
        self.losses += u64::from(change == Change::Other);
    }

    /// What was learnt when [`Cache::losses`] was the same is still known: nothing is forgotten because of its age.
    pub fn keeps(&self) -> bool {
        self.lifetime.is_none()
    }

    /// How often something that was known went.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    pub fn find(&mut self, destination: NodeId, now: Instant) -> Option<Path> {
        self.answer(destination, now, false)
    }

    /// A shortest path to a destination of this node; it is kept in preference to overheard ones.
    pub fn find_wanted(&mut self, destination: NodeId, now: Instant) -> Option<Path> {
        self.answer(destination, now, true)
    }

    /// Repeated calls return the same shared path, not a copy.
    fn answer(&mut self, destination: NodeId, now: Instant, is_wanted: bool) -> Option<Path> {
        let place = self.answers.iter().position(|(known, ..)| *known == destination);
        if let Some(place) = place.filter(|_| is_wanted && self.lifetime.is_none())
            && self.answers[place].1 == self.changes
        {
            return Some(Arc::clone(&self.answers[place].2));
        }
        let found;
        let (path, change) = match &mut self.known {
            Known::Paths(paths) => paths.find(destination, now, is_wanted)?,
            Known::Links(links) => {
                found = links.find(self.node, destination, now)?;
                (&found[..], Change::Nothing)
            }
        };
        let same = place.map(|place| &self.answers[place].2).filter(|answer| answer[..] == *path);
        let path = same.map_or_else(|| Path::from(path), Arc::clone);
        self.count(change);
        if is_wanted {
            let answer = (destination, self.changes, Arc::clone(&path));
            match place {
                Some(place) => self.answers[place] = answer,
                None => self.answers.push(answer),
            }
        }
        Some(path)
    }

    pub fn forget(&mut self, broken: Broken) {
        let is_changed = match &mut self.known {
            Known::Paths(paths) => paths.forget(broken),
            Known::Links(links) => links.forget(broken),
        };
        self.count(if is_changed { Change::Other } else { Change::Nothing });
    }
}

/// True when a node is on a path twice.
pub fn has_loop(path: &[NodeId]) -> bool {
    path.iter().enumerate().any(|(place, node)| path[..place].contains(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn caches() -> [Cache; 2] {
        [CacheKind::Paths, CacheKind::Links]
            .map(|cache| Cache::new(&Config { cache, ..Config::default() }, NodeId(0)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what is found")]
    fn path(nodes: &[NodeId]) -> Option<Path> {
        Some(nodes.into())
    }

    #[test]
    fn the_shortest_path_is_found_and_every_node_on_one() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 3].map(NodeId), at(0));
            cache.learn(&[0, 4, 3, 5].map(NodeId), at(0));
            assert_eq!(cache.find(NodeId(3), at(1)), path(&[0, 4, 3].map(NodeId)));
            assert_eq!(cache.find(NodeId(2), at(1)), path(&[0, 1, 2].map(NodeId)));
            assert_eq!(cache.find(NodeId(6), at(1)), None);
        }
    }

    #[test]
    fn a_broken_link_takes_what_is_behind_it() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 3].map(NodeId), at(0));
            cache.forget(Broken { from: NodeId(1), to: NodeId(2) });
            assert_eq!(
                (cache.find(NodeId(1), at(1)), cache.find(NodeId(2), at(1))),
                (path(&[0, 1].map(NodeId)), None)
            );
        }
    }

    #[test]
    fn links_make_paths_that_were_never_heard_of() {
        let [mut paths, mut links] = caches();
        for cache in [&mut paths, &mut links] {
            cache.learn(&[0, 1, 2].map(NodeId), at(0));
            cache.learn(&[0, 3, 1].map(NodeId), at(0));
            cache.forget(Broken { from: NodeId(0), to: NodeId(1) });
        }
        assert_eq!(
            (paths.find(NodeId(2), at(1)), links.find(NodeId(2), at(1))),
            (None, path(&[0, 3, 1, 2].map(NodeId)))
        );
    }

    #[test]
    fn what_is_not_heard_again_is_forgotten_and_room_is_bounded() {
        for mut cache in caches() {
            cache.learn(&[0, 1].map(NodeId), at(0));
            assert_eq!(
                (cache.find(NodeId(1), at(299)).is_some(), cache.find(NodeId(1), at(301)).is_some()),
                (true, false)
            );
            for node in 1..=300 {
                cache.learn(&[0, node].map(NodeId), at(node.into()));
            }
            assert_eq!(
                (cache.find(NodeId(1), at(300)), cache.find(NodeId(300), at(300))),
                (None, path(&[0, 300].map(NodeId)))
            );
        }
    }

    #[test]
    fn a_path_with_a_loop_or_of_somebody_else_is_not_learnt() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 1, 3].map(NodeId), at(0));
            cache.learn(&[5, 3].map(NodeId), at(0));
            assert_eq!(cache.find(NodeId(3), at(1)), None);
        }
    }
}
