//! Passes on what another flow delivers: A. Bakre, B. R. Badrinath, "I-TCP: Indirect TCP for Mobile Hosts", ICDCS 1995.
//!
//! A gateway ends one connection and begins a second one, each with a congestion control of its own. It reads what
//! the first delivers only while what it wrote to the second and was not acknowledged there fits into the buffer; the
//! rest stays with the receiver of the first, whose window closes. The second ends when the first has ended and all of
//! it was passed on. What the gateway acknowledges has not arrived at the far end yet, as ever with I-TCP. Left out:
//! hosts that move from one gateway to the next.

use farlink_kernel::{Bytes, Instant, config};

use super::{Action, Application, Length, Parameters, Traffic};

pub(super) const SOURCE: &str = "Bakre, Badrinath, ICDCS 1995";

config! {
    /// Parameters of the relay.
    pub struct Config {
        /// The label of the flow that is passed on; it ends where this one begins.
        pub flow: String = String::new(),
        /// Most bytes written to this flow that were not acknowledged.
        pub buffer: Bytes = Bytes(65_536); in Bytes(1)..,
    }
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        Traffic::stream(Length::Relayed { flow: &self.flow, buffer: self.buffer })
    }
}

impl Application for Config {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: Bytes(0), close: false, wake: Instant::NEVER }
    }
}
