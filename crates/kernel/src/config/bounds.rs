//! The bounds of a parameter, and the order of two parameters.

use std::ops::{Bound, RangeBounds};

use super::{Diagnostic, Kind, Node, Read};

/// Everything above `least`, without it.
pub fn above<T>(least: T) -> (Bound<T>, Bound<T>) {
    (Bound::Excluded(least), Bound::Unbounded)
}

/// What can be bounded by a range of `T`.
pub trait Bounded<T> {
    /// True inside the range; what is absent is inside every range.
    fn is_within(&self, bounds: &impl RangeBounds<T>) -> bool;
}

impl<T: PartialOrd> Bounded<T> for T {
    fn is_within(&self, bounds: &impl RangeBounds<T>) -> bool {
        bounds.contains(self)
    }
}

impl<T: PartialOrd> Bounded<T> for Option<T> {
    fn is_within(&self, bounds: &impl RangeBounds<T>) -> bool {
        self.as_ref().is_none_or(|value| bounds.contains(value))
    }
}

/// The value read from `node`, or a diagnostic that names the bounds.
pub fn bounded<T: Read, V: Bounded<T>>(
    value: V,
    bounds: &impl RangeBounds<T>,
    node: &Node,
) -> Result<V, Diagnostic> {
    if value.is_within(bounds) { Ok(value) } else { Err(node.expected(&in_words(bounds))) }
}

/// The kind of a `V` within bounds.
pub fn kind_within<V: Read + Bounded<T>, T: Read, B: RangeBounds<T>>(bounds: &B) -> Kind {
    Kind::Within(Box::new(V::kind()), in_words(bounds))
}

/// The bounds as a user would read them: `at least 1`, `more than 0.0 and at most 1.0`.
fn in_words<T: Read>(bounds: &impl RangeBounds<T>) -> String {
    let low = match bounds.start_bound() {
        Bound::Included(least) => Some(format!("at least {}", least.show())),
        Bound::Excluded(least) => Some(format!("more than {}", least.show())),
        Bound::Unbounded => None,
    };
    let high = match bounds.end_bound() {
        Bound::Included(most) => Some(format!("at most {}", most.show())),
        Bound::Excluded(most) => Some(format!("less than {}", most.show())),
        Bound::Unbounded => None,
    };
    low.into_iter().chain(high).collect::<Vec<_>>().join(" and ")
}

/// Refuses two parameters that are not in the order of `names` (a name, `<` or `<=`, a name), at the
/// first of them that was written.
pub fn in_order<T: Read>(
    is_so: bool,
    names: [&'static str; 3],
    values: [&T; 2],
    node: &Node,
) -> Result<(), Diagnostic> {
    if is_so {
        return Ok(());
    }
    let [low, order, high] = names;
    let message = format!("{low} = {} with {high} = {}", values[0].show(), values[1].show());
    let key = if node.get(low).is_some() { low } else { high };
    Err(node.refuse_at(key, message, format!("keep {low} {order} {high}")))
}
