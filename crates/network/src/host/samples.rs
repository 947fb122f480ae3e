//! Times drawn from lists: each packet takes one of `packet`, and the first of a burst one of `burst` before it.
//!
//! A burst begins when the host has nothing in hand in that direction. With one time in a list every draw is that time.

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant, config};

use super::{HostDelay, Setup, Turn};

pub(super) const SOURCE: &str = "samples of the user";

config! {
    /// The lists; an empty one takes no time.
    pub struct Config {
        /// Times that the host takes for a packet, one after the other.
        pub packet: Vec<Duration> = Vec::new(),
        /// Times until an idle host begins with the first packet of a burst.
        pub burst: Vec<Duration> = Vec::new(),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Samples {
    config: Config,
    rng: Stream,
}

impl Samples {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { config: config.clone(), rng: Stream::new(setup.seed, "host samples", setup.index()) }
    }
}

impl HostDelay for Samples {
    fn done(&mut self, turn: &Turn) -> Instant {
        let begin = if turn.free > turn.now {
            turn.free
        } else {
            turn.now.saturating_add(pick(&self.config.burst, &mut self.rng))
        };
        begin.saturating_add(pick(&self.config.packet, &mut self.rng))
    }
}

/// One of `times`, zero without any.
pub(super) fn pick(times: &[Duration], rng: &mut Stream) -> Duration {
    let place = rng.below(times.len() as u64) as usize;
    times.get(place).copied().unwrap_or(Duration::ZERO)
}
