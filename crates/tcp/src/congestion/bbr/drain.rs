//! DRAIN: the inverse gain of STARTUP, until no more is in flight than the pipe holds.

use super::{Bbr, Mode};
use crate::{congestion::Ack, window::Window};

impl Bbr {
    pub(super) fn check_drain(&mut self, window: &mut Window, ack: &Ack) {
        let pipe = self.inflight(self.bandwidth.max(), 1.0);
        if self.mode == Mode::Startup && self.full_pipe.reached {
            self.mode = Mode::Drain;
            window.ssthresh = pipe.max(2.0);
        }
        if self.mode == Mode::Drain && self.in_network(ack, ack.flight) <= pipe {
            self.enter_probe_bw();
            self.cycle.start = ack.now;
        }
    }
}
