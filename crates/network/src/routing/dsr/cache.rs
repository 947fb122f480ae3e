//! What a node knows of the network (RFC 4728, section 4.1): whole paths, or links.

use std::collections::{BTreeMap, VecDeque};

use farlink_kernel::{Duration, Instant};

use super::config::{CacheKind, Config};
use super::messages::Broken;
use crate::blueprint::NodeId;

/// What is known, and until when if it is not heard again.
#[derive(Clone, Debug)]
pub struct Cache {
    node: NodeId,
    known: Known,
    size: usize,
    lifetime: Option<Duration>,
}

#[derive(Clone, Debug)]
enum Known {
    /// Paths that begin at the node, the newest last.
    Paths(VecDeque<(Vec<NodeId>, Instant)>),
    /// Links by both ends.
    Links(BTreeMap<(NodeId, NodeId), Instant>),
}

impl Cache {
    /// Nothing is known.
    pub fn new(config: &Config, node: NodeId) -> Self {
        let known = match config.cache {
            CacheKind::Paths => Known::Paths(VecDeque::new()),
            CacheKind::Links => Known::Links(BTreeMap::new()),
        };
        Self { node, known, size: config.cache_size as usize, lifetime: config.cache_timeout }
    }

    /// A path was heard of that begins at the node.
    pub fn learn(&mut self, path: &[NodeId], now: Instant) {
        if path.len() < 2 || path[0] != self.node || has_loop(path) {
            return;
        }
        let until = self.lifetime.map_or(Instant::NEVER, |lifetime| now.saturating_add(lifetime));
        match &mut self.known {
            Known::Paths(paths) => {
                // What is a part of the new path is known by it; if it is part of another that is still better.
                let is_longer = |(known, _): &(Vec<NodeId>, Instant)| known.starts_with(path);
                let path = match paths.iter().position(is_longer) {
                    Some(place) => paths.remove(place).expect("found").0,
                    None => path.to_vec(),
                };
                paths.retain(|(known, _)| !path.starts_with(known));
                if paths.len() == self.size {
                    paths.pop_front();
                }
                paths.push_back((path, until));
            }
            Known::Links(links) => {
                for link in path.windows(2) {
                    links.insert((link[0], link[1]), until);
                }
                while links.len() > self.size {
                    let oldest = links.iter().min_by_key(|(_, until)| **until).map(|(&link, _)| link);
                    oldest.and_then(|link| links.remove(&link));
                }
            }
        }
    }

    /// A shortest path to a node; of equal ones the newest.
    pub fn find(&self, destination: NodeId, now: Instant) -> Option<Vec<NodeId>> {
        match &self.known {
            Known::Paths(paths) => {
                let ends_at = |(path, until): &(Vec<NodeId>, Instant)| {
                    let end = path.iter().position(|&node| node == destination)?;
                    (*until > now).then(|| path[..=end].to_vec())
                };
                paths.iter().rev().filter_map(ends_at).min_by_key(Vec::len)
            }
            Known::Links(links) => search(links, self.node, destination, now),
        }
    }

    /// A link is broken.
    pub fn forget(&mut self, Broken { from, to }: Broken) {
        match &mut self.known {
            Known::Paths(paths) => {
                for (path, _) in &mut *paths {
                    if let Some(place) = path.windows(2).position(|link| link == [from, to]) {
                        path.truncate(place + 1);
                    }
                }
                paths.retain(|(path, _)| path.len() > 1);
            }
            Known::Links(links) => {
                links.remove(&(from, to));
            }
        }
    }
}

/// Breadth first; neighbours in ascending order.
fn search(
    links: &BTreeMap<(NodeId, NodeId), Instant>,
    from: NodeId,
    to: NodeId,
    now: Instant,
) -> Option<Vec<NodeId>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut reached = VecDeque::from([from]);
    while let Some(node) = reached.pop_front() {
        if node == to {
            let mut path: Vec<_> =
                std::iter::successors(Some(to), |&node| (node != from).then(|| came_from[&node])).collect();
            path.reverse();
            return Some(path);
        }
        for (&(_, next), _) in links.range((node, 0)..=(node, NodeId::MAX)).filter(|(_, until)| **until > now)
        {
            came_from.entry(next).or_insert_with(|| {
                reached.push_back(next);
                node
            });
        }
    }
    None
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
            .map(|cache| Cache::new(&Config { cache, ..Config::default() }, 0))
    }

    #[test]
    fn the_shortest_path_is_found_and_every_node_on_one() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 3], at(0));
            cache.learn(&[0, 4, 3, 5], at(0));
            assert_eq!(cache.find(3, at(1)), Some(vec![0, 4, 3]));
            assert_eq!(cache.find(2, at(1)), Some(vec![0, 1, 2]));
            assert_eq!(cache.find(6, at(1)), None);
        }
    }

    #[test]
    fn a_broken_link_takes_what_is_behind_it() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 3], at(0));
            cache.forget(Broken { from: 1, to: 2 });
            assert_eq!((cache.find(1, at(1)), cache.find(2, at(1))), (Some(vec![0, 1]), None));
        }
    }

    #[test]
    fn links_make_paths_that_were_never_heard_of() {
        let [mut paths, mut links] = caches();
        for cache in [&mut paths, &mut links] {
            cache.learn(&[0, 1, 2], at(0));
            cache.learn(&[0, 3, 1], at(0));
            cache.forget(Broken { from: 0, to: 1 });
        }
        assert_eq!((paths.find(2, at(1)), links.find(2, at(1))), (None, Some(vec![0, 3, 1, 2])));
    }

    #[test]
    fn what_is_not_heard_again_is_forgotten_and_room_is_bounded() {
        for mut cache in caches() {
            cache.learn(&[0, 1], at(0));
            assert_eq!((cache.find(1, at(299)).is_some(), cache.find(1, at(301)).is_some()), (true, false));
            for node in 1..=300 {
                cache.learn(&[0, node], at(node.into()));
            }
            assert_eq!((cache.find(1, at(300)), cache.find(300, at(300))), (None, Some(vec![0, 300])));
        }
    }

    #[test]
    fn a_path_with_a_loop_or_of_somebody_else_is_not_learnt() {
        for mut cache in caches() {
            cache.learn(&[0, 1, 2, 1, 3], at(0));
            cache.learn(&[5, 3], at(0));
            assert_eq!(cache.find(3, at(1)), None);
        }
    }
}
