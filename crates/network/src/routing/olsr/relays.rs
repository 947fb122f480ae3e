//! Multipoint relays (RFC 3626, section 8.3.1): few neighbours that reach everybody two hops away.

use crate::ids::NodeId;
use farlink_kernel::ordered::{Map, Set};

/// A neighbour as the choice sees it.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// How much it is ready to pass on, 0 to 7.
    pub willingness: u8,
    /// The nodes it reaches, other than the node that chooses and that node's own neighbours.
    pub reaches: Set<NodeId>,
}

const ALWAYS: u8 = 7;

pub fn choose(neighbours: &Map<NodeId, Candidate>) -> Set<NodeId> {
    let willing = || neighbours.iter().filter(|(_, candidate)| candidate.willingness > 0);
    let mut ways: Map<NodeId, u32> = Map::new();
    for (_, candidate) in willing() {
        candidate.reaches.iter().for_each(|&node| *ways.entry(node).or_default() += 1);
    }
    // Steps 1 and 3: WILL_ALWAYS, and the only relays to some two-hop neighbour.
    let is_needed = |candidate: &Candidate| {
        candidate.willingness == ALWAYS || candidate.reaches.iter().any(|node| ways[node] == 1)
    };
    let mut chosen: Set<NodeId> =
        willing().filter(|(_, candidate)| is_needed(candidate)).map(|(&node, _)| node).collect();
    let mut uncovered: Set<NodeId> = ways.keys().copied().collect();
    for node in chosen.iter() {
        uncovered.retain(|two_hops_away| !neighbours[node].reaches.contains(two_hops_away));
    }
    // Step 4: by willingness, then uncovered two-hop neighbours, then all two-hop neighbours.
    while !uncovered.is_empty() {
        let rank = |&(node, candidate): &(&NodeId, &Candidate)| {
            let new = candidate.reaches.iter().filter(|node| uncovered.contains(node)).count();
            (new > 0, candidate.willingness, new, candidate.reaches.len(), std::cmp::Reverse(*node))
        };
        let Some((&best, candidate)) = willing().max_by_key(rank) else { break };
        chosen.insert(best);
        uncovered.retain(|node| !candidate.reaches.contains(node));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::ordered::{Map, Set};
    use farlink_kernel::random::Stream;

    fn chosen(neighbours: &[(NodeId, u8, &[NodeId])]) -> Vec<NodeId> {
        let candidate = |&(node, willingness, reaches): &(NodeId, u8, &[NodeId])| {
            (node, Candidate { willingness, reaches: reaches.iter().copied().collect() })
        };
        choose(&neighbours.iter().map(candidate).collect()).into_iter().collect()
    }

    #[test]
    fn the_only_way_to_somebody_is_chosen_and_who_covers_nobody_new_is_not() {
        assert_eq!(
            chosen(&[
                (NodeId(1), 3, &[10, 11].map(NodeId)),
                (NodeId(2), 3, &[11, 12].map(NodeId)),
                (NodeId(3), 3, &[NodeId(11)])
            ]),
            [1, 2]
        );
        assert_eq!(chosen(&[(NodeId(1), 3, &[]), (NodeId(2), 3, &[])]), [NodeId(0); 0]);
    }

    #[test]
    fn the_more_willing_then_the_one_with_more_reach_wins() {
        assert_eq!(
            chosen(&[
                (NodeId(1), 3, &[10, 11].map(NodeId)),
                (NodeId(2), 6, &[NodeId(10)]),
                (NodeId(3), 3, &[10, 11].map(NodeId))
            ]),
            [1, 2]
        );
        assert_eq!(
            chosen(&[
                (NodeId(1), 3, &[10, 11].map(NodeId)),
                (NodeId(2), 3, &[10, 11, 12].map(NodeId)),
                (NodeId(3), 3, &[NodeId(12)])
            ]),
            [2]
        );
        // Equal: the lower number.
        assert_eq!(chosen(&[(NodeId(1), 3, &[NodeId(10)]), (NodeId(2), 3, &[NodeId(10)])]), [1]);
    }

    #[test]
    fn relays_reach_everybody_who_can_be_reached() {
        let mut rng = Stream::new(1, "relays", 0);
        for _ in 0..2000 {
            let reaches = |rng: &mut Stream| (10..22).filter(|_| rng.below(4) == 0).map(NodeId).collect();
            let candidate =
                |rng: &mut Stream| Candidate { willingness: rng.below(8) as u8, reaches: reaches(rng) };
            let neighbours: Map<NodeId, _> =
                (0..rng.below(8) as u32).map(|n| (NodeId(n), candidate(&mut rng))).collect();
            let relays = choose(&neighbours);
            let reached: Set<NodeId> =
                relays.iter().flat_map(|relay| neighbours[relay].reaches.clone()).collect();
            let willing = neighbours.values().filter(|candidate| candidate.willingness > 0);
            let all: Set<NodeId> = willing.flat_map(|candidate| candidate.reaches.clone()).collect();
            assert_eq!(reached, all);
            assert!(relays.iter().all(|relay| neighbours[relay].willingness > 0));
        }
    }

    #[test]
    fn who_is_never_willing_is_never_chosen_and_who_always_is_always() {
        assert_eq!(chosen(&[(NodeId(1), 0, &[NodeId(10)]), (NodeId(2), 7, &[])]), [2]);
    }
}
