//! The pairs of nodes within a range, and whether they connect all nodes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use farlink_network::space::{Metres, Position};

/// Calls `visit` with every pair of positions at most `range` apart until it breaks. The cost is proportional to the
/// number of pairs in neighbouring squares of that size.
pub(super) fn each_pair<B>(
    places: &[Position],
    range: Metres,
    mut visit: impl FnMut([usize; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let square = |at: Position| [at.x.0, at.y.0].map(|side| libm::floor(side / range.0) as i64);
    let mut squares: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
    for (i, place) in places.iter().enumerate() {
        squares.entry(square(*place)).or_default().push(i);
    }
    for (a, place) in places.iter().enumerate() {
        let [column, row] = square(*place);
        for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))) {
            let there = squares.get(&[column.saturating_add(x), row.saturating_add(y)]);
            let later = there.into_iter().flatten().filter(|b| **b > a);
            for b in later.filter(|b| place.distance(places[**b]) <= range) {
                visit([a, *b])?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The pairs in ascending order, if there are at most `most`.
pub(super) fn pairs(places: &[Position], range: Metres, most: usize) -> Option<Vec<[usize; 2]>> {
    let mut pairs = Vec::new();
    let visited = each_pair(places, range, |pair| {
        pairs.push(pair);
        if pairs.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    pairs.sort_unstable();
    visited.is_continue().then_some(pairs)
}

/// True when the pairs connect all positions.
pub(super) fn is_connected(places: &[Position], range: Metres) -> bool {
    let mut parents: Vec<usize> = (0..places.len()).collect();
    let mut groups = places.len();
    let visited = each_pair(places, range, |pair| {
        let [a, b] = pair.map(|i| root(&mut parents, i));
        groups -= usize::from(a != b);
        parents[a] = b;
        if groups == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    visited.is_break() || groups <= 1
}

/// The representative of a group, its members moved nearer to it (path halving).
fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(count: u32, side: f64) -> Vec<Position> {
        let mut stream = farlink_kernel::random::Stream::new(1, "test", 0);
        let mut coordinate = || Metres(side * stream.uniform() - 300.0);
        (0..count).map(|_| Position { x: coordinate(), y: coordinate(), z: Metres(0.0) }).collect()
    }

    #[test]
    fn pairs_are_those_a_comparison_of_all_finds() {
        let places = places(200, 1000.0);
        for range in [1.0, 70.0, 5000.0].map(Metres) {
            let all = (0..200).flat_map(|a| (a + 1..200).map(move |b| [a, b]));
            let near: Vec<[usize; 2]> =
                all.filter(|[a, b]| places[*a].distance(places[*b]) <= range).collect();
            assert_eq!(pairs(&places, range, near.len()), Some(near.clone()));
            assert!(near.is_empty() || pairs(&places, range, near.len() - 1).is_none());
        }
    }

    #[test]
    fn places_are_connected_from_the_longest_gap_on() {
        let row = [0.0, 10.0, 20.0, 37.0, 45.0].map(|x| Position { x: Metres(x), ..Position::default() });
        assert!(!is_connected(&row, Metres(16.9)) && is_connected(&row, Metres(17.0)));
        assert!(is_connected(&row[..1], Metres(1.0)) && !is_connected(&row[..2], Metres(1.0)));
    }
}
