//! STARTUP: binary search for the bandwidth, a doubling per round. The pipe is full when three rounds in a row
//! increased it by less than a quarter.

use super::{Bbr, Mode};

#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    bandwidth: f64,
    rounds: u32,
    /// The pipe was found full, once and for all.
    pub reached: bool,
}

impl FullPipe {
    /// Earlier rounds no longer count: growth is measured anew.
    pub fn restart(&mut self) {
        self.bandwidth = 0.0;
        self.rounds = 0;
    }
}

impl Bbr {
    pub(super) fn check_full_pipe(&mut self, is_limited: bool) {
        let full = &mut self.full_pipe;
        if full.reached || !self.round.started || is_limited {
            return;
        }
        if self.bandwidth.max() >= full.bandwidth * self.config.full_pipe_growth {
            full.bandwidth = self.bandwidth.max();
            full.rounds = 0;
            return;
        }
        full.rounds += 1;
        full.reached = full.rounds >= self.config.full_pipe_rounds;
    }

    /// Back to cruising, or to STARTUP if the pipe was never full.
    pub(super) fn resume(&mut self) {
        if self.full_pipe.reached {
            self.enter_probe_bw();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
