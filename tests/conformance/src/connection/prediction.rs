//! Header prediction beside the full path: the same inputs, the same state after them, byte for byte.

use farlink_kernel::random::Stream;
use farlink_tcp::connection::{Outlet, Transmit};

use super::{Peer, State, Whole};
use crate::sequence::Harness;

/// The states are compared after so many operations: to show them takes longer than to play.
const COMPARED: usize = 5;

/// Segments in the order in which they leave.
#[derive(Debug, Default)]
struct Leaving(Vec<Transmit>);

impl Outlet for Leaving {
    fn send(&mut self, transmit: &Transmit) {
        self.0.push(*transmit);
    }
}

impl State {
    pub(super) fn flush_at_once(&mut self) {
        let mut leaving = Leaving::default();
        self.connection.transmit(self.now, &mut leaving);
        for Transmit { segment, ecn, .. } in leaving.0.drain(..) {
            self.wire.forth.push(segment, ecn);
        }
        match &mut self.peer {
            Peer::Model(_) => return self.flush_peer(),
            Peer::Real(peer) => peer.transmit(self.now, &mut leaving),
        }
        for Transmit { segment, ecn, .. } in leaving.0 {
            self.wire.back.push(segment, ecn);
        }
    }

    /// All that is known of both ends and the link between them, but for whether they predict.
    fn shown(&self) -> String {
        format!("{:?} {:?} {:?}", self.connection, self.peer, self.wire)
            .replace("predicts: false", "predicts: true")
    }
}

/// Plays sequences of operations in connections with one member, with header prediction and without. The error says where
/// the two differ.
pub fn predicted_and_not(
    with_member: impl Fn() -> Whole,
    seed: u64,
    sequences: u64,
    length: usize,
) -> Result<(), String> {
    let harnesses = [true, false].map(|predicts| Whole { predicts: Some(predicts), ..with_member() });
    for sequence in 0..sequences {
        let begin = |harness: &Whole| harness.begin(&mut Stream::new(seed, "circumstances", sequence));
        let mut states = harnesses.each_ref().map(begin);
        let mut rng = Stream::new(seed, "operations", sequence);
        for step in 0..length {
            let operation = harnesses[0].operation(&mut rng);
            for state in &mut states {
                state.happen(&operation)?;
            }
            // A state that differs once differs later, too.
            if (step + 1) % COMPARED > 0 {
                continue;
            }
            let [predicted, full] = states.each_ref().map(State::shown);
            if predicted != full {
                let at = predicted.bytes().zip(full.bytes()).take_while(|(a, b)| a == b).count();
                let near = |text: &str| text[at.saturating_sub(60)..text.len().min(at + 40)].to_owned();
                return Err(format!(
                    "sequence {sequence}, step {step}, {operation:?}: {} predicted, {} by the full path",
                    near(&predicted),
                    near(&full)
                ));
            }
        }
    }
    Ok(())
}
