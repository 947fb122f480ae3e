//! Why each flow was as fast as it was: two sentences and a table.

use crate::results::Results;

/// Why the flows were slow.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// One for every flow, in order.
    pub flows: Vec<FlowExplanation>,
}

/// Why one flow was slow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowExplanation {
    /// The flow's label.
    pub flow: String,
    /// Two sentences.
    pub text: String,
    /// What limited the flow, as fractions of its time, largest first.
    pub limited_by: Vec<(String, f64)>,
}

/// Explains a run from what it measured.
pub fn explain(_results: &Results) -> Explanation {
    Explanation { flows: Vec::new() }
}
